// A thread for every pixel, or sample of chroma. Chroma goes through an array between its two ways: first
// along rows, then along columns.
#include <cstdint>

#include "filters/parts/for_each_pixel.h"
#include "filters/yuv/task.h"

namespace scanlens::gpu {
namespace {

template <class T>
struct ToRgb {
  RgbFromYuv<T> task;

  /// Chroma around its middle at a pixel: along the column first.
  __device__ float chroma(const View<const T>& plane, int x, int y) const {
    const std::int64_t column = task.across.first_up(x), row = task.down.first_up(y);
    const auto of_column = [&](int i) {
      const std::int64_t at = clamped(column + i, plane.width);
      const auto sample = [&](int j) {
        return static_cast<float>(plane(at, clamped(row + j, plane.height))) - task.codes.middle;
      };
      if (task.down.step == 1) return sample(0);
      return mixed(task.down.up[y % 2], sample(0), sample(1), sample(2), sample(3));
    };
    if (task.across.step == 1) return of_column(0);
    return mixed(task.across.up[x % 2], of_column(0), of_column(1), of_column(2), of_column(3));
  }

  __device__ void operator()(int x, int y) const {
    const YuvCodes& codes = task.codes;
    const Rgb rgb = rgb_of(static_cast<float>(task.planes.luma(x, y)), chroma(task.planes.blue, x, y),
                           chroma(task.planes.red, x, y), codes);
    T* const out = &task.rgb(x, y);
    out[0] = code_of<T>(rgb.red, codes.most_rgb);
    out[1] = code_of<T>(rgb.green, codes.most_rgb);
    out[2] = code_of<T>(rgb.blue, codes.most_rgb);
  }
};

template <class T>
__device__ Rgb pixel_of(const View<const T>& rgb, std::int64_t x, int y) {
  const T* const pixel = &rgb(x, y);
  return {static_cast<float>(pixel[0]), static_cast<float>(pixel[1]), static_cast<float>(pixel[2])};
}

template <class T>
struct ToLuma {
  YuvFromRgb<T> task;

  __device__ void operator()(int x, int y) const {
    const YuvCodes& codes = task.codes;
    task.planes.luma(x, y) =
        code_of<T>(weighed(codes.luma_of, pixel_of(task.rgb, x, y)) + codes.zero, codes.most);
  }
};

/// Returns chroma of one direction from that of pixels: at(i) is that of tap i.
template <class Direction, class At>
__device__ float along(const Direction& direction, const At& at) {
  if (direction.step == 1) return at(0);
  float total = direction.down[0] * at(0);
  for (int i = 1; i < kDownTaps; ++i) total += direction.down[i] * at(i);
  return total;
}

/// Chroma of each row of pixels, blue and red side by side.
template <class T>
struct ToRows {
  YuvFromRgb<T> task;
  View<float> rows;

  __device__ void operator()(int x, int y) const {
    const std::int64_t first = task.across.first_down(x);
    const auto sum = [&](const float* share) {
      const auto at = [&](int i) {
        return weighed(share, pixel_of(task.rgb, clamped(first + i, task.rgb.width), y));
      };
      return along(task.across, at);
    };
    rows(x, y, 0) = sum(task.codes.blue_of);
    rows(x, y, 1) = sum(task.codes.red_of);
  }
};

template <class T>
struct ToChroma {
  YuvFromRgb<T> task;
  View<float> rows;

  __device__ void operator()(int x, int y) const {
    const std::int64_t first = task.down.first_down(y);
    const auto sum = [&](int c) {
      const auto at = [&](int i) { return rows(x, clamped(first + i, rows.height), c); };
      return along(task.down, at);
    };
    const YuvCodes& codes = task.codes;
    task.planes.blue(x, y) = code_of<T>(sum(0) + codes.middle, codes.most);
    task.planes.red(x, y) = code_of<T>(sum(1) + codes.middle, codes.most);
  }
};

}  // namespace

template <class T>
void rgb_from_yuv(Context& context, const RgbFromYuv<T>& task) {
  gpu::for_each_pixel(context, task.rgb.width, task.rgb.height, ToRgb<T>{task});
}

template <class T>
void yuv_from_rgb(Context& context, const YuvFromRgb<T>& task) {
  const View<T>& chroma = task.planes.blue;
  Workspace workspace(context);
  const View<float> rows(workspace.take<float>(2 * chroma.width * task.rgb.height), chroma.width,
                         task.rgb.height, 2);
  gpu::for_each_pixel(context, task.rgb.width, task.rgb.height, ToLuma<T>{task});
  gpu::for_each_pixel(context, chroma.width, task.rgb.height, ToRows<T>{task, rows});
  gpu::for_each_pixel(context, chroma.width, chroma.height, ToChroma<T>{task, rows});
}

SCANLENS_INSTANTIATE_YUV

}  // namespace scanlens::gpu
