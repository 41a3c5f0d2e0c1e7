#include "app/gegl/pixels.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/image.h"
#include "filters/brightness.h"

namespace scanlens::gegl {
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
  if constexpr (std::is_floating_point_v<T>) {
    const View<T> samples = picture.view();
    std::replace_if(
        samples.data, samples.data + samples.extent(), [](T sample) { return !std::isfinite(sample); }, T{});
  }
  return picture;
}

Image<float> map_of(GeglBuffer* buffer, const GeglRectangle& whole) {
  const Babl* own = gegl_buffer_get_format(buffer);
  const Babl* space = babl_format_get_space(own);
  Image<float> map = picture_of<float>(
      buffer, whole, babl_format_with_space(is_encoded(own) ? "Y' float" : "Y float", space));
  const View<float> values = map.view();
  std::transform(values.data, values.data + values.extent(), values.data,
                 [](float value) { return std::clamp(value, 0.0f, 1.0f); });
  return map;
}

template <class T>
std::int64_t apply_to(Context& context, const Blur& blur, const DofStyle& style, GeglBuffer* input,
                      View<const float> map, GeglBuffer* output, const GeglRectangle& whole) {
  const Babl* format = gegl_buffer_get_format(output);
  Image<T> picture = picture_of<T>(input, whole, format);
  Brightness brightness;
  if constexpr (std::is_floating_point_v<T>) brightness = brightness_of(std::as_const(picture).view());
  picture = upload(context, std::move(picture));
  depth_of_field<T>(context, std::as_const(picture).view(), map, blur, picture.view(), brightness.light,
                    style);
  picture = download(context, std::move(picture));
  gegl_buffer_set(output, &whole, 0, format, picture.view().data, GEGL_AUTO_ROWSTRIDE);
  return brightness.clipped;
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

std::int64_t apply_dof(Context& context, const Blur& blur, const DofStyle& style, GeglBuffer* input,
                       GeglBuffer* map, GeglBuffer* output, const GeglRectangle& whole) {
  const Image<float> depth = upload(context, map_of(map, whole));
  const Babl* format = gegl_buffer_get_format(output);
  const auto apply = has_type(format, "u8")    ? apply_to<std::uint8_t>
                     : has_type(format, "u16") ? apply_to<std::uint16_t>
                                               : apply_to<float>;
  return apply(context, blur, style, input, depth.view(), output, whole);
}

}  // namespace scanlens::gegl
