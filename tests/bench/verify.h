// Checks compare what the benchmark times with sequential definitions, walked block by block on all cores
// so that 2^28 elements take a fraction of a second. Every element is looked at. Each check returns what is
// wrong, or "".
#pragma once

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/textbook/scan_algorithms.h"
#include "core/view.h"
#include "tests/bench/input.h"

namespace scanlens::bench {

/// Keeps the lowest index that any thread has noted.
class FirstWrong {
 public:
  void note(std::int64_t index) {
    std::int64_t known = index_.load(std::memory_order_relaxed);
    while (index < known && !index_.compare_exchange_weak(known, index)) {
    }
  }
  bool any() const { return index_ != kNone; }
  std::string text(const char* what = "element") const {
    return any() ? fmt::format("{} {} is wrong", what, index_.load()) : "";
  }

 private:
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  std::atomic<std::int64_t> index_{kNone};
};

/// Calls body(x, y) for a few hundred pixels of a picture, side by side, where each takes too long for all
/// of them.
template <class Body>
void for_some_pixels(std::int64_t width, std::int64_t height, Body body) {
  constexpr std::int64_t kPixels = 400;
  tbb::parallel_for(std::int64_t{0}, kPixels, [&](std::int64_t i) {
    const auto pixel = static_cast<std::int64_t>(hash(i) % static_cast<std::uint64_t>(width * height));
    body(static_cast<int>(pixel % width), static_cast<int>(pixel / width));
  });
}

/// Walks 0 … count - 1 in order: state = combine(state, load(i)), from `identity`; asks matches(i, state
/// before i, state after i) and notes where it says no. Blocks run side by side, each from the combined
/// states of those before it, so `combine` has to be associative. Returns the last state.
template <class State, class Load, class Combine, class Matches>
State walk(std::int64_t count, State identity, Load load, Combine combine, Matches matches,
           FirstWrong& wrong) {
  constexpr std::int64_t kBlock = 1 << 16;
  const std::int64_t blocks = (count + kBlock - 1) / kBlock;
  const auto end = [&](std::int64_t block) { return std::min(count, (block + 1) * kBlock); };
  std::vector<State> totals(static_cast<std::size_t>(blocks), identity);
  tbb::parallel_for(std::int64_t{0}, blocks, [&](std::int64_t block) {
    State state = identity;
    for (std::int64_t i = block * kBlock; i < end(block); ++i) state = combine(state, load(i));
    totals[static_cast<std::size_t>(block)] = state;
  });
  State before_block = identity;
  for (State& total : totals) {
    const State after_block = combine(before_block, total);
    total = before_block;
    before_block = after_block;
  }
  tbb::parallel_for(std::int64_t{0}, blocks, [&](std::int64_t block) {
    State before = totals[static_cast<std::size_t>(block)];
    for (std::int64_t i = block * kBlock; i < end(block); ++i) {
      const State after = combine(before, load(i));
      if (!matches(i, before, after)) {
        wrong.note(i);
        break;
      }
      before = after;
    }
  });
  return before_block;
}

/// Returns a number that differs, in all likelihood, where two arrays differ in any bit.
inline std::size_t bits_of(std::span<const std::byte> bytes) {
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// A reference adds up in this type: integers as they are, floats in the next wider type.
template <class T>
using Exact = std::conditional_t<std::is_same_v<T, float>, double,
                                 std::conditional_t<std::is_same_v<T, double>, long double, T>>;

/// Returns the headers' bound on a float sum of n numbers, relative to the sum of their magnitudes
/// (core/scan.h).
template <class T>
double sum_tolerance(std::int64_t n) {
  if constexpr (!std::is_floating_point_v<T>) return 0;
  return (24 + std::log2(static_cast<double>(n))) * std::numeric_limits<T>::epsilon();
}

/// Asks whether both are equal; floats may be off by `tolerance` of a reference that is itself a sum of
/// magnitudes.
template <class T>
bool close(T value, Exact<T> reference, double tolerance) {
  if constexpr (std::is_floating_point_v<T>)
    return std::abs(static_cast<Exact<T>>(value) - reference) <= tolerance * reference;
  else
    return value == reference;
}

template <class In, class Out, class Op>
std::string check_scan(Input input, std::span<const Out> out, ScanKind kind, Op op) {
  using State = Exact<Out>;
  const auto count = static_cast<std::int64_t>(out.size());
  const double tolerance = sum_tolerance<Out>(count);
  FirstWrong wrong;
  walk(
      count, op.template identity<State>(),
      [=](std::int64_t i) { return static_cast<State>(input.at<In>(i)); }, op,
      [=](std::int64_t i, State before, State after) {
        return close<Out>(out[i], kind == ScanKind::inclusive ? after : before, tolerance);
      },
      wrong);
  return wrong.text();
}

/// Checks inclusive sums of every row.
template <class T>
std::string check_rows(Input input, View<const T> out) {
  const double tolerance = sum_tolerance<T>(out.width);
  FirstWrong wrong;
  tbb::parallel_for(std::int64_t{0}, out.height, [&](std::int64_t y) {
    Exact<T> sum = 0;
    for (std::int64_t x = 0; x < out.width; ++x) {
      sum += input.at<T>(y * out.width + x);
      if (!close<T>(out(x, y), sum, tolerance)) return wrong.note(y * out.width + x);
    }
  });
  return wrong.text();
}

/// Checks inclusive sums of every column; a task walks down a stripe of them, so that it reads whole cache
/// lines.
template <class T>
std::string check_columns(Input input, View<const T> out) {
  constexpr std::int64_t kStripe = 64;
  const double tolerance = sum_tolerance<T>(out.height);
  FirstWrong wrong;
  tbb::parallel_for(std::int64_t{0}, (out.width + kStripe - 1) / kStripe, [&](std::int64_t stripe) {
    const std::int64_t left = stripe * kStripe, right = std::min(out.width, left + kStripe);
    Exact<T> sums[kStripe] = {};
    for (std::int64_t y = 0; y < out.height; ++y)
      for (std::int64_t x = left; x < right; ++x) {
        sums[x - left] += input.at<T>(y * out.width + x);
        if (!close<T>(out(x, y), sums[x - left], tolerance)) return wrong.note(y * out.width + x);
      }
  });
  return wrong.text();
}

/// Checks that `out` holds exactly the elements value(i) for which keep(i) holds, in order, and that their
/// number is right.
template <class T, class Value, class Keep>
std::string check_kept(std::int64_t count, Value value, Keep keep, std::span<const T> out,
                       std::uint64_t counted) {
  FirstWrong wrong;
  const std::uint64_t kept = walk(
      count, std::uint64_t{0}, [&](std::int64_t i) { return std::uint64_t{keep(i)}; }, std::plus<>(),
      [&](std::int64_t i, std::uint64_t before, std::uint64_t after) {
        return before == after || out[before] == value(i);
      },
      wrong);
  if (kept != counted) return fmt::format("{} elements were kept, should be {}", counted, kept);
  return wrong.text("the place of input element");
}

}  // namespace scanlens::bench
