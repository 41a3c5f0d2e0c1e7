// Rows of the picture become fewer rows of the grid; turned over, the same happens to its columns. From there
// all goes back. Every pass weighs rows, one sample beside the other. All sums are of floats in the same
// order, each step rounded by itself: the same bits on every backend.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/runtime/count.h"
#include "core/transpose.h"
#include "filters/blur/wide.h"
#include "filters/blur/wide_rows_cpu.h"
#include "filters/parts/for_each_pixel.h"

namespace scanlens {
namespace {

/// weight(x) for distances in samples up to `reach`, and beyond it nothing.
template <class Weight>
void fill_weights(DistanceWeights& weights, std::int64_t reach, const Weight& weight) {
  const auto end = static_cast<double>(reach + 1);
  weights.reach = reach;
  weights.entries_a_half = static_cast<float>(DistanceWeights::kEntries / (2 * end));
  for (int i = 0; i < DistanceWeights::kEntries + 2; ++i)
    weights.table[i] = static_cast<float>(weight(i * end / DistanceWeights::kEntries));
}

/// A Gaussian less what it is at reach + 1, so that no step shows where a point comes in. Cut off, it has
/// less variance, so it begins with more.
void fill_gaussian(DistanceWeights& weights, double deviation) {
  constexpr double kCut = 4;  // deviations that are kept
  const auto reach = static_cast<std::int64_t>(std::ceil(kCut * deviation));
  double wider = deviation;
  const auto share = [&](double x) {
    const auto gaussian = [&](double at) { return std::exp(-at * at / (2 * wider * wider)); };
    return gaussian(x) - gaussian(static_cast<double>(reach + 1));
  };
  for (int i = 0; i < 6; ++i) {
    double sum = share(0), squares = 0;
    for (std::int64_t half = 1; half <= 2 * reach; ++half) {
      const double x = static_cast<double>(half) / 2;
      sum += 2 * share(x);
      squares += 2 * share(x) * x * x;
    }
    wider *= deviation / std::sqrt(squares / sum);
  }
  fill_weights(weights, reach, share);
}

/// The cubic spline over the grid, whose variance is step^2 / 3.
void fill_spline(DistanceWeights& weights, std::int64_t step) {
  fill_weights(weights, 2 * step, [&](double distance) {
    const double x = distance / static_cast<double>(step), near = std::max(0.0, 1 - x),
                 far = std::max(0.0, 2 - x);
    return (far * far * far - 4 * near * near * near) / 6;
  });
}

}  // namespace

WideGaussian::WideGaussian(double sigma) {
  constexpr double kSteps = 1.5;  // of the grid in a deviation
  step = static_cast<std::int64_t>(sigma / kSteps);
  const auto spline = static_cast<double>(step * step) / 3;
  fill_gaussian(to_grid, std::sqrt(sigma * sigma - spline));
  fill_spline(from_grid, step);
}

namespace {

/// Samples of a picture as they are summed: row y, sample x.
template <class T>
struct Samples {
  View<const T> rows;
  SCANLENS_HOST_DEVICE float operator()(std::int64_t x, std::int64_t y) const {
    const T* const row = rows.row(y);
    const float own = static_cast<float>(row[x]);
    return rows.channels == 4 && x % 4 < 3 ? own * static_cast<float>(row[x | 3]) : own;
  }
};
struct Sums {
  View<const float> rows;
  SCANLENS_HOST_DEVICE float operator()(std::int64_t x, std::int64_t y) const { return rows.row(y)[x]; }
};
struct Ones {
  SCANLENS_HOST_DEVICE float operator()(std::int64_t, std::int64_t) const { return 1; }
};

/// Rows weighed for each point of another line; the rows of a point's channels lie side by side.
template <class Source>
struct WeighRows {
  Source in;
  DistanceWeights weights;
  LinePoints from, to;
  int channels;
  View<float> out;

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const std::int64_t c = y % channels;
    out.row(y)[x] =
        weights.sum(from, to.at(y / channels), [&](std::int64_t i) { return in(x, i * channels + c); });
  }
};

template <class T>
struct FinishPixel {
  WideRows<T> rows;

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const int channels = rows.out.channels;
    float sums[4] = {};
    for (int c = 0; c < channels; ++c)
      sums[c] = rows.weights.sum(rows.from, 2 * (rows.top + y), [&](std::int64_t i) {
        return rows.in.row(i)[std::int64_t{x} * channels + c];
      });
    finish_sums(sums, rows.down[y] * rows.along[x], channels, &rows.own(x, y), &rows.out(x, y));
  }
};

