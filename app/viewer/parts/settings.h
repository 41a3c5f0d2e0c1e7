// Settings that the viewer keeps from one run to the next: $XDG_CONFIG_HOME/scanlens/viewer.json, or
// ~/.config.
#pragma once

#include <filesystem>
#include <glm/glm.hpp>

#include "app/viewer/model/state.h"

namespace scanlens {

/// Returns the file; empty where the environment names no home.
std::filesystem::path settings_file();

struct ViewerSettings {
  glm::ivec2 window{1280, 800};  ///< in points, which are pixels where the scale is 1
};

/// Sets what the file holds; what is missing, out of range or no JSON is left as it is.
void load_settings(const std::filesystem::path& file, ViewState& state, ViewerSettings& settings);

/// Keeps the values that are declared as kept. Settings that cannot be written are lost without a word: they
/// are no work of anyone's.
void save_settings(const std::filesystem::path& file, const ViewState& state, const ViewerSettings& settings);

}  // namespace scanlens
