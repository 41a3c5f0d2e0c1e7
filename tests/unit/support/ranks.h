// Random arrays cut over ranks, and what one context makes of them: the same checks for simulated ranks, GPUs
// of one process and processes.
#pragma once

#include <functional>

#include "core/error.h"
#include "core/ranks.h"
#include "tests/unit/support/support.h"

namespace scanlens::test {

/// An array cut at `ends`. The parts of this process's ranks lie where their contexts can read them.
template <class T>
class Spread {
 public:
  Spread(Ranks& ranks, const std::vector<std::size_t>& ends, const std::vector<T>& values) : ranks_(ranks) {
    for (int i = 0; i < ranks.local(); ++i) {
      const auto rank = static_cast<std::size_t>(ranks.first() + i);
      const std::size_t begin = rank == 0 ? 0 : ends[rank - 1], count = ends[rank] - begin;
      begins_.push_back(begin);
      memory_.emplace_back(ranks.context(i), std::max<std::size_t>(1, count * sizeof(T)));
      spans_.push_back({reinterpret_cast<T*>(memory_.back().data()), count});
      move(i, values.data() + begin, spans_.back().data());
    }
    constant_.assign(spans_.begin(), spans_.end());
  }

  Parts<T> parts() const { return spans_; }
  Parts<const T> in() const { return constant_; }
  /// The parts as addresses of their first elements.
  std::vector<T*> places() const {
    std::vector<T*> places;
    for (const std::span<T> part : spans_) places.push_back(part.data());
    return places;
  }

  /// Calls visit(element, its index in the whole) for all elements of this process.
  template <class Visit>
  void for_each(const Visit& visit) const {
    ranks_.synchronize();
    for (int i = 0; i < ranks_.local(); ++i) {
      const auto part = static_cast<std::size_t>(i);
      std::vector<T> host(spans_[part].size());
      move(i, spans_[part].data(), host.data());
      ranks_.context(i).synchronize();
      for (std::size_t k = 0; k < host.size(); ++k) visit(host[k], begins_[part] + k);
    }
  }
  std::vector<T> host() const {
    std::vector<T> all;
    for_each([&](const T& value, std::size_t) { all.push_back(value); });
    return all;
  }

 private:
  void move(int local, const T* from, T* to) const {
    const auto bytes = static_cast<std::int64_t>(spans_[static_cast<std::size_t>(local)].size_bytes());
    copy_bytes(ranks_.context(local), from, bytes, to, bytes, bytes, 1);
  }

  Ranks& ranks_;
  std::vector<Memory> memory_;
  std::vector<std::span<T>> spans_;
  std::vector<std::span<const T>> constant_;
  std::vector<std::size_t> begins_;
};

/// One random case, the same on all ranks of a seed.
struct RankCase {
  RankCase(int ranks, std::uint64_t seed, std::size_t most = 20000) : random(seed) {
    count = random() % ((random() % 4 == 0 ? most : random() % 2 == 0 ? 300 : 8) + 1);
    ends = cut(ranks);
  }

  /// The ends of the parts; some may be empty.
  std::vector<std::size_t> cut(int ranks) {
    std::vector<std::size_t> ends;
    for (int i = 0; i + 1 < ranks; ++i) ends.push_back(random() % (count + 1));
    std::sort(ends.begin(), ends.end());
    ends.push_back(count);
    return ends;
  }

  /// Few values now and then, so that keys are equal and extremes stand at several places.
  template <class T>
  std::vector<T> values() {
    const std::uint64_t range = random() % 3 == 0 ? 4 : random() % 2 == 0 ? 5000 : ~std::uint64_t{0};
    std::vector<T> values(count);
    for (T& value : values) {
      const std::uint64_t bits = random() % range;
      if constexpr (std::is_floating_point_v<T>)
        value = static_cast<T>(static_cast<double>(bits % 1000003) / 1000 - 400);
      else
        value = static_cast<T>(bits);
    }
    return values;
  }

  std::mt19937_64 random;
  std::size_t count;
  std::vector<std::size_t> ends;
};

void compare_random_scan(Ranks& ranks, RankCase& one);
void compare_random_reduction(Ranks& ranks, RankCase& one);
void compare_random_sort(Ranks& ranks, RankCase& one);
void compare_random_table(Ranks& ranks, RankCase& one);

}  // namespace scanlens::test
