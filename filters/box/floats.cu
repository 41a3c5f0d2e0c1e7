#include "filters/box/floats.h"
#include "filters/parts/box_sums.h"
#include "filters/parts/for_each_pixel.h"

namespace scanlens {
namespace {

/// A mean alpha that may be what rounding has left.
constexpr double kNoAlpha = 0x1p-20;

struct Mean {
  BoxSums<double> sums;
  BandTask<float> task;

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const int row = static_cast<int>(task.first) + y;
    const Box box = sums.around(x, row);
    const auto mean = [&](int c) { return box_mean(sums.table, box.x0, box.y0, box.x1, box.y1, c); };
    const float* const own = &task.rows(x, row);
    float* const out = &task.out(x, y);
    if (task.out.channels == 4) {
      const double alpha = mean(3);
      for (int c = 0; c < 3; ++c)
        out[c] = alpha > kNoAlpha ? static_cast<float>(sums.sum(box, c) / sums.sum(box, 3)) : own[c];
      out[3] = static_cast<float>(alpha);
    } else {
      for (int c = 0; c < task.out.channels; ++c) out[c] = static_cast<float>(mean(c));
    }
  }
};

}  // namespace

void box_of_floats(Context& context, std::int64_t radius, const BandTask<float>& task) {
  with_box_sums(context, task.rows, radius, [&](const BoxSums<double>& sums) {
    for_each_pixel(context, task.out.width, task.out.height, Mean{sums, task});
  });
}

}  // namespace scanlens
