// Prints the table and the JSON of `scanlens bench` from the results collected.
#pragma once

#include <string>
#include <vector>

#include "core/context.h"
#include "tests/bench/quality.h"
#include "tests/bench/result.h"

namespace scanlens::bench {

/// Writes milliseconds as "0.5512" or "12.34".
std::string ms_text(double ms);

void print_header();
/// Prints one line, and another for each peer after the first.
void print(const Result& result);
/// Says what the columns mean, and whether times come out of a cache.
void print_footer(const std::vector<Result>& results);

/// Prints one object for each peer of each result, at least one; null is what was not measured. Those of
/// quality follow as a list of their own, if there are any.
void print_json(const Context& context, const std::vector<Result>& results,
                const std::vector<QualityResult>& quality = {});

}  // namespace scanlens::bench
