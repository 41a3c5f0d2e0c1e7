#include "app/depth/depth.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <system_error>
#include <tuple>
#include <utility>

#include "app/depth/files/raw.h"
#include "app/depth/finish.h"
#include "app/depth/meaning/understand.h"
#include "app/depth/strokes/spread.h"
#include "app/depth/strokes/strokes.h"
#include "app/depth/value_range.h"
#include "app/io/memory_limit.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

Source source_of(const fs::path& path, const Memory& memory, const Limits& limits) {
  return {input_name(path), {memory.data(), memory.bytes()}, limits};
}

[[noreturn]] void refuse_without_photo(const std::string& name) {
  throw Error(
      ErrorKind::usage,
      fmt::format("{}: strokes cannot be read without their photo; name it (in `depth`: --of PHOTO)", name));
}

Strokes strokes_in(const Source& source, const DepthOptions& options) {
  Strokes strokes =
      parse_strokes({reinterpret_cast<const char*>(source.bytes.data()), source.bytes.size()}, source.name);
  if (!strokes.map.empty()) return strokes;
  constexpr const char* kWhy = "strokes, which state depth themselves";
  require_no_meaning(options, source.name, kWhy);
  if (options.invert)
    throw Error(ErrorKind::usage,
                fmt::format("{}: --invert cannot be used with {}; leave it out", source.name, kWhy));
  return strokes;
}

void require_host(const Limits& limits, const std::string& name, std::int64_t bytes) {
  require_fit(name, bytes, limits.max_bytes, "host");
}

/// Reads the map that strokes correct, upright and at the size of its photo.
Depth map_under(const Strokes& strokes, const fs::path& file, const DepthOptions& options,
                const Limits& limits, const PhotoRows& photo) {
  const fs::path path = file.parent_path() / strokes.map;
  const auto fail = [&](const char* cause) {
    throw Error(fmt::format("{}: the depth map {} that its strokes correct {}", input_name(file),
                            path.string(), cause));
  };
  std::error_code error;
  if (!fs::is_regular_file(path, error)) fail("is missing");
  const Memory memory = read_file(path, most_file_bytes(limits));
  const Source source = source_of(path, memory, limits);
  if (are_strokes(source.bytes)) fail("is a file of strokes itself; name a depth map");
  Depth map = finished(read_raw(source, path, options.channel), options, source.name);
  map = turned(std::move(map), turn_of(map.disparity, photo, options));
  require_host(limits, source.name, resizing_bytes(map, photo, options.resample));
  map = resized(std::move(map), photo, options.resample);
  if (!moves_jumps(map, options)) return map;
  require_host(limits, source.name, moving_bytes(photo));
  move_jumps(map, photo);
  return map;
}

/// Spreads the strokes of a file over their photo.
Depth depth_of_strokes(const Source& source, const fs::path& path, const DepthOptions& options,
                       const Limits& limits, const PhotoRows& photo) {
  const Strokes strokes = strokes_in(source, options);
  // A map under them is there three times: itself, its copy and the change.
  const std::int64_t maps =
      strokes.map.empty() ? 0 : 3 * photo.format.width * photo.format.height * std::int64_t{sizeof(float)};
  require_host(limits, source.name, spreading_bytes(photo.format, strokes.strokes.size()) + maps);
  if (strokes.map.empty()) return spread(strokes, photo, source.name);
  return spread(strokes, photo, map_under(strokes, path, options, limits, photo), source.name);
}

}  // namespace

Depth copy_of(const Depth& depth) {
  const auto copied = []<class T>(const Image<T>& image) {
    Image<T> copy(image.width(), image.height());
    std::copy_n(image.view().data, image.view().extent(), copy.view().data);
    return copy;
  };
  Depth copy;
  copy.disparity = copied(depth.disparity);
  copy.metric = depth.metric;
  copy.least = depth.least;
  copy.most = depth.most;
  copy.kind = depth.kind;
  copy.exact = depth.exact;
  copy.covers_photo = depth.covers_photo;
  copy.focus = depth.focus;
  copy.unknown = depth.unknown;
  if (!depth.unknown_at.empty()) copy.unknown_at = copied(depth.unknown_at);
  copy.convention = depth.convention;
  copy.decided_by = depth.decided_by;
  copy.remarks = depth.remarks;
  return copy;
}

void find_extremes(Depth& depth) {
  const auto same = [](float value) { return value; };
  std::tie(depth.least, depth.most) = range_of(std::as_const(depth.disparity).view(), same);
}

void unfill(Depth& depth) {
  const View<const std::uint8_t> unknown = std::as_const(depth.unknown_at).view();
  const View<float> values = depth.disparity.view();
  for (std::int64_t i = 0; i < unknown.extent(); ++i)
    if (unknown.data[i]) values.data[i] = std::numeric_limits<float>::quiet_NaN();
}

Depth read_depth(const fs::path& path, const DepthOptions& options, const Limits& limits) {
  const Memory memory = read_file(path, most_file_bytes(limits));
  const Source source = source_of(path, memory, limits);
  if (are_strokes(source.bytes)) refuse_without_photo(source.name);
  return finished(read_raw(source, path, options.channel), options, source.name);
}

Depth read_depth(const fs::path& path, const DepthOptions& options, const Limits& limits,
                 const PhotoRows& photo) {
  const Memory memory = read_file(path, most_file_bytes(limits));
  const Source source = source_of(path, memory, limits);
  if (are_strokes(source.bytes)) return depth_of_strokes(source, path, options, limits, photo);
  return finished(read_raw(source, path, options.channel), options, source.name);
}

Depth depth_of(const Picture& picture, const DepthOptions& options, const std::string& name,
               const std::string& format) {
  return finished(grey_values(picture, name, format, kLossyTolerance, options.channel), options, name);
}

std::optional<DepthMeaning> depth_meaning(const fs::path& path, bool inside, const DepthOptions& options,
                                          const Limits& limits) {
  const Memory memory = read_file(path, most_file_bytes(limits));
  const Source source = source_of(path, memory, limits);
  if (!inside && are_strokes(source.bytes)) {
    const Strokes strokes = strokes_in(source, options);
    if (strokes.map.empty()) return DepthMeaning{strokes.metric, "strokes", DepthRange{}};
    const fs::path map = path.parent_path() / strokes.map;
    const Memory bytes = read_file(map, most_file_bytes(limits));
    return meaning_of(read_raw(source_of(map, bytes, limits), map, options.channel), options, source.name);
  }
  std::optional<RawDepth> raw =
      inside ? read_embedded_raw(source, path, options.channel) : read_raw(source, path, options.channel);
  if (!raw) return std::nullopt;
  return meaning_of(std::move(*raw), options, source.name);
}

PhotoFile::PhotoFile(const fs::path& path, const Limits& limits)
    : path_(path), limits_(limits), memory_(read_file(path, most_file_bytes(limits))) {}

Picture PhotoFile::picture(FloatSamples floats) const {
  const Source source = source_of(path_, memory_, limits_);
  return decode(source, sniff(source.bytes, path_), floats);
}

std::optional<Depth> PhotoFile::depth(const DepthOptions& options) const {
  const Source source = source_of(path_, memory_, limits_);
  std::optional<RawDepth> raw = read_embedded_raw(source, path_, options.channel);
  if (!raw) return std::nullopt;
  return finished(std::move(*raw), options, source.name);
}

std::string PhotoFile::unread_form() const {
  return scanlens::unread_form({memory_.data(), memory_.bytes()});
}

}  // namespace scanlens
