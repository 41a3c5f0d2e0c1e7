// Carries a picture along a guide's edges: fits lines input = slope * guide + offset over boxes. Every pixel
// becomes the mean of the lines of the boxes that hold it. The guided filter is made of it.
//
// For integers to be the same bits everywhere, lines are summed as whole numbers: slopes and offsets, in
// shares of white, in steps of 2^-16, or of one channel, where both lie within 0 and 1, of 2^-23. Offsets are
// made with the rounded slopes, so that the error is 2^-16 of white at most. The floats around it round by
// 2^-20 of white times the greatest slope, 1 / (4 * deviation). Lines of floats are summed as doubles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "filters/parts/cross_moments.h"
#include "filters/parts/filter_of.h"
#include "filters/parts/for_each_box.h"
#include "filters/parts/sample.h"

namespace scanlens {

/// The fit of lines: the reach of the boxes, and what slopes cost (slope_of).
struct LineFit {
  std::int64_t radius;
  float epsilon;
};

/// Slopes and offsets as whole numbers of 24 bits: zero + value * steps. They are summed in two
/// parts of 12, so that sums of 32 bits do for boxes that reach 511 pixels.
inline constexpr int kPartBits = 12;
struct Steps {
  float steps;
  std::int32_t zero;  ///< the whole number that stands for 0

  SCANLENS_HOST_DEVICE std::int32_t whole(float value) const {
    const float scaled = value * steps;
    const std::int32_t moved = static_cast<std::int32_t>(scaled + (scaled < 0 ? -0.5f : 0.5f)) + zero;
    return moved > 0 ? (moved < 16777215 ? moved : 16777215) : 0;
  }
  SCANLENS_HOST_DEVICE float value(std::int32_t whole) const {
    return static_cast<float>(whole - zero) / steps;
  }
  SCANLENS_HOST_DEVICE float mean(std::int64_t sum, std::int64_t count) const {
    return static_cast<float>(sum - count * zero) / (static_cast<float>(count) * steps);
  }
};
inline constexpr Steps kGreySteps{8388608.f, 0}, kColourSteps{65536.f, 8388608};

/// Entries of a line: of floats slope, offset and nothing; of integers both in two parts.
template <class T>
using LinePart = std::conditional_t<std::is_floating_point_v<T>, float, std::uint16_t>;
template <class T>
constexpr int kLineParts = std::is_floating_point_v<T> ? 3 : 4;

/// Lines as they are summed.
template <class T>
struct FitLines {
  float to_guide_share, epsilon;
  int c;
  Steps steps;
  View<const T> rows;
  std::int64_t first;
  View<LinePart<T>> lines;

  template <class Around>
  SCANLENS_HOST_DEVICE void operator()(int x, int y, const Around& around) const {
    constexpr float kToShare = 1 / kWhite<T>;
    LinePart<T>* const out = &lines(x, y);
    CrossMoments box = in_shares(around());
    // No pixel that can be seen asks for the line of a box without any alpha.
    if (!(box.guide.variance >= 0)) box = {{}, static_cast<float>(rows(x, first + y, c)) * kToShare, 0.f};
    const float slope = slope_of(box, epsilon);
    if constexpr (std::is_floating_point_v<T>) {
      out[0] = slope;
      out[1] = box.mean - slope * box.guide.mean;
      out[2] = 0;
    } else {
      const std::int32_t whole = steps.whole(slope);
      const std::int32_t offset = steps.whole(box.mean - steps.value(whole) * box.guide.mean);
      constexpr std::int32_t kLow = (1 << kPartBits) - 1;
      out[0] = static_cast<LinePart<T>>(whole >> kPartBits);
      out[1] = static_cast<LinePart<T>>(whole & kLow);
      out[2] = static_cast<LinePart<T>>(offset >> kPartBits);
      out[3] = static_cast<LinePart<T>>(offset & kLow);
    }
  }

  SCANLENS_HOST_DEVICE CrossMoments in_shares(const CrossMoments& box) const {
    constexpr float kToShare = 1 / kWhite<T>;
    return {{box.guide.mean * to_guide_share, box.guide.variance * (to_guide_share * to_guide_share)},
            box.mean * kToShare,
            box.covariance * (to_guide_share * kToShare)};
  }
  SCANLENS_HOST_DEVICE CrossMoments in_shares(const LocalMoments& box) const {
    return in_shares(CrossMoments{box, box.mean, box.variance});
  }
};

/// The mean of the lines of boxes, from the table of their sums.
template <class Sum>
struct BoxLines {
  View<const Sum> table;
  int radius;
  Steps steps;

