// Calls whose types follow from vectors, mutable spans and mutable views.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "core/arg_scan.h"
#include "core/compact.h"
#include "core/histogram.h"
#include "core/image.h"
#include "core/linear_recurrence.h"
#include "core/log_sum_exp.h"
#include "core/reduce.h"
#include "core/sat_classic.h"
#include "core/scan.h"
#include "core/scan_axis.h"
#include "core/segments.h"
#include "core/sort.h"
#include "core/sparse.h"
#include "core/textbook/scan_algorithms.h"
#include "core/textbook/scan_scatter.h"
#include "core/transpose.h"

namespace scanlens {
namespace {

using Floats = std::vector<float>;

class Deduction : public testing::Test {
 protected:
  Context context = Context::open("cpu");
  Floats in = {3, 1, 2}, out = Floats(3);
  const std::vector<std::uint8_t> flags = {1, 0, 1};
  std::uint64_t count = 0;
};

TEST_F(Deduction, Scans) {
  inclusive_scan(context, in, out);
  EXPECT_EQ(out, (Floats{3, 4, 6}));
  exclusive_scan(context, std::span(in), std::span(out), Max());
  EXPECT_EQ(out, (Floats{-INFINITY, 3, 3}));
  inclusive_segmented_scan(context, in, flags, out);
  EXPECT_EQ(out, (Floats{3, 4, 2}));
  exclusive_segmented_scan(context, in, flags, out);
  EXPECT_EQ(out, (Floats{0, 3, 0}));
  scan_by(context, ScanAlgorithm::naive, ScanKind::inclusive, in, out);
  EXPECT_EQ(out, (Floats{3, 4, 6}));
  std::array<std::uint32_t, 3> sums;
  inclusive_scan(context, flags, sums);
  EXPECT_EQ(sums, (std::array<std::uint32_t, 3>{1, 1, 2}));
}

TEST_F(Deduction, ScansOfLines) {
  std::vector<std::int64_t> indices(3);
  argmax_scan(context, in, out, indices);
  EXPECT_EQ(indices, (std::vector<std::int64_t>{0, 0, 0}));
  argmin_scan(context, in, out, indices);
  EXPECT_EQ(indices, (std::vector<std::int64_t>{0, 1, 1}));
  argmax_scan_axis(context, in, out, indices, {3, 1, 1});
  argmin_scan_axis(context, std::span(in), std::span(out), indices, {3, 1, 1});
  EXPECT_EQ(out, in);
  linear_recurrence(context, in, in, out);
  EXPECT_EQ(out, (Floats{3, 4, 10}));
  linear_recurrence_axis(context, in, in, out, {3, 1, 1});
  EXPECT_EQ(out, in);
  inclusive_scan(context, Floats{0, -INFINITY, -INFINITY}, out, LogSumExp());
  EXPECT_EQ(out, (Floats{0, 0, 0}));
  exclusive_scan_axis(context, in, out, {3, 1, 1}, LogSumExp());
  EXPECT_EQ(out, Floats(3, -INFINITY));
}

TEST_F(Deduction, Segments) {
  const std::vector<std::uint32_t> keys = {7, 7, 9};
  const std::vector<std::int64_t> offsets = {0, 1, 3};
  std::vector<std::uint32_t> found(3);
  std::vector<std::int64_t> lengths(3);
  inclusive_scan_by_key(context, keys, in, out);
  EXPECT_EQ(out, (Floats{3, 4, 2}));
  exclusive_scan_by_key(context, keys, in, out);
  EXPECT_EQ(out, (Floats{0, 3, 0}));
  inclusive_scan_segments(context, in, offsets, out, Max());
  EXPECT_EQ(out, (Floats{3, 1, 2}));
  exclusive_scan_segments(context, in, offsets, out);
  EXPECT_EQ(out, (Floats{0, 0, 1}));
  reduce_by_key(context, keys, in, found, out, &count);
  EXPECT_EQ(out[1], 2);
  run_lengths(context, keys, found, lengths, &count);
  EXPECT_EQ(lengths[0], 2);
  Floats totals(2);
  reduce_segments(context, in, offsets, totals);
  EXPECT_EQ(totals, (Floats{3, 3}));
}

TEST_F(Deduction, Compactions) {
  Floats rejected(3);
  compact_if(context, in, {Compare<float>::less, 2.5f}, out, &count);
  EXPECT_EQ(count, 2u);
  compact_flagged(context, in, flags, out, &count);
  EXPECT_EQ(out[1], 2);
  compact_scan_scatter(context, in, flags, out, &count);
  EXPECT_EQ(out[1], 2);
  partition_if(context, in, {Compare<float>::less, 2.5f}, out, rejected, &count);
  EXPECT_EQ(rejected[0], 3);
  partition_flagged(context, in, flags, out, rejected, &count);
  EXPECT_EQ(rejected[0], 1);
  unique(context, in, out, &count);
  EXPECT_EQ(count, 3u);
}

TEST_F(Deduction, SortsAndReductions) {
  std::vector<std::uint32_t> places = {0, 1, 2}, sorted(3);
  sort_pairs(context, in, places, out, sorted);
  EXPECT_EQ(sorted, (std::vector<std::uint32_t>{1, 2, 0}));
  sort_keys(context, in, out, {.descending = true});
  EXPECT_EQ(out, (Floats{3, 2, 1}));
  double sum = 0;
  reduce(context, in, &sum);
  EXPECT_EQ(sum, 6);
  Located<float> least, greatest;
  argmin(context, in, &least);
  argmax(context, in, &greatest);
  EXPECT_EQ(least.index, 1u);
  EXPECT_EQ(greatest.index, 0u);
  Moments all;
  moments(context, in, &all);
  EXPECT_EQ(all.mean, 2);
  std::vector<std::uint64_t> bins(2);
  histogram(context, in, 0, 4, bins);
  EXPECT_EQ(bins, (std::vector<std::uint64_t>{1, 2}));
}

TEST_F(Deduction, VectorsOfSolvers) {
  const std::vector<std::uint32_t> row_begin = {0, 1, 2, 3}, columns = {2, 1, 0};
  const CsrMatrix<float> reverse{3, 3, row_begin, columns, in};
  spmv(context, reverse, Floats{1, 10, 100}, out);
  EXPECT_EQ(out, (Floats{300, 10, 2}));
  saxpy(context, 2, in, out);
  EXPECT_EQ(out, (Floats{306, 12, 6}));
  const float minus_one = -1;
  saxpy(context, &minus_one, in, out);
  EXPECT_EQ(out, (Floats{303, 11, 4}));
  double product = 0;
  dot(context, in, out, &product);
  EXPECT_EQ(product, 928);
}

TEST_F(Deduction, Views) {
  Image<float> image(3, 1), column(1, 3);
  std::copy(in.begin(), in.end(), image.view().data);
  transpose_any(context, image.view(), column.view());
  inclusive_scan_columns(context, column.view(), column.view());
  inclusive_scan_rows(context, image.view(), image.view());
  EXPECT_EQ(image.view()(2, 0), 6);
  EXPECT_EQ(column.view()(0, 2), 6);
  Image<std::uint8_t> grey(2, 2), turned(2, 2);
  std::fill_n(grey.view().data, 4, std::uint8_t{5});
  transpose(context, grey.view(), turned.view());
  Image<std::uint32_t> table(2, 2), classic(2, 2);
  Image<std::uint64_t> squares(2, 2);
  summed_area_table(context, grey.view(), table.view());
  EXPECT_EQ(box_sum(table.view(), 0, 0, 1, 1, 0), 20u);
  EXPECT_EQ(box_mean(table.view(), 0, 0, 1, 1, 0), 5);
  summed_area_tables(context, grey.view(), table.view(), squares.view());
  EXPECT_EQ(box_variance(table.view(), squares.view(), 0, 0, 1, 1, 0), 0);
  classic_summed_area_table(context, turned.view(), classic.view());
  EXPECT_EQ(classic.view()(1, 1), 20u);
}

}  // namespace
}  // namespace scanlens
