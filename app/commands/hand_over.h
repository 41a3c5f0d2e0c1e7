// `scanlens bench` runs the program scanlens-bench, so that the peers are built only to measure.
#pragma once

#include <string>
#include <vector>

namespace scanlens {

/// Executes scanlens-bench, which lies beside this program, in its place. `words` are those behind this
/// program's name, `bench` among them. Throws Error that says how to build it where it is missing.
[[noreturn]] void hand_over_to_bench(std::vector<std::string> words);

}  // namespace scanlens