  SCANLENS_HOST_DEVICE static Line mean_of(const Sum* sums, std::uint32_t count, const Steps& steps) {
    if constexpr (std::is_floating_point_v<Sum>) {
      return {static_cast<float>(sums[0] / count), static_cast<float>(sums[1] / count)};
    } else {
      const auto whole = [](std::uint64_t high, std::uint64_t low) {
        return static_cast<std::int64_t>((high << kPartBits) + low);
      };
      return {steps.mean(whole(sums[0], sums[1]), count), steps.mean(whole(sums[2], sums[3]), count)};
    }
  }

  struct Entries {
    const Sum* sums;
    const std::uint32_t* counts;
    int channels;
    Steps steps;
    SCANLENS_HOST_DEVICE Line at(int x, int) const {
      return mean_of(sums + channels * x, counts[channels * x], steps);
    }
  };
  struct Row : cpu::RowOfSums<Sum> {
    explicit Row(const BoxLines& boxes) : cpu::RowOfSums<Sum>(boxes.table, boxes.radius), boxes_(boxes) {}
    Entries entries() const { return {this->sums(), this->counts(), boxes_.table.channels, boxes_.steps}; }

   private:
    BoxLines boxes_;
  };
  int channels() const { return table.channels; }

  SCANLENS_HOST_DEVICE Line at(int x, int y, int) const {
    const Box box = clipped_box(x, y, radius, static_cast<int>(table.width), static_cast<int>(table.height));
    Sum sums[4] = {};
    for (int c = 0; c < table.channels; ++c) sums[c] = box_sum(table, box.x0, box.y0, box.x1, box.y1, c);
    return mean_of(sums, static_cast<std::uint32_t>((box.x1 - box.x0 + 1) * (box.y1 - box.y0 + 1)), steps);
  }
};

/// Channel c of the result.
template <class T, class Guide>
struct FollowLines {
  View<const Guide> guide;
  float to_guide_share;
  int c;
  BandTask<T> task;

  template <class Around>
  SCANLENS_HOST_DEVICE void operator()(int x, int y, const Around& around) const {
    const std::int64_t row = task.first + y;
    const T* const in = &task.rows(x, row);
    T* const out = &task.out(x, y);
    if (task.out.channels == 4) {
      out[3] = in[3];
      if (!(in[3] > 0)) {
        out[c] = in[c];
        return;
      }
    }
    const Line line = around();
    const float share = static_cast<float>(guide(x, row)) * to_guide_share;
    out[c] = clipped_sample<T>((line.slope * share + line.offset) * kWhite<T>);
  }
};

/// Rows of a window whose lines the rows asked for take part in.
template <class T>
struct LineRows {
  LineRows(const BandTask<T>& task, std::int64_t radius)
      : first(std::max<std::int64_t>(0, task.first - radius)),
        count(std::min(task.rows.height, task.first + task.out.height + radius) - first) {}
  std::int64_t first, count;
};

/// Makes channel c of the result, which follows `guide`, a plane whose white is Luma<T>::white's.
/// with_moments(use) calls use(moments) with those that its lines are made of, which are summed by `steps`.
template <class T, class Guide, class WithMoments>
void follow_lines(Context& context, const LineFit& fit, const BandTask<T>& task,
                  const View<const Guide>& guide, int c, const Steps& steps,
                  const WithMoments& with_moments) {
  constexpr int kParts = kLineParts<T>;
  const std::int64_t radius = fit.radius;
  const float to_share = 1 / Luma<T>::white(task.rows.channels);
  const LineRows<T> rows(task, radius);
  const std::int64_t width = task.rows.width, samples = width * rows.count * kParts;
  Workspace workspace(context);
  const View<LinePart<T>> lines(workspace.take<LinePart<T>>(samples), width, rows.count, kParts);
  with_moments([&](const auto& moments) {
    for_each_box(context, moments, lines, rows.first,
                 FitLines<T>{to_share, fit.epsilon, c, steps, task.rows, rows.first, lines});
  });
  const auto with = [&]<class Sum>(Sum) {
    const View<Sum> table(workspace.take<Sum>(samples), width, rows.count, kParts);
    summed_area_table(context, lines, table);
    for_each_box(context, BoxLines<Sum>{table, shortened(radius, width, rows.count), steps}, task.out,
                 task.first - rows.first, FollowLines<T, Guide>{guide, to_share, c, task});
  };
  if constexpr (std::is_floating_point_v<T>)
    with(double{});
  else if (most_box_pixels(radius, width, rows.count) > UINT32_MAX >> kPartBits)
    with(std::uint64_t{});
  else
    with(std::uint32_t{});
}

}  // namespace scanlens
