// The fill's table on the CPU.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/context.h"
#include "core/cpu/pieces.h"
#include "filters/dof/cpu/circles.h"
#include "filters/dof/cpu/lamps.h"
#include "filters/dof/layered.h"

namespace scanlens::cpu {

/// The summed-area table of the cells that fill what things hide. It is empty where nothing lies behind
/// anything.
template <int kSamples>
class FillTable {
 public:
  static constexpr int kLight = kSamples, kTerms = kLight + 1;

  /// Takes the memory, if any pixel can have weight.
  FillTable(Workspace& workspace, std::int64_t width, std::int64_t height, bool any)
      : row_(any ? fill_cells(static_cast<int>(width)) * std::int64_t{kTerms} : 0),
        rows_(any ? fill_cells(static_cast<int>(height)) : 0),
        table_(workspace.take<std::uint32_t>(row_ * rows_)) {}

  /// Makes it in bands of rows: tables of their own at first, to which then is added what lies above.
  template <class T>
  void make(const LayeredTask<T>& task, const Circles& circles, const Lamps& lamps) {
    if (rows_ == 0) return;
    const std::int64_t bands = thread_count() > 1 ? std::min<std::int64_t>(rows_, 4 * thread_count()) : 1;
    const auto end_of = [&](std::int64_t band) { return rows_ * (band + 1) / bands; };
    for_each_task(bands, [&](std::int64_t band) {
      for (std::int64_t first = end_of(band - 1), y = first; y < end_of(band); ++y) {
        write_terms(task, circles, lamps, static_cast<int>(y));
        sum(row(y), y > first ? row(y - 1) : nullptr);
      }
    });
    constexpr std::int64_t kColumns = 512;
    for_each_task(pieces_of(row_, kColumns), [&](std::int64_t part) {
      const std::int64_t first = part * kColumns, count = std::min(kColumns, row_ - first);
      for (std::int64_t band = 1; band < bands; ++band)
        add(row(end_of(band - 1) - 1) + first, row(end_of(band) - 1) + first, count);
    });
    for_each_task(bands - 1, [&](std::int64_t above) {
      for (std::int64_t first = end_of(above), y = first; y + 1 < end_of(above + 1); ++y)
        add(row(first - 1), row(y), row_);
    });
  }

  /// The sums over the cells of a box, which lies in the table.
  void sums(const Box& box, float* sums) const {
    for (int c = 0; c < kTerms; ++c) sums[c] = sum(box, c);
  }
  /// The sum of one term over them.
  float sum(const Box& box, int term) const {
    if (rows_ == 0) return 0;
    const auto plus = [](std::uint32_t a, std::uint32_t b) { return a + b; };
    const auto minus = [](std::uint32_t a, std::uint32_t b) { return a - b; };
    const auto at = [&](std::int64_t x, std::int64_t y) {
      return x >= 0 && y >= 0 ? row(y)[x * kTerms + term] : 0u;
    };
    return static_cast<float>(SCANLENS_BOX_SUM(plus, minus, at(box.x1, box.y1), at(box.x1, box.y0 - 1),
                                               at(box.x0 - 1, box.y1), at(box.x0 - 1, box.y0 - 1)));
  }

 private:
  std::uint32_t* row(std::int64_t y) const { return table_ + y * row_; }

  static void add(const std::uint32_t* from, std::uint32_t* to, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) to[i] += from[i];
  }
  /// Sums a row of terms in place.
  void sum(std::uint32_t* terms, const std::uint32_t* above) const {
    std::uint32_t along[kTerms] = {};
    for (std::int64_t i = 0; i < row_; i += kTerms)
      for (int c = 0; c < kTerms; ++c) {
        along[c] += terms[i + c];
        terms[i + c] = along[c] + (above ? above[i + c] : 0);
      }
  }

  /// Writes the terms of a row of cells.
  template <class T>
  void write_terms(const LayeredTask<T>& task, const Circles& circles, const Lamps& lamps, int cell_y) const {
    const auto width = static_cast<int>(task.image.width), height = static_cast<int>(task.image.height);
    const int y = cell_y * kFillCell, bottom = std::min(y + kFillCell, height);
    std::uint32_t* out = row(cell_y);
    const NearTiles& tiles = circles.tiles.fine;
    for (int tile = 0; tile < tiles.across; ++tile) {
      const float nearest = circles.tiles.nearest_around(circles.nearest.data(), tile, y / tiles.side,
                                                         [](float circle) { return circle; });
      const int end = static_cast<int>(std::min<std::int64_t>(width, (tile + std::int64_t{1}) * tiles.side));
      for (int x = tile * tiles.side; x < end; x += kFillCell, out += kTerms) {
        if (!(fill_weight(circles.least, nearest) > 0)) {
          std::fill_n(out, kTerms, 0u);
          continue;
        }
        FillCell<kLight> cell;
        for (int j = y; j < bottom; ++j)
          for (int i = x; i < std::min(x + kFillCell, width); ++i) {
            const float circle = circles.of_pixel(i, j), weight = fill_weight(circle, nearest);
            if (weight > 0) add_to_fill(task, i, j, circle, weight, lamps.share_of_block(i, j), cell);
          }
        const int pixels = (std::min(x + kFillCell, width) - x) * (bottom - y);
        cell.finish(pixels, task.fill_one, pixel_hash(x, y),
                    [&](int c, std::uint32_t term) { out[c] = term; });
      }
    }
  }

  std::int64_t row_, rows_;  ///< elements of a row; rows
  std::uint32_t* table_;
};

}  // namespace scanlens::cpu
