// The exchange of sums between the tiles of a summed-area table, through words in device memory.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#include "core/cuda/launch.cuh"
#include "core/cuda/published.cuh"
#include "core/runtime/device.h"
#include "core/sat/limits.h"

namespace scanlens::gpu {

constexpr int kMostSatBlocks = 1024;
inline constexpr MeetingPlace kSatExchange{}, kSatWords{};

/// A word that a tile publishes: 96 bits under the epoch of the launch.
using SatWord = Published96;

/// Packs values of type S into words and adds them up from there.
template <class S>
struct SatValues {
  static constexpr int kPerWord = sizeof(S) == 4 ? 3 : 1;

  __device__ static SatWord word_of(const S (&values)[kPerWord], unsigned epoch) {
    SatWord word{};
    memcpy(word.part, values, sizeof(values));
    word.tag = epoch;
    return word;
  }
  __device__ static void add(const SatWord& word, S (&sums)[kPerWord]) {
    S values[kPerWord];
    memcpy(values, word.part, sizeof(values));
#pragma unroll
    for (int i = 0; i < kPerWord; ++i) sums[i] += values[i];
  }
};

/// The window of the look-back along a row (or column) of tiles: every `group`th tile publishes the sum of
/// its group instead of its own. Every `groups`th of those publishes the sum of all tiles up to itself.
struct SatWindow {
  int group, groups;
};

/// Adds to `sums` what `count` tiles published: the nearest at `word`, each next one `stride` words before.
template <class S>
__device__ void add_published(const SatWord* word, std::int64_t stride, int count, unsigned epoch,
                              S (&sums)[SatValues<S>::kPerWord]) {
  constexpr int kAtOnce = 8;  // loads in flight before the first is looked at
  for (; count > 0; count -= kAtOnce, word -= kAtOnce * stride) {
    SatWord found[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i)
      if (i < count) found[i] = load_relaxed(word - i * stride);
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i)
      if (i < count) {
        while (found[i].tag != epoch) found[i] = load_relaxed(word - i * stride);
        SatValues<S>::add(found[i], sums);
      }
  }
}

/// Returns true if a tile with `before` tiles before it publishes its own sum. Other tiles publish after they
/// have looked back.
__device__ inline bool publishes_own(int before, const SatWindow& window) {
  return (before + 1) % window.group != 0;
}

/// Replaces `values`, a tile's own sums, by the sums of the `before` tiles before it in its row or column.
/// Publishes the sum that includes the tile, where the window wants it. `own` is the tile's word; those of
/// neighbours lie `stride` words apart. Loads depend on each other in two steps only: those of the group,
/// then those of the groups before.
template <class S>
__device__ void look_back(SatWord* own, std::int64_t stride, int before, const SatWindow& window,
                          unsigned epoch, S* values) {
  constexpr int kPerWord = SatValues<S>::kPerWord;
  const int in_group = before % window.group, group = before / window.group;
  const int groups = group % window.groups + (group >= window.groups ? 1 : 0);
  S sums[kPerWord] = {}, upto[kPerWord];
  const auto publish = [&] {
#pragma unroll
    for (int i = 0; i < kPerWord; ++i) upto[i] = sums[i] + values[i];
    store_relaxed(own, SatValues<S>::word_of(upto, epoch));
  };
  add_published<S>(own - stride, stride, in_group, epoch, sums);
  const bool last_of_group = !publishes_own(before, window);
  const bool last_of_groups = last_of_group && (group + 1) % window.groups == 0;
  if (last_of_group && !last_of_groups) publish();
  add_published<S>(own - (in_group + 1) * stride, window.group * stride, groups, epoch, sums);
  if (last_of_groups) publish();
#pragma unroll
  for (int i = 0; i < kPerWord; ++i) values[i] = sums[i];
}

/// Returns the last epoch of each block of the kernels that make tables, and behind these the counter of
/// sat_started(). Every kernel leaves all epochs equal.
inline unsigned* sat_epochs(Context& context) {
  return reinterpret_cast<unsigned*>(
      meeting_memory(context, kSatExchange, (kMostSatBlocks + 1) * sizeof(unsigned)));
}

/// Returns the first of the `count` epochs of a launch, where the launch before ended with `last`. No epoch
/// is 0, which words hold that nobody wrote.
__device__ inline unsigned next_epoch(unsigned last, unsigned count = 1) {
  return last <= ~0u - count ? last + 1 : 1;
}

/// Returns `count` words for a kernel that makes tables. What earlier kernels left in them bears earlier
/// epochs, unless it has lain there for 2^32 epochs.
inline SatWord* sat_words(Context& context, std::int64_t count) {
  return reinterpret_cast<SatWord*>(
      kept_words(context, kSatWords, count * static_cast<std::int64_t>(sizeof(SatWord))));
}

}  // namespace scanlens::gpu
