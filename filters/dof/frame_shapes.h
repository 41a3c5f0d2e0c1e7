// The shapes of blurred light by the pupils of a lens: tables for the nodes of a lattice over the frame.
// Surfaces take stacks of boxes, lamps the outlines. Where light is uneven over the lens, each zone of it has
// its own, one in the other.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "filters/depth_of_field.h"
#include "filters/dof/frame_formula.h"
#include "filters/dof/lamps.h"
#include "filters/dof_shape.h"

namespace scanlens {

inline constexpr int kMostRuns = 5, kMostZones = 3;
inline constexpr int kMostLampZones = 12;

/// The boxes of a zone at a size, one above another, as they are behind the focus. Before it they are turned
/// by half a turn. Rows and columns count from the first pixel of what is spread together.
struct FrameBoxes {
  std::uint32_t of[kMostRuns][kBoxWords];  ///< as those of discs; those that are left out have no columns
};

/// A node's shape at a size, on one side of the focus.
struct FrameStack {
  float radius;                     ///< of the blur
  float per_radius;                 ///< 1 / (radius of the next stack - this one's)
  std::uint32_t share[kMostZones];  ///< of zones from the outermost in: 2^32 * pixels spread together / area,
                                    ///< evened, times the zone's light
};

/// The stacks of all nodes, each of `sizes`, from the radius `least` on; of each the boxes of all zones.
struct FrameStacks {
  const FrameStack* first = nullptr;
  const FrameBoxes* boxes = nullptr;
  int sizes = 0, least = 0;
};

/// The shapes on one side of the focus.
struct FrameSide {
  int zones = 1, lamp_zones = 1;
  FrameStacks stacks[kGroupSizes];
  const std::uint32_t* outlines = nullptr;        ///< of each zone, by nodes: kOutlineRows of kOutlineWords
  std::uint32_t lamp_light[kMostLampZones] = {};  ///< of zones, in 1 / kZoneLight of the mean
};

/// Steps of light of a lamp's zones.
inline constexpr std::uint32_t kZoneLight = 4096;

/// The farthest that boxes of a size and of smaller ones reach beyond what they surround.
struct FrameReach {
  float radius;  ///< the least at which a node has this size
  int across, down;
};

/// The shapes as a backend reads them.
struct FrameTask {
  FrameSide sides[2];  ///< before the focus, and behind it
  std::uint32_t per_column = 0, per_row = 0;
  const FrameReach* reaches[kGroupSizes] = {};  ///< of each size of stacks
  float across = 0, down = 0;                   ///< the farthest that any shape reaches, in radii

  const FrameSide& side_of(float circle) const { return sides[circle > 0 ? 0 : 1]; }
};

/// Such tables on the host.
struct FrameShapes {
  struct Side {
    std::array<std::vector<FrameStack>, kGroupSizes> stacks;
    std::array<std::vector<FrameBoxes>, kGroupSizes> boxes;
    std::vector<std::uint32_t> outlines;
  };
  Side sides[2];
  std::array<std::vector<FrameReach>, kGroupSizes> reaches;
  FrameTask task;  ///< in these

  std::size_t bytes() const;
};

/// Returns the tables of a style on a picture of this size, up to `most` pixels of radius. Those that were
/// asked for last are kept.
std::shared_ptr<const FrameShapes> frame_shapes(const DofStyle& style, std::int64_t width,
                                                std::int64_t height, float most);

/// Returns the task of lamps with these outlines, whose discs are made for each lamp. None where no blur is
/// wide enough.
LampDiscs frame_discs(const FrameTask& frame, float most);

/// Returns a bound of how far shapes reach, in radii.
float most_frame_reach(const DofStyle& style);

/// Returns the last size of a node's stacks that is no larger than the radius, and never the very last one.
inline int stack_of_radius(const FrameStack* of_node, const FrameStacks& stacks, float radius) {
  return shape_of_radius(of_node, stacks.sizes, radius, std::max(0, static_cast<int>(radius) - stacks.least));
}

}  // namespace scanlens
