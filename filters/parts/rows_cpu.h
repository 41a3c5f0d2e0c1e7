// What boxes hold, a row of pixels at a time, by vectors: the CPU's way of filters/parts/for_each_box.h.
#pragma once

#include <cstdint>
#include <vector>

#include "core/sat.h"
#include "core/view.h"
#include "filters/parts/moments.h"
#include "filters/parts/threshold.h"

namespace scanlens::cpu {

/// The sums over the boxes around the pixels of a row, and how many pixels these boxes have.
template <class Sum>
class RowOfSums {
 public:
  RowOfSums(View<const Sum> table, int radius);

  void load(int y);
  const Sum* sums() const { return sums_.data(); }
  const std::uint32_t* counts() const { return counts_.data(); }

 private:
  View<const Sum> table_;
  int radius_;
  std::vector<Sum> columns_;  ///< sums over rows, from left of the picture to right of it
  std::vector<Sum> sums_;
  std::vector<std::uint32_t> widths_, counts_;  ///< for every channel
  std::uint32_t rows_ = 0;                      ///< that the counts are of
};

/// What a row holds, for loops that keep it in registers: at(x, c) of pixel x, channel c.
struct RowMoments {
  const float *means, *variances;
  int channels;
  SCANLENS_HOST_DEVICE Moments at(int x, int c) const {
    return {means[x * channels + c], variances[x * channels + c]};
  }
};
struct RowCrossMoments {
  float *guide_means, *guide_variances, *means, *covariances;
  SCANLENS_HOST_DEVICE CrossMoments at(int x, int) const {
    return {{guide_means[x], guide_variances[x]}, means[x], covariances[x]};
  }
};

/// means[i], variances[i] = moments_of(counts[i], sums[i], squares[i]).
template <class Sum>
void moments_of_row(std::int64_t length, const std::uint32_t* counts, const Sum* sums,
                    const SquareSum<Sum>* squares, float* means, float* variances);

/// The moments of the boxes around the pixels of a row.
template <class Sum>
class RowOfMoments {
 public:
  RowOfMoments(View<const Sum> sums, View<const SquareSum<Sum>> squares, int radius)
      : channels_(sums.channels),
        sums_(sums, radius),
        squares_(squares, radius),
        means_(static_cast<std::size_t>(sums.row_samples())),
        variances_(means_.size()) {}

  void load(int y) {
    sums_.load(y);
    squares_.load(y);
    moments_of_row(static_cast<std::int64_t>(means_.size()), sums_.counts(), sums_.sums(), squares_.sums(),
                   means_.data(), variances_.data());
  }
  RowMoments entries() const { return {means_.data(), variances_.data(), channels_}; }

 private:
  int channels_;
  RowOfSums<Sum> sums_;
  RowOfSums<SquareSum<Sum>> squares_;
  std::vector<float> means_, variances_;
};

/// means[i] = mean_of(counts[i], sums[i]).
template <class Sum>
void means_of_row(std::int64_t length, const std::uint32_t* counts, const Sum* sums, float* means);

/// The means of the boxes around the pixels of a row, with variances of 0.
template <class Sum>
class RowOfMeans {
 public:
  RowOfMeans(View<const Sum> sums, int radius)
      : channels_(sums.channels),
        sums_(sums, radius),
        means_(static_cast<std::size_t>(sums.row_samples())),
        zeros_(means_.size()) {}

  void load(int y) {
    sums_.load(y);
    means_of_row(static_cast<std::int64_t>(means_.size()), sums_.counts(), sums_.sums(), means_.data());
  }
  RowMoments entries() const { return {means_.data(), zeros_.data(), channels_}; }

 private:
  int channels_;
  RowOfSums<Sum> sums_;
  std::vector<float> means_, zeros_;
};

/// out[i] = cross_moments_of counts[i], guides[i], squares[i], and of input and product in cross[3 * i] and
/// the two behind it.
template <class Sum>
void cross_moments_of_row(std::int64_t length, const std::uint32_t* counts, const Sum* guides,
                          const SquareSum<Sum>* squares, const Sum* cross, const RowCrossMoments& out);

/// The cross moments of the boxes around the pixels of a row. It stays where it was made.
template <class Sum>
class RowOfCrossMoments {
 public:
  RowOfCrossMoments(View<const Sum> sums, View<const SquareSum<Sum>> squares, View<const Sum> cross,
                    int radius)
      : width_(sums.width),
        sums_(sums, radius),
        squares_(squares, radius),
        cross_(cross, radius),
        values_(static_cast<std::size_t>(4 * sums.width)),
        rows_{values_.data(), values_.data() + width_, values_.data() + 2 * width_,
              values_.data() + 3 * width_} {}
  RowOfCrossMoments(const RowOfCrossMoments&) = delete;
  RowOfCrossMoments& operator=(const RowOfCrossMoments&) = delete;

  void load(int y) {
    sums_.load(y);
    squares_.load(y);
    cross_.load(y);
    cross_moments_of_row(width_, sums_.counts(), sums_.sums(), squares_.sums(), cross_.sums(), rows_);
  }
  RowCrossMoments entries() const { return rows_; }

 private:
  std::int64_t width_;
  RowOfSums<Sum> sums_;
  RowOfSums<SquareSum<Sum>> squares_;
  RowOfSums<Sum> cross_;
  std::vector<float> values_;
  RowCrossMoments rows_;
};

/// A row of `channels` samples a pixel, none of them alpha, black or white by a threshold of each pixel's
/// own.
template <class Luma, class T>
void binarize_row(std::int64_t width, const Luma* luma, const RowMoments& moments, ThresholdMethod method,
                  const Threshold& threshold, int channels, T* out);

/// Luma of a row of 3 channels, as Luma<T> has it.
template <class T, class Value>
void luma_of_row(std::int64_t width, const T* row, Value* luma);

}  // namespace scanlens::cpu
