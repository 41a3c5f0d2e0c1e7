#include "tests/bench/papers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "tests/bench/report.h"
#include "tests/bench/sizes.h"

namespace scanlens::bench {
namespace {

constexpr const char* kPapersGpu = "GeForce 8800 GTX (2007)";
constexpr const char* kPapersCpu = "Core Duo Extreme 2.93 GHz, 1 core (2007)";
constexpr const char* kTwoSteps = "scan and scatter, 50 % kept";
constexpr const char* kOneStep = "flagged, 50 % kept";

using Results = std::vector<Result>;

/// Returns the one result of that name, type and size; nothing when it was wrong or there was no memory for
/// it.
const Result* find(const Results& results, std::string_view primitive, std::string_view variant,
                   std::string_view type, const std::string& size) {
  const auto found = std::find_if(results.begin(), results.end(), [&](const Result& result) {
    return result.verified() && result.primitive == primitive && result.variant == variant &&
           result.type == type && result.size == size;
  });
  return found == results.end() ? nullptr : &*found;
}

const Result* find_scan(const Results& results, std::string_view algorithm, std::int64_t elements) {
  return find(results, "algorithms", algorithm, "u32", length_name(elements));
}

const Result* find_compact(const Results& results, std::string_view variant, std::int64_t elements) {
  return find(results, "compact", variant, "u32", length_name(elements));
}

Results all_of(const Results& results, std::string_view primitive) {
  Results some;
  std::copy_if(results.begin(), results.end(), std::back_inserter(some),
               [&](const Result& result) { return result.verified() && result.primitive == primitive; });
  return some;
}

/// Returns what `part` gives of each result, every value once, in the order of the first.
template <class Part>
auto distinct(const Results& results, Part part) {
  std::vector<decltype(part(results.front()))> values;
  for (const Result& result : results)
    if (std::find(values.begin(), values.end(), part(result)) == values.end()) values.push_back(part(result));
  return values;
}

std::int64_t elements_of(const Result& result) {
  return result.elements;
}
std::string variant_of(const Result& result) {
  return result.variant;
}

std::string text(const Result* result) {
  return result ? ms_text(result->ours.ms) : "-";
}

void print_scan_table(const Results& measured, const std::string& device_name) {
  fmt::print(
      "\nHarris, Parallel Prefix Sum (Scan) with CUDA, 2007, table 2: work-efficient, conflict-free scan.\n"
      "2007: {} against {}.\n"
      "Now: {} against std::exclusive_scan on 1 thread here; u32 for their floats. Milliseconds.\n",
      kPapersGpu, kPapersCpu, device_name);
  fmt::print("{:>10} | {:>10} {:>10} {:>8} | {:>10} {:>13} {:>10} {:>8} {:>12}\n", "elements", "CPU 2007",
             "GPU 2007", "speed-up", "CPU now", "conflict_free", "automatic", "speed-up", "2007 / now");
  for (const Result& sequential : all_of(measured, kSequential)) {
    const ScanLine& line =
        *std::find_if(std::begin(kScanTable), std::end(kScanTable),
                      [&](const ScanLine& one) { return one.elements == sequential.elements; });
    const double sequential_ms = sequential.ours.ms;
    const Result* best = find_scan(measured, "automatic", line.elements);
    fmt::print("{:>10} | {:>10.6f} {:>10.6f} {:>7.2f}x | {:>10.6f} {:>13} {:>10} {:>8} {:>12}\n",
               line.elements, line.cpu_ms, line.gpu_ms, line.speedup, sequential_ms,
               text(find_scan(measured, "conflict_free", line.elements)), text(best),
               best ? fmt::format("{:.2f}x", sequential_ms / best->ours.ms) : "-",
               best ? fmt::format("{:.0f}x", line.gpu_ms / best->ours.ms) : "-");
  }
}

void print_scan_figures(const Results& measured) {
  fmt::print(
      "\nGPU Gems 3, figures 39-7 and 39-8: the algorithms, exclusive sums of u32 in milliseconds.\n"
      "The figures are pictures without numbers, of an 8800 GTX; the text says: up to 20 times a sequential\n"
      "scan, up to 7 times OpenGL.\n");
  const std::vector<std::string> algorithms = distinct(all_of(measured, "algorithms"), variant_of);
  fmt::print("{:>10} {:>14}", "elements", kSequential);
  for (const std::string& algorithm : algorithms) fmt::print(" {:>14}", algorithm);
  fmt::print("\n");
  for (const Result& sequential : all_of(measured, kSequential)) {
    fmt::print("{:>10} {:>14}", sequential.elements, text(&sequential));
    for (const std::string& algorithm : algorithms)
      fmt::print(" {:>14}", text(find_scan(measured, algorithm, sequential.elements)));
    fmt::print("\n");
  }
}

void print_compaction_figure(const Results& measured) {
  fmt::print(
      "\nGPU Gems 3, figure 39-11: stream compaction, u32, half of the elements kept, in milliseconds.\n"
      "The figure is a picture without numbers, of an 8800 GTX.\n{:>10} {:>18} {:>14}\n",
      "elements", "scan and scatter", "one pass");
  for (const std::int64_t n : distinct(all_of(measured, "compact"), elements_of))
    fmt::print("{:>10} {:>18} {:>14}\n", n, text(find_compact(measured, kTwoSteps, n)),
               text(find_compact(measured, kOneStep, n)));
}

/// Holds the results that stand beside one line of table 39-1.
struct TableResults {
  std::string resolution;
  const Result* total;
  const Result* fused;
  const Result* transpose;
  const Result* scan;
};

TableResults beside(const TableLine& line, const Results& measured) {
  const std::string square = shape_name({line.side, line.side});
  return {square, find(measured, "sat", "classic, RGB", "u8 -> u32", square),
          find(measured, "sat", "RGB", "u8 -> u32", square),
          find(measured, "transpose", "4 bytes", "u32", square),
          find(measured, "rows", "rows", "f32", shape_name({line.side, 3 * line.side}))};
}

void print_table_steps(const Results& measured, const std::string& device_name) {
  fmt::print(
      "\nGPU Gems 3, table 39-1: summed-area tables of RGB pictures, in milliseconds.\n"
      "Now: the classic pipeline as a whole; transpose is three calls on u32; 6 scans is two calls on the\n"
      "rows of all three channels; (de)interleave is the rest. Fused: all in one pass.\n"
      "{:>12} {:<32} {:>14} {:>10} {:>8} {:>8}\n",
      "resolution", "", "(de)interleave", "transpose", "6 scans", "total");
  for (const TableLine& line : kTableSteps) {
    const TableResults now = beside(line, measured);
    if (!now.total || !now.fused || !now.transpose || !now.scan) continue;
    fmt::print("{:>12} {:<32} {:>14.2f} {:>10.2f} {:>8.2f} {:>8.2f}\n", now.resolution, kPapersGpu,
               line.interleave_ms, line.transpose_ms, line.scans_ms, line.total_ms);
    const double transpose_ms = 3 * now.transpose->ours.ms, scans_ms = 2 * now.scan->ours.ms;
    const double total_ms = now.total->ours.ms;
    fmt::print("{:>12} {:<32} {:>14.4f} {:>10.4f} {:>8.4f} {:>8.4f}\n", "", device_name,
               std::max(0., total_ms - transpose_ms - scans_ms), transpose_ms, scans_ms, total_ms);
    fmt::print("{:>12} {:<32} {:>41.4f}\n", "", "fused", now.fused->ours.ms);
  }
}

PeerResult then(const char* name, double ms) {
  return {name, {ms, ms, ms}};
}

}  // namespace

void print_papers(const Results& measured, const std::string& device_name) {
  print_scan_table(measured, device_name);
  print_scan_figures(measured);
  print_compaction_figure(measured);
  print_table_steps(measured, device_name);
}

Results papers_lines(const Results& measured) {
  Results lines;
  const auto append = [&](const Result* result, const std::string& variant, std::vector<PeerResult> peers) {
    if (!result) return;
    Result& line = lines.emplace_back(*result);
    line.primitive = "papers";
    line.variant = variant;
    line.peers = std::move(peers);
  };
  for (const ScanLine& line : kScanTable)
    for (const char* algorithm : {"conflict_free", "automatic"})
      append(find_scan(measured, algorithm, line.elements),
             fmt::format("Harris 2007, table 2: {}", algorithm),
             {then(kPapersGpu, line.gpu_ms), then(kPapersCpu, line.cpu_ms)});
  for (const Result& result : all_of(measured, "algorithms"))
    append(&result, "GPU Gems 3, figures 39-7 and 39-8: " + result.variant, result.peers);
  for (const std::int64_t n : distinct(all_of(measured, "compact"), elements_of))
    for (const char* variant : {kTwoSteps, kOneStep})
      if (const Result* result = find_compact(measured, variant, n))
        append(result, fmt::format("GPU Gems 3, figure 39-11: {}", variant), result->peers);
  for (const TableLine& line : kTableSteps) {
    const TableResults now = beside(line, measured);
    append(now.total, "GPU Gems 3, table 39-1: total", {then(kPapersGpu, line.total_ms)});
    append(now.fused, "GPU Gems 3, table 39-1: total, fused", {then(kPapersGpu, line.total_ms)});
  }
  return lines;
}

}  // namespace scanlens::bench
