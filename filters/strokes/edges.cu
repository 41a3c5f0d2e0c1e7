// Outlines: a screened Poisson equation along the photo's edges, in which a plane's own slope is no
// difference.
#include <cstdint>

#include "core/sparse_with.h"
#include "filters/strokes/edge_rows.h"
#include "filters/strokes/parts.h"

namespace scanlens::strokes {
namespace {

constexpr float kStrokeTrust = 10;
constexpr float kLayersTrust = 0.05f, kMapTrust = 0.1f;

/// The shares of the planes in each pixel, by one grid.
struct Belonging {
  const std::uint32_t* of_pixel;
  const float *p, *level;
};

/// The shares of a pixel: the mean of the grids.
struct Layers {
  Planes planes;
  Belonging grids[kGrids];
  std::int64_t width;

  SCANLENS_HOST_DEVICE float at(int x, int y) const {
    float sum = 0;
    for (const Belonging& grid : grids) {
      const std::int64_t vertex = grid.of_pixel[y * width + x];
      const float* const shares = grid.p + vertex * planes.count;
      float nearness = grid.level[vertex];
      for (int s = 0; s < planes.slopes; ++s) {
        const int k = planes.slope[s];
        nearness += rounded_product(shares[k], planes.plane[k].at(x, y));
      }
      sum += nearness;
    }
    return sum / kGrids;
  }
  /// The change of nearness from one pixel to the next on the slopes that both belong to.
  SCANLENS_HOST_DEVICE float change(int x, int y, int x1, int y1) const {
    float sum = 0;
    for (const Belonging& grid : grids) {
      const float* const here =
          grid.p + static_cast<std::int64_t>(grid.of_pixel[y * width + x]) * planes.count;
      const float* const there =
          grid.p + static_cast<std::int64_t>(grid.of_pixel[y1 * width + x1]) * planes.count;
      for (int s = 0; s < planes.slopes; ++s) {
        const int k = planes.slope[s];
        const float both = here[k] < there[k] ? here[k] : there[k];
        sum += rounded_product(both, planes.plane[k].at(x1, y1) - planes.plane[k].at(x, y));
      }
    }
    return sum / kGrids;
  }
};

/// The begin of the solver, and the trust in it as diagonal and right-hand side.
struct MakeTarget {
  Layers layers;
  View<const std::int16_t> numbers;
  View<const float> map;  ///< instead of layers, where it is not empty
  const float *right, *down;
  float *x, *diagonal, *b;

  SCANLENS_HOST_DEVICE void operator()(int column, int y) const {
    const std::int64_t i = y * numbers.width + column;
    const int number = numbers(column, y);
    const bool on = number >= 0 && number < layers.planes.count;
    const float found = map.data ? map(column, y) : layers.at(column, y);
    const float trust = on ? kStrokeTrust : (map.data ? kMapTrust : kLayersTrust);
    x[i] = found;
    diagonal[i] = trust + right[i] + right[i - 1] + down[i] + down[i - numbers.width];
    b[i] = rounded_product(trust, on ? layers.planes.plane[number].at(column, y) : found);
  }
};

/// Changes along links, weighed by these.
struct MakeChanges {
  Layers layers;
  std::int64_t height;
  const float *right, *down;
  float *to_right, *to_down;
  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const std::int64_t i = y * layers.width + x;
    to_right[i] = x + 1 < layers.width ? rounded_product(right[i], layers.change(x, y, x + 1, y)) : 0.f;
    to_down[i] = y + 1 < height ? rounded_product(down[i], layers.change(x, y, x, y + 1)) : 0.f;
  }
};

struct AddChanges {
  const float *to_right, *to_down;
  std::int64_t width;
  float* b;
  SCANLENS_HOST_DEVICE void operator()(std::int64_t i) const {
    b[i] = b[i] + to_right[i - 1] - to_right[i] + to_down[i - width] - to_down[i];
  }
};

struct Finish {
  const float* x;
  View<float> nearness;
  SCANLENS_HOST_DEVICE void operator()(int column, int y) const {
    const float n = x[y * nearness.width + column];
    nearness(column, y) = n > 0 ? (n < 1 ? n : 1.f) : 0.f;
  }
};

}  // namespace

void solve_edges(Context& context, const Grid* grids, const Links& links, const Planes& planes,
                 const Shares* shares, View<const std::int16_t> numbers, View<float> nearness,
                 Solved* solved) {
  const std::int64_t width = grids->columns, height = grids->rows, pixels = width * height;
  Workspace workspace(context);
  float* const x = workspace.take<float>(pixels);
  float* const b = workspace.take<float>(pixels);
  float* const diagonal = workspace.take<float>(pixels);
  const float *const right = links.right.data(), *const down = links.down.data();
  Layers layers = {planes, {}, width};
  for (int i = 0; i < kGrids && shares; ++i)
    layers.grids[i] = {grids[i].of_pixel.data(), shares[i].p.data(), shares[i].level.data()};
  const View<const float> map = shares ? View<const float>() : View<const float>(nearness);
  for_each_pixel(context, width, height, MakeTarget{layers, numbers, map, right, down, x, diagonal, b});
  if (shares && planes.slopes > 0) {
    float* const to_right = workspace.take<float>(pixels + width) + width;
    float* const to_down = workspace.take<float>(pixels + width) + width;
    for (float* changes : {to_right, to_down}) for_each(context, width, SetZero<float>{changes - width});
    for_each_pixel(context, width, height, MakeChanges{layers, height, right, down, to_right, to_down});
    for_each(context, pixels, AddChanges{to_right, to_down, width, b});
  }
  const auto size = static_cast<std::size_t>(pixels);
  conjugate_gradients(context, EdgeRows{pixels, width, diagonal, right, down},
                      std::span<const float>(b, size), std::span(x, size), 1, solved);
  for_each_pixel(context, width, height, Finish{x, nearness});
}

}  // namespace scanlens::strokes
