// Chooses the schedule, one of three, that makes a summed-area table on CUDA: a pure function of the task and
// the device.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/runtime/device.h"
#include "core/sat.h"
#include "core/sat/backends.h"

namespace scanlens {

/// The properties of a task that the choice depends on.
struct SatFeatures {
  std::int64_t width = 0, height = 0;  ///< of one image
  std::int64_t images = 1;
  int channels = 1;     ///< of the image
  bool bytes = false;   ///< 8-bit samples into 32-bit sums, as many channels: what the fast schedules do
  bool lut = false;     ///< samples are looked up
  bool planar = false;  ///< channels lie apart in the table
  bool image_rows_aligned = false, table_rows_aligned = false;  ///< all rows begin on 16-byte boundaries
};

struct SatPlan {
  TablePlan schedule = TablePlan::tiles;
  int spans = 0;                 ///< of a stripe
  std::int64_t tile_height = 0;  ///< of resident tiles
  bool by_rows = false;          ///< stripes write rows one by one, which begin off 16-byte boundaries

  bool operator==(const SatPlan&) const = default;
};

SatPlan sat_plan(const SatFeatures& features, const gpu::Traits& device);

template <class T, class S>
SatFeatures features_of(const SatTask<T, S>& task) {
  const auto aligned = [](const void* data, std::int64_t pitch, std::size_t element) {
    return reinterpret_cast<std::uintptr_t>(data) % 16 == 0 &&
           pitch * static_cast<std::int64_t>(element) % 16 == 0;
  };
  SatFeatures features;
  features.width = task.image.width;
  features.height = task.height;
  features.images = task.images;
  features.channels = task.image.channels;
  features.bytes = std::is_same_v<T, std::uint8_t> && std::is_same_v<S, std::uint32_t> &&
                   task.channels == task.image.channels && !task.terms.weigh_by_alpha && !task.terms.packed;
  features.lut = task.terms.lut != nullptr;
  features.planar = task.table.step != task.channels;
  features.image_rows_aligned = aligned(task.image.data, task.image.pitch, sizeof(T));
  features.table_rows_aligned = aligned(task.table.origin, task.table.pitch, sizeof(S));
  return features;
}

}  // namespace scanlens
