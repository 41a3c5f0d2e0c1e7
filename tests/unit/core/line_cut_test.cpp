// The division of lines among blocks: every row is in one segment, and lines go on only where totals do.
#include "core/lines/cut.h"
#include "tests/unit/support/arrays.h"

namespace scanlens {
namespace {

void check(const Axis& axis, int part_rows, int blocks) {
  const gpu::LineCut cut = gpu::cut_lines(axis, part_rows, blocks);
  const std::string what = std::to_string(axis.outer) + " x " + std::to_string(axis.length) + " x " +
                           std::to_string(axis.inner) + ", rows " + std::to_string(part_rows) + ", blocks " +
                           std::to_string(blocks);
  ASSERT_TRUE(cut.columns >= 1 && cut.parts >= 1 && cut.columns * cut.parts <= gpu::kLineThreads) << what;
  ASSERT_EQ(cut.joined, axis.inner <= gpu::kLineColumns) << what;
  ASSERT_TRUE(cut.joined || gpu::kLineThreads % cut.columns == 0) << what;
  ASSERT_GE(cut.strips * cut.columns, axis.inner) << what;
  ASSERT_LT((cut.strips - 1) * cut.columns, axis.inner) << what;
  ASSERT_EQ(cut.sequences * cut.rows, axis.outer * axis.length * cut.strips) << what;
  ASSERT_GE(cut.segments * cut.segment_rows, cut.rows) << what;
  ASSERT_LT((cut.segments - 1) * cut.segment_rows, cut.rows) << what;
  if (cut.exchanges) {
    ASSERT_LE(cut.segments, gpu::kMostLineSegments) << what;
  } else if (cut.segments > 1) {
    ASSERT_TRUE(cut.joined && cut.segment_rows % axis.length == 0) << what;
  }
}

TEST(LineCutOf, EveryShapeIsCutWhole) {
  for (const std::int64_t inner : {1, 2, 3, 31, 32, 33, 100, 256, 257, 5000})
    for (const std::int64_t length : {1, 2, 15, 16, 31, 120, 121, 5000, 70001, 10000019})
      for (const std::int64_t outer : {1, 2, 3, 33, 131, 133, 1000, 100003})
        for (const int part_rows : {7, 15})
          for (const int blocks : {1, 6, 396, 3000}) {
            check({outer, length, inner}, part_rows, blocks);
            if (testing::Test::HasFatalFailure()) return;
          }
}

}  // namespace
}  // namespace scanlens
