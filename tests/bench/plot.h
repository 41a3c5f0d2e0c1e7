// gnuplot draws throughput over length (Debian: gnuplot-nox); it is looked for when it is needed.
#pragma once

#include <filesystem>
#include <vector>

#include "app/io/file.h"
#include "tests/bench/result.h"

namespace scanlens::bench {

/// Throws Error unless `file` ends in .svg, can be written, and gnuplot is there.
void check_plot(const std::filesystem::path& file, Overwrite overwrite = {});

/// Draws GB/s of the bytes that must move over elements, both axes logarithmic: a curve for each variant and
/// type of the scans, each of their peers, and the copy that bounds them. The file appears whole or not at
/// all.
void plot(const std::filesystem::path& file, const std::vector<Result>& results, Overwrite overwrite = {});

}  // namespace scanlens::bench
