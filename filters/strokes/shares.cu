// The share of each stroke in every vertex of the grid: one right-hand side for each, all at once.
#include <cstdint>
#include <utility>

#include "core/sparse/solve_order.h"
#include "filters/strokes/parts.h"

namespace scanlens::strokes {
namespace {

constexpr float kQuiet = 1e-5f;  // of a vertex's pixels: equal shares, where no stroke reaches
constexpr float kLeastShare = 1e-7f;

SCANLENS_HOST_DEVICE inline void add_one(std::uint32_t* count) {
#if defined(__CUDA_ARCH__)
  atomicAdd(count, 1u);
#else
  __atomic_fetch_add(count, 1u, __ATOMIC_RELAXED);
#endif
}

/// Counts the pixels of every stroke in each vertex: whole numbers, in whatever order.
struct CountPixels {
  View<const std::int16_t> numbers;
  const std::uint32_t* of_pixel;
  int planes;
  std::uint32_t* counts;
  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const int number = numbers(x, y);
    if (number >= 0 && number < planes)
      add_one(&counts[static_cast<std::int64_t>(of_pixel[y * numbers.width + x]) * planes + number]);
  }
};

struct MakeRightSides {
  const std::uint32_t* counts;
  const std::uint32_t* row_begin;
  const float *mass, *diagonal;
  int planes;
  float *values, *b;
  SCANLENS_HOST_DEVICE void operator()(std::int64_t v) const {
    const float quiet = rounded_product(kQuiet, mass[v]) / static_cast<float>(planes);
    std::uint32_t all = 0;
    for (std::int64_t i = v * planes; i < (v + 1) * planes; ++i) {
      all += counts[i];
      b[i] = static_cast<float>(counts[i]) + quiet;
    }
    values[row_begin[v]] = diagonal[v] + static_cast<float>(all);
  }
};

/// The begin of the solver: equal shares, or the last ones, and none for strokes that are new.
struct Start {
  const float* last;
  int last_planes, planes;
  float* y;
  SCANLENS_HOST_DEVICE void operator()(std::int64_t v) const {
    for (int k = 0; k < planes; ++k)
      y[v * planes + k] = !last_planes      ? 1 / static_cast<float>(planes)
                          : k < last_planes ? last[v * last_planes + k]
                                            : 0.f;
  }
};

/// The squares of the shares decide between planes.
struct Decide {
  Planes planes;
  const float* y;
  float *p, *level;
  SCANLENS_HOST_DEVICE void operator()(std::int64_t v) const {
    const std::int64_t first = v * planes.count;
    float sum = 0;
    for (int k = 0; k < planes.count; ++k) {
      const float share = y[first + k] > kLeastShare ? y[first + k] : kLeastShare;
      p[first + k] = rounded_product(share, share);
      sum += p[first + k];
    }
    float nearness = 0;
    for (int k = 0; k < planes.count; ++k) {
      p[first + k] /= sum;
      if (planes.plane[k].is_level()) nearness += rounded_product(p[first + k], planes.plane[k].at(0, 0));
    }
    level[v] = nearness;
  }
};

}  // namespace

void find_shares(Context& context, const Grid& grid, const Planes& planes, View<const std::int16_t> numbers,
                 bool warm, Shares& shares) {
  const std::int64_t n = grid.vertices, elements = n * planes.count;
  Workspace workspace(context);
  auto* const counts = workspace.take<std::uint32_t>(elements);
  auto* const b = workspace.take<float>(elements);
  for_each(context, elements, SetZero<std::uint32_t>{counts});
  for_each_pixel(context, numbers.width, numbers.height,
                 CountPixels{numbers, grid.of_pixel.data(), planes.count, counts});
  for_each(context, n,
           MakeRightSides{counts, grid.row_begin.data(), grid.mass.data(), grid.diagonal.data(), planes.count,
                          grid.values.data(), b});

  // Only where the number of planes changes there is anything to allocate.
  const int last_planes = warm ? shares.planes : 0;
  Array<float> last;
  if (shares.planes != planes.count) {
    last = std::exchange(shares.y, Array<float>(context, elements));
    shares.p = Array<float>(context, elements);
  }
  if (shares.planes != planes.count || last_planes == 0)
    for_each(context, n, Start{last.data(), last_planes, planes.count, shares.y.data()});
  shares.planes = planes.count;
  const CsrMatrix<float> system = {n, n, grid.row_begin.span(), grid.neighbours.span(), grid.values.span()};
  conjugate_gradients<float>(context, system, std::span<const float>(b, static_cast<std::size_t>(elements)),
                             shares.y.span(), planes.count, shares.solved.data());
  for_each(context, n, Decide{planes, shares.y.data(), shares.p.data(), shares.level.data()});
}

}  // namespace scanlens::strokes
