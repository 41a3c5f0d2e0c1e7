#include "tests/bench/cases/papers.h"

#include <algorithm>

#include "core/devices.h"
#include "tests/bench/cases/list.h"
#include "tests/bench/papers.h"
#include "tests/bench/peers/peers.h"

namespace scanlens::bench {
namespace {

constexpr std::size_t kQuickScans = 4, kQuickCompactions = 2;

Collected measure(Context& context, const Settings& settings, std::string_view name,
                  std::vector<std::int64_t> lengths, std::vector<Shape> shapes) {
  Settings own = settings;
  own.sizes = {std::move(lengths), std::move(shapes), false};
  own.collected = {};
  Bench bench(context, own);
  primitive(name).run(bench);
  return bench.collected();
}

/// Times the sequential scan of today, which is the standard library's, on one thread of this machine.
Result sequential_scan(std::int64_t n) {
  constexpr int kRuns = 9;
  Context cpu = Context::open("cpu");
  std::vector<std::uint32_t> in(static_cast<std::size_t>(n)), out(in.size());
  fill(cpu, std::span(in), Input::random());
  const std::span<const std::uint32_t> given(in);
  const Peer standard = cpu::sum_scan_peers(cpu, ScanKind::exclusive, given, std::span(out)).front();
  const int calls = static_cast<int>(std::max<std::int64_t>(1, (1 << 20) / n));  // for the clock's sake
  std::vector<double> times;
  for (int run = 0; run < kRuns; ++run)
    times.push_back(cpu.time([&] {
      for (int call = 0; call < calls; ++call) standard.work();
    }) / calls);
  std::sort(times.begin(), times.end());
  Result result;
  result.primitive = kSequential;
  result.variant = standard.name;
  result.type = "u32";
  result.size = length_name(n);
  result.device = cpu.device().id;
  result.elements = n;
  result.bytes = 2 * n * static_cast<std::int64_t>(sizeof(std::uint32_t));
  result.ours = {times[kRuns / 2], times.front(), times.back()};
  return result;
}

}  // namespace

Collected measure_papers(Context& context, const Settings& settings) {
  std::vector<std::int64_t> scans, compactions = {1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24};
  for (const ScanLine& line : kScanTable) scans.push_back(line.elements);
  if (settings.quick) {
    scans.resize(kQuickScans);
    compactions.resize(kQuickCompactions);
  }
  std::vector<Shape> squares, planes;  // planes: three channels, one below the other
  for (const TableLine& line : kTableSteps) {
    squares.push_back({line.side, line.side});
    planes.push_back({line.side, 3 * line.side});
  }
  Collected all = measure(context, settings, "algorithms", scans, {});
  for (const std::int64_t n : scans) all.results.push_back(sequential_scan(n));
  all.add(measure(context, settings, "compact", compactions, {}));
  all.add(measure(context, settings, "sat", {}, squares));
  all.add(measure(context, settings, "transpose", {}, squares));
  all.add(measure(context, settings, "rows", {}, planes));
  return all;
}

}  // namespace scanlens::bench
