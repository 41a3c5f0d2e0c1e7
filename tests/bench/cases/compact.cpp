// Measures stream compaction: by a predicate, by flags, into both sides, without repetitions.
#include "core/compact.h"

#include "core/textbook/scan_scatter.h"
#include "tests/bench/bench.h"
#include "tests/bench/peers/peers.h"
#include "tests/bench/verify.h"

namespace scanlens::bench {
namespace {

using T = std::uint32_t;

/// Describes a case over n random values; what it must write is to be added.
Case compact_case(std::string variant, std::int64_t n) {
  Case one;
  one.primitive = "compact";
  one.variant = std::move(variant);
  one.type = "u32";
  one.size = length_name(n);
  one.elements = n;
  one.bytes_read = n * static_cast<std::int64_t>(sizeof(T));
  return one;
}

std::int64_t share_of(std::int64_t n, double share) {
  return static_cast<std::int64_t>(static_cast<double>(n) * share);
}

T value(std::int64_t i) {
  return Input::random().at<T>(static_cast<std::uint64_t>(i));
}

void by_predicate(Bench& bench, std::int64_t n, int percent) {
  Case one = compact_case("if, " + std::to_string(percent) + " % kept", n);
  one.bytes_written = share_of(one.bytes_read, percent / 100.);
  bench.attempt("compact " + one.variant + " " + one.size, [&] {
    bench.reserve(one.bytes_read, one.bytes_read);
    Context& context = bench.context();
    const auto in = bench.filled<T>(n, Input::random());
    const auto out = bench.target<T>(n);
    const auto count = bench.target<std::uint64_t>(1);
    const T below = static_cast<T>(percent / 100. * 0x1p32);
    const Compare<T> predicate = {Compare<T>::less, below};
    one.ours = [=, &context] { compact_if(context, in, predicate, out, count.data()); };
    one.peers = SCANLENS_PEERS(context, compact_if_peers, in, below, out, count.data());
    one.verify = [=, &bench] {
      const auto keep = [=](std::int64_t i) { return value(i) < below; };
      return check_kept<T>(n, value, keep, bench.host(out), bench.host(count)[0]);
    };
    bench.run(one);
  });
}

using CompactFlagged = void (*)(Context&, std::span<const T>, std::span<const std::uint8_t>, std::span<T>,
                                std::uint64_t*);

void by_flags(Bench& bench, std::int64_t n, const std::string& name, double share, CompactFlagged compact) {
  Case one = compact_case(name, n);
  one.bytes_written = share_of(one.bytes_read, share);
  one.bytes_read += n;
  bench.attempt("compact " + one.variant + " " + one.size, [&] {
    bench.reserve(one.bytes_read, one.bytes_read);
    Context& context = bench.context();
    const auto in = bench.filled<T>(n, Input::random());
    const auto flags = bench.filled<std::uint8_t>(n, Input::flags(share));
    const auto out = bench.target<T>(n);
    const auto count = bench.target<std::uint64_t>(1);
    one.ours = [=, &context] { compact(context, in, flags, out, count.data()); };
    one.peers = SCANLENS_PEERS(context, compact_flagged_peers, in, flags, out, count.data());
    one.verify = [=, &bench] {
      const auto keep = [=](std::int64_t i) {
        return Input::flags(share).at<bool>(static_cast<std::uint64_t>(i));
      };
      return check_kept<T>(n, value, keep, bench.host(out), bench.host(count)[0]);
    };
    bench.run(one);
  });
}

void both_sides(Bench& bench, std::int64_t n) {
  Case one = compact_case("partition, 50 %", n);
  one.bytes_written = one.bytes_read;
  bench.attempt("compact " + one.variant + " " + one.size, [&] {
    bench.reserve(one.bytes_read, 2 * one.bytes_read);
    Context& context = bench.context();
    const auto in = bench.filled<T>(n, Input::random());
    const auto kept = bench.target<T>(n), rejected = bench.target<T>(n);
    const auto count = bench.target<std::uint64_t>(1);
    const T below = 1u << 31;
    const Compare<T> predicate = {Compare<T>::less, below};
    one.ours = [=, &context] { partition_if(context, in, predicate, kept, rejected, count.data()); };
    one.peers = SCANLENS_PEERS(context, partition_peers, in, below, kept, count.data());
    one.verify = [=, &bench]() -> std::string {
      const auto keep = [=](std::int64_t i) { return value(i) < below; };
      const auto reject = [=](std::int64_t i) { return value(i) >= below; };
      const std::uint64_t counted = bench.host(count)[0];
      const std::string wrong = check_kept<T>(n, value, keep, bench.host(kept), counted);
      if (!wrong.empty()) return "kept: " + wrong;
      const std::string other =
          check_kept<T>(n, value, reject, bench.host(rejected), static_cast<std::uint64_t>(n) - counted);
      return other.empty() ? "" : "rejected: " + other;
    };
    bench.run(one);
  });
}

void without_repetitions(Bench& bench, std::int64_t n) {
  Case one = compact_case("unique, runs of 2", n);
  one.bytes_written = one.bytes_read / 2;
  bench.attempt("compact " + one.variant + " " + one.size, [&] {
    bench.reserve(one.bytes_read, one.bytes_read);
    Context& context = bench.context();
    const auto in = bench.filled<T>(n, Input::runs());
    const auto out = bench.target<T>(n);
    const auto count = bench.target<std::uint64_t>(1);
    one.ours = [=, &context] { unique(context, in, out, count.data()); };
    one.peers = SCANLENS_PEERS(context, unique_peers, in, out, count.data());
    one.verify = [=, &bench] {
      const auto run = [](std::int64_t i) { return Input::runs().at<T>(static_cast<std::uint64_t>(i)); };
      const auto first = [=](std::int64_t i) { return i == 0 || run(i) != run(i - 1); };
      return check_kept<T>(n, run, first, bench.host(out), bench.host(count)[0]);
    };
    bench.run(one);
  });
}

}  // namespace

void bench_compact(Bench& bench) {
  const std::int64_t own = bench.on_cuda() ? 1 << 28 : 1 << 24;
  for (const std::int64_t n : bench.settings().sizes.lengths_or({own})) {
    for (const int percent : {10, 50, 90}) by_predicate(bench, n, percent);
    by_flags(bench, n, "flagged, 50 % kept", 0.5, compiled::compact_flagged<T>);
    by_flags(bench, n, "flagged, all flags false", 0, compiled::compact_flagged<T>);
    by_flags(bench, n, "scan and scatter, 50 % kept", 0.5, compact_scan_scatter<T>);
    both_sides(bench, n);
    without_repetitions(bench, n);
  }
}

}  // namespace scanlens::bench
