#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <span>
#include <utility>

#include "app/depth/depth.h"
#include "app/depth/value_range.h"
#include "app/io/codecs/codecs.h"
#include "core/context.h"
#include "core/error.h"
#include "filters/depth/fit.h"

namespace scanlens {
namespace {

Image<float> resized_by_opencv(Image<float>& image, std::int64_t width, std::int64_t height, int method) {
  const auto wrapped = [](Image<float>& of) {
    return cv::Mat(static_cast<int>(of.height()), static_cast<int>(of.width()), CV_32FC1, of.view().data);
  };
  try {
    Image<float> result(width, height);
    const cv::Mat from = wrapped(image);
    cv::Mat to = wrapped(result);
    cv::resize(from, to, to.size(), 0, 0, method);
    return result;
  } catch (const cv::Exception& error) {
    throw Error(error.code == cv::Error::StsNoMem ? ErrorKind::retry : ErrorKind::failed,
                fmt::format("a depth map cannot be resized to {} x {}: {}", width, height, error.err));
  }
}

/// Takes each pixel from the one that its middle falls into.
template <class T>
Image<T> nearest_image(const Image<T>& image, std::int64_t width, std::int64_t height) {
  Image<T> result(width, height);
  const View<const T> from = image.view();
  const auto place = [](std::int64_t at, std::int64_t side, std::int64_t from_side) {
    return (2 * at + 1) * from_side / (2 * side);
  };
  for (std::int64_t y = 0; y < height; ++y) {
    const T* row = from.row(place(y, height, from.height));
    T* to = result.view().row(y);
    for (std::int64_t x = 0; x < width; ++x) to[x] = row[place(x, width, from.width)];
  }
  return result;
}

template <class T>
Image<T> turned_image(Image<T> image, int orientation) {
  Picture picture = upright(Picture{std::move(image)}, orientation);
  return std::move(std::get<Image<T>>(picture.samples));
}

bool has_size(const Image<float>& image, std::int64_t width, std::int64_t height) {
  return image.width() == width && image.height() == height;
}

/// Clips values, and returns their range then. A mean leaves the range of its terms by rounding at most, but
/// "at most 1" has to hold to the bit.
ValueRange clip(View<float> values, const ValueRange& to) {
  const auto [least, most] =
      range_of(values, [&](float& value) { return value = std::clamp(value, to.least, to.most); });
  return {least, most};
}

/// One direction may shrink while the other grows: first what needs an average, then what needs an
/// interpolation.
Image<float> shrunk(Image<float> image, std::int64_t width, std::int64_t height) {
  width = std::min(width, image.width());
  height = std::min(height, image.height());
  return has_size(image, width, height) ? std::move(image)
                                        : resized_by_opencv(image, width, height, cv::INTER_AREA);
}

/// Calls with(View<const T>) for all of a photo, where the context's backend can read it. Rows that come in
/// parts are put together first.
template <class With>
void with_samples(const PhotoRows& photo, Context& context, const With& with) {
  const RowFormat& format = photo.format;
  const std::size_t bytes = format.row_bytes() * static_cast<std::size_t>(format.height);
  const auto call = [&](Bytes samples) {
    const auto as = [&]<class T>(const T* first) {
      const View<const T> view(first, format.width, format.height, format.channels);
      if (!context.on_cuda() || photo.on_device) return with(view);
      Image<T> device(context, view.width, view.height, view.channels);
      copy(context, view, device.view());
      with(View<const T>(device.view()));
    };
    if (format.sample_bytes == 1) return as(reinterpret_cast<const std::uint8_t*>(samples.data()));
    if (format.sample_bytes == 2) return as(reinterpret_cast<const std::uint16_t*>(samples.data()));
    as(reinterpret_cast<const float*>(samples.data()));
  };
  if (context.on_cuda() && photo.on_device)
    return call({static_cast<const std::byte*>(photo.on_device), bytes});
  std::optional<Memory> whole;
  std::size_t done = 0;
  photo.read([&](Bytes rows) {
    if (rows.size() == bytes) return call(rows);
    if (!whole) whole.emplace(Backend::cpu, bytes);
    std::copy(rows.begin(), rows.end(), whole->data() + done);
    done += rows.size();
  });
  if (whole) call({whole->data(), bytes});
}

/// Averages what shrinks and interpolates what grows, along the edges of the photo if there is one.
Image<float> fitted_image(Image<float> map, const PhotoRows& photo, bool along_edges, ValueRange& range,
                          Context& context) {
  const std::int64_t width = photo.format.width, height = photo.format.height;
  map = shrunk(std::move(map), width, height);
  if (has_size(map, width, height)) {
    range = clip(map.view(), range);
    return map;
  }
  map = upload(context, std::move(map));
  Image<float> result(context, width, height);
  const View<const float> from = std::as_const(map).view();
  if (!along_edges) {
    range = enlarge(context, from, range, result.view());
    return result;
  }
  with_samples(photo, context, [&]<class T>(View<const T> samples) {
    range = enlarge_along_edges<T>(context, from, samples, range, result.view());
  });
  return result;
}

}  // namespace

MapFit fit_of(const Image<float>& map, const RowFormat& photo) {
  constexpr double kTolerance = 0.03;
  const auto apart = [](double a, double b) { return std::abs(a / b - 1) > kTolerance; };
  const double own = static_cast<double>(map.width()) / static_cast<double>(map.height());
  const double picture = static_cast<double>(photo.width) / static_cast<double>(photo.height);
  if (!apart(own, picture)) return MapFit::same;
  return apart(1 / own, picture) ? MapFit::other : MapFit::on_its_side;
}

int turn_of(const Image<float>& map, const PhotoRows& photo, const DepthOptions& options) {
  constexpr int kFirstOnItsSide = 5;
  const bool turns = !options.orientation && photo.orientation >= kFirstOnItsSide &&
                     fit_of(map, photo.format) == MapFit::on_its_side;
  return turns ? photo.orientation : 1;
}

Depth turned(Depth depth, int orientation) {
  depth.disparity = turned_image(std::move(depth.disparity), orientation);
  if (!depth.unknown_at.empty()) depth.unknown_at = turned_image(std::move(depth.unknown_at), orientation);
  return depth;
}

Depth resized(Depth depth, const PhotoRows& photo, DepthResample resample) {
  Context context = Context::open("cpu");
  return resized(std::move(depth), photo, resample, context);
}

Depth resized(Depth depth, const PhotoRows& photo, DepthResample resample, Context& context) {
  const std::int64_t width = photo.format.width, height = photo.format.height;
  constexpr std::int64_t kMostSide = INT32_MAX;  // OpenCV's sizes
  Image<float>& image = depth.disparity;
  if (image.empty() || width < 1 || height < 1 ||
      std::max({width, height, image.width(), image.height()}) > kMostSide)
    throw Error(ErrorKind::usage, fmt::format("a depth map of {} x {} pixels cannot be resized to {} x {}",
                                              image.width(), image.height(), width, height));
  if (has_size(image, width, height)) return depth;
  if (!depth.unknown_at.empty()) depth.unknown_at = nearest_image(depth.unknown_at, width, height);
  ValueRange range{depth.least, depth.most};
  if (resample == DepthResample::nearest) {
    image = nearest_image(image, width, height);
    range = clip(image.view(), range);
  } else {
    image = fitted_image(std::move(image), photo, resample == DepthResample::edges, range, context);
  }
  depth.least = range.least;
  depth.most = range.most;
  return depth;
}

Depth resized(Depth depth, std::int64_t width, std::int64_t height, DepthResample resample) {
  if (resample == DepthResample::edges)
    throw Error("a depth map cannot be resized along edges without a photo");
  return resized(std::move(depth), PhotoRows{{width, height}}, resample);
}

bool moves_jumps(const Depth& depth, const DepthOptions& options) {
  return options.resample == DepthResample::edges && !options.is_measured && !depth.exact;
}

std::int64_t move_jumps(Depth& depth, const PhotoRows& photo) {
  Context context = Context::open("cpu");
  return move_jumps(depth, photo, context);
}

std::int64_t move_jumps(Depth& depth, const PhotoRows& photo, Context& context) {
  if (depth.exact) return 0;
  depth.disparity = upload(context, std::move(depth.disparity));
  MovedJumps moved;
  with_samples(photo, context, [&]<class T>(View<const T> samples) {
    moved = move_jumps<T>(context, depth.disparity.view(), samples);
  });
  depth.least = moved.values.least;
  depth.most = moved.values.most;
  return moved.pixels;
}

std::int64_t moving_bytes(const PhotoRows& photo) {
  const std::int64_t width = photo.format.width, height = photo.format.height;
  return width * height * static_cast<std::int64_t>(sizeof(float)) + moving_bytes(width, height) +
         photo.bytes_together();
}

std::int64_t fitting_device_bytes(const RowFormat& photo) {
  // The map and its copy; pixels that move, or planes of the map; sorted samples of it.
  constexpr std::int64_t kPixel = 2 * sizeof(float) + 32, kRest = 16 << 20;
  return photo.width * photo.height * kPixel + kRest;
}

std::int64_t resizing_bytes(const Depth& depth, const PhotoRows& rows, DepthResample resample) {
  const RowFormat& photo = rows.format;
  const std::int64_t width = depth.disparity.width(), height = depth.disparity.height();
  const bool along_edges = resample == DepthResample::edges && (width < photo.width || height < photo.height);
  const std::int64_t planes = along_edges ? kPlanesAlongEdges : 1;
  return (photo.width * photo.height + planes * width * height) * static_cast<std::int64_t>(sizeof(float)) +
         (along_edges ? rows.bytes_together() : 0);
}

PhotoRows rows_of(const Picture& picture) {
  return std::visit(
      [&]<class T>(const Image<T>& image) -> PhotoRows {
        return {{image.width(), image.height(), image.channels(), sizeof(T)},
                [&image](const PhotoRows::Take& take) {
                  take(std::as_bytes(
                      std::span(image.view().data, static_cast<std::size_t>(image.view().extent()))));
                },
                picture.orientation};
      },
      picture.samples);
}

}  // namespace scanlens
