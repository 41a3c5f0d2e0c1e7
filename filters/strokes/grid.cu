// The bilateral grid: pixels that are near in place and colour are one vertex, and a sparse matrix links
// vertices. Barron and Poole, ECCV 2016.
#include <algorithm>
#include <cstdint>

#include "core/compact.h"
#include "core/sat.h"
#include "core/sort.h"
#include "core/sparse/solve_order.h"
#include "filters/strokes/parts.h"

namespace scanlens::strokes {
namespace {

constexpr int kCells[] = {30, 20};                             // across the photo
constexpr int kLuma = 24, kChroma = 15;                        // steps of 255
constexpr float kQuiet = 1e-5f;                                // pull to equal shares where no stroke reaches
constexpr int kNeighbours = 10;                                // two in each of five dimensions
constexpr int kRounds = 20;                                    // until the blur is bistochastic
constexpr std::int64_t kMostVertices = std::int64_t{1} << 17;  // noise has more; then steps grow

/// A vertex as a number: row, column, luma, two of chroma, each one more than it is, so that neighbours need
/// no case for borders.
constexpr int kShiftRow = 19;
constexpr std::uint32_t kMostRow = 8190;

struct MakeKeys {
  View<const std::uint8_t> photo;
  std::int64_t cells_across;
  int luma_step, chroma_step;
  int shift;            ///< in half cells and half steps
  std::uint64_t* keys;  ///< with the pixel below

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const std::uint8_t* const rgb = &photo(x, y);
    // JPEG's luma and differences of colour, in 14 bits.
    const int red = rgb[0], green = rgb[1], blue = rgb[2];
    const int luma = (4899 * red + 9617 * green + 1868 * blue + 8192) >> 14;
    const int cr = clipped(((red - luma) * 11682 + (128 << 14) + 8192) >> 14);
    const int cb = clipped(((blue - luma) * 9241 + (128 << 14) + 8192) >> 14);
    const auto column = static_cast<std::uint32_t>((2 * cells_across * x / photo.width + shift) / 2);
    const auto row_cell = static_cast<std::uint32_t>((2 * cells_across * y / photo.width + shift) / 2);
    const std::uint32_t row = row_cell < kMostRow ? row_cell : kMostRow - 1;
    const std::int64_t i = y * photo.width + x;
    const std::uint32_t key =
        (row + 1) << kShiftRow | (column + 1) << 14 |
        static_cast<std::uint32_t>((luma + shift * luma_step / 2) / luma_step + 1) << 10 |
        static_cast<std::uint32_t>((cb + shift * chroma_step / 2) / chroma_step + 1) << 5 |
        static_cast<std::uint32_t>((cr + shift * chroma_step / 2) / chroma_step + 1);
    keys[i] = static_cast<std::uint64_t>(key) << 32 | static_cast<std::uint32_t>(i);
  }
  SCANLENS_HOST_DEVICE static int clipped(int value) { return value < 0 ? 0 : (value > 255 ? 255 : value); }
};

/// The first of ascending keys that is not less.
SCANLENS_HOST_DEVICE inline std::int64_t place_of(const std::uint32_t* keys, std::int64_t count,
                                                  std::uint32_t key) {
  std::int64_t least = 0;
  while (count > 0) {
    const std::int64_t half = count / 2;
    const bool before = keys[least + half] < key;
    least = before ? least + half + 1 : least;
    count = before ? count - half - 1 : half;
  }
  return least;
}

/// Parts sorted keys from their pixels, and marks the first of equal ones.
struct PartKeys {
  const std::uint64_t* sorted;
  std::uint32_t *keys, *pixels;
  std::uint8_t* first;
  SCANLENS_HOST_DEVICE void operator()(std::int64_t i) const {
    keys[i] = static_cast<std::uint32_t>(sorted[i] >> 32);
    pixels[i] = static_cast<std::uint32_t>(sorted[i]);
    first[i] = i == 0 || sorted[i] >> 32 != sorted[i - 1] >> 32;
  }
};

struct FindPixels {
  const std::uint32_t *sorted, *vertices;
  std::int64_t pixels, count;
  std::uint32_t* begin;
  SCANLENS_HOST_DEVICE void operator()(std::int64_t v) const {
    begin[v] = static_cast<std::uint32_t>(v < count ? place_of(sorted, pixels, vertices[v]) : pixels);
  }
};

struct NumberPixels {
  const std::uint32_t *begin, *pixels;
  std::uint32_t* of_pixel;
  SCANLENS_HOST_DEVICE void operator()(std::int64_t v) const {
    for (std::uint32_t k = begin[v]; k < begin[v + 1]; ++k)
      of_pixel[pixels[k]] = static_cast<std::uint32_t>(v);
  }
};

/// Calls found(vertex) for the neighbours of vertex v, in ascending order.
template <class Found>
SCANLENS_HOST_DEVICE void visit_neighbours(const std::uint32_t* vertices, std::int64_t count, std::int64_t v,
                                           const Found& found) {
  constexpr std::uint32_t kSteps[] = {1, 1u << 5, 1u << 10, 1u << 14, 1u << kShiftRow};
  for (int i = 0; i < kNeighbours; ++i) {
    const std::uint32_t step = kSteps[i < 5 ? 4 - i : i - 5];
    const std::uint32_t key = i < 5 ? vertices[v] - step : vertices[v] + step;
    const std::int64_t at = place_of(vertices, count, key);
    if (at < count && vertices[at] == key) found(static_cast<std::uint32_t>(at));
  }
}

struct CountNeighbours {
  const std::uint32_t* vertices;
  std::int64_t count;
  std::uint32_t* counts;
  SCANLENS_HOST_DEVICE void operator()(std::int64_t v) const {
    std::uint32_t n = 1;
    visit_neighbours(vertices, count, v, [&](std::uint32_t) { ++n; });
    counts[v] = n;
  }
};

struct FindNeighbours {
  const std::uint32_t* vertices;
  std::int64_t count;
  const std::uint32_t* row_begin;
  std::uint32_t* neighbours;
  float* values;
  SCANLENS_HOST_DEVICE void operator()(std::int64_t v) const {
    std::uint32_t k = row_begin[v];
    neighbours[k] = static_cast<std::uint32_t>(v);
    values[k++] = kNeighbours;
    visit_neighbours(vertices, count, v, [&](std::uint32_t other) {
      neighbours[k] = other;
      values[k++] = 1;
    });
  }
};

struct Begin {
  const std::uint32_t* begin;
  float *mass, *weight;
  SCANLENS_HOST_DEVICE void operator()(std::int64_t v) const {
    mass[v] = static_cast<float>(begin[v + 1] - begin[v]);
    weight[v] = 1;
  }
};

/// weight <- sqrt(weight mass / (blur weight)).
struct Balance {
  const float *mass, *blurred;
  float* weight;
  SCANLENS_HOST_DEVICE void operator()(std::int64_t v) const {
    weight[v] = sqrtf(rounded_product(weight[v], mass[v]) / blurred[v]);
  }
};

/// The matrix of smoothness: diag(mass) - diag(weight) blur diag(weight), and a little more on the diagonal.
struct MakeSystem {
  const std::uint32_t *row_begin, *neighbours;
  const float *weight, *blurred;
  float *values, *diagonal, *mass;
  SCANLENS_HOST_DEVICE void operator()(std::int64_t v) const {
    const double own = weight[v], all = own * static_cast<double>(blurred[v]);
    mass[v] = static_cast<float>(all);
    diagonal[v] = static_cast<float>(all - kNeighbours * own * own + static_cast<double>(kQuiet) * all);
    for (std::uint32_t k = row_begin[v] + 1; k < row_begin[v + 1]; ++k)
      values[k] = -rounded_product(weight[v], weight[neighbours[k]]);
  }
};

}  // namespace