/// Points of the grid that samples first .. first + count - 1 of `length` depend on. The grid is the same
/// from both ends: a point lies in the middle.
LinePoints grid_for(const WideGaussian& gaussian, std::int64_t first, std::int64_t count,
                    std::int64_t length) {
  const std::int64_t step = 2 * gaussian.step, reach = 2 * gaussian.from_grid.reach;
  const std::int64_t least = 2 * first - reach, most = 2 * (first + count - 1) + reach;
  const std::int64_t above = least - (length - 1);  // of the middle
  const std::int64_t low = length - 1 + (above > 0 ? (above + step - 1) / step : -(-above / step)) * step;
  return {low, step, (most - low) / step + 1};
}

/// The most points of the grid that `count` samples depend on.
std::int64_t most_points(const WideGaussian& gaussian, std::int64_t count) {
  return (count - 1 + 2 * gaussian.from_grid.reach) / gaussian.step + 1;
}

/// The passes over one picture.
template <class T>
class WideBlur {
 public:
  WideBlur(Context& context, const WideGaussian& gaussian, const BandTask<T>& task)
      : context_(context),
        workspace_(context),
        gaussian_(gaussian),
        task_(task),
        top_(task.top + task.first),
        rows_{2 * task.top, 2, task.rows.height},
        made_{2 * top_, 2, task.out.height},
        columns_{0, 2, task.rows.width},
        grid_down_(grid_for(gaussian, top_, made_.count, task.height)),
        grid_along_(grid_for(gaussian, 0, columns_.count, columns_.count)) {}

  void run() {
    const int channels = task_.rows.channels;
    const std::int64_t samples = task_.rows.row_samples(), height = grid_down_.count;
    // Others than the largest window may have a point of the grid more than its own.
    const std::int64_t most = most_points(gaussian_, made_.count);
    const View<float> down = take(most, samples, height), turned = take(most, height, samples),
                      coarse = take(most, height, grid_along_.count * channels);
    weigh(Samples<T>{task_.rows}, gaussian_.to_grid, rows_, grid_down_, 1, down);
    turn(down, turned);
    weigh(Sums{turned}, gaussian_.to_grid, columns_, grid_along_, channels, coarse);
    weigh(Sums{coarse}, gaussian_.from_grid, grid_along_, columns_, channels, turned);
    turn(turned, down);
    const float* const weights_down = weights({0, 2, task_.height}, grid_down_, made_, most);
    const float* const weights_along = weights(columns_, grid_along_, columns_, grid_along_.count);
    finish({down, gaussian_.from_grid, grid_down_, top_, weights_down, weights_along,
            task_.rows.region(0, task_.first, task_.rows.width, made_.count), task_.out});
  }

 private:
  /// Takes memory for `most` points of the grid in place of as many as there are in one direction.
  View<float> take(std::int64_t most, std::int64_t width, std::int64_t height) {
    const std::int64_t points = grid_down_.count;
    return View<float>(workspace_.take<float>(width * height / points * most), width, height);
  }

  template <class Source>
  void weigh(const Source& in, const DistanceWeights& weights, const LinePoints& from, const LinePoints& to,
             int channels, const View<float>& out) {
    if (!context_.on_cuda() && !counts(context_))
      return cpu::weigh_rows(in.rows, in.rows.channels == 4, weights, from, to, channels, out);
    for_each_pixel(context_, out.width, out.height, WeighRows<Source>{in, weights, from, to, channels, out});
  }

  void turn(const View<float>& from, const View<float>& to) {
    transpose_any<float>(context_, View<const float>(from), to);
  }

  /// The weights of a line whose samples are all 1, by a grid of `most` points.
  const float* weights(const LinePoints& line, const LinePoints& grid, const LinePoints& to,
                       std::int64_t most) {
    const View<float> there(workspace_.take<float>(most), 1, grid.count),
        back(workspace_.take<float>(to.count), 1, to.count);
    for_each_pixel(context_, 1, grid.count, WeighRows<Ones>{{}, gaussian_.to_grid, line, grid, 1, there});
    for_each_pixel(context_, 1, to.count, WeighRows<Sums>{{there}, gaussian_.from_grid, grid, to, 1, back});
    return back.data;
  }

  void finish(const WideRows<T>& rows) {
    if (!context_.on_cuda() && !counts(context_)) return cpu::finish_rows(rows);
    for_each_pixel(context_, rows.out.width, rows.out.height, FinishPixel<T>{rows});
  }

  Context& context_;
  Workspace workspace_;
  WideGaussian gaussian_;
  const BandTask<T>& task_;
  std::int64_t top_;
  LinePoints rows_, made_, columns_, grid_down_, grid_along_;
};

}  // namespace

template <class T>
void blur_wide(Context& context, const WideGaussian& gaussian, const BandTask<T>& task) {
  WideBlur<T>(context, gaussian, task).run();
}

template void blur_wide(Context&, const WideGaussian&, const BandTask<std::uint8_t>&);
template void blur_wide(Context&, const WideGaussian&, const BandTask<std::uint16_t>&);
template void blur_wide(Context&, const WideGaussian&, const BandTask<float>&);

}  // namespace scanlens
