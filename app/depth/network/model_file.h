// The description that an ONNX file has of itself, read before ONNX Runtime gets it: a model comes from
// elsewhere.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/depth/network/protobuf.h"

namespace scanlens {

/// The numbers that stand for black and white in the image that a network takes.
enum class PixelScale {
  unit,   ///< 0 .. 1
  bytes,  ///< 0 .. 255
};

struct ModelFacts {
  std::set<std::string> external;               ///< files of weights, as the model names them
  std::map<std::string, std::string> metadata;  ///< metadata_props
  std::vector<std::string> inputs;              ///< without those that are weights
  /// The scale from which the model normalises its image itself, by a subtraction or a multiplication.
  std::optional<PixelScale> normalises;
};

/// Walks through the file without its weights. Throws Error "NAME: cause" for what is no ONNX model.
ModelFacts model_facts(const ProtoFile& file);

/// Returns the bytes of the model and of the files with its weights. Throws Error for weights outside the
/// model's folder, which would let a model read any file of the user's.
std::uintmax_t model_bytes(const std::filesystem::path& model, const ModelFacts& facts);

}  // namespace scanlens
