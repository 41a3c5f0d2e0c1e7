// The summed-area table of a wide 8-bit image on CUDA: one launch, the image read once, the table written
// once, and no block ever waits for what another has just done.
//
// Each block goes down a stripe of columns from top to bottom, so that the table's row above is in its own
// shared memory. It needs one thing from other blocks, left(y): the sum of row y over all stripes to the
// left. Blocks compute it far ahead of the rows that need it. A stripe's rows pass through a ring in shared
// memory, in groups, and the warps of a block share the work:
//
// - load: one warp has the tensor copy engine bring the next group as soon as a slot of the ring is free.
// - measure: up to three warps sum the rows and publish the sums; up to five where samples are looked up.
// - scan: four warps turn the sums of kScanRows rows over all stripes into left(y) of each stripe. These
//   rows are one block's, the next ones another's.
// - fetch: two warps bring left(y) of the stripe's own rows to shared memory.
// - finish: ten warps, eight where samples are looked up, take turns with blocks of rows. A lane sums
//   kLaneValues neighbouring entries of a row from left(y) on. It adds the table's row above, which goes on
//   from warp to warp. The copy engine writes the rows.
//
// The ring holds 130 rows of the widest stripes to 1150 of the narrowest. That is 10 to 30 us of work, and
// hides the latency of publishing, scanning and fetching: behind a block's own stores an access to the L2
// takes 2 to 5 us, otherwise 0.6. Blocks that wait for sums just published (core/sat/cuda/tiles.cuh) reach
// 0.78 of a copy's speed at 16384 x 16384 RGB, stripes 0.95. Rows written by stores from registers instead of
// the copy engine hold up accesses to shared memory, too: RGBA takes 2.5 times as long.
//
// All blocks run at once (a cooperative launch). The order of additions is fixed.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/cuda/barrier.cuh"
#include "core/cuda/bulk_copy.cuh"
#include "core/cuda/warp.cuh"
#include "core/sat/cuda/exchange.cuh"
#include "core/sat/cuda/lanes.cuh"
#include "core/sat/cuda/stripe.cuh"
#include "core/sat/cuda/stripe_rows.cuh"
#include "core/sat/limits.h"

namespace scanlens::gpu {

/// The roles of a block's warps.
template <class S>
class StripeBlock {
 public:
  static constexpr int kC = S::kChannels;
  static constexpr unsigned kPause = 200;  ///< ns, before words are loaded again
  using Row = std::conditional_t<S::kLut, StripeTerms<S>, StripeBytes<S>>;

  __device__ StripeBlock(const StripeTask& task, typename S::Shared& shared, unsigned first_epoch)
      : task_(task),
        slots_(shared.slots),
        fixed_(shared.fixed),
        words_(task, first_epoch),
        stripe_(static_cast<int>(blockIdx.x)),
        warp_(static_cast<int>(threadIdx.x) / kWarp),
        lane_(static_cast<int>(threadIdx.x) % kWarp),
        row_lane_(lane_ % S::kRowLanes),
        part_(lane_ / S::kRowLanes) {}

  /// Brings the look-up table to shared memory. The warps that read it, finishers and measurers, make this
  /// call together. The loads of a warp are in flight side by side.
  __device__ void fill_lut() {
    if constexpr (S::kLut) {
      constexpr int kWarps = S::kFirstScanner, kEach = (256 + kWarps - 1) / kWarps;
      std::uint32_t entries[kEach];
#pragma unroll
      for (int i = 0; i < kEach; ++i)
        if (const int entry = warp_ + i * kWarps; entry < 256) entries[i] = task_.lut[entry];
#pragma unroll
      for (int i = 0; i < kEach; ++i)
        if (const int entry = warp_ + i * kWarps; entry < 256) fixed_.lut[entry][lane_] = entries[i];
      sync_warps<2, kWarps>();
    }
  }

  /// Initialises the barriers. One thread makes this call.
  __device__ void init() {
    for (auto& slot : slots_) {
      slot.loaded.init(1);
      slot.measured.init(S::kScans * kWarp);
      slot.finished.init(S::kBlocks * S::kHalves * kWarp);
    }
    for (Barrier& barrier : fixed_.left_known) barrier.init(kWarp);
    for (Barrier& barrier : fixed_.left_used) barrier.init(S::kBlocks * S::kHalves * kWarp);
    for (auto& half : fixed_.above_known)
      for (Barrier& barrier : half) barrier.init(kWarp);
    fixed_.scans_measured = 0;
    Barrier::init_done();
  }

