#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/depth/depth.h"
#include "app/depth/files/mark.h"
#include "app/depth/files/npy_encode.h"
#include "app/io/codecs/codecs.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

constexpr Format kFormats[] = {Format::png, Format::pfm, Format::exr, Format::npy};

Format format_for(const fs::path& path, const DepthWriteOptions& options) {
  const Format named = options.format != Format::unknown ? options.format : format_by_name(path);
  if (std::find(std::begin(kFormats), std::end(kFormats), named) != std::end(kFormats)) return named;
  if (is_standard_stream(path)) refuse_nameless_output();
  refuse_extension(path, "depth maps", ".png, .pfm, .exr or .npy");
}

// 0 stands for unknown, so that what is nearer than half a millimetre is written as one. The largest value
// also stands for all that is farther: as unknown, a far background would be filled from what is nearer.
std::uint16_t millimetres(float disparity) {
  if (!(disparity >= 0)) return 0;
  return static_cast<std::uint16_t>(
      std::clamp(std::round(1000 / static_cast<double>(disparity)), 1.0, 65535.0));
}

constexpr float kFarthestMetres = 65.5355f;

std::int64_t count_of(View<const float> values, bool (*is)(float)) {
  std::int64_t count = 0;
  for (std::int64_t y = 0; y < values.height; ++y)
    count += std::count_if(values.row(y), values.row(y) + values.width, is);
  return count;
}

float metres(float disparity) {
  const float distance = 1 / disparity;
  constexpr auto kFarthest = static_cast<float>(kInfinitelyFar);
  return distance > 0 && distance < kFarthest ? distance : kFarthest;
}

std::uint16_t code_of_share(float share) {
  return static_cast<std::uint16_t>(std::lround(std::clamp(share, 0.f, 1.f) * 65535));
}

float same(float share) {
  return share;
}

template <class T>
Image<T> converted(View<const float> disparity, T (*value)(float)) {
  Image<T> image(disparity.width, disparity.height);
  const View<T> to = image.view();
  for (std::int64_t y = 0; y < disparity.height; ++y)
    std::transform(disparity.row(y), disparity.row(y) + disparity.width, to.row(y), value);
  return image;
}

Bytes bytes_of(const Memory& memory) {
  return {memory.data(), memory.bytes()};
}

}  // namespace

std::vector<std::string> depth_format_names() {
  std::vector<std::string> names;
  for (const Format format : kFormats) names.emplace_back(traits_of(format).extensions.substr(1));
  return names;
}

void check_depth_output(const fs::path& path, const fs::path& input, const DepthWriteOptions& options) {
  refuse_folder(path);
  format_for(path, options);
  check_target(path, input, options.overwrite);
}

void write_depth(const fs::path& path, View<const float> disparity, bool metric,
                 const DepthWriteOptions& options, const Remarks& say) {
  check_depth_output(path, {}, options);
  const std::string name = output_name(path);
  if (disparity.empty() || disparity.channels != 1)
    throw Error(ErrorKind::usage,
                fmt::format("{}: a depth map of {} x {} pixels and {} channels cannot be written", name,
                            disparity.width, disparity.height, disparity.channels));
  const auto write = [&](Bytes bytes) { write_file(path, bytes, options.overwrite); };
  const Format format = format_for(path, options);
  if (format == Format::png) {
    const auto too_far = [](float value) { return value > 0 && 1 / value > kFarthestMetres; };
    const auto beyond = metric ? count_of(disparity, too_far) : 0;
    if (beyond > 0 && say)
      say({true,
           fmt::format("{} pixels are farther than 65.535 m, the most that 16 bits of millimetres hold, "
                       "and are written as that; write .exr, .npy or .pfm to keep them",
                       beyond)});
    const Image<std::uint16_t> image = converted(disparity, metric ? millimetres : code_of_share);
    const Encoded png = encode_png(image.view(), name);
    return write(marked_png(png.bytes(), metric ? DepthKind::depth : DepthKind::inverse));
  }
  const Image<float> image = converted(disparity, metric ? metres : same);
  const View<const float> values = image.view();
  if (format == Format::exr)
    write(encode_exr(values, {}, false, kUsualCompression, name, {}, metric ? "Z" : "disparity").bytes());
  else if (format == Format::npy)
    write(bytes_of(encode_npy(values, metric)));
  else
    write(bytes_of(metric ? encode_pfm(values, kScaleOfMetres) : encode_pfm(values)));
}

}  // namespace scanlens
