// Sums and moments of boxes, a row of pixels at a time, by vectors: the CPU's way of
// filters/parts/for_each_box.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/cpu/pieces.h"
#include "core/sat.h"
#include "core/view.h"
#include "filters/parts/moments.h"
#include "filters/parts/threshold.h"

namespace scanlens::cpu {

/// Pixels of a row that are taken at once. All threads together keep no more of them where there are many
/// threads. They are not much fewer than the pixels that boxes reach beside them.
inline int run_of_pixels(std::int64_t width, int radius) {
  constexpr int kOfAllThreads = 16384, kLeast = 256;
  const int run = std::max({kOfAllThreads / thread_count(), kLeast, 4 * radius});
  return static_cast<int>(std::min<std::int64_t>(width, run));
}

/// Bytes that the threads at work on `rows` rows keep, at most, of moments of `channels` channels.
inline std::int64_t row_buffers_bytes(std::int64_t width, std::int64_t rows, std::int64_t radius,
                                      int channels) {
  const auto reach = static_cast<int>(std::min<std::int64_t>(radius, width));
  constexpr std::int64_t kOfAPixel = 48;  // sums and squares over rows and over boxes, counts, two moments
  return workers_for(rows, 1) * (run_of_pixels(width, reach) + 2 * reach + 1) * channels * kOfAPixel;
}

/// The sums over the boxes around the pixels of a run, and how many pixels these boxes have.
template <class Sum>
class RowOfSums {
 public:
  RowOfSums(View<const Sum> table, int radius);

  /// Takes pixels x0 .. x1 - 1 of row y, at most run_of_pixels.
  void load(int y, int x0, int x1);
  std::int64_t length() const { return (x1_ - x0_) * table_.channels; }
  const Sum* sums() const { return sums_.data(); }
  const std::uint32_t* counts() const { return counts_.data(); }

 private:
  void count();

  View<const Sum> table_;
  int radius_;
  int x0_ = 0, x1_ = 0;
  std::uint32_t rows_ = 0;  ///< of the boxes
  std::vector<Sum>
      columns_;  ///< sums over rows, from what boxes reach on the left to what they reach on the right
  std::vector<Sum> sums_;
  std::vector<std::uint32_t> counts_;
};

/// The values of a run, for loops that keep them in registers: at(i, c) of its pixel i, channel c.
struct RowMoments {
  const float *means, *variances;
  int channels;
  SCANLENS_HOST_DEVICE LocalMoments at(int x, int c) const {
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

/// The moments of the boxes around the pixels of a run.
template <class Sum>
class RowOfMoments {
 public:
  RowOfMoments(View<const Sum> sums, View<const SquareSum<Sum>> squares, int radius)
      : channels_(sums.channels),
        sums_(sums, radius),
        squares_(squares, radius),
        means_(static_cast<std::size_t>(run_of_pixels(sums.width, radius) * sums.channels)),
        variances_(means_.size()) {}

  void load(int y, int x0, int x1) {
    sums_.load(y, x0, x1);
    squares_.load(y, x0, x1);
    moments_of_row(sums_.length(), sums_.counts(), sums_.sums(), squares_.sums(), means_.data(),
                   variances_.data());
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

/// The means of the boxes around the pixels of a run, with variances of 0.
template <class Sum>
class RowOfMeans {
 public:
  RowOfMeans(View<const Sum> sums, int radius)
      : channels_(sums.channels),
        sums_(sums, radius),
        means_(static_cast<std::size_t>(run_of_pixels(sums.width, radius) * sums.channels)),
        zeros_(means_.size()) {}

  void load(int y, int x0, int x1) {
    sums_.load(y, x0, x1);
    means_of_row(sums_.length(), sums_.counts(), sums_.sums(), means_.data());
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

/// The cross moments of the boxes around the pixels of a run. It stays where it was made.
template <class Sum>
class RowOfCrossMoments {
 public:
  RowOfCrossMoments(View<const Sum> sums, View<const SquareSum<Sum>> squares, View<const Sum> cross,
                    int radius)
      : run_(run_of_pixels(sums.width, radius)),
        sums_(sums, radius),
        squares_(squares, radius),
        cross_(cross, radius),
        values_(static_cast<std::size_t>(4 * run_)),
        rows_{values_.data(), values_.data() + run_, values_.data() + 2 * run_, values_.data() + 3 * run_} {}
  RowOfCrossMoments(const RowOfCrossMoments&) = delete;
  RowOfCrossMoments& operator=(const RowOfCrossMoments&) = delete;

  void load(int y, int x0, int x1) {
    sums_.load(y, x0, x1);
    squares_.load(y, x0, x1);
    cross_.load(y, x0, x1);
    cross_moments_of_row(sums_.length(), sums_.counts(), sums_.sums(), squares_.sums(), cross_.sums(), rows_);
  }
  RowCrossMoments entries() const { return rows_; }

 private:
  std::int64_t run_;
  RowOfSums<Sum> sums_;
  RowOfSums<SquareSum<Sum>> squares_;
  RowOfSums<Sum> cross_;
  std::vector<float> values_;
  RowCrossMoments rows_;
};

/// A row of `channels` samples a pixel, without alpha, made black or white by each pixel's own threshold.
template <class Luma, class T>
void binarize_row(std::int64_t width, const Luma* luma, const RowMoments& moments, ThresholdMethod method,
                  const Threshold& threshold, int channels, T* out);

/// Luma of a row of 3 channels, as Luma<T> has it.
template <class T, class Value>
void luma_of_row(std::int64_t width, const T* row, Value* luma);

}  // namespace scanlens::cpu
