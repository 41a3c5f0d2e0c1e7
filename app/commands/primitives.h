// The names that `scanlens bench` takes.
#pragma once

namespace scanlens::bench {

inline constexpr bool kLengths = false, kShapes = true;
inline constexpr bool kSweeps = true, kFewSizes = false;

// A primitive is one line here and one file in tests/bench/cases, which defines bench_NAME: its name, whether
// it takes WIDTHxHEIGHT or lengths, whether it runs over many lengths (something to plot), and help.
#define SCANLENS_PRIMITIVES(PRIMITIVE)                                                                       \
  PRIMITIVE(scan, kLengths, kSweeps, "running sums of one array, other operators, segments")                 \
  PRIMITIVE(options, kLengths, kFewSizes,                                                                    \
            "running sums with an initial value or length, in reverse, of halves")                           \
  PRIMITIVE(algorithms, kLengths, kSweeps, "the scan algorithms of the literature, from naive to look-back") \
  PRIMITIVE(rows, kShapes, kFewSizes, "running sums of all rows or all columns of an array")                 \
  PRIMITIVE(axes, kShapes, kFewSizes, "running sums down the columns of arrays of a few columns")            \
  PRIMITIVE(transpose, kShapes, kFewSizes, "rows and columns exchanged, elements of 1, 4 and 16 bytes")      \
  PRIMITIVE(sat, kShapes, kFewSizes, "summed-area tables of 8-bit pictures")                                 \
  PRIMITIVE(compact, kLengths, kFewSizes,                                                                    \
            "stream compaction: keep by predicate or flags, partition, unique")                              \
  PRIMITIVE(sort, kLengths, kFewSizes, "radix sort of 32-bit keys, alone, with values, in segments; merges") \
  PRIMITIVE(reduce, kLengths, kFewSizes, "sum, argmin, mean and variance; histogram")                        \
  PRIMITIVE(spmv, kShapes, kFewSizes, "sparse matrix times vector; the shape is that of the grid")           \
  PRIMITIVE(box, kShapes, kFewSizes, "the box filter on RGB pictures")                                       \
  PRIMITIVE(dof, kShapes, kFewSizes,                                                                         \
            "depth of field by the scan library; on CUDA also direct gathers, whole OpenGL frames")          \
  PRIMITIVE(depth, kShapes, kFewSizes, "depth maps brought to the size and the edges of their photo")        \
  PRIMITIVE(stats, kShapes, kFewSizes, "statistics of the chosen pixels of RGB pictures")                    \
  PRIMITIVE(filters, kShapes, kFewSizes, "every filter of `scanlens filter --help`")

/// Names what is measured beside the primitives: the papers' tables, the quality of depth of field, and depth
/// from strokes.
inline constexpr const char* kPapers = "papers";
inline constexpr const char* kQuality = "quality";
inline constexpr const char* kStrokes = "strokes";

}  // namespace scanlens::bench
