#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/depth/depth.h"
#include "app/io/codecs/codecs.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

Format format_for(const fs::path& path) {
  const Format format = format_by_name(path);
  if (format == Format::png || format == Format::pfm) return format;
  throw Error(ErrorKind::usage, fmt::format("{}: depth maps are written as .png or .pfm, not as '{}'",
                                            path.string(), path.extension().string()));
}

// 0 stands for unknown, so that what is nearer than half a millimetre is written as one. The largest value
// also stands for all that is farther: as unknown, a far background would be filled from what is nearer.
std::uint16_t millimetres(float disparity) {
  if (!(disparity >= 0)) return 0;
  return static_cast<std::uint16_t>(
      std::clamp(std::round(1000 / static_cast<double>(disparity)), 1.0, 65535.0));
}

float metres(float disparity) {
  const float distance = 1 / disparity;
  constexpr auto kFarthest = static_cast<float>(kInfinitelyFar);
  return distance > 0 && distance < kFarthest ? distance : kFarthest;
}

template <class T>
Image<T> distances(View<const float> disparity, T (*distance)(float)) {
  Image<T> image(disparity.width, disparity.height);
  const View<T> to = image.view();
  for (std::int64_t y = 0; y < disparity.height; ++y)
    std::transform(disparity.row(y), disparity.row(y) + disparity.width, to.row(y), distance);
  return image;
}

}  // namespace

void check_depth_output(const fs::path& path, const fs::path& input, Overwrite overwrite) {
  format_for(path);
  check_target(path, input, overwrite);
}

void write_depth(const fs::path& path, View<const float> disparity, Overwrite overwrite) {
  check_depth_output(path, {}, overwrite);
  if (disparity.empty() || disparity.channels != 1)
    throw Error(ErrorKind::usage,
                fmt::format("{}: a depth map of {} x {} pixels and {} channels cannot be written",
                            path.string(), disparity.width, disparity.height, disparity.channels));
  if (format_for(path) == Format::png) {
    const Image<std::uint16_t> image = distances(disparity, millimetres);
    write_file(path, encode_png(image.view(), path.string()).bytes(), overwrite);
  } else {
    const Image<float> image = distances(disparity, metres);
    const Memory memory = encode_pfm(image.view());
    write_file(path, {memory.data(), memory.bytes()}, overwrite);
  }
}

}  // namespace scanlens
