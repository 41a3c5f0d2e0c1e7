// Measures the radix sort of 32-bit keys, alone, with 32-bit values and in segments; and merges.
#include "core/sort.h"

#include "core/segments.h"
#include "core/textbook/split_merge_sort.h"
#include "tests/bench/bench.h"
#include "tests/bench/peers/peers.h"
#include "tests/bench/verify.h"

namespace scanlens::bench {
namespace {

using T = std::uint32_t;

T key(std::int64_t i) {
  return Input::random().at<T>(static_cast<std::uint64_t>(i));
}

/// Asks whether the keys ascend and have the input's sum of hashes: another multiset of keys has, in all
/// likelihood, a different sum.
std::string check_keys(std::span<const T> out) {
  const auto count = static_cast<std::int64_t>(out.size());
  const auto always = [](std::int64_t, std::uint64_t, std::uint64_t) { return true; };
  FirstWrong wrong;
  const std::uint64_t sorted = walk(
      count, std::uint64_t{0}, [=](std::int64_t i) { return hash(out[i]); }, std::plus<>(),
      [=](std::int64_t i, std::uint64_t, std::uint64_t) { return i == 0 || out[i - 1] <= out[i]; }, wrong);
  const std::uint64_t given = walk(
      count, std::uint64_t{0}, [](std::int64_t i) { return hash(key(i)); }, std::plus<>(), always, wrong);
  return !wrong.any() && sorted != given ? "the keys are not those of the input" : wrong.text();
}

/// Asks for more, as the values are the positions that the keys had. Each key stands where its value says,
/// and (key, value) rises strictly: n different pairs of n possible ones, so nothing is missing and equal
/// keys kept their order.
std::string check_pairs(std::span<const T> keys, std::span<const T> values) {
  FirstWrong wrong;
  tbb::parallel_for(std::int64_t{0}, static_cast<std::int64_t>(keys.size()), [&](std::int64_t i) {
    const bool rises =
        i == 0 || keys[i - 1] < keys[i] || (keys[i - 1] == keys[i] && values[i - 1] < values[i]);
    if (!rises || values[i] >= keys.size() || keys[i] != key(values[i])) wrong.note(i);
  });
  return wrong.text();
}

Case sort_case(std::string variant, std::int64_t n, std::int64_t bytes) {
  Case one;
  one.primitive = "sort";
  one.variant = std::move(variant);
  one.type = "u32";
  one.size = length_name(n);
  one.elements = n;
  one.bytes_read = one.bytes_written = n * bytes;
  return one;
}

using SortKeys = void (*)(Context&, std::span<const T>, std::span<T>, const SortOptions&);

void keys_alone(Bench& bench, std::int64_t n, const char* name, SortKeys sort) {
  Case one = sort_case(name, n, sizeof(T));
  bench.attempt("sort " + one.variant + " " + one.size, [&] {
    bench.reserve(one.bytes_read, one.bytes_written);
    Context& context = bench.context();
    const auto in = bench.filled<T>(n, Input::random());
    const auto out = bench.target<T>(n);
    one.ours = [=, &context] { sort(context, in, out, {}); };
    if (n <= kMostPeerElements) one.peers = SCANLENS_PEERS(context, sort_keys_peers, in, out);
    one.verify = [=, &bench] { return check_keys(bench.host(out)); };
    bench.run(one);
  });
}

void with_values(Bench& bench, std::int64_t n) {
  Case one = sort_case("pairs", n, 2 * sizeof(T));
  bench.attempt("sort " + one.variant + " " + one.size, [&] {
    bench.reserve(one.bytes_read, one.bytes_written);
    Context& context = bench.context();
    const auto keys = bench.filled<T>(n, Input::random());
    const auto values = bench.filled<T>(n, Input::positions());
    const auto keys_out = bench.target<T>(n), values_out = bench.target<T>(n);
    one.ours = [=, &context] { sort_pairs(context, keys, values, keys_out, values_out); };
    if (n <= kMostPeerElements)
      one.peers = SCANLENS_PEERS(context, sort_pairs_peers, keys, values, keys_out, values_out);
    one.verify = [=, &bench] { return check_pairs(bench.host(keys_out), bench.host(values_out)); };
    bench.run(one);
  });
}

/// The halves are 0, 2, 4 … and 1, 3, 5 …, so that every element takes turns.
void merged(Bench& bench, std::int64_t n) {
  Case one = sort_case("merge of halves", n, sizeof(T));
  bench.attempt("sort " + one.variant + " " + one.size, [&] {
    bench.reserve(one.bytes_read, one.bytes_written);
    Context& context = bench.context();
    std::vector<T> halves(static_cast<std::size_t>(n));
    const std::size_t evens = (halves.size() + 1) / 2;
    for (std::size_t i = 0; i < halves.size(); ++i)
      halves[i] = static_cast<T>(i < evens ? 2 * i : 2 * (i - evens) + 1);
    const auto both = bench.uploaded(halves);
    const auto a = both.first(evens), b = both.subspan(evens);
    const auto out = bench.target<T>(n);
    one.ours = [=, &context] { merge_keys(context, a, b, out); };
    if (n <= kMostPeerElements) one.peers = SCANLENS_PEERS(context, merge_peers, a, b, out);
    one.verify = [=, &bench] {
      FirstWrong wrong;
      const std::span<const T> found = bench.host(out);
      for (std::int64_t i = 0; i < n; ++i)
        if (found[static_cast<std::size_t>(i)] != static_cast<T>(i)) return wrong.note(i), wrong.text();
      return std::string();
    };
    bench.run(one);
  });
}

void in_segments(Bench& bench, std::int64_t n, std::int64_t length) {
  Case one = sort_case("segments of " + std::to_string(length), n, sizeof(T));
  bench.attempt("sort " + one.variant + " " + one.size, [&] {
    bench.reserve(one.bytes_read + (n / length + 2) * 8, one.bytes_written);
    Context& context = bench.context();
    std::vector<std::int64_t> ends;
    for (std::int64_t begin = 0; begin < n; begin += length) ends.push_back(begin);
    ends.push_back(n);
    const auto in = bench.filled<T>(n, Input::random());
    const auto offsets = bench.uploaded(ends);
    const auto out = bench.target<T>(n);
    one.ours = [=, &context] { sort_segments(context, in, offsets, out); };
    if (n <= kMostPeerElements) one.peers = SCANLENS_PEERS(context, sort_segments_peers, in, offsets, out);
    one.verify = [=, &bench] {
      FirstWrong wrong;
      const std::span<const T> found = bench.host(out);
      for (std::size_t i = 1; i < found.size(); ++i)
        if (static_cast<std::int64_t>(i) % length != 0 && found[i - 1] > found[i])
          return wrong.note(static_cast<std::int64_t>(i)), wrong.text();
      return std::string();
    };
    bench.run(one);
  });
}

}  // namespace

void bench_sort(Bench& bench) {
  const SizeChoice& sizes = bench.settings().sizes;
  const std::vector<std::int64_t> own = bench.on_cuda()
                                            ? std::vector<std::int64_t>{1 << 20, 1 << 24, 1 << 28}
                                            : std::vector<std::int64_t>{1 << 16, 1 << 20, 1 << 22};
  for (const std::int64_t n : sizes.lengths_or(own)) keys_alone(bench, n, "keys", compiled::sort_keys<T>);
  for (const std::int64_t n : sizes.lengths_or(own)) with_values(bench, n);
  for (const std::int64_t n : sizes.lengths_or(own)) merged(bench, n);
  for (const std::int64_t n : sizes.lengths_or({1 << 20}))
    for (const std::int64_t length : {32, 1024}) in_segments(bench, n, length);
  for (const std::int64_t n : sizes.lengths_or({1 << 20}))
    keys_alone(bench, n, "keys, split and merge", split_merge_sort_keys<T>);
}

}  // namespace scanlens::bench
