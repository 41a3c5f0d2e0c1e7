#include "app/depth/network/conventions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <iterator>
#include <system_error>
#include <tuple>

#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;
using Names = std::initializer_list<std::string_view>;

/// A family of networks. Checked against its authors' own code and configurations; README.md says where.
struct Family {
  std::string_view name;
  Names types;    ///< model_type of config.json
  Names outputs;  ///< names that no other family's outputs have
  Names words;    ///< of file names, small letters and digits alone
  std::int64_t width, height;
  int multiple;
  bool keeps_shape, pads;
  UsualPixels pixels;
  NetworkOutput output, metric_output;  ///< the latter of models that are called metric
  double focal_length = 0;
};

using enum NetworkOutput;
using enum UsualPixels;

/// The first one that fits counts: "dpt_hybrid_midas" is a DPT.
// clang-format off
const Family kFamilies[] = {
    {"Depth Pro", {"depth_pro"}, {"focallength_px", "field_of_view", "fov_deg"}, {"depthpro"},
     1536, 1536, 1, false, false, half, metres, metres},
    {"Metric3D", {"metric3d", "metric3dv2"}, {"pred_depth", "predicted_normal", "normal_confidence"},
     {"metric3d"},
     1064, 616, 28, true, true, bytes, canonical, canonical, 1000},
    {"MoGe", {"moge"}, {"points"}, {"moge"},
     518, 518, 14, true, false, unit, distance, metres},
    {"Depth Anything 3", {"depth_anything_3", "depth_anything_v3"}, {"sky"},
     {"depthanything3", "depthanythingv3", "da3"},
     504, 504, 14, true, false, imagenet, distance, canonical, 300},
    {"Depth Anything", {"depth_anything"}, {}, {"depthanything", "dav2"},
     518, 518, 14, true, false, imagenet, inverse, metres},
    {"ZoeDepth", {"zoedepth"}, {}, {"zoe"},
     512, 384, 32, true, false, half, metres, metres},
    {"GLPN", {"glpn"}, {}, {"glpn"},
     640, 480, 32, true, false, unit, metres, metres},
    {"DPT", {"dpt"}, {}, {"dpt"},
     384, 384, 32, true, false, half, inverse, inverse},
    {"MiDaS small", {}, {}, {"midassmall", "midasv21small", "modelsmall"},
     256, 256, 32, true, false, imagenet, inverse, inverse},
    {"MiDaS", {}, {}, {"midas", "modelf6b98070", "modelf46da743"},
     384, 384, 32, true, false, imagenet, inverse, inverse},
};
// clang-format on

/// The convention of an unknown model: most relative networks are like that.
constexpr Family kUnknown = {"", {}, {}, {}, 518, 518, 14, true, false, imagenet, inverse, inverse};

/// Small letters and digits, and a blank for all between them.
std::string words_in(std::string_view text) {
  std::string result = " ";
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)))
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (result.back() != ' ')
      result += ' ';
  return result;
}

/// True if one of the names is written there, with whatever between its parts. A short one has to begin a
/// word: "da3" occurs in many a checksum.
bool has_word(const std::string& words, const Names& names) {
  constexpr std::size_t kShort = 4;
  std::string joined;
  std::copy_if(words.begin(), words.end(), std::back_inserter(joined), [](char c) { return c != ' '; });
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    return name.size() > kShort ? joined.find(name) != std::string::npos
                                : words.find(' ' + std::string(name)) != std::string::npos;
  });
}

