// A network in place of a depth map: which one, and how it is run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/depth/network/network.h"
#include "app/session/session.h"

namespace scanlens {

class Command;
struct Option;

/// Copies share one network.
struct NetworkOptions {
  NetworkChoice choice;
  std::shared_ptr<const DepthNetwork> network;  ///< once it is open

  /// Adds --depth-network and what belongs to it, below a heading. Returns --depth-network.
  Option& add_options(Command& command, const char* heading);

  bool asked() const { return !choice.model.empty(); }

  /// Loads the model where one is asked for, and says where it runs and what it was
  /// taken for. Throws Error, retry where it takes more memory than it may.
  void open(Talk& talk);

  /// Lets the limits leave the open network its memory.
  void take_room(Settings& settings) const;

  /// Returns the options as they are typed.
  std::vector<std::string> words() const;
};

/// Returns the focal length of a photo in its widths, where its EXIF tells it.
std::optional<double> focal_length_of(const Picture& picture);

}  // namespace scanlens
