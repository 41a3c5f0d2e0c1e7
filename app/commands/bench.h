// The options of `scanlens bench`. The program scanlens-bench (tests/bench/program) measures what they ask
// for.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/io/picture.h"
#include "app/session/session.h"

namespace scanlens {

class Program;

struct BenchOptions {
  Settings settings;
  std::vector<std::string> names, sizes;
  std::string threads;
  std::filesystem::path plot_file;
  Overwrite overwrite;
  bool quick = false;
  std::filesystem::path references, pictures, photos;
  std::optional<int> views;

  bool named(const char* name) const { return std::find(names.begin(), names.end(), name) != names.end(); }
};

/// Measures, or has another program measure. Returns the exit code.
using BenchRunner = std::function<int(const BenchOptions&)>;

void add_bench_command(Program& program, const BenchRunner& run);

}  // namespace scanlens
