// The guided filter: He, Sun and Tang, "Guided Image Filtering", ECCV 2010 and IEEE Trans. PAMI 35(6), 2013.
//
// Over every box a line input = a * guide + b is fitted, where epsilon, the square of `deviation`, keeps the
// slope down: a = covariance / (variance of the guide + epsilon), b = mean of the input - a * mean of the
// guide (equations 5 and 6). The result is the mean of a over the boxes that hold a pixel, times its guide,
// plus the mean of b (equation 8). Where the guide varies less than `deviation`, that is the mean twice;
// where it varies more, edges are kept.
//
// The guide is luma of sample values as they are, the input every colour in turn. Moments are weighed by
// alpha, and boxes around pixels without any have no line; alpha stays as it is, and so do these pixels.
//
// For integers to be the same bits everywhere, lines are summed as whole numbers: slopes and offsets, in
// shares of white, in steps of 2^-16, or of one channel, where both lie within 0 and 1, of 2^-23. Since
// offsets are made with the slopes as rounded, that is off by 2^-16 of white at most, and 2^-20 of white
// times the greatest slope, 1 / (4 * deviation), is what the floats around it round. Lines of floats are
// summed as doubles.
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "filters/parts/cross_moments.h"
#include "filters/parts/filter_of.h"
#include "filters/parts/for_each_box.h"
#include "filters/parts/sample.h"

namespace scanlens {
namespace {

struct GuidedParams {
  double radius = 8;
  double deviation = 0.1;
};

/// How slopes and offsets become whole numbers below 2^24: zero + value * steps.
struct Steps {
  float steps;
  std::int32_t zero;  ///< the whole number that stands for 0

  SCANLENS_HOST_DEVICE float whole(float value) const {
    const float scaled = value * steps;
    const auto rounded = static_cast<std::int32_t>(scaled + (scaled < 0 ? -0.5f : 0.5f));
    const std::int32_t moved = rounded + zero;
    return static_cast<float>(moved > 0 ? (moved < 16777215 ? moved : 16777215) : 0);
  }
  SCANLENS_HOST_DEVICE float value(float whole) const { return (whole - static_cast<float>(zero)) / steps; }
};
constexpr Steps kGreySteps{8388608.f, 0}, kColourSteps{65536.f, 8388608};

/// Lines as they are summed: slope, offset, and whether there is one.
template <class T>
struct FitLines {
  float guide_white, epsilon;
  Steps steps;
  View<const T> rows;
  std::int64_t first;
  View<float> lines;

  template <class Around>
  SCANLENS_HOST_DEVICE void operator()(int x, int y, const Around& around) const {
    float* const out = &lines(x, y);
    const bool any = rows.channels < 4 || rows(x, first + y, 3) > 0;
    out[0] = out[1] = 0.f;
    out[2] = any ? 1.f : 0.f;
    if (!any) return;
    const CrossMoments box = in_shares(around());
    const float slope = slope_of(box, epsilon);
    if constexpr (std::is_floating_point_v<T>) {
      out[0] = slope;
      out[1] = box.mean - slope * box.guide.mean;
    } else {
      out[0] = steps.whole(slope);
      out[1] = steps.whole(box.mean - steps.value(out[0]) * box.guide.mean);
    }
  }

  SCANLENS_HOST_DEVICE CrossMoments in_shares(const CrossMoments& box) const {
    constexpr float kInput = kWhite<T>;
    return {{box.guide.mean / guide_white, box.guide.variance / (guide_white * guide_white)},
            box.mean / kInput,
            box.covariance / (guide_white * kInput)};
  }
  SCANLENS_HOST_DEVICE CrossMoments in_shares(const Moments& box) const {
    return in_shares(CrossMoments{box, box.mean, box.variance});
  }
};

/// The mean of the lines of a box, from the table of their sums.
template <class Sum>
SCANLENS_HOST_DEVICE Line mean_line(Sum slopes, Sum offsets, Sum count, const Steps& steps) {
  if constexpr (std::is_floating_point_v<Sum>) {
    return {static_cast<float>(slopes / count), static_cast<float>(offsets / count)};
  } else {
    const auto number = static_cast<std::int64_t>(count), zeros = number * steps.zero;
    const float all = static_cast<float>(number) * steps.steps;
    return {static_cast<float>(static_cast<std::int64_t>(slopes) - zeros) / all,
            static_cast<float>(static_cast<std::int64_t>(offsets) - zeros) / all};
  }
}

template <class Sum>
struct BoxLines {
  View<const Sum> table;
  int radius;
  Steps steps;

  class Row {
   public:
    explicit Row(const BoxLines& boxes) : steps_(boxes.steps), row_(boxes.table, boxes.radius) {}
    void load(int y) {
      row_.load(y);
      sums_ = row_.sums();
    }
    SCANLENS_HOST_DEVICE Line at(int x, int) const {
      return mean_line(sums_[3 * x], sums_[3 * x + 1], sums_[3 * x + 2], steps_);
    }

