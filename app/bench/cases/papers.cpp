#include "app/bench/cases/papers.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/bench/peers/peers.h"
#include "app/bench/report.h"
#include "core/scan_algorithms.h"

namespace scanlens::bench {
namespace {

// Harris 2007, table 2, digit by digit (8388688 included).
constexpr const char* kReportGpu = "GeForce 8800 GTX (2007)";
constexpr const char* kReportCpu = "Core Duo Extreme 2.93 GHz, 1 core (2007)";
constexpr std::size_t kQuickLines = 4;  // of them with --quick
struct ReportLine {
  std::int64_t elements;
  double cpu_ms, gpu_ms, speedup;
};
constexpr ReportLine kReport[] = {
    {1024, 0.002231, 0.079492, 0.03},       {32768, 0.072663, 0.106159, 0.68},
    {65536, 0.146326, 0.137006, 1.07},      {131072, 0.726429, 0.200257, 3.63},
    {262144, 1.454742, 0.326900, 4.45},     {524288, 2.911067, 0.624104, 4.66},
    {1048576, 5.900097, 1.118091, 5.28},    {2097152, 11.848376, 2.099666, 5.64},
    {4194304, 23.835931, 4.062923, 5.87},   {8388688, 47.390906, 7.987311, 5.93},
    {16777216, 94.794598, 15.854781, 5.98},
};

// GPU Gems 3, table 39-1.
struct TableLine {
  std::int64_t side;
  double interleave_ms, transpose_ms, scans_ms, total_ms;
};
constexpr TableLine kTable[] = {{512, 0.44, 0.23, 0.97, 1.64}, {1024, 0.96, 0.84, 1.70, 3.50}};

/// What a primitive's benchmark measures at these sizes.
std::vector<Result> measure(Context& context, const Settings& settings, void (*primitive)(Bench&),
                            std::vector<std::int64_t> lengths, std::vector<Shape> shapes, int& wrong) {
  std::vector<Result> results;
  Settings own = settings;
  own.sizes = {std::move(lengths), std::move(shapes), false};
  own.done = [&](const Result& result) {
    if (result.verified()) results.push_back(result);
  };
  Bench bench(context, own);
  primitive(bench);
  wrong += bench.wrong();
  return results;
}

/// The one result of that variant, type and size; nothing when it was wrong or there was no memory for it.
const Result* find(const std::vector<Result>& results, const std::string& variant, const std::string& type,
                   const std::string& size) {
  const auto found = std::find_if(results.begin(), results.end(), [&](const Result& result) {
    return result.variant == variant && result.type == type && result.size == size;
  });
  return found == results.end() ? nullptr : &*found;
}

std::string text(const Result* result) {
  return result ? ms_text(result->ours.ms) : "-";
}

/// The sequential scan of today: the standard library's, on one thread of this machine.
double sequential_ms(std::int64_t n) {
  Context cpu = Context::open("cpu");
  std::vector<std::uint32_t> in(static_cast<std::size_t>(n)), out(in.size());
  fill(cpu, std::span(in), Input::random());
  const std::span<const std::uint32_t> given(in);
  const Peer standard = cpu::sum_scan_peers(cpu, ScanKind::exclusive, given, std::span(out)).front();
  const int calls = static_cast<int>(std::max<std::int64_t>(1, (1 << 20) / n));  // for the clock's sake
  std::vector<double> times;
  for (int run = 0; run < 9; ++run)
    times.push_back(cpu.time([&] {
      for (int call = 0; call < calls; ++call) standard.work();
    }) / calls);
  std::nth_element(times.begin(), times.begin() + 4, times.end());
  return times[4];
}

/// `result` as a line of the JSON output.
void append(std::vector<Result>* results, const Result* result, const std::string& variant,
            std::vector<PeerResult> peers) {
  if (!results || !result) return;
  Result line = *result;
  line.primitive = "papers";
  line.variant = variant;
  line.peers = std::move(peers);
  results->push_back(line);
}

PeerResult then(const char* name, double ms) {
  return {name, {ms, ms, ms}};
}

void scan_tables(Context& context, const Settings& settings, std::vector<Result>* results, int& wrong) {
  std::vector<std::int64_t> lengths;
  for (const ReportLine& line : kReport) lengths.push_back(line.elements);
  if (settings.quick) lengths.resize(kQuickLines);
  const std::vector<Result> algorithms = measure(context, settings, bench_algorithms, lengths, {}, wrong);
  const auto rung = [&](std::string_view name, std::int64_t n) {
    return find(algorithms, std::string(name), "u32", length_name(n));
  };
  std::vector<double> sequential;
  for (const std::int64_t n : lengths) sequential.push_back(sequential_ms(n));

  for (std::size_t i = 0; i < lengths.size(); ++i)
    for (const char* name : {"conflict_free", "automatic"})
      append(results, rung(name, lengths[i]), fmt::format("Harris 2007, table 2: {}", name),
             {then(kReportGpu, kReport[i].gpu_ms), then(kReportCpu, kReport[i].cpu_ms)});
  for (const Result& result : algorithms)
    append(results, &result, "GPU Gems 3, figures 39-7 and 39-8: " + result.variant, result.peers);
  if (results) return;

  fmt::print(
      "\nHarris, Parallel Prefix Sum (Scan) with CUDA, 2007, table 2: work-efficient, conflict-free scan.\n"
      "2007: {} against {}.\n"
      "Now: {} against std::exclusive_scan on 1 thread here; u32 for their floats. Milliseconds.\n",
      kReportGpu, kReportCpu, context.device().name);
  fmt::print("{:>10} | {:>10} {:>10} {:>8} | {:>10} {:>13} {:>10} {:>8} {:>12}\n", "elements", "CPU 2007",
             "GPU 2007", "speed-up", "CPU now", "conflict_free", "automatic", "speed-up", "2007 / now");
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const ReportLine& line = kReport[i];
    const Result* best = rung("automatic", line.elements);
    fmt::print("{:>10} | {:>10.6f} {:>10.6f} {:>7.2f}x | {:>10.6f} {:>13} {:>10} {:>8} {:>12}\n",
               line.elements, line.cpu_ms, line.gpu_ms, line.speedup, sequential[i],
               text(rung("conflict_free", line.elements)), text(best),
               best ? fmt::format("{:.2f}x", sequential[i] / best->ours.ms) : "-",
               best ? fmt::format("{:.0f}x", line.gpu_ms / best->ours.ms) : "-");
  }