bool has(const auto& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The model's name and those of the two folders that it is in, such as depth-anything-v2-small/onnx.
std::vector<std::string> names_of(const fs::path& path) {
  constexpr int kFolders = 2;
  std::error_code error;
  fs::path place = fs::absolute(path, error);
  std::vector<std::string> names = {words_in(place.filename().string())};
  for (int i = 0; i < kFolders; ++i) {
    place = place.parent_path();
    names.push_back(words_in(place.filename().string()));
  }
  return names;
}

std::string words_of_metadata(const ModelFacts& facts) {
  std::string words;
  for (const auto& [key, value] : facts.metadata) words += words_in(key) + words_in(value);
  return words;
}

struct Found {
  const Family* family;
  std::string by;
  bool is_guess = false;
};

Found family_of(const ModelTraits& model, const ModelConfiguration& configuration) {
  for (const Family& family : kFamilies)
    if (has(family.types, configuration.type)) return {&family, "its config.json says so"};
  const std::string metadata = words_of_metadata(model.facts);
  for (const Family& family : kFamilies)
    if (has_word(metadata, family.words)) return {&family, "its metadata say so"};
  for (const Family& family : kFamilies)
    for (const std::string& output : model.outputs)
      if (has(family.outputs, output)) return {&family, "its output " + output + " says so"};
  for (const std::string& name : names_of(model.path))
    for (const Family& family : kFamilies)
      if (has_word(name, family.words)) return {&family, "by its name", true};
  return {&kUnknown, "as most networks give it", true};
}

/// True if the model's configuration, its metadata or the name that names its family says that it gives
/// metres.
bool is_called_metric(const ModelTraits& model, const ModelConfiguration& configuration,
                      const Family& family) {
  static const Names kWords = {"metric", "indoor", "outdoor", "hypersim", "vkitti"};
  if (configuration.metric) return *configuration.metric;
  const std::vector<std::string> names = names_of(model.path);
  return has_word(words_of_metadata(model.facts), kWords) ||
         std::any_of(names.begin(), names.end(), [&](const std::string& name) {
           return has_word(name, family.words) && has_word(name, kWords);
         });
}

}  // namespace

PixelNumbers numbers_of(UsualPixels usual) {
  constexpr float kByte = 1.f / 255;
  switch (usual) {
    case imagenet:
      return {{0.485f, 0.456f, 0.406f}, {0.229f, 0.224f, 0.225f}};
    case half:
      return {{0.5f, 0.5f, 0.5f}, {0.5f, 0.5f, 0.5f}};
    case unit:
      return {};
    default:
      return {{}, {kByte, kByte, kByte}};
  }
}

Convention convention_of(const ModelTraits& model, const ConventionOptions& options) {
  const ModelConfiguration configuration = read_configuration(model.path);
  const auto [found, by, is_guess] = family_of(model, configuration);
  const Family& family = *found;
  if (family.name == "MoGe")
    throw Error(
        fmt::format("{}: MoGe gives points of a camera that it does not tell, not depth; use a model "
                    "that gives depth, such as Depth Anything",
                    model.path.string()));
  Convention result{std::string(family.name),
                    by,
                    family.width,
                    family.height,
                    family.multiple,
                    family.keeps_shape,
                    family.pads,
                    numbers_of(family.pixels),
                    family.output,
                    family.focal_length};
  if (is_called_metric(model, configuration, family)) result.output = family.metric_output;
  if (has(model.outputs, "field_of_view") || has(model.outputs, "fov_deg")) result.output = per_metre;
  if (configuration.pixels) result.pixels = *configuration.pixels;
  if (configuration.size) std::tie(result.width, result.height) = *configuration.size;
  if (configuration.multiple) result.multiple = *configuration.multiple;
  if (configuration.keeps_shape && family.name.empty()) result.keeps_shape = *configuration.keeps_shape;
  if (model.facts.normalises) {
    const PixelNumbers inside =
        numbers_of(*model.facts.normalises == PixelScale::bytes ? UsualPixels::bytes : unit);
    if (inside != result.pixels)
      result.remarks.push_back({false, fmt::format("the model normalises pixels itself, from 0 .. {}",
                                                   *model.facts.normalises == PixelScale::bytes ? 255 : 1)});
    result.pixels = inside;
  }
  if (options.size) std::tie(result.width, result.height) = *options.size;
  if (options.multiple) result.multiple = *options.multiple;
  if (options.pixels) result.pixels = numbers_of(*options.pixels);
  if (options.output) result.output = *options.output;
  if (options.output) result.decided_by = "--network-output";
  result.is_guess = is_guess && !options.output;
  if (family.name.empty() && !options.output)
    result.remarks.push_back(
        {true,
         "no family of networks that is known; its values are taken for relative inverse depth, larger is "
         "nearer (--network-output says otherwise)"});
  return result;
}

}  // namespace scanlens
