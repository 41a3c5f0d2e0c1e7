// What the benchmark prints.
#pragma once

#include <string>
#include <vector>

#include "app/bench/bench.h"

namespace scanlens::bench {

/// "0.5512 ms", "12.34 ms"
std::string ms_text(double ms);

void print_header();
/// One line, and another for each peer after the first.
void print(const Result& result);
/// What the columns mean, and whether times come out of a cache.
void print_footer(const std::vector<Result>& results);

/// One object for each peer, at least one, as DESIGN.md names the fields; null is what was not measured.
void print_json(const Context& context, const std::vector<Result>& results);

}  // namespace scanlens::bench