  fmt::print(
      "\nGPU Gems 3, figures 39-7 and 39-8: the algorithms, exclusive sums of u32 in milliseconds.\n"
      "The figures are pictures without numbers, of an 8800 GTX; the text says: up to 20 times a sequential\n"
      "scan, up to 7 times OpenGL.\n");
  fmt::print("{:>10} {:>14}", "elements", "sequential");
  for (const ScanAlgorithmInfo& info : scan_algorithms()) fmt::print(" {:>14}", info.name);
  fmt::print("\n");
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    fmt::print("{:>10} {:>14}", lengths[i], ms_text(sequential[i]));
    for (const ScanAlgorithmInfo& info : scan_algorithms())
      fmt::print(" {:>14}", text(rung(info.name, lengths[i])));
    fmt::print("\n");
  }
}

void compaction_figure(Context& context, const Settings& settings, std::vector<Result>* results, int& wrong) {
  std::vector<std::int64_t> lengths = {1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24};
  if (settings.quick) lengths.resize(2);
  const std::vector<Result> compact = measure(context, settings, bench_compact, lengths, {}, wrong);
  constexpr const char* kTwoSteps = "scan and scatter, 50 % kept";
  constexpr const char* kOurs = "flagged, 50 % kept";
  const auto at = [&](const char* variant, std::int64_t n) {
    return find(compact, variant, "u32", length_name(n));
  };
  for (const std::int64_t n : lengths)
    for (const char* variant : {kTwoSteps, kOurs})
      if (const Result* result = at(variant, n))
        append(results, result, fmt::format("GPU Gems 3, figure 39-11: {}", variant), result->peers);
  if (results) return;

  fmt::print(
      "\nGPU Gems 3, figure 39-11: stream compaction, u32, half of the elements kept, in milliseconds.\n"
      "The figure is a picture without numbers, of an 8800 GTX.\n{:>10} {:>18} {:>14}\n",
      "elements", "scan and scatter", "one pass");
  for (const std::int64_t n : lengths)
    fmt::print("{:>10} {:>18} {:>14}\n", n, text(at(kTwoSteps, n)), text(at(kOurs, n)));
}

