// Finds depth among the channels of an OpenEXR file by the names that renderers write; inside scanlens_files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/io/picture.h"

namespace scanlens {

struct ExrChannel {
  int part = 0;
  std::string part_name;  ///< empty where the file has one part
  std::string name;       ///< "ViewLayer.Depth.Z"
};

/// Says what a channel's name means for its values.
enum class ExrMeaning {
  unnamed,   ///< nothing
  distance,  ///< along the axis, in metres
  inverse,   ///< larger is nearer
  mist,      ///< 0 near .. 1 far, of unknown distances
};

struct ExrDepth {
  int part = 0;
  std::string name;  ///< as --depth-channel takes it: a channel, or a layer of red, green and blue
  std::vector<std::string> channels;  ///< one, or three that have to be equal
  ExrMeaning meaning = ExrMeaning::unnamed;
  bool of_unreal = false;  ///< Unreal's name, whose unit is the centimetre
  std::vector<Remark> remarks = {};
};

/// The purpose of a search for depth.
enum class ExrUse {
  map,   ///< the file is a depth map: one channel, or red, green and blue alone, are taken without a name
  photo  ///< the file is a photo, which carries depth where a name says so
};

/// Finds the depth: the channel or layer that `wanted` names, else by names. A component Z beside X and Y is
/// a vector's. Returns nothing where no channel is depth. Throws Error (usage) "NAME: cause" where there is
/// no channel `wanted`.
std::optional<ExrDepth> find_exr_depth(const std::vector<ExrChannel>& channels, const std::string& wanted,
                                       ExrUse use, const std::string& name);

/// Returns the names of all channels, in a list for messages.
std::string names_of(const std::vector<ExrChannel>& channels);

}  // namespace scanlens