  /// Has the copy engine load the stripe's rows, group by group. One lane makes this call.
  __device__ void load(const CUtensorMap& image) {
    for (int group = 0; group < task_.groups; ++group) {
      auto& slot = slot_of(group);
      if (group >= S::kSlots) slot.finished.wait(group / S::kSlots - 1);
      slot.loaded.arrive_expecting(sizeof(slot.samples));
      copy_box(slot.samples, image, stripe_ * (S::kValues / 4), group * S::kRows, slot.loaded);
    }
  }

  /// Sums the stripe's rows and publishes the sums.
  __device__ void measure() {
    for (int scan = warp_ - S::kFirstMeasurer; scan < task_.groups * S::kScans; scan += S::kMeasurers) {
      const int group = scan / S::kScans, first = scan % S::kScans * S::kScanRows;
      auto& slot = slot_of(group);
      slot.loaded.wait(group / S::kSlots);
      std::uint32_t mine[S::kWordRows][S::kSums] = {};  // of rows lane and lane + 8, in the first 8 lanes
#pragma unroll
      for (int r = 0; r < S::kScanRows; r += S::kParts) {
        const int row = first + r + part_;
        std::uint32_t total[S::kSums] = {};
#pragma unroll
        for (int half = 0; half < S::kHalves; ++half) {
          std::uint32_t sums[S::kSums];
          row_of(slot.samples[row], half * S::kRowLanes + row_lane_).sum(sums);
#pragma unroll
          for (int i = 0; i < S::kSums; ++i) {
#pragma unroll
            for (int distance = 1; distance < S::kRowLanes; distance *= 2)
              sums[i] += shuffle_xor(sums[i], distance);
            total[i] += sums[i];
            if (S::kHalves > 1 && half == 0 && lane_ == 0) slot.first_half[row][i] = total[i];
          }
        }
#pragma unroll
        for (int i = 0; i < S::kSums; ++i) {
          const std::uint32_t of_row = shuffle(total[i], lane_ % S::kParts * S::kRowLanes);
          if ((r + lane_ % S::kParts) % 8 == lane_ % 8) mine[r / 8][i] = of_row;
        }
      }
      const SatWord word = sums_word(mine, words_.epoch(group));
      if (lane_ < 8) store_relaxed(words_.sums(group, scan % S::kScans, stripe_) + lane_, word);
      slot.measured.arrive_warp();
      if (lane_ == 0) atomicAdd(&fixed_.scans_measured, 1u);
    }
  }

  /// Turns the sums of a scan's rows over all stripes into left(y). Lane i has word i % 8 of a few
  /// neighbouring stripes.
  __device__ void scan() {
    constexpr int kWordRows = S::kWordRows, kWordSums = kWordRows * kC;
    constexpr int kShares = S::kScanners * 4, kMost = stripes::kMost / kShares;
    const int scanner = warp_ - S::kFirstScanner, mine = lane_ % 8;
    const int each = (task_.stripes + kShares - 1) / kShares;
    const int first = (scanner * 4 + lane_ / 8) * each, count = min(each, task_.stripes - first);
    int turn = 0;
    for (int scan = stripe_; scan < task_.groups * S::kScans; scan += task_.stripes, turn ^= 1) {
      const int group = scan / S::kScans;
      const unsigned epoch = words_.epoch(group);
      // Once the block has measured these rows itself, the other blocks will about have done so, too. Polling
      // earlier would keep them from it.
      const volatile unsigned& measured = fixed_.scans_measured;
      while (measured < static_cast<unsigned>(group + 1) * S::kScans) __nanosleep(kPause);
      __syncwarp();
      SatWord words[kMost] = {};
      ask_until(epoch, words, [&](int i) {
        return i < count ? words_.sums(group, scan % S::kScans, first + i) + mine : nullptr;
      });
      std::uint32_t before[kWordSums] = {};
#pragma unroll
      for (const SatWord& word : words) add_sums(word, before);
#pragma unroll
      for (int i = 0; i < kWordSums; ++i) {
        const std::uint32_t own = before[i];
        before[i] = add_before(add_before(own, 8), 16);
        if (lane_ >= kWarp - 8) fixed_.totals[turn][scanner][mine][i] = before[i];
        before[i] -= own;
      }
      sync_warps<1, S::kScanners>();
#pragma unroll
      for (int other = 0; other < S::kScanners - 1; ++other)
        if (other < scanner)
#pragma unroll
          for (int i = 0; i < kWordSums; ++i) before[i] += fixed_.totals[turn][other][mine][i];
      SatWord* to = words_.left(group, first) + scan % S::kScans * S::kScanRows + mine;
#pragma unroll
      for (int i = 0; i < kMost; ++i) {
        if (i < count)
#pragma unroll
          for (int r = 0; r < kWordRows; ++r)
            store_relaxed(to + i * words_.kLeftPitch + r * 8, left_word(before + r * kC, epoch));
        add_sums(words[i], before);
      }
    }
  }

