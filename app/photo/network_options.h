// A network in place of a depth map: which one, and how it is run.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/depth/network/network.h"
#include "app/session/session.h"

namespace scanlens {

class Command;
enum class Group;
struct Option;

/// Copies share one network.
struct NetworkOptions {
  NetworkChoice choice;
  std::shared_ptr<const DepthNetwork> network;  ///< once it is open

  /// Adds --depth-network and what belongs to it, below a heading. Returns --depth-network.
  Option& add_options(Command& command, Group group);

  bool asked() const { return !choice.model.empty(); }

  /// Loads the model where one is asked for, and says where it runs and what it was
  /// taken for. Throws Error, retry where it takes more memory than it may.
  void open(Talk& talk);

  /// Lets the limits leave the open network its memory.
  void take_room(Settings& settings) const;

  /// Returns the options as they are typed.
  std::vector<std::string> words() const;
};

/// Returns the model that SCANLENS_DEPTH_NETWORK names, else the first .onnx by its name in
/// $XDG_DATA_HOME/scanlens (~/.local/share/scanlens); empty for none.
std::filesystem::path found_network();

/// Returns the focal length of a photo in its widths, where its EXIF tells it.
std::optional<double> focal_length_of(const Picture& picture);

}  // namespace scanlens
