// What the tiles of a summed-area table tell each other, through words in device memory.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#include "core/cuda/launch.cuh"
#include "core/cuda/published.cuh"
#include "core/runtime/context_impl.h"
#include "core/sat/limits.h"

namespace scanlens::gpu {

constexpr int kMostSatBlocks = 1024;
inline constexpr MeetingPlace kSatExchange{}, kSatWords{};

/// What tiles tell each other: 96 bits under the epoch of the launch.
using SatWord = Published96;

/// Values of type S in words.
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

/// How tiles in a row (or column) look back. Every `group`th tile publishes the sum of its group instead of
/// its own, and every `groups`th of those the sum of everything so far.
struct SatWindow {
  int group, groups;
};

/// Adds what `count` tiles published, the nearest of which is at `word`, the others `stride` words apart.
template <class S>
__device__ void add_published(const SatWord* word, std::int64_t stride, int count, unsigned epoch,
                              S (&sums)[SatValues<S>::kPerWord]) {
  constexpr int kAtOnce = 8;  // loads on their way before the first is looked at
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

/// Whether a tile with `before` tiles before it publishes its own sum. The others publish when they have
/// looked back.
__device__ inline bool publishes_own(int before, const SatWindow& window) {
  return (before + 1) % window.group != 0;
}

/// Turns `values` from what a tile comes to into the sum of the `before` tiles before it in its row or
/// column, and publishes what is due after that. `own` is the tile's word, `stride` words lie between
/// neighbours. Few loads follow on each other: those of the group, then those of groups, each in one go.
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

/// The epoch that each block of the kernels that make tables came to. All kernels leave all of them at the
/// same one.
inline unsigned* sat_epochs(Context& context) {
  return reinterpret_cast<unsigned*>(
      context.impl().meeting_memory(kSatExchange, (kMostSatBlocks + 1) * sizeof(unsigned)));
}

/// The first of `count` epochs of a launch after one that came to `last`. None is 0, which words hold that
/// nobody wrote.
__device__ inline unsigned next_epoch(unsigned last, unsigned count = 1) {
  return last <= ~0u - count ? last + 1 : 1;
}

/// Returns so many words for a kernel that makes tables. What an earlier kernel left in them is of an earlier
/// epoch, but for what has lain there for 2^32 epochs.
inline SatWord* sat_words(Context& context, std::int64_t count) {
  return reinterpret_cast<SatWord*>(
      kept_words(context, kSatWords, count * static_cast<std::int64_t>(sizeof(SatWord))));
}

}  // namespace scanlens::gpu