  /// Brings left(y) to shared memory. The fetchers take groups in turn. A fetcher loads a group's words one
  /// turn ahead, before the finishers have made room for them in shared memory.
  __device__ void fetch() {
    constexpr int kEach = (S::kRows + kWarp - 1) / kWarp;
    const auto ask = [&](int group) {
      return [this, group](int i) {
        const int row = lane_ + i * kWarp;
        return group < task_.groups && row < S::kRows ? words_.left(group, stripe_) + row : nullptr;
      };
    };
    SatWord words[kEach] = {}, next[kEach] = {};
    const int first = warp_ - S::kFirstFetcher;
    load_words(next, ask(first));
    for (int group = first; group < task_.groups; group += S::kFetchers) {
      const int to = group % S::kLefts;
#pragma unroll
      for (int i = 0; i < kEach; ++i) words[i] = next[i];
      slot_of(group).measured.wait(group / S::kSlots);
      if (group >= S::kLefts) fixed_.left_used[to].wait(group / S::kLefts - 1);
      load_words(next, ask(group + S::kFetchers));
      if (!all_of(words_.epoch(group), words, ask(group))) ask_until(words_.epoch(group), words, ask(group));
#pragma unroll
      for (int i = 0; i < kEach; ++i)
        if (lane_ + i * kWarp < S::kRows) fixed_.left[to][lane_ + i * kWarp] = left_of(words[i]);
      fixed_.left_known[to].arrive_warp();
    }
  }

  /// Computes and writes the table's rows.
  __device__ void finish(const CUtensorMap& table) {
    constexpr int kLaneValues = S::kLaneValues;
    const int half = warp_ % S::kHalves, lane_of_row = half * S::kRowLanes + row_lane_;
    auto& stage = fixed_.stage[warp_];
    if (task_.zeros_above && warp_ < S::kHalves) write_above(stripe_ * S::kValues + half * kPartValues);
    for (int block = warp_ / S::kHalves; block < task_.groups * S::kBlocks; block += S::kLinks) {
      const int group = block / S::kBlocks, first_row = block % S::kBlocks * S::kBlockRows;
      const int first_y = group * S::kRows + first_row;
      auto& slot = slot_of(group);
      slot.loaded.wait(group / S::kSlots);
      Row rows[S::kPartRows];
      std::uint32_t before[S::kPartRows][S::kSums];  // sums of the row up to the lane, then without it
#pragma unroll
      for (int i = 0; i < S::kPartRows; ++i) {
        rows[i] = row_of(slot.samples[first_row + part_ * S::kPartRows + i], lane_of_row);
        rows[i].sum(before[i]);
      }
#pragma unroll
      for (int distance = 1; distance < S::kRowLanes; distance *= 2)
#pragma unroll
        for (auto& of_row : before)
#pragma unroll
          for (std::uint32_t& sum : of_row) sum = add_before<S::kRowLanes>(sum, distance);
      fixed_.left_known[group % S::kLefts].wait(group / S::kLefts);

      std::uint32_t sums[S::kPartRows][kLaneValues], total[kLaneValues] = {};
#pragma unroll
      for (int i = 0; i < S::kPartRows; ++i) {
        const int row = first_row + part_ * S::kPartRows + i;
        std::uint32_t own[S::kSums], in_row[kC];
        rows[i].sum(own);
#pragma unroll
        for (int k = 0; k < S::kSums; ++k) {
          before[i][k] -= own[k];
          if (S::kHalves > 1 && half > 0) before[i][k] += slot.first_half[row][k];
        }
        Row::unpack(before[i], in_row);
        const uint4 left = fixed_.left[group % S::kLefts][row];
        in_row[0] += left.x;
        if constexpr (kC > 1) in_row[1] += left.y, in_row[2] += left.z;
        if constexpr (kC > 3) in_row[3] += left.w;
        rows[i].add_to(total, in_row);
#pragma unroll
        for (int v = 0; v < kLaneValues; ++v) sums[i][v] = total[v];
      }
      slot.finished.arrive_warp();
      fixed_.left_used[group % S::kLefts].arrive();

      std::uint32_t above[kLaneValues];
      take_above(half, block, total, above);
      // Only lanes that copy wait until the stage is read. With all lanes here ptxas delays the arrival in
      // take_above(), which the next block of rows waits for: RGBA of 3840 x 2160 takes a quarter longer.
      if (lane_ < kCopiers) await_reads();
      __syncwarp();
#pragma unroll
      for (int i = 0; i < S::kPartRows; ++i) {
#pragma unroll
        for (int v = 0; v < kLaneValues; ++v) sums[i][v] += above[v];
        const int in_block = part_ * S::kPartRows + i;
        if constexpr (S::kByRows)
          put_shifted(stage.row(in_block), sums[i], misplaced(first_y + in_block));
        else
          put_row(stage.box(row_lane_ / S::kBoxLanes, in_block), sums[i], row_lane_ % S::kBoxLanes);
      }
      Barrier::written_before_copy();
      __syncwarp();
      write(table, stage, stripe_ * S::kValues + half * kPartValues, first_y);
    }
    if (lane_ < kCopiers) await_reads();
  }

