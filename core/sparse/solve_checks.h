// Checks of the arguments of products and solvers with several columns.
#pragma once

#include <cstdint>

#include "core/runtime/array_checks.h"
#include "core/sparse.h"

namespace scanlens {

// These throw Error (usage), which names `call`.
void require_columns(const char* call, int columns);
void require_rows(const char* call, const ArrayArgument& array, std::int64_t rows, int columns);
void require_solvable(const char* call, std::int64_t rows, const ArrayArgument& b, const ArrayArgument& x,
                      int columns, Solved* result, const SolveOptions& options);

}  // namespace scanlens
