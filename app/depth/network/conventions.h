// Inputs and outputs of networks: the known families, and the family of a model.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/depth/network/model_file.h"
#include "app/io/picture.h"

namespace scanlens {

/// The meaning of a network's values.
enum class NetworkOutput {
  inverse,    ///< relative inverse depth: larger is nearer, no unit, no zero
  distance,   ///< distances without a unit
  metres,     ///< distances in metres
  per_metre,  ///< 1 / distance in 1/metre
  canonical,  ///< metres of a camera of a certain focal length: see Convention::focal_length
};

/// Turns codes, 0 .. 255, into a network's numbers: (code / 255 - mean) / deviation.
struct PixelNumbers {
  std::array<float, 3> mean{}, deviation{1, 1, 1};
  bool operator==(const PixelNumbers&) const = default;
};

/// Usual ones: those of the ImageNet photos, -1 .. 1, 0 .. 1 and 0 .. 255. Their names are those of
/// --network-pixels.
enum class UsualPixels { imagenet, half, unit, bytes };
inline constexpr std::string_view kUsualPixelNames[] = {"imagenet", "half", "unit", "bytes"};
PixelNumbers numbers_of(UsualPixels usual);

/// The words of --network-output, in the order of NetworkOutput; canonical is not one of them.
inline constexpr std::string_view kNetworkOutputNames[] = {"inverse", "distance", "metres", "per-metre"};

struct Convention {
  std::string family;                  ///< "Depth Anything"; empty for none that is known
  std::string decided_by;              ///< "its config.json says so"
  std::int64_t width = 0, height = 0;  ///< of the image, where the model leaves it open
  int multiple = 1;                    ///< that sides have to be of
  bool keeps_shape = true;             ///< the photo's proportions, where the model leaves them open
  bool pads = false;  ///< where it does not: grey fills up what the photo leaves, else it is stretched
  PixelNumbers pixels;
  NetworkOutput output = NetworkOutput::inverse;
  double focal_length = 0;  ///< in pixels, of NetworkOutput::canonical
  bool is_guess = false;    ///< by the model's name, or for want of anything else
  std::vector<Remark> remarks = {};
};

/// Options go before all that a model says of itself.
struct ConventionOptions {
  std::optional<std::pair<int, int>> size;
  std::optional<int> multiple;
  std::optional<UsualPixels> pixels;
  std::optional<NetworkOutput> output;
};

/// Traits that a model is recognised by.
struct ModelTraits {
  std::filesystem::path path;
  ModelFacts facts;
  std::vector<std::string> outputs;  ///< their names
};

/// Decides by, in this order: the options; config.json and preprocessor_config.json beside the model or one
/// folder up (Hugging Face's); its metadata; the names of its outputs; its own name and its folders'. Throws
/// Error for families that are known and cannot be used.
Convention convention_of(const ModelTraits& model, const ConventionOptions& options);

/// The content of those two files; empty where they are missing or make no sense.
struct ModelConfiguration {
  std::string type;            ///< "depth_anything"
  std::optional<bool> metric;  ///< of Depth Anything
  std::optional<PixelNumbers> pixels;
  std::optional<std::pair<int, int>> size;  ///< width, height
  std::optional<int> multiple;
  std::optional<bool> keeps_shape;
};
ModelConfiguration read_configuration(const std::filesystem::path& model);

}  // namespace scanlens