 private:
  static constexpr int kPartValues = S::kRowLanes * S::kLaneValues;  ///< entries of a row that a warp writes
  static constexpr int kCopiers =
      S::kByRows ? S::kBlockRows : 1;  ///< lanes that hand rows to the copy engine

  __device__ typename S::Slot& slot_of(int group) {
    return slots_[group % S::kSlots];
  }
  __device__ Row row_of(const std::byte (&samples)[S::kValues], int lane) const {
    if constexpr (S::kLut)
      return Row(samples, lane, fixed_.lut);
    else
      return Row(samples, lane);
  }

  /// Returns how many entries row y of the table begins behind a 16-byte boundary.
  __device__ int misplaced(int y) const {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(task_.table + y * task_.pitch) / 4 % 4);
  }

  /// Stores the lanes' values side by side behind the first `shift` entries, 0 to 3, of `row`. Lanes exchange
  /// what crosses their pieces of 16 bytes, which costs a third of what stores of single entries cost.
  __device__ void put_shifted(std::uint32_t* row, const std::uint32_t (&values)[S::kLaneValues],
                              int shift) const {
    constexpr int kLast = S::kLaneValues - 1;
    if (row_lane_ == S::kRowLanes - 1)
#pragma unroll
      for (int i = 0; i < 3; ++i)
        if (3 - i <= shift) row[kPartValues + shift - 3 + i] = values[kLast - 2 + i];
    std::uint32_t by_one[S::kLaneValues], shifted[S::kLaneValues];
    const std::uint32_t last = shuffle_up(values[kLast], 1);
#pragma unroll
    for (int v = 0; v <= kLast; ++v) by_one[v] = shift & 1 ? (v > 0 ? values[v - 1] : last) : values[v];
    const std::uint32_t before[2] = {shuffle_up(by_one[kLast - 1], 1), shuffle_up(by_one[kLast], 1)};
#pragma unroll
    for (int v = 0; v <= kLast; ++v) shifted[v] = shift & 2 ? (v > 1 ? by_one[v - 2] : before[v]) : by_one[v];
    put_row(row, shifted, row_lane_);
  }

  /// Writes the rows in the stage to the table, from entry `x` of row `y` on.
  __device__ void write(const CUtensorMap& table, typename S::Stage& stage, int x, int y) const {
    if (!S::kByRows && lane_ == 0) {
      for (int box = 0; box < S::kBoxes; ++box)
        copy_box_out(table, x + box * S::kBoxValues, y, stage.box(box, 0));
      commit_copies();
    }
    const int row = y + lane_, count = min(task_.values - x, kPartValues);
    if (lane_ < S::kBlockRows && row < task_.height && count > 0) {
      // The copy engine writes the whole pieces of 16 bytes, the lane the entries before and behind them.
      std::uint32_t* const to = task_.table + row * task_.pitch + x;
      if constexpr (S::kByRows) {
        const int shift = misplaced(row), begin = (4 - shift) % 4, end = (shift + count) / 4 * 4 - shift;
        const std::uint32_t* from = stage.row(lane_) + shift;
        if (end > begin) copy_out_once(to + begin, from + begin, (end - begin) * 4);
        commit_copies();
        for (int i = 0; i < min(begin, count); ++i) to[i] = from[i];
        for (int i = max(begin, end); i < count; ++i) to[i] = from[i];
      } else {
        for (int i = max(task_.values / 4 * 4 - x, 0); i < count; ++i)
          to[i] = stage.box(i / S::kBoxValues, lane_)[i % S::kBoxValues];
      }
      if (task_.zeros_left && x == 0)
#pragma unroll
        for (int c = 0; c < kC; ++c) to[c - kC] = 0;
    }
  }

