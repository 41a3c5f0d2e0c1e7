// Resources of a multiprocessor that a stripe of a table's columns takes, and the words that stripes publish
// (core/sat/cuda/stripes.cuh).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/cuda/barrier.cuh"
#include "core/cuda/warp.cuh"
#include "core/sat/cuda/exchange.cuh"

namespace scanlens::gpu {

/// A stripe is kSpans spans of 8 lanes wide, so 32 kSpans pixels of 3 or 4 channels, or 128 kSpans of one.
/// Its sizes with 227 KiB of shared memory, for rows written in boxes and without a look-up table:
///
///   channels        3              4             1
///   spans           1   2   4   8  1  2  4   8   1   2
///   kParts          4   2   1   1  4  2  1   1   4   2
///   kRows          96  96  32  32  64 64 32 32   64  64
///   kSlots         12   8  12   5  14 10  9   4  15  10
template <int kC, int kS, bool kLook, bool kRowwise>
struct Stripe {
  static constexpr int kChannels = kC, kSpans = kS;
  static constexpr bool kLut = kLook;  ///< samples are looked up
  static constexpr bool kByRows =
      kRowwise;  ///< rows of the table begin off 16-byte boundaries, are written one by one
  static constexpr int kLaneWords = kC == 3 ? 3 : 4, kLaneValues = 4 * kLaneWords;  // words, samples per lane
  static constexpr int kValues = kSpans * 8 * kLaneValues;                          // of a row of the stripe

  static constexpr int kHalves = kSpans > 4 ? 2 : 1;      // warps that share a row
  static constexpr int kRowLanes = 8 * kSpans / kHalves;  // lanes of a warp on a row
  static constexpr int kParts = kWarp / kRowLanes;        // parts of a warp, each on rows of its own
  // An odd number of rows of 3 channels keeps a warp's parts in different banks.
  static constexpr int kPartRows = kC != 3 ? 2 : kParts == 1 ? 4 : 3;
  static constexpr int kBlockRows = kParts * kPartRows;               // rows that a warp finishes at a time
  static constexpr int kRows = kParts == 1 ? 32 : kC == 3 ? 96 : 64;  // of a group
  static constexpr int kBlocks = kRows / kBlockRows;
  static constexpr int kWordRows = kC == 4 || (kC == 3 && kLut) ? 1 : 2;  // rows per published word
  static constexpr int kScanRows = 8 * kWordRows;                         // rows per 8 words of a stripe
  static constexpr int kScans = kRows / kScanRows;
  static constexpr int kSums =
      kLut || kC == 1 ? kC : 2;  // words for the sums of a row; two channels of bytes share one

  // A block has warps of five kinds, 20 at most, so that each can have 96 registers. Every measurer has rows
  // of every group, because completions of a barrier are waited for in turn. Measurers have more work where
  // samples are looked up: at 4096 x 4096 RGB 3 of them and 10 finishers took 1.17 times as long as 5 and 8,
  // 7 and 6 took 1.15 times as long.
  static constexpr int kFinishers = kLut ? 8 : 10, kMeasurers = std::min(kScans, kLut ? 5 : 3);
  static constexpr int kScanners = 4, kFetchers = 2;
  static_assert(kFinishers % kHalves == 0);
  static constexpr int kFirstMeasurer = kFinishers, kFirstScanner = kFirstMeasurer + kMeasurers,
                       kFirstFetcher = kFirstScanner + kScanners, kLoader = kFirstFetcher + kFetchers;
  static constexpr int kThreads = (kLoader + 1) * kWarp;
  static constexpr int kLinks = kFinishers / kHalves;  // warps that hand the row above on to each other

  // The table's rows are written in boxes of at most 256 entries per row, the most that a tensor map allows.
  static constexpr int kBoxes = (kRowLanes * kLaneValues + 255) / 256;
  static constexpr int kBoxLanes = kRowLanes / kBoxes;
  static constexpr int kBoxValues = kBoxLanes * kLaneValues;

  static constexpr int kLefts = 8;  // groups whose left(y) is in shared memory

  /// Staging for rows of the table: boxes, or, where rows begin off 16-byte boundaries, whole rows, each as
  /// far behind such a boundary as in device memory.
  struct alignas(128) Stage {
    static constexpr int kRowEntries = kRowLanes * kLaneValues + (kByRows ? 4 : 0);
    std::uint32_t entries[kBlockRows * kRowEntries];

