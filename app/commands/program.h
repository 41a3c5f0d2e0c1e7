// The common part of the programs scanlens and scanlens-bench: one command line, and one exit for every
// error.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/commands/bench.h"
#include "app/options/options.h"

namespace scanlens {

/// Returns the program's commands with their options, `bench` by `bench`.
std::unique_ptr<Program> declared_program(const BenchRunner& bench);

/// Runs the command that the words behind the program's name ask for, `bench` by `bench`. Returns the exit
/// code, as --help states it. Errors are printed.
int run_program(const std::vector<std::string>& words, const BenchRunner& bench);

}  // namespace scanlens