  /// Writes zeros above the kPartValues entries from `x` on, and above column -1.
  __device__ void write_above(int x) const {
    std::uint32_t* const to = task_.table - task_.pitch;
    for (int i = lane_; i < min(task_.values - x, kPartValues); i += kWarp) to[x + i] = 0;
    if (task_.zeros_left && x == 0 && lane_ < kC) to[lane_ - kC] = 0;
  }

  /// Packs the sums of row i of a scan and, if a word has two, row i + 8 into word i.
  __device__ static SatWord sums_word(const std::uint32_t (&sums)[S::kWordRows][S::kSums], unsigned epoch) {
    SatWord word{};
    word.tag = epoch;
    word.part[0] = sums[0][0];
    if constexpr (kC == 1) {
      if constexpr (S::kLut)
        word.part[1] = sums[1][0];
      else
        word.part[0] |= sums[1][0] << 16;
    } else if constexpr (S::kLut) {
      word.part[1] = sums[0][1], word.part[2] = sums[0][2];
    } else if constexpr (kC == 3) {
      word.part[1] = sums[0][1] | sums[1][1] << 16, word.part[2] = sums[1][0];
    } else {
      word.part[1] = sums[0][1];
    }
    return word;
  }

  /// Loads words[i] from place(i), where that is not null.
  template <int kCount, class Place>
  __device__ static void load_words(SatWord (&words)[kCount], Place place) {
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      if (const SatWord* from = place(i)) words[i] = load_relaxed(from);
  }
  /// Returns whether the words of all lanes are of the epoch.
  template <int kCount, class Place>
  __device__ static bool all_of(unsigned epoch, const SatWord (&words)[kCount], Place place) {
    bool all = true;
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      if (place(i)) all = all && words[i].tag == epoch;
    return __all_sync(kAllLanes, all);
  }
  template <int kCount, class Place>
  __device__ static void ask_until(unsigned epoch, SatWord (&words)[kCount], Place place) {
    while (true) {
      load_words(words, place);
      if (all_of(epoch, words, place)) return;
      // Without the pause polling keeps others from their work: 16384 x 16384 RGB takes 1.4 times as long.
      __nanosleep(kPause);
    }
  }

  /// Adds the sums in a published word: a row's channels, then those of the row 8 below.
  template <int kCount>
  __device__ static void add_sums(const SatWord& word, std::uint32_t (&sums)[kCount]) {
    if constexpr (S::kLut) {
#pragma unroll
      for (int i = 0; i < kCount; ++i) sums[i] += word.part[i];
      return;
    }
    sums[0] += word.part[0] & 0xFFFF;
    sums[1] += word.part[0] >> 16;
    if constexpr (kC > 1) sums[2] += word.part[1] & 0xFFFF;
    if constexpr (kC == 4) sums[3] += word.part[1] >> 16;
    if constexpr (kC == 3) {
      sums[3] += word.part[2] & 0xFFFF;
      sums[4] += word.part[2] >> 16;
      sums[5] += word.part[1] >> 16;
    }
  }

  /// Packs left(y) into a word; left_of() unpacks it. Four channels have 24 bits each, as many as the widest
  /// image that stripes take needs.
  static_assert((stripes::kMost - 1) * (S::kValues / kC) * 255 < 1 << 24);
  __device__ static SatWord left_word(const std::uint32_t* left, unsigned epoch) {
    SatWord word{};
    word.tag = epoch;
#pragma unroll
    for (int c = 0; c < std::min(kC, 3); ++c) {
      word.part[c] = left[c];
      if constexpr (kC == 4) word.part[c] |= left[3] >> (8 * c) << 24;
    }
    return word;
  }
  __device__ static uint4 left_of(const SatWord& word) {
    if constexpr (kC < 4) return uint4{word.part[0], word.part[1], word.part[2], 0};
    return uint4{word.part[0] & 0xFFFFFF, word.part[1] & 0xFFFFFF, word.part[2] & 0xFFFFFF,
                 word.part[0] >> 24 | word.part[1] >> 24 << 8 | word.part[2] >> 24 << 16};
  }

