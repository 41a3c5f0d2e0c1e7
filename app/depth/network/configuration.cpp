// The files that Hugging Face's repositories keep beside a model.
#include <algorithm>
#include <cmath>
#include <system_error>

#include "app/depth/network/conventions.h"
#include "app/io/file.h"
#include "app/io/json.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

/// Returns the JSON of a file beside the model or one folder up; null if it is missing.
Json json_beside(const fs::path& model, const char* name) {
  constexpr std::size_t kMostBytes = 1 << 20;
  std::error_code error;
  const fs::path folder = model.has_parent_path() ? model.parent_path() : fs::path(".");
  for (const fs::path& file : {folder / name, folder / ".." / name}) {
    if (!fs::is_regular_file(file, error)) continue;
    try {
      const Memory memory = read_file(file, kMostBytes);
      const std::string_view text(reinterpret_cast<const char*>(memory.data()), memory.bytes());
      return Json::parse(text).value_or(Json());
    } catch (const Error&) {
      return {};
    }
  }
  return {};
}

std::optional<std::array<float, 3>> triple(const Json& values) {
  constexpr double kMost = 1e6;
  std::array<float, 3> result{};
  const Json::Array& elements = values.elements();
  if (elements.size() != result.size()) return std::nullopt;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::optional<double> value = elements[i].number();
    if (!value || !(std::abs(*value) <= kMost)) return std::nullopt;
    result[i] = static_cast<float>(*value);
  }
  return result;
}

std::optional<PixelNumbers> pixels_of(const Json& json) {
  if (json["do_normalize"].truth() == false) return PixelNumbers{};
  const auto mean = triple(json["image_mean"]), deviation = triple(json["image_std"]);
  if (!mean || !deviation ||
      std::any_of(deviation->begin(), deviation->end(), [](float d) { return !(d > 0); }))
    return std::nullopt;
  return PixelNumbers{*mean, *deviation};
}

std::optional<int> side_of(const Json& json) {
  constexpr std::int64_t kMost = 8192;
  const std::optional<std::int64_t> side = json.whole();
  return side && *side > 0 && *side <= kMost ? std::optional(static_cast<int>(*side)) : std::nullopt;
}

std::optional<std::pair<int, int>> size_of(const Json& size) {
  const auto square = [](std::optional<int> side) {
    return side ? std::optional(std::pair(*side, *side)) : std::nullopt;
  };
  if (!size.is_object()) return square(side_of(size));
  if (size.find("shortest_edge")) return square(side_of(size["shortest_edge"]));
  const std::optional<int> width = side_of(size["width"]), height = side_of(size["height"]);
  return width && height ? std::optional(std::pair(*width, *height)) : std::nullopt;
}

}  // namespace

ModelConfiguration read_configuration(const fs::path& model) {
  ModelConfiguration result;
  const Json config = json_beside(model, "config.json");
  result.type = config["model_type"].text();
  if (config["depth_estimation_type"].is_string())
    result.metric = config["depth_estimation_type"].text() == "metric";
  const Json image = json_beside(model, "preprocessor_config.json");
  if (!image.is_object()) return result;
  result.pixels = pixels_of(image);
  result.size = size_of(image["size"]);
  result.multiple = side_of(image["ensure_multiple_of"]);
  if (!result.multiple) result.multiple = side_of(image["size_divisor"]);
  result.keeps_shape = image["keep_aspect_ratio"].truth();
  return result;
}

}  // namespace scanlens
