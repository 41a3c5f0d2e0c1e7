// The shapes of blurred light where they change over the frame: tables for the nodes of a lattice. Ordinary
// pixels take stacks of boxes, lamps the outlines.
#pragma once

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

inline constexpr int kMostRuns = 5;

/// Boxes one above another, nearest to a node's shape at a size, as it is behind the focus. Before it they
/// are turned by half a turn. Rows and columns count from the first pixel of what is spread together.
struct FrameStack {
  float radius;            ///< of the blur
  float per_radius;        ///< 1 / (radius of the next stack - this one's)
  std::uint32_t share[2];  ///< before the focus and behind it: 2^32 * pixels spread together / area, evened
  std::uint32_t boxes[kMostRuns][kBoxWords];  ///< as those of discs; those that are left out have no columns
};

/// The stacks of all nodes, each of `sizes`, from the radius `least` on.
struct FrameStacks {
  const FrameStack* first = nullptr;
  int sizes = 0, least = 0;
};

/// The shapes as a backend reads them.
struct FrameTask {
  FrameStacks stacks[kGroupSizes];
  const std::uint32_t* outlines = nullptr;  ///< of each node kOutlineRows of kOutlineWords
  std::uint32_t per_column = 0, per_row = 0;
  float across = 0, down = 0;  ///< the farthest that any shape reaches, in radii
};

/// Such tables on the host.
struct FrameShapes {
  std::array<std::vector<FrameStack>, kGroupSizes> stacks;
  std::vector<std::uint32_t> outlines;
  FrameTask task;  ///< in these

  std::size_t bytes() const;
};

/// Returns the tables of a style on a picture of this size, up to `most` pixels of radius. Those that were
/// asked for last are kept.
std::shared_ptr<const FrameShapes> frame_shapes(const DofStyle& style, std::int64_t width,
                                                std::int64_t height, float most);

/// Returns the discs of lamps with these outlines: made for each lamp. None where no blur is wide enough.
LampDiscs frame_discs(const FrameTask& frame, float most);

/// Returns a bound of how far shapes reach, in radii.
float most_frame_reach(const DofStyle& style);

/// Returns the last size of a node's stacks that is no larger than the radius, and never the very last one.
inline int stack_of_radius(const FrameStack* stacks, int sizes, int least, float radius) {
  int k = static_cast<int>(radius) - least;
  k = k < 0 ? 0 : k < sizes - 2 ? k : sizes - 2;
  while (k > 0 && stacks[k].radius > radius) --k;
  while (k < sizes - 2 && stacks[k + 1].radius <= radius) ++k;
  return k;
}

}  // namespace scanlens