    __device__ std::uint32_t* box(int box, int row) {
      return entries + (box * kBlockRows + row) * kBoxValues;
    }
    __device__ std::uint32_t* row(int row) { return entries + row * kRowEntries; }
  };

  // The list names each barrier, who arrives there, and who waits there:
  //
  //   loaded       the copy engine          measurers, finishers
  //   measured     measurers, each scan     fetchers
  //   left_known   a fetcher                finishers
  //   left_used    finishers, each block    fetchers
  //   finished     finishers, each block    the loader
  //   above_known  the finisher above       the finisher beneath
  //
  // No warp falls two completions behind: a slot is loaded again only when all blocks of rows in it are
  // finished. That takes every warp that waits for the group; and blocks of rows are finished in order,
  // because each hands on the row above the next.
  struct Fixed {
    Stage stage[kFinishers];
    std::uint32_t above[kHalves][kLinks][kRowLanes * kLaneValues];
    uint4 left[kLefts][kRows];
    std::uint32_t totals[2][kScanners][8][8];
    /// The look-up table, once per lane, so that no two lanes meet in a bank.
    std::uint32_t lut[kLut ? 256 : 1][kLut ? kWarp : 1];
    unsigned scans_measured;
    Barrier left_known[kLefts], left_used[kLefts];
    Barrier above_known[kHalves][kLinks];
  };
  struct Slot {
    alignas(128) std::byte samples[kRows][kValues];
    std::uint32_t first_half[kHalves > 1 ? kRows : 1][kSums];  // sums of rows over their first half
    Barrier loaded, measured, finished;
  };
  // A longer ring hides more latency, but lets blocks drift apart, so that rows of narrow stripes are written
  // in pieces: with all the slots that fit, 4096 x 4096 RGB takes 76 us instead of 74, RGBA 98.6 instead of
  // 97.1, 16384 x 16384 of one channel 372 instead of 361.
  static constexpr int kMostSlots = kParts < 4 ? 64 : kC == 1 ? 15 : kC == 3 ? 12 : 14;
  static constexpr int kSlots =
      std::min(kMostSlots, static_cast<int>((227 * 1024 - sizeof(Fixed)) / sizeof(Slot)));
  struct Shared {
    Fixed fixed;
    Slot slots[kSlots];
  };
};

/// The task of all blocks of a launch.
struct StripeTask {
  std::uint32_t* table;
  std::int64_t pitch;            ///< of the table, in entries
  const std::uint32_t* above;    ///< the table's row before the first; null: zeros
  bool zeros_above, zeros_left;  ///< zeros are to be written above the first row, left of each row
  const std::uint32_t* lut;
  int height;
  int values;  ///< in a row of the table
  int groups;  ///< of rows
  int stripes;
  unsigned* epochs;
  SatWord* words;
};

/// The words that blocks publish, in slots, one per slot of the ring. Each group that takes a slot has the
/// next epoch. A stripe publishes a group only when it has finished the group that had the slot before. By
/// then it has fetched all left(y) of that group, and so all its sums have been read.
template <class S>
class StripeWords {
 public:
  __device__ StripeWords(const StripeTask& task, unsigned first_epoch)
      : task_(task), first_epoch_(first_epoch) {}

  static constexpr std::int64_t words(int stripes) {
    return std::int64_t{S::kSlots} * stripes * (S::kScans * 8 + S::kRows);
  }
  __device__ unsigned epoch(int group) const { return first_epoch_ + group / S::kSlots; }
  /// Returns the 8 words with the sums of the rows of one scan: word i has row i and, if a word has two, row
  /// i + 8.
  __device__ SatWord* sums(int group, int scan, int stripe) const {
    return task_.words + ((group % S::kSlots * S::kScans + scan) * task_.stripes + stripe) * 8;
  }
  /// Returns the words with left(y) of the rows of a group, kLeftPitch words from a stripe to the next.
  __device__ SatWord* left(int group, int stripe) const {
    return task_.words + S::kSlots * S::kScans * 8 * task_.stripes + stripe * kLeftPitch +
           group % S::kSlots * S::kRows;
  }
  static constexpr int kLeftPitch = S::kSlots * S::kRows;

 private:
  const StripeTask& task_;
  unsigned first_epoch_;
};

}  // namespace scanlens::gpu