void table_steps(Context& context, const Settings& settings, std::vector<Result>* results, int& wrong) {
  std::vector<Shape> squares, planes;
  for (const TableLine& line : kTable) {
    squares.push_back({line.side, line.side});
    planes.push_back({line.side, 3 * line.side});
  }
  const std::vector<Result> sat = measure(context, settings, bench_sat, {}, squares, wrong);
  const std::vector<Result> transposes = measure(context, settings, bench_transpose, {}, squares, wrong);
  const std::vector<Result> scans = measure(context, settings, bench_rows, {}, planes, wrong);
  if (!results)
    fmt::print(
        "\nGPU Gems 3, table 39-1: summed-area tables of RGB pictures, in milliseconds.\n"
        "Now: the classic pipeline as a whole; transpose is three calls on u32; 6 scans is two calls on the\n"
        "rows of all three channels; (de)interleave is the rest. Fused: all in one pass.\n"
        "{:>12} {:<32} {:>14} {:>10} {:>8} {:>8}\n",
        "resolution", "", "(de)interleave", "transpose", "6 scans", "total");
  for (std::size_t i = 0; i < std::size(kTable); ++i) {
    const TableLine& line = kTable[i];
    const Result* total = find(sat, "classic, RGB", "u8 -> u32", shape_name(squares[i]));
    const Result* fused = find(sat, "RGB", "u8 -> u32", shape_name(squares[i]));
    const Result* transpose = find(transposes, "4 bytes", "u32", shape_name(squares[i]));
    const Result* scan = find(scans, "rows", "f32", shape_name(planes[i]));
    append(results, total, "GPU Gems 3, table 39-1: total", {then(kReportGpu, line.total_ms)});
    append(results, fused, "GPU Gems 3, table 39-1: total, fused", {then(kReportGpu, line.total_ms)});
    if (results || !total || !fused || !transpose || !scan) continue;
    fmt::print("{:>12} {:<32} {:>14.2f} {:>10.2f} {:>8.2f} {:>8.2f}\n", shape_name(squares[i]), kReportGpu,
               line.interleave_ms, line.transpose_ms, line.scans_ms, line.total_ms);
    const double transpose_ms = 3 * transpose->ours.ms, scans_ms = 2 * scan->ours.ms,
                 total_ms = total->ours.ms;
    fmt::print("{:>12} {:<32} {:>14.4f} {:>10.4f} {:>8.4f} {:>8.4f}\n", "", context.device().name,
               std::max(0., total_ms - transpose_ms - scans_ms), transpose_ms, scans_ms, total_ms);
    fmt::print("{:>12} {:<32} {:>41.4f}\n", "", "fused", fused->ours.ms);
  }
}

}  // namespace

int compare_with_papers(Context& context, const Settings& settings, std::vector<Result>* results) {
  int wrong = 0;
  scan_tables(context, settings, results, wrong);
  compaction_figure(context, settings, results, wrong);
  table_steps(context, settings, results, wrong);
  return wrong;
}

}  // namespace scanlens::bench
