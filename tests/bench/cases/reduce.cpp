// Measures reductions of one array, and histograms.
#include "core/reduce.h"

#include "core/histogram.h"
#include "tests/bench/bench.h"
#include "tests/bench/peers/peers.h"
#include "tests/bench/types.h"
#include "tests/bench/verify.h"

namespace scanlens::bench {
namespace {

template <class T>
Case reduce_case(std::string variant, std::int64_t n) {
  Case one;
  one.primitive = "reduce";
  one.variant = std::move(variant);
  one.type = type_name<T>();
  one.size = length_name(n);
  one.elements = n;
  one.bytes_read = n * static_cast<std::int64_t>(sizeof(T));
  return one;
}

float value(std::int64_t i) {
  return Input::random().at<float>(static_cast<std::uint64_t>(i));
}

/// Walks with nothing to compare on the way and returns the reference's last state.
template <class State, class Load, class Combine>
State fold(std::int64_t n, State identity, Load load, Combine combine) {
  FirstWrong none;
  const auto always = [](std::int64_t, const State&, const State&) { return true; };
  return walk(n, identity, load, combine, always, none);
}

void sum(Bench& bench, std::int64_t n) {
  Case one = reduce_case<float>("sum", n);
  bench.attempt("reduce sum " + one.size, [&] {
    bench.reserve(one.bytes_read, sizeof(float));
    Context& context = bench.context();
    const auto in = bench.filled<float>(n, Input::random());
    const auto result = bench.target<float>(1);
    one.ours = [=, &context] { reduce(context, in, result.data()); };
    if (n <= kMostPeerElements) one.peers = SCANLENS_PEERS(context, sum_peers, in, result.data());
    one.verify = [=, &bench]() -> std::string {
      const double reference = fold(
          n, 0., [](std::int64_t i) { return double{value(i)}; }, std::plus<>());
      const float ours = bench.host(result)[0];
      return close<float>(ours, reference, sum_tolerance<float>(n))
                 ? ""
                 : fmt::format("the sum is {}, should be {}", ours, reference);
    };
    bench.run(one);
  });
}

void argmin_case(Bench& bench, std::int64_t n) {
  Case one = reduce_case<float>("argmin", n);
  bench.attempt("reduce argmin " + one.size, [&] {
    bench.reserve(one.bytes_read, sizeof(Located<float>));
    Context& context = bench.context();
    const auto in = bench.filled<float>(n, Input::random());
    const auto result = bench.target<Located<float>>(1);
    one.ours = [=, &context] { argmin(context, in, result.data()); };
    if (n <= kMostPeerElements) one.peers = SCANLENS_PEERS(context, argmin_peers, in, result.data());
    one.verify = [=, &bench]() -> std::string {
      using State = Located<float>;
      const auto count = static_cast<std::uint64_t>(n);
      const State reference = fold(
          n, State{std::numeric_limits<float>::infinity(), count},
          [](std::int64_t i) {
            return State{value(i), static_cast<std::uint64_t>(i)};
          },
          [](const State& a, const State& b) { return b.value < a.value ? b : a; });
      const State ours = bench.host(result)[0];
      return ours.value == reference.value && ours.index == reference.index
                 ? ""
                 : fmt::format("the least is {} at {}, should be {} at {}", ours.value, ours.index,
                               reference.value, reference.index);
    };
    bench.run(one);
  });
}

/// The peer only adds up: nobody offers all moments in one pass, and a sum is what the pass can cost at best.
void all_moments(Bench& bench, std::int64_t n) {
  Case one = reduce_case<float>("mean and variance", n);
  bench.attempt("reduce moments " + one.size, [&] {
    bench.reserve(one.bytes_read, sizeof(Moments) + sizeof(float));
    Context& context = bench.context();
    const auto in = bench.filled<float>(n, Input::random());
    const auto result = bench.target<Moments>(1);
    const auto peers_result = bench.target<float>(1);
    one.ours = [=, &context] { moments(context, in, result.data()); };
    if (n <= kMostPeerElements) one.peers = SCANLENS_PEERS(context, sum_peers, in, peers_result.data());
    for (Peer& peer : one.peers) peer.same_result = false;
    one.verify = [=, &bench]() -> std::string {
      const double count = static_cast<double>(n);
      const double mean = fold(
                              n, 0., [](std::int64_t i) { return double{value(i)}; }, std::plus<>()) /
                          count;
      const double squares = fold(
          n, 0., [=](std::int64_t i) { return (value(i) - mean) * (value(i) - mean); }, std::plus<>());
      const Moments ours = bench.host(result)[0];
      const bool same = ours.count == static_cast<std::uint64_t>(n) && std::abs(ours.mean - mean) <= 1e-6 &&
                        std::abs(ours.squared_deviations - squares) <= 1e-5 * squares;
      return same ? ""
                  : fmt::format("count {}, mean {}, squares {}, should be {}, {}, {}", ours.count, ours.mean,
                                ours.squared_deviations, n, mean, squares);
    };
    bench.run(one);
  });
}

void bytes_histogram(Bench& bench, std::int64_t n) {
  constexpr std::size_t kBins = 256;
  Case one = reduce_case<std::uint8_t>("histogram, 256 bins", n);
  bench.attempt("reduce histogram " + one.size, [&] {
    bench.reserve(one.bytes_read, kBins * sizeof(std::uint64_t));
    Context& context = bench.context();
    const auto in = bench.filled<std::uint8_t>(n, Input::random());
    const auto bins = bench.target<std::uint64_t>(kBins);
    one.ours = [=, &context] { histogram(context, in, 0, kBins, bins); };
    if (n <= kMostPeerElements) one.peers = SCANLENS_PEERS(context, histogram_peers, in, bins);
    one.verify = [=, &bench]() -> std::string {
      std::vector<std::uint64_t> reference(kBins);
      for (std::int64_t i = 0; i < n; ++i)
        ++reference[Input::random().at<std::uint8_t>(static_cast<std::uint64_t>(i))];
      const std::span<const std::uint64_t> ours = bench.host(bins);
      return std::equal(ours.begin(), ours.end(), reference.begin()) ? "" : "a bin is wrong";
    };
    bench.run(one);
  });
}

}  // namespace

void bench_reduce(Bench& bench) {
  const SizeChoice& sizes = bench.settings().sizes;
  const std::int64_t large = bench.on_cuda() ? 1 << 28 : 1 << 26;
  for (const std::int64_t n : sizes.lengths_or({1 << 20, large})) {
    sum(bench, n);
    all_moments(bench, n);
    argmin_case(bench, n);
  }
  for (const std::int64_t n : sizes.lengths_or({1 << 26})) bytes_histogram(bench, n);
}

}  // namespace scanlens::bench
