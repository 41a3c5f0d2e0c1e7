// Radix sort on the CPU: digits of 8 bits from the lowest, each a stable scatter by all threads.
//
//   1. All digits of all passes are counted in one reading, piece by piece of the array. A digit that is the
//      same in all keys needs no pass.
//   2. A pass counts its digit in each piece, turns the counts into where each piece's keys of each digit go
//      (digit by digit, then piece by piece), and moves the keys.
//
// Keys stay as they are and are encoded whenever they are read, which costs little beside the counting.
// Collecting the output of each digit in lines of 64 bytes, to write these whole, was no faster on a 2-core
// EPYC (Zen 5).
#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <type_traits>
#include <utility>

#include "core/cpu/pieces.h"
#include "core/sort/backends.h"

namespace scanlens::cpu {

constexpr int kDigitBits = 8;
constexpr int kDigits = 1 << kDigitBits;
constexpr int kMostPasses = 8;
constexpr std::int64_t kFew = 48;              ///< keys for which counting takes longer than comparing
constexpr std::int64_t kLeastPiece = 1 << 14;  ///< fewer keys are not worth a task
constexpr std::int64_t kMostPiece = 1 << 21;   ///< keys between which a call can be ended
/// Keys that stay in the first-level cache while all their digits are counted.
constexpr std::int64_t kBlock = 4096;

using Counts = std::array<std::int64_t, kDigits>;

template <class Bits>
struct Digit {
  KeyOrder<Bits> order;
  int shift;
  Bits mask;

  std::size_t operator()(Bits key) const {
    return static_cast<std::size_t>(order.encode(key) >> shift & mask);
  }
};

template <class Bits, class Value>
Digit<Bits> digit_of(const SortTask<Bits, Value>& task, int pass) {
  const int shift = task.first_bit + pass * kDigitBits;
  const int bits = std::min(kDigitBits, task.last_bit - shift);
  return {task.order, shift, static_cast<Bits>((1u << bits) - 1)};
}

struct Pieces {
  std::int64_t count;
  int pieces;

  std::int64_t first(int piece) const {
    return count / pieces * piece + std::min<std::int64_t>(piece, count % pieces);
  }

