#include "app/video/frame_pixels.h"

#include <limits>
#include <type_traits>
#include <utility>

#include "app/photo/readable.h"
#include "app/video/follow/brightness.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Allocates a variant's image of 1 or 2 bytes a sample.
template <class Images, class... Where>
Images allocated(int sample_bytes, const Where&... where) {
  if (sample_bytes == 1) return Image<std::uint8_t>(where...);
  return Image<std::uint16_t>(where...);
}

/// Views the planes that lie one after the other.
template <class T>
YuvPlanes<T> planes_in(T* samples, const RawFormat& format) {
  const RowFormat& rows = format.rows;
  const std::int64_t width = format.yuv->chroma_width(rows.width),
                     height = format.yuv->chroma_height(rows.height);
  T *const blue = samples + rows.width * rows.height, *const red = blue + width * height;
  return {View<T>(samples, rows.width, rows.height), View<T>(blue, width, height),
          View<T>(red, width, height)};
}

bool is_empty(const Picture& picture) {
  return std::visit([](const auto& image) { return image.empty(); }, picture.samples);
}

}  // namespace

FramePixels::FramePixels(const RawFormat& format) : format_(format) {
  const RowFormat& rows = format.rows;
  if (format.yuv)
    planes_ = allocated<Planes>(rows.sample_bytes, static_cast<std::int64_t>(format.samples()), 1);
  else
    picture_.samples =
        allocated<decltype(picture_.samples)>(rows.sample_bytes, rows.width, rows.height, rows.channels);
}

FramePixels::FramePixels(Picture picture) : picture_(std::move(picture)) {
  format_.rows = rows_of(picture_).format;
  metadata = picture_.metadata;
}

std::span<std::byte> FramePixels::bytes() {
  const auto of = [](auto& image) {
    return std::as_writable_bytes(
        std::span(image.view().data, static_cast<std::size_t>(image.view().extent())));
  };
  return format_.yuv ? std::visit(of, planes_) : std::visit(of, picture_.samples);
}

Picture FramePixels::converted(Context& context) const {
  const RowFormat& rows = format_.rows;
  return std::visit(
      [&]<class T>(const Image<T>& planes) -> Picture {
        const Readable<T> readable(context, planes);
        Image<T> rgb(context, rows.width, rows.height, rows.channels);
        rgb_from_yuv(context, planes_in<const T>(readable.view().data, format_), *format_.yuv, rgb.view());
        context.synchronize();
        return {std::move(rgb)};
      },
      planes_);
}

const Picture& FramePixels::picture() {
  if (is_empty(picture_)) {
    Context host = Context::open("cpu");
    picture_ = converted(host);
  }
  picture_.metadata = metadata;
  return picture_;
}

PhotoRows FramePixels::rows() {
  PhotoRows rows{format_.rows, [this](const PhotoRows::Take& take) { rows_of(picture()).read(take); }};
  std::visit(
      [&](const auto& image) {
        if (image.backend() == Backend::cuda) rows.on_device = image.view().data;
      },
      picture_.samples);
  return rows;
}

Image<float> FramePixels::small_brightness(std::int64_t longest) {
  return format_.yuv
             ? std::visit(
                   [&]<class T>(const Image<T>& planes) {
                     const float white = static_cast<float>((1 << format_.yuv->bits) - 1);
                     return small_brightness_of(planes_in<const T>(planes.view().data, format_).luma, white,
                                                longest);
                   },
                   planes_)
             : std::visit(
                   [&]<class T>(const Image<T>& image) {
                     constexpr float kWhite =
                         std::is_floating_point_v<T> ? 1 : static_cast<float>(std::numeric_limits<T>::max());
                     return small_brightness_of(image.view(), kWhite, longest);
                   },
                   picture_.samples);
}

void FramePixels::move_to(Context& context) {
  picture_ = take(context);
  std::visit([&](auto& image) { image = upload(context, std::move(image)); }, picture_.samples);
}

Picture FramePixels::take(Context& context) {
  Picture taken = is_empty(picture_) ? converted(context) : std::move(picture_);
  taken.metadata = metadata;
  return taken;
}

void FramePixels::put(Context& context, Picture picture, const RawFormat& format) {
  metadata = std::move(picture.metadata);
  picture_ = {};
  planes_ = {};
  format_ = format;
  std::visit(
      [&]<class T>(Image<T>& image) {
        if constexpr (std::is_floating_point_v<T>) {
          throw Error("frames of floats are no clip");
        } else if (!format.yuv) {
          picture_.samples = download(context, std::move(image));
        } else {
          const Image<T> rgb = upload(context, std::move(image));
          Image<T> planes(context, static_cast<std::int64_t>(format.samples()), 1);
          yuv_from_rgb(context, rgb.view(), *format.yuv, planes_in(planes.view().data, format));
          planes_ = download(context, std::move(planes));
        }
      },
      picture.samples);
}

}  // namespace scanlens
