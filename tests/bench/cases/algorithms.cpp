// Measures the scan algorithms of the literature side by side, as figures 39-7 and 39-8 of GPU Gems 3 do,
// on today's GPU.
#include "core/textbook/scan_algorithms.h"
#include "tests/bench/bench.h"
#include "tests/bench/peers/peers.h"
#include "tests/bench/verify.h"

namespace scanlens::bench {
namespace {

void exclusive_sum(Bench& bench, const ScanAlgorithmInfo& info, std::int64_t n) {
  using T = std::uint32_t;
  Case one;
  one.primitive = "algorithms";
  one.variant = info.name;
  one.type = "u32";
  one.size = length_name(n);
  one.elements = n;
  one.bytes_read = one.bytes_written = n * static_cast<std::int64_t>(sizeof(T));
  bench.attempt("algorithms " + one.variant + " " + one.size, [&] {
    bench.reserve(one.bytes_read, one.bytes_written);
    Context& context = bench.context();
    const auto in = bench.filled<T>(n, Input::random());
    const auto out = bench.target<T>(n);
    one.ours = [=, &context, algorithm = info.algorithm] {
      scan_by<T>(context, algorithm, ScanKind::exclusive, in, out);
    };
    if (n <= kMostPeerElements)
      one.peers = SCANLENS_PEERS(context, sum_scan_peers, ScanKind::exclusive, in, out);
    one.verify = [=, &bench] {
      return check_scan<T, T>(Input::random(), bench.host(out), ScanKind::exclusive, Sum());
    };
    bench.run(one);
  });
}

}  // namespace

void bench_algorithms(Bench& bench) {
  std::vector<std::int64_t> own;
  for (int log = 10; log <= (bench.on_cuda() ? 26 : 20); log += 2) own.push_back(std::int64_t{1} << log);
  for (const ScanAlgorithmInfo& info : scan_algorithms())
    for (const std::int64_t n : bench.settings().sizes.lengths_or(own)) exclusive_sum(bench, info, n);
}

}  // namespace scanlens::bench
