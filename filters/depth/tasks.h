// The tasks of both backends. Inside filters/depth.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/view.h"
#include "filters/depth/edges_formula.h"
#include "filters/depth/fit.h"
#include "filters/depth/jumps_formula.h"

namespace scanlens {

/// Enlarges a map. All that it points at can be read by the context's backend.
template <class T>
struct EdgeTask {
  View<const float> map;
  View<const T> photo;  ///< empty: bilinearly
  View<float> out;
  const EdgePlace *columns, *rows;  ///< of the photo
  const std::int32_t* starts;       ///< of cells of the map from -1 on: the first column that lies in each
  ValueRange within;
};

template <class T>
struct JumpTask {
  View<float> map;
  View<const T> photo;
  JumpTables tables;
};

/// Returns the ranks in sorted order, of `count` values of a map, between which its range lies: odd values
/// shall not hide its jumps.
struct RangeRanks {
  explicit RangeRanks(std::int64_t pixels);

  std::int64_t step;   ///< every which pixel counts
  std::int64_t count;  ///< of values
  std::int64_t low, high;
};

namespace cpu {
template <class T>
void enlarge_map(Context& context, const EdgeTask<T>& task, ValueRange& range);
template <class T>
void move_map_jumps(Context& context, const JumpTask<T>& task, MovedJumps& moved);
std::int64_t moving_bytes(std::int64_t width, std::int64_t height);
}  // namespace cpu
namespace gpu {
template <class T>
void enlarge_map(Context& context, const EdgeTask<T>& task, ValueRange& range);
template <class T>
void move_map_jumps(Context& context, const JumpTask<T>& task, MovedJumps& moved);
}  // namespace gpu

/// For each type of a photo's samples.
#define SCANLENS_INSTANTIATE_DEPTH                                                  \
  template void enlarge_map(Context&, const EdgeTask<std::uint8_t>&, ValueRange&);  \
  template void enlarge_map(Context&, const EdgeTask<std::uint16_t>&, ValueRange&); \
  template void enlarge_map(Context&, const EdgeTask<float>&, ValueRange&);
#define SCANLENS_INSTANTIATE_JUMPS                                                     \
  template void move_map_jumps(Context&, const JumpTask<std::uint8_t>&, MovedJumps&);  \
  template void move_map_jumps(Context&, const JumpTask<std::uint16_t>&, MovedJumps&); \
  template void move_map_jumps(Context&, const JumpTask<float>&, MovedJumps&);

}  // namespace scanlens
