#include "app/depth/depth.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/depth/fill.h"
#include "app/depth/raw.h"
#include "app/depth/understand.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

Depth finished(RawDepth raw, const DepthOptions& options, const std::string& name) {
  Depth depth = understood(std::move(raw), options, name);
  const View<float> values = depth.disparity.view();
  depth.unknown = fill_unknown(values);
  if (depth.unknown == values.extent())
    throw Error(fmt::format("{}: the depth map has no known pixel ({})", name, depth.convention));
  if (!depth.decided_by.starts_with("--")) depth.convention += ": " + depth.decided_by;
  if (depth.unknown > 0)
    depth.convention += fmt::format("; {} unknown pixel{} filled", depth.unknown, depth.unknown == 1 ? "" : "s");
  find_extremes(depth);
  return depth;
}

Source source_of(const fs::path& path, const Memory& memory, const Limits& limits) {
  return {input_name(path), {memory.data(), memory.bytes()}, limits};
}

}  // namespace

void find_extremes(Depth& depth) {
  const View<const float> view = std::as_const(depth.disparity).view();
  const auto [least, most] = std::minmax_element(view.data, view.data + view.extent());
  depth.least = *least;
  depth.most = *most;
}

Depth read_depth(const fs::path& path, const DepthOptions& options, const Limits& limits) {
  const Memory memory = read_file(path, most_file_bytes(limits));
  const Source source = source_of(path, memory, limits);
  return finished(read_raw(source, path), options, source.name);
}

std::optional<DepthMeaning> depth_meaning(const fs::path& path, bool inside, const DepthOptions& options,
                                          const Limits& limits) {
  const Memory memory = read_file(path, most_file_bytes(limits));
  const Source source = source_of(path, memory, limits);
  std::optional<RawDepth> raw = inside ? read_embedded_raw(source, path) : read_raw(source, path);
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
  std::optional<RawDepth> raw = read_embedded_raw(source, path_);
  if (!raw) return std::nullopt;
  return finished(std::move(*raw), options, source.name);
}

std::string PhotoFile::unread_form() const {
  return announces_dynamic_depth(source_of(path_, memory_, limits_)) ? "Dynamic Depth" : "";
}

}  // namespace scanlens
