// Depth that a network guesses from a photo (app/depth/network).
#pragma once

#include <functional>
#include <optional>

#include "app/depth/depth.h"

namespace scanlens {

class DepthNetwork;

/// Chooses the range of a relative map by its own, as frames of a film do.
using ChooseRange = std::function<DepthRange(const DepthRange& own)>;

/// Returns what a network makes of a photo, as read_depth returns maps: smaller than the photo, and to be
/// brought to its size whatever its own proportions. `focal_length` is the photo's, in its widths, where it
/// is known: some networks' metres depend on it. Throws Error "MODEL: cause", and Error (usage) for options
/// of maps.
Depth guessed_depth(const DepthNetwork& network, const PhotoRows& photo, std::optional<double> focal_length,
                    const DepthOptions& options, const ChooseRange& choose = {});

/// Says how the same call would understand the network's values.
DepthMeaning guessed_meaning(const DepthNetwork& network, const PhotoRows& photo,
                             std::optional<double> focal_length, const DepthOptions& options);

}  // namespace scanlens