Grid make_grid(Context& context, View<const std::uint8_t> photo, int number) {
  const std::int64_t pixels = photo.width * photo.height;
  const auto size = static_cast<std::size_t>(pixels);
  Grid grid;
  grid.columns = photo.width;
  grid.rows = photo.height;
  Workspace workspace(context);
  auto* const packed = workspace.take<std::uint64_t>(pixels);
  auto* const keys = workspace.take<std::uint32_t>(pixels);
  auto* const sorted_pixels = workspace.take<std::uint32_t>(pixels);
  auto* const first = workspace.take<std::uint8_t>(pixels);
  auto* const vertices = workspace.take<std::uint32_t>(pixels);
  auto* const device_count = workspace.take<std::uint64_t>(1);
  std::uint64_t count = 0;
  const auto find = [&](int coarse) {
    for_each_pixel(context, photo.width, photo.height,
                   MakeKeys{photo, kCells[number / 2], kLuma * coarse, kChroma * coarse, number % 2, packed});
    sort_keys(context, std::span<const std::uint64_t>(packed, size), std::span(packed, size),
              {.first_bit = 32});
    for_each(context, pixels, PartKeys{packed, keys, sorted_pixels, first});
    compact_flagged(context, std::span<const std::uint32_t>(keys, size),
                    std::span<const std::uint8_t>(first, size), std::span(vertices, size), device_count);
    copy_bytes(context, device_count, sizeof count, &count, sizeof count, sizeof count, 1);
    context.synchronize();
  };
  find(1);
  for (int coarse = 2; static_cast<std::int64_t>(count) > kMostVertices && coarse <= 16; coarse *= 2)
    find(coarse);
  const auto n = static_cast<std::int64_t>(count);
  grid.vertices = n;
  grid.of_pixel = Array<std::uint32_t>(context, pixels);
  grid.row_begin = Array<std::uint32_t>(context, n + 1);
  grid.neighbours = Array<std::uint32_t>(context, n * (1 + kNeighbours));
  grid.values = Array<float>(context, n * (1 + kNeighbours));
  grid.diagonal = Array<float>(context, n);
  grid.mass = Array<float>(context, n);

  auto* const begin = workspace.take<std::uint32_t>(n + 1);
  for_each(context, n + 1, FindPixels{keys, vertices, pixels, n, begin});
  for_each(context, n, NumberPixels{begin, sorted_pixels, grid.of_pixel.data()});

  // The sums of counts are where rows begin: a table of one row.
  std::uint32_t* const row_begin = grid.row_begin.data();
  auto* const counts = workspace.take<std::uint32_t>(n);
  for_each(context, n, CountNeighbours{vertices, n, counts});
  for_each(context, 1, SetZero<std::uint32_t>{row_begin});
  summed_area_table(context, View<const std::uint32_t>(counts, n, 1),
                    View<std::uint32_t>(row_begin + 1, n, 1));
  for_each(context, n, FindNeighbours{vertices, n, row_begin, grid.neighbours.data(), grid.values.data()});

  auto* const weight = workspace.take<float>(n);
  auto* const blurred = workspace.take<float>(n);
  const CsrMatrix<float> blur = {n, n, grid.row_begin.span(), grid.neighbours.span(), grid.values.span()};
  const auto vector = [n](float* data) { return std::span(data, static_cast<std::size_t>(n)); };
  for_each(context, n, Begin{begin, grid.mass.data(), weight});
  for (int round = 0; round < kRounds; ++round) {
    spmm<float>(context, blur, vector(weight), 1, vector(blurred));
    for_each(context, n, Balance{grid.mass.data(), blurred, weight});
  }
  spmm<float>(context, blur, vector(weight), 1, vector(blurred));
  for_each(context, n,
           MakeSystem{row_begin, grid.neighbours.data(), weight, blurred, grid.values.data(),
                      grid.diagonal.data(), grid.mass.data()});
  return grid;
}

}  // namespace scanlens::strokes
