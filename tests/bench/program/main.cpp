// scanlens-bench, which `scanlens bench` runs: the words behind its name are those behind `bench`, but for
// `ranks`.
#include <cstdio>
#include <string>
#include <vector>

#include "app/commands/program.h"
#include "core/error.h"
#include "tests/bench/program/run.h"
#include "tests/bench/ranks/measure.h"

namespace {

/// `ranks` takes GPUs of this host, or processes, and has options of its own.
int run_ranks(const std::vector<std::string>& words) {
  try {
    return scanlens::bench::run_ranks(words);
  } catch (const scanlens::Error& error) {
    std::fprintf(stderr, "scanlens-bench: %s\n", error.what());
    return error.kind() == scanlens::ErrorKind::usage   ? 2
           : error.kind() == scanlens::ErrorKind::retry ? 75
                                                        : 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "ranks") return run_ranks({argv + 2, argv + argc});
  std::vector<std::string> words = {"bench"};
  words.insert(words.end(), argv + (argc > 0), argv + argc);
  return scanlens::run_program(words, scanlens::bench::run);
}