  template <class Body>
  void for_each(Body body) const {
    if (pieces == 1) return body(0);
    for_each_task(pieces, [&](std::int64_t piece) { body(static_cast<int>(piece)); });
  }
};

inline Pieces cut(std::int64_t count) {
  const std::int64_t threads = thread_count();
  const std::int64_t most = std::max(threads == 1 ? 1 : 2 * threads, count / kMostPiece);
  return {count, static_cast<int>(std::clamp<std::int64_t>(count / kLeastPiece, 1, most))};
}

template <class Bits>
void count_digits(const Bits* keys, std::int64_t first, std::int64_t last, const Digit<Bits>& digit,
                  Counts& counts) {
  for (std::int64_t i = first; i < last; ++i) ++counts[digit(keys[i])];
}

/// Turns the counts of all pieces into the places where their keys go.
inline void counts_to_places(Counts* counts, const Pieces& pieces) {
  constexpr std::size_t kTogether = 8;  // digits, whose counts lie in one line of the cache
  Counts totals = {};
  const auto for_each_digits = [&](const auto& visit) {
    const auto visit_pieces = [&](std::int64_t part) {
      for (int p = 0; p < pieces.pieces; ++p)
        for (std::size_t d = 0; d < kTogether; ++d)
          visit(counts[p], static_cast<std::size_t>(part) * kTogether + d);
    };
    if (pieces.pieces > 1) return for_each_task(kDigits / kTogether, visit_pieces);
    for (std::size_t part = 0; part < kDigits / kTogether; ++part)
      visit_pieces(static_cast<std::int64_t>(part));
  };
  for_each_digits([&](const Counts& of_piece, std::size_t d) { totals[d] += of_piece[d]; });
  std::exclusive_scan(totals.begin(), totals.end(), totals.begin(), std::int64_t{0});
  for_each_digits(
      [&](Counts& of_piece, std::size_t d) { totals[d] += std::exchange(of_piece[d], totals[d]); });
}

/// Moves one piece: `places` is where its next key of each digit goes.
template <class Bits, class Value>
void scatter(const Bits* keys_in, const Value* values_in, Bits* keys_out, Value* values_out,
             std::int64_t first, std::int64_t last, const Digit<Bits>& digit, Counts& places) {
  for (std::int64_t i = first; i < last; ++i) {
    const Bits key = keys_in[i];
    const std::int64_t place = places[digit(key)]++;
    keys_out[place] = key;
    if constexpr (kHasValues<Value>) values_out[place] = values_in[i];
  }
}

/// Takes memory for `most_passes`, though these keys need `passes`: the memory of a call must not depend on
/// its keys, so that later calls of its shape allocate nothing.
template <class T>
PassBuffers<T> take_buffers(Workspace& workspace, const T* in, T* out, const Pieces& pieces, int passes,
                            int most_passes) {
  const auto copy_to = [&](T* to) {
    pieces.for_each([&](int piece) {
      std::copy(in + pieces.first(piece), in + pieces.first(piece + 1), to + pieces.first(piece));
    });
    return to;
  };
  PassBuffers<T> buffers{in, out, nullptr, passes};
  if (most_passes > 1 || in == out) buffers.spare = workspace.take<T>(pieces.count);
  if (buffers.first_overwrites()) buffers.in = copy_to(buffers.spare);
  if (passes == 0 && in != out) copy_to(out);
  return buffers;
}

/// Puts keys in order one by one, each behind its equals. Outputs may be the inputs.
template <class Bits, class Value>
void sort_few(const SortTask<Bits, Value>& task) {
  const auto rank = [&](Bits key) {
    const auto above = static_cast<Bits>(task.order.encode(key) << (8 * sizeof(Bits) - task.last_bit));
    return static_cast<Bits>(above >> (8 * sizeof(Bits) - task.bits()));
  };
  for (std::int64_t i = 0; i < task.count; ++i) {
    const Bits key = task.keys_in[i];
    std::int64_t to = i;
    while (to > 0 && rank(task.keys_out[to - 1]) > rank(key)) --to;
    std::copy_backward(task.keys_out + to, task.keys_out + i, task.keys_out + i + 1);
    if constexpr (kHasValues<Value>) {
      const Value value = task.values_in[i];
      std::copy_backward(task.values_out + to, task.values_out + i, task.values_out + i + 1);
      task.values_out[to] = value;
    }
    task.keys_out[to] = key;
  }
}

template <class Bits, class Value>
void radix_sort(Context& context, const SortTask<Bits, Value>& task) {
  if (task.count <= kFew) return sort_few(task);
  const int all_passes = (task.bits() + kDigitBits - 1) / kDigitBits;
  const Pieces pieces = cut(task.count);
  Workspace workspace(context);

  // counts[piece][pass] for all passes of the first reading.
  Counts* counts = workspace.take<Counts>(std::int64_t{pieces.pieces} * all_passes);
  pieces.for_each([&](int piece) {
    Counts* mine = counts + std::int64_t{piece} * all_passes;
    for (int p = 0; p < all_passes; ++p) mine[p].fill(0);
    const std::int64_t end = pieces.first(piece + 1);
    for (std::int64_t first = pieces.first(piece); first < end; first += kBlock)
      for (int p = 0; p < all_passes; ++p)
        count_digits(task.keys_in, first, std::min(first + kBlock, end), digit_of(task, p), mine[p]);
  });

  std::array<int, kMostPasses> needed;
  int passes = 0;
  for (int p = 0; p < all_passes; ++p) {
    const std::size_t digit = digit_of(task, p)(task.keys_in[0]);
    std::int64_t same = 0;
    for (int piece = 0; piece < pieces.pieces; ++piece)
      same += counts[std::int64_t{piece} * all_passes + p][digit];
    if (same < task.count) needed[static_cast<std::size_t>(passes++)] = p;
  }

  const PassBuffers<Bits> keys =
      take_buffers(workspace, task.keys_in, task.keys_out, pieces, passes, all_passes);
  PassBuffers<Value> values;
  if constexpr (kHasValues<Value>)
    values = take_buffers(workspace, task.values_in, task.values_out, pieces, passes, all_passes);

  Counts* places = workspace.take<Counts>(pieces.pieces);
  for (int n = 0; n < passes; ++n) {
    const int p = needed[static_cast<std::size_t>(n)];
    const Digit<Bits> digit = digit_of(task, p);
    pieces.for_each([&](int piece) {
      // The keys still lie as they were counted at first.
      if (n == 0) {
        places[piece] = counts[std::int64_t{piece} * all_passes + p];
      } else {
        places[piece].fill(0);
        count_digits(keys.source(n), pieces.first(piece), pieces.first(piece + 1), digit, places[piece]);
      }
    });
    counts_to_places(places, pieces);
    pieces.for_each([&](int piece) {
      scatter(keys.source(n), values.source(n), keys.target(n), values.target(n), pieces.first(piece),
              pieces.first(piece + 1), digit, places[piece]);
    });
  }
}

}  // namespace scanlens::cpu
