#include "app/bench/cases/list.h"

#include <algorithm>

namespace scanlens::bench {
namespace {

constexpr bool kLengths = false, kShapes = true;
constexpr bool kSweeps = true, kFewSizes = false;

}  // namespace

// A primitive is one line here and one file in this folder, which defines bench_NAME.
#define SCANLENS_PRIMITIVES(PRIMITIVE)                                                                       \
  PRIMITIVE(scan, kLengths, kSweeps, "running sums of one array, other operators, segments")                 \
  PRIMITIVE(algorithms, kLengths, kSweeps, "the scan algorithms of the literature, from naive to look-back") \
  PRIMITIVE(rows, kShapes, kFewSizes, "running sums of all rows or all columns of an array")                 \
  PRIMITIVE(transpose, kShapes, kFewSizes, "rows and columns exchanged, elements of 1, 4 and 16 bytes")      \
  PRIMITIVE(sat, kShapes, kFewSizes, "summed-area tables of 8-bit pictures")                                 \
  PRIMITIVE(compact, kLengths, kFewSizes,                                                                    \
            "stream compaction: keep by predicate or flags, partition, unique")                              \
  PRIMITIVE(sort, kLengths, kFewSizes, "radix sort of 32-bit keys, alone and with values")                   \
  PRIMITIVE(reduce, kLengths, kFewSizes, "sum, argmin, mean and variance; histogram")                        \
  PRIMITIVE(spmv, kShapes, kFewSizes, "sparse matrix times vector; the shape is that of the grid")           \
  PRIMITIVE(box, kShapes, kFewSizes, "the box filter on RGB pictures")                                       \
  PRIMITIVE(dof, kShapes, kFewSizes,                                                                         \
            "depth of field by the scan library; on CUDA also direct gathers, whole OpenGL frames")          \
  PRIMITIVE(stats, kShapes, kFewSizes, "statistics of the chosen pixels of RGB pictures")                    \
  PRIMITIVE(filters, kShapes, kFewSizes, "every filter of `scanlens filter --help`")

#define SCANLENS_DECLARE(name, shapes, sweeps, help) void bench_##name(Bench& bench);
SCANLENS_PRIMITIVES(SCANLENS_DECLARE)
#undef SCANLENS_DECLARE

std::span<const Primitive> primitives() {
#define SCANLENS_ENTRY(name, shapes, sweeps, help) {#name, bench_##name, shapes, sweeps, help},
  static constexpr Primitive kPrimitives[] = {SCANLENS_PRIMITIVES(SCANLENS_ENTRY)};
#undef SCANLENS_ENTRY
  return kPrimitives;
}

const Primitive& primitive(std::string_view name) {
  return *std::find_if(primitives().begin(), primitives().end(),
                       [&](const Primitive& one) { return one.name == name; });
}

}  // namespace scanlens::bench