  /// Finds `above`, the table's row above the lane's rows, whose columns sum to `total`. Hands the row above
  /// the next block of rows to that block's warp.
  __device__ void take_above(int half, int block, std::uint32_t (&total)[S::kLaneValues],
                             std::uint32_t (&above)[S::kLaneValues]) {
    std::uint32_t parts[S::kLaneValues] = {};  // sums of the parts above the lane's
    if constexpr (S::kParts > 1)
#pragma unroll
      for (int v = 0; v < S::kLaneValues; ++v) {
#pragma unroll
        for (int distance = S::kRowLanes; distance < kWarp; distance *= 2)
          total[v] = add_before(total[v], distance);
        parts[v] = __shfl_up_sync(kAllLanes, total[v], S::kRowLanes);
        if (part_ == 0) parts[v] = 0;
      }
    const int link = block % S::kLinks, next = link + 1 == S::kLinks ? 0 : link + 1;
    auto* const mine = reinterpret_cast<uint4*>(fixed_.above[half][link]);
    auto* const theirs = reinterpret_cast<uint4*>(fixed_.above[half][next]);
    if (block == 0) {
      const int x = stripe_ * S::kValues + (half * S::kRowLanes + row_lane_) * S::kLaneValues;
#pragma unroll
      for (int v = 0; v < S::kLaneValues; ++v)
        above[v] = task_.above && x + v < task_.values ? task_.above[x + v] : 0;
    } else {
      fixed_.above_known[half][link].wait((block - 1) / S::kLinks);
#pragma unroll
      for (int i = 0; i < S::kLaneWords; ++i) {
        const uint4 four = mine[i * S::kRowLanes + row_lane_];
        above[4 * i] = four.x, above[4 * i + 1] = four.y, above[4 * i + 2] = four.z,
                  above[4 * i + 3] = four.w;
      }
    }
    if (part_ == S::kParts - 1)
#pragma unroll
      for (int i = 0; i < S::kLaneWords; ++i)
        theirs[i * S::kRowLanes + row_lane_] =
            uint4{above[4 * i] + total[4 * i], above[4 * i + 1] + total[4 * i + 1],
                  above[4 * i + 2] + total[4 * i + 2], above[4 * i + 3] + total[4 * i + 3]};
    fixed_.above_known[half][next].arrive_warp();
#pragma unroll
    for (int v = 0; v < S::kLaneValues; ++v) above[v] += parts[v];
  }

  const StripeTask& task_;
  typename S::Slot (&slots_)[S::kSlots];
  typename S::Fixed& fixed_;
  StripeWords<S> words_;
  int stripe_, warp_, lane_, row_lane_, part_;
};

template <class S>
__global__ void __launch_bounds__(S::kThreads, 1)
    sat_stripes_kernel(const __grid_constant__ StripeTask task, const __grid_constant__ CUtensorMap image,
                       const __grid_constant__ CUtensorMap table) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) std::byte memory[];
  const int warp = static_cast<int>(threadIdx.x) / kWarp, lane = static_cast<int>(threadIdx.x) % kWarp;
  const auto stripe = static_cast<int>(blockIdx.x);
  const unsigned first_epoch = next_epoch(task.epochs[stripe], (task.groups - 1) / S::kSlots + 1);
  StripeBlock<S> block(task, *reinterpret_cast<typename S::Shared*>(memory), first_epoch);
  if (threadIdx.x == 0) block.init();
  __syncthreads();
  if (warp < S::kFirstScanner) block.fill_lut();
  if (warp < S::kFirstMeasurer) {
    block.finish(table);
  } else if (warp < S::kFirstScanner) {
    block.measure();
  } else if (warp < S::kFirstFetcher) {
    block.scan();
  } else if (warp < S::kLoader) {
    block.fetch();
  } else {
    if (lane == 0) block.load(image);
    __syncwarp();
    // Every launch leaves all epochs equal, however many blocks it has.
    const unsigned last_epoch = first_epoch + static_cast<unsigned>((task.groups - 1) / S::kSlots);
    for (int i = stripe + lane * task.stripes; i < kMostSatBlocks; i += kWarp * task.stripes)
      task.epochs[i] = last_epoch;
  }
#endif
}

}  // namespace scanlens::gpu
