// `scanlens-bench ranks`: one array over several GPUs, beside one GPU and the plain program of NCCL and CUB.
#pragma once

#include <string>
#include <vector>

namespace scanlens::bench {

/// Runs the words behind `ranks`, and returns the exit code.
int run_ranks(const std::vector<std::string>& words);

}  // namespace scanlens::bench
