// One normalisation of depth for all frames of a sequence, so that what stands still does not flicker.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "app/batch/pipeline.h"
#include "app/depth/depth.h"
#include "app/session/session.h"

namespace scanlens {

/// Finds out what a frame's map means; nothing where it has no meaning. Called by any threads.
using FindMeaning =
    std::function<std::optional<DepthMeaning>(const std::filesystem::path& map, const Limits& limits)>;

/// Finds out what the depth maps of all frames mean, many at once, and returns the range that maps without a
/// unit share: the farthest and the nearest of the ranges that each has by itself, so that none is clipped
/// more than alone. Returns nothing where maps need none: they have a unit, or integers with a full scale.
/// Says what it has found. A map that cannot be read is passed over; its frame is going to fail. Throws Error
/// (usage) that names two maps where they do not mean the same.
std::optional<DepthRange> common_range(const std::vector<std::filesystem::path>& maps,
                                       const FindMeaning& find, const Workers& workers, Talk& talk);

}  // namespace scanlens