   private:
    Steps steps_;
    cpu::RowOfSums<Sum> row_;
    const Sum* sums_ = nullptr;
  };

  SCANLENS_HOST_DEVICE Line at(int x, int y, int) const {
    const Box box = clipped_box(x, y, radius, static_cast<int>(table.width), static_cast<int>(table.height));
    const auto sum = [&](int c) { return box_sum(table, box.x0, box.y0, box.x1, box.y1, c); };
    return mean_line(sum(0), sum(1), sum(2), steps);
  }
};

/// Channel c of the result.
template <class T, class Guide>
struct FollowLines {
  View<const Guide> guide;
  float guide_white;
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
    const float share = static_cast<float>(guide(x, row)) / guide_white;
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

struct Guided {
  using Params = GuidedParams;
  static constexpr std::string_view kName = "guided";
  static constexpr std::string_view kHelp =
      "smooths and keeps edges: what differs less than the deviation is levelled (guided filter)";
  static constexpr Param kParams[] = {
      param<&GuidedParams::radius>("radius", "pixels from the middle of the box to its edge", 1,
                                   kMostMomentsRadius, Values::whole),
      param<&GuidedParams::deviation>(
          "deviation",
          "differences of luma that are kept for half, in shares of white; epsilon is its square", 0.002, 1)};

  static std::int64_t reach(const Params& params) { return 2 * static_cast<std::int64_t>(params.radius); }

  static std::int64_t scratch_bytes(const Params& params, const RowFormat& rows) {
    const auto radius = static_cast<std::int64_t>(params.radius);
    const std::int64_t pixels = rows.width * rows.height, lines = pixels * 3 * 4, table = pixels * 3 * 8;
    // Tables may have three or four channels where rows have one.
    const std::int64_t own = summed_area_table_workspace(rows.width, rows.height, 4, 8);
    if (rows.channels == 1) return own + lines + std::max(box_moments_bytes(rows, radius), table);
    const RowFormat plane = luma_format(rows);
    const std::int64_t guide =
        static_cast<std::int64_t>(plane.row_bytes()) * plane.height +
        (rows.channels == 4 ? weighed_moments_bytes(rows) : box_moments_bytes(plane, radius));
    return own + guide + lines + std::max(cross_moments_bytes(rows), table);
  }

  template <class T>
  static void run(Context& context, const Params& params, const BandTask<T>& task) {
    const auto radius = static_cast<std::int64_t>(params.radius);
    if (task.rows.channels == 1)
      return follow<T>(context, params, task, task.rows, 0,
                       [&](const auto& fit) { with_box_moments(context, task.rows, radius, fit); });
    with_plane(context, task.rows, LumaOf<T>{}, [&](const auto& guide) {
      const auto each_colour = [&](const auto& moments) {
        for (int c = 0; c < 3; ++c)  // in place too: nothing else depends on a colour that is overwritten
          follow<T>(context, params, task, guide, c,
                    [&](const auto& fit) { with_cross_moments(context, guide, moments, task.rows, c, fit); });
      };
      if (task.rows.channels == 4)
        with_weighed_moments(context, task.rows, LumaOf<T>{}, radius, each_colour);
      else
        with_box_moments(context, guide, radius, each_colour);
    });
  }

  /// Makes channel c. with_moments(fit) calls fit(moments) with those that its lines are made of.
  template <class T, class Guide, class WithMoments>
  static void follow(Context& context, const Params& params, const BandTask<T>& task,
                     const View<const Guide>& guide, int c, const WithMoments& with_moments) {
    using Sum = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;
    const bool grey = task.rows.channels == 1;
    const auto radius = static_cast<std::int64_t>(params.radius);
    const float white = Luma<T>::white(task.rows.channels);
    const Steps steps = grey ? kGreySteps : kColourSteps;
    const LineRows<T> rows(task, radius);
    Workspace workspace(context);
    const std::int64_t samples = task.rows.width * rows.count * 3;
    const View<float> lines(workspace.take<float>(samples), task.rows.width, rows.count, 3);
    with_moments([&](const auto& moments) {
      for_each_box(context, moments, lines, rows.first,
                   FitLines<T>{white, static_cast<float>(params.deviation * params.deviation), steps,
                               task.rows, rows.first, lines});
    });
    const View<Sum> table(workspace.take<Sum>(samples), task.rows.width, rows.count, 3);
    summed_area_table(context, lines, table);
    for_each_box(context, BoxLines<Sum>{table, shortened(radius, table.width, table.height), steps}, task.out,
                 task.first - rows.first, FollowLines<T, Guide>{guide, white, c, task});
  }
};

}  // namespace

extern constinit const Filter kGuided = filter_of<Guided>();

}  // namespace scanlens
