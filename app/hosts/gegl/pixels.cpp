#include "app/hosts/gegl/pixels.h"

#include <utility>

#include "app/hosts/blur_picture.h"

namespace scanlens::hosts::gegl {
namespace {

bool is_encoded(const Babl* format) {
  return (babl_get_model_flags(format) & BABL_MODEL_FLAG_NONLINEAR) != 0;
}

bool has_type(const Babl* format, const char* name) {
  return babl_format_get_type(format, 0) == babl_type(name);
}

template <class T>
Image<T> picture_of(GeglBuffer* buffer, const GeglRectangle& whole, const Babl* format) {
  Image<T> picture(whole.width, whole.height, babl_format_get_n_components(format));
  gegl_buffer_get(buffer, &whole, 1.0, format, picture.view().data, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_CLAMP);
  return picture;
}

Image<float> map_of(GeglBuffer* buffer, const GeglRectangle& whole) {
  const Babl* own = gegl_buffer_get_format(buffer);
  return picture_of<float>(
      buffer, whole,
      babl_format_with_space(is_encoded(own) ? "Y' float" : "Y float", babl_format_get_space(own)));
}

template <class T>
std::int64_t apply_to(const Settings& settings, GeglBuffer* input, Image<float> map, GeglBuffer* output,
                      const GeglRectangle& whole) {
  const Babl* format = gegl_buffer_get_format(output);
  Image<T> picture = picture_of<T>(input, whole, format);
  const std::int64_t clipped = blur_picture(picture, std::move(map), settings, whole.width);
  gegl_buffer_set(output, &whole, 0, format, picture.view().data, GEGL_AUTO_ROWSTRIDE);
  return clipped;
}

}  // namespace

const Babl* format_for(const Babl* format) {
  if (!format) return babl_format("RGB float");
  const bool alpha = babl_format_has_alpha(format) != 0;
  const Babl* space = babl_format_get_space(format);
  if (is_encoded(format) && space == babl_space("sRGB")) {
    if (has_type(format, "u8")) return babl_format(alpha ? "R'G'B'A u8" : "R'G'B' u8");
    if (has_type(format, "u16")) return babl_format(alpha ? "R'G'B'A u16" : "R'G'B' u16");
  }
  return babl_format_with_space(alpha ? "RGBA float" : "RGB float", space);
}

std::int64_t apply_dof(const Settings& settings, GeglBuffer* input, GeglBuffer* map, GeglBuffer* output,
                       const GeglRectangle& whole) {
  const Babl* format = gegl_buffer_get_format(output);
  const auto apply = has_type(format, "u8")    ? apply_to<std::uint8_t>
                     : has_type(format, "u16") ? apply_to<std::uint16_t>
                                               : apply_to<float>;
  return apply(settings, input, map_of(map, whole), output, whole);
}

}  // namespace scanlens::hosts::gegl
