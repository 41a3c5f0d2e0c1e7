// Shows the tables of the papers that this project began with, ours beside them: Harris, "Parallel Prefix
// Sum (Scan) with CUDA", 2007; Harris, Sengupta, Owens, GPU Gems 3, chapter 39, 2007. bench/cases/papers.h
// measures ours.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/bench/result.h"

namespace scanlens::bench {

/// Holds a line of table 2 of Harris 2007: a sequential scan on a CPU beside a work-efficient one on a GPU.
struct ScanLine {
  std::int64_t elements;
  double cpu_ms, gpu_ms, speedup;
};
// The numbers are copied digit by digit (8388688 included).
inline constexpr ScanLine kScanTable[] = {
    {1024, 0.002231, 0.079492, 0.03},       {32768, 0.072663, 0.106159, 0.68},
    {65536, 0.146326, 0.137006, 1.07},      {131072, 0.726429, 0.200257, 3.63},
    {262144, 1.454742, 0.326900, 4.45},     {524288, 2.911067, 0.624104, 4.66},
    {1048576, 5.900097, 1.118091, 5.28},    {2097152, 11.848376, 2.099666, 5.64},
    {4194304, 23.835931, 4.062923, 5.87},   {8388688, 47.390906, 7.987311, 5.93},
    {16777216, 94.794598, 15.854781, 5.98},
};

/// Holds a line of GPU Gems 3, table 39-1: the steps of a summed-area table of a square RGB picture.
struct TableLine {
  std::int64_t side;
  double interleave_ms, transpose_ms, scans_ms, total_ms;
};
inline constexpr TableLine kTableSteps[] = {{512, 0.44, 0.23, 0.97, 1.64}, {1024, 0.96, 0.84, 1.70, 3.50}};

/// Names the primitive that stands in `Result` for a sequential scan by the standard library.
inline constexpr const char* kSequential = "sequential";

/// Prints the papers' tables with what measure_papers collected on the device of this name beside them; "-"
/// is what was not measured.
void print_papers(const std::vector<Result>& measured, const std::string& device_name);

/// Returns the same as lines for the JSON output: ours, with theirs as the peers.
std::vector<Result> papers_lines(const std::vector<Result>& measured);

}  // namespace scanlens::bench
