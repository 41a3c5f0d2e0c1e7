#include "app/depth/depth.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "app/depth/files/raw.h"
#include "app/depth/finish.h"
#include "app/depth/meaning/understand.h"
#include "app/depth/strokes/spread.h"
#include "app/depth/strokes/strokes.h"
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
      fmt::format("{}: it holds strokes, which are spread over their photo; name the photo (of `depth`: "
                  "--of PHOTO)",
                  name));
}

Strokes strokes_in(const Source& source, const DepthOptions& options) {
  constexpr const char* kWhy = "strokes say themselves how far things are";
  require_no_meaning(options, source.name, kWhy);
  if (options.invert)
    throw Error(ErrorKind::usage, fmt::format("{}: --invert is for maps; {}", source.name, kWhy));
  return parse_strokes({reinterpret_cast<const char*>(source.bytes.data()), source.bytes.size()},
                       source.name);
}

}  // namespace

void find_extremes(Depth& depth) {
  const View<const float> view = std::as_const(depth.disparity).view();
  const auto [least, most] = std::minmax_element(view.data, view.data + view.extent());
  depth.least = *least;
  depth.most = *most;
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
  if (are_strokes(source.bytes)) return spread(strokes_in(source, options), photo, source.name);
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
  if (!inside && are_strokes(source.bytes))
    return DepthMeaning{strokes_in(source, options).metric, "strokes", DepthRange{}};
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
