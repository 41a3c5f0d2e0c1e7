// Measures scans of one array: sums of every type, other operators, segments.
#include "core/scan.h"

#include <bit>

#include "tests/bench/bench.h"
#include "tests/bench/peers/affine.h"
#include "tests/bench/peers/peers.h"
#include "tests/bench/types.h"
#include "tests/bench/verify.h"

namespace scanlens::bench {
namespace {

Case scan_case(std::string variant, std::string type, std::int64_t n, std::int64_t in_bytes,
               std::int64_t out_bytes) {
  Case one;
  one.primitive = "scan";
  one.variant = std::move(variant);
  one.type = std::move(type);
  one.size = length_name(n);
  one.elements = n;
  one.bytes_read = n * in_bytes;
  one.bytes_written = n * out_bytes;
  return one;
}

template <class In, class Out>
void sum(Bench& bench, ScanKind kind, std::int64_t n) {
  const std::string variant = kind == ScanKind::inclusive ? "inclusive sum" : "exclusive sum";
  Case one = scan_case(variant, type_name<In, Out>(), n, sizeof(In), sizeof(Out));
  bench.attempt("scan " + variant + " " + one.type + " " + one.size, [&] {
    bench.reserve(one.bytes_read, one.bytes_written);
    Context& context = bench.context();
    const auto in = bench.filled<In>(n, Input::random());
    const auto out = bench.target<Out>(n);
    one.ours = [=, &context] {
      if (kind == ScanKind::inclusive)
        inclusive_scan(context, in, out);
      else
        exclusive_scan(context, in, out);
    };
    if (n <= kMostPeerElements) one.peers = SCANLENS_PEERS(context, sum_scan_peers, kind, in, out);
    one.verify = [=, &bench] { return check_scan<In, Out>(Input::random(), bench.host(out), kind, Sum()); };
    bench.run(one);
  });
}

/// Takes the sum of floats once more, and tests the claim that repeated runs give the same bits.
void deterministic_sum(Bench& bench, std::int64_t n) {
  Case one = scan_case("same bits every run", "f32", n, 4, 4);
  bench.attempt("scan deterministic sum f32 " + one.size, [&] {
    bench.reserve(one.bytes_read, one.bytes_written);
    Context& context = bench.context();
    const auto in = bench.filled<float>(n, Input::random());
    const auto out = bench.target<float>(n);
    one.ours = [=, &context] { inclusive_scan(context, in, out); };
    if (n <= kMostPeerElements)
      one.peers = SCANLENS_PEERS(context, sum_scan_peers, ScanKind::inclusive, in, out);
    for (Peer& peer : one.peers) peer.same_result = false;  // CUB promises no such thing
    one.verify = [=, &bench, ours = one.ours]() -> std::string {
      constexpr int kRuns = 5;
      std::size_t first_bits = 0;
      for (int run = 0; run < kRuns; ++run) {
        if (run > 0) ours();
        const std::span<const float> sums = bench.host(out);
        const std::size_t bits = bits_of(std::as_bytes(sums));
        if (run == 0) first_bits = bits;
        if (bits != first_bits) return "another run gave other bits";
      }
      return check_scan<float, float>(Input::random(), bench.host(out), ScanKind::inclusive, Sum());
    };
    bench.run(one);
  });
}

void maximum(Bench& bench, std::int64_t n) {
  Case one = scan_case("inclusive max", "u32", n, 4, 4);
  bench.attempt("scan max u32 " + one.size, [&] {
    bench.reserve(one.bytes_read, one.bytes_written);
    Context& context = bench.context();
    const auto in = bench.filled<std::uint32_t>(n, Input::random());
    const auto out = bench.target<std::uint32_t>(n);
    one.ours = [=, &context] { inclusive_scan(context, in, out, Max()); };
    if (n <= kMostPeerElements) one.peers = SCANLENS_PEERS(context, max_scan_peers, in, out);
    one.verify = [=, &bench] {
      return check_scan<std::uint32_t, std::uint32_t>(Input::random(), bench.host(out), ScanKind::inclusive,
                                                      Max());
    };
    bench.run(one);
  });
}

/// Scans by an operator that the library does not know: the scan is compiled here (peers/affine_cuda.cu).
void user_operator(Bench& bench, std::int64_t n) {
  Case one = scan_case("user operator: affine maps", "2 x u32", n, 8, 8);
  bench.attempt("scan of affine maps " + one.size, [&] {
    bench.reserve(one.bytes_read, one.bytes_written);
    Context& context = bench.context();
    const auto words = bench.filled<std::uint64_t>(n, Input::random());
    const std::span<const Affine> in(reinterpret_cast<const Affine*>(words.data()), words.size());
    const auto out = bench.target<Affine>(n);
    one.ours = [=, &context] { scan_affine(context, in, out); };
    if (n <= kMostPeerElements) one.peers = SCANLENS_PEERS(context, affine_scan_peers, in, out);
    one.verify = [=, &bench] {
      const std::span<const Affine> maps = bench.host(out);
      FirstWrong wrong;
      walk(
          n, Affine{1, 0},
          [](std::int64_t i) {
            return std::bit_cast<Affine>(Input::random().at<std::uint64_t>(static_cast<std::uint64_t>(i)));
          },
          Compose(), [=](std::int64_t i, const Affine&, const Affine& after) { return maps[i] == after; },
          wrong);
      return wrong.text();
    };
    bench.run(one);
  });
}

/// Scans segments of 1000 elements on average.
void segmented(Bench& bench, std::int64_t n) {
  Case one = scan_case("segmented inclusive sum", "u32", n, 5, 4);
  bench.attempt("scan segmented u32 " + one.size, [&] {
    constexpr double kHeads = 1e-3;
    bench.reserve(one.bytes_read + n, one.bytes_written);
    Context& context = bench.context();
    const auto in = bench.filled<std::uint32_t>(n, Input::random());
    const auto heads = bench.filled<std::uint8_t>(n, Input::flags(kHeads));
    std::vector<std::uint8_t> parity(static_cast<std::size_t>(n));
    std::uint8_t segment = 0;
    for (std::size_t i = 0; i < parity.size(); ++i)
      parity[i] = segment ^= Input::flags(kHeads).at<std::uint8_t>(i);
    const auto segments = bench.uploaded(parity);
    const auto out = bench.target<std::uint32_t>(n);
    one.ours = [=, &context] { inclusive_segmented_scan(context, in, heads, out); };
    if (n <= kMostPeerElements) one.peers = SCANLENS_PEERS(context, segmented_scan_peers, in, segments, out);
    one.verify = [=, &bench] {
      struct State {
        bool head;
        std::uint32_t sum;
      };
      const std::span<const std::uint32_t> sums = bench.host(out);
      FirstWrong wrong;
      walk(
          n, State{false, 0},
          [=](std::int64_t at) {
            const auto i = static_cast<std::uint64_t>(at);
            return State{Input::flags(kHeads).at<bool>(i), Input::random().at<std::uint32_t>(i)};
          },
          [](const State& a, const State& b) {
            return b.head ? b : State{a.head, a.sum + b.sum};
          },
          [=](std::int64_t i, const State&, const State& after) { return sums[i] == after.sum; }, wrong);
      return wrong.text();
    };
    bench.run(one);
  });
}

/// Returns powers of two up to 2^20, then larger ones with odd lengths beside them.
std::vector<std::int64_t> sum_lengths(bool on_cuda) {
  if (!on_cuda) return {1 << 10, 1 << 16, 1 << 20, (1 << 20) + 1, 1 << 26};
  std::vector<std::int64_t> lengths;
  for (int log = 10; log <= 20; ++log) lengths.push_back(std::int64_t{1} << log);
  for (const int log : {22, 24, 26})
    for (const int off : {-1, 0, 1}) lengths.push_back((std::int64_t{1} << log) + off);
  lengths.push_back((std::int64_t{1} << 28) - 1);
  lengths.push_back(std::int64_t{1} << 28);
  return lengths;
}

}  // namespace

void bench_scan(Bench& bench) {
  const SizeChoice& sizes = bench.settings().sizes;
  const bool on_cuda = bench.on_cuda();
  for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
    for (const std::int64_t n : sizes.lengths_or(sum_lengths(on_cuda)))
      sum<std::uint32_t, std::uint32_t>(bench, kind, n);
    for (const std::int64_t n : sizes.lengths_or(sum_lengths(on_cuda))) sum<float, float>(bench, kind, n);
  }
  using Lengths = std::vector<std::int64_t>;
  const Lengths large = on_cuda ? Lengths{1 << 26, 1 << 28} : Lengths{1 << 24};
  for (const std::int64_t n : sizes.lengths_or(large))
    sum<std::uint8_t, std::uint32_t>(bench, ScanKind::inclusive, n);
  const Lengths others = on_cuda ? Lengths{1 << 26} : Lengths{1 << 24};
  for (const std::int64_t n : sizes.lengths_or(others)) {
    maximum(bench, n);
    user_operator(bench, n);
    sum<double, double>(bench, ScanKind::inclusive, n);
    deterministic_sum(bench, n);
    segmented(bench, n);
  }
}

}  // namespace scanlens::bench
