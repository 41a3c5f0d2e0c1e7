// One summed-area table of a call on the CPU, band by band.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/cpu/copy.h"
#include "core/sat/backends.h"
#include "core/sat/cpu/rows.h"
#include "core/sat/cpu/terms.h"

namespace scanlens::cpu {

/// Rows that begin at different places of their cache lines, on their way past the cache: whole lines go, and
/// what is left of a part waits for the next.
template <class Out>
class StagedRows {
 public:
  static constexpr std::int64_t kLength = 3072 / sizeof(Out);  ///< elements of a part; whole pixels

  static constexpr std::int64_t kPitch = 64 / sizeof(Out) + kLength;  ///< between rows

  Out* room(int row) { return rows_[row] + kLine; }

  /// `count` elements at room(row) are to lie at `out`, next to those before.
  void write(int row, Out* out, std::int64_t count, bool last) {
    const std::int64_t all = waiting_[row] + count;
    const auto end = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(out + count) / sizeof(Out));
    const std::int64_t left = last ? 0 : std::min(all, end % kLine);
    copy_past_cache(room(row) - waiting_[row], out - waiting_[row],
                    static_cast<std::size_t>(all - left) * sizeof(Out));
    std::copy_n(room(row) + count - left, left, room(row) - left);
    waiting_[row] = left;
  }

 private:
  static constexpr std::int64_t kLine = 64 / sizeof(Out);
  alignas(64) Out rows_[kSatRows][kPitch];
  std::int64_t waiting_[kSatRows] = {};
};

/// A table of sums, or of sums of squares. Rows that are passed in hold all planes and have `room()`
/// elements.
template <class T, class S, class Out, bool kSquared>
class SatTable {
 public:
  SatTable(const SatTask<T, S>& task, const TablePlaces<Out>& places)
      : task_(task),
        places_(places),
        terms_(task, places),
        past_cache_(outgrows_cache<Out>(task.images * task.height * room())) {}

  /// Elements of a row.
  std::int64_t room() const { return terms_.planes() * terms_.length(); }

  /// The row above the first of image b.
  void start(std::int64_t b, Out* above) const {
    for (int p = 0; p < terms_.planes(); ++p)
      if (task_.above == Above::sums)
        std::copy_n(&places_.at(b, 0, -1, p), terms_.length(), plane_of(above, p));
      else
        std::fill_n(plane_of(above, p), terms_.length(), Out{0});
  }

  /// The zeros above and left of image b's table.
  void write_border(std::int64_t b) const {
    const int left = task_.zeros_left ? 1 : 0;
    for (int p = 0; p < terms_.planes(); ++p) {
      if (task_.above == Above::zeros)
        std::fill_n(&places_.at(b, -left, -1, p), (task_.image.width + left) * terms_.interleaved(), Out{0});
      for (std::int64_t y = 0; left && y < task_.height; ++y)
        std::fill_n(&places_.at(b, -1, y, p), terms_.interleaved(), Out{0});
    }
  }

  /// sums = what rows y … end - 1 add to the rows below them. `scratch` is a row to work in.
  void measure(std::int64_t b, std::int64_t y, std::int64_t end, Out* sums, Out* scratch) const {
    std::fill_n(sums, room(), Out{0});
    if constexpr (std::is_floating_point_v<Out>)
      return add_in_order<false>(b, y, end, nullptr, sums);
    else
      add_columns(b, y, end, sums, scratch);
  }

  /// Writes rows y … end - 1 below the row `above`, which becomes the last of them. Doubles are the same bits
  /// True if `above` comes out of measures, false if of writes.
  void write(std::int64_t b, std::int64_t y, std::int64_t end, Out* above, Out* scratch,
             std::int64_t ahead) const {
    if constexpr (std::is_floating_point_v<Out>) {
      std::fill_n(scratch, room(), Out{0});
      add_in_order<true>(b, y, end, above, scratch);
      for (std::int64_t i = 0; i < room(); ++i) above[i] += scratch[i];
    } else {
      scan(b, y, end, above, ahead);
    }
    if (past_cache_) fence_copies();
  }

 private:
  Out* plane_of(Out* row, int plane) const { return row + plane * terms_.length(); }

  /// body(y, rows, plane) for up to kSatRows rows at a time.
  template <class Body>
  void for_rows(std::int64_t y, std::int64_t end, const Body& body) const {
    for (; y < end; y += kSatRows)
      for (int p = 0; p < terms_.planes(); ++p)
        body(y, static_cast<int>(std::min<std::int64_t>(kSatRows, end - y)), p);
  }

  /// Integers: sums of columns first, which are quick, and scanned in the end.
  void add_columns(std::int64_t b, std::int64_t first, std::int64_t end, Out* sums, Out* columns) const {
    std::fill_n(columns, room(), Out{0});
    if (terms_.direct()) {
      if constexpr (std::is_integral_v<T>)
        add_rows(task_.image.row(b * task_.height + first), task_.image.pitch, static_cast<int>(end - first),
                 terms_.length(), columns);
    } else {
      for_rows(first, end, [&](std::int64_t y, int count, int p) {
        terms_.visit(b, y, count, p, 0,
                     [&](const auto* in, std::int64_t pitch, std::int64_t x, std::int64_t length,
                         std::int64_t) { add_rows(in, pitch, count, length, plane_of(columns, p) + x); });
      });
    }
    for (int p = 0; p < terms_.planes(); ++p) {
      Out* const columns_of_plane = plane_of(columns, p);
      scan_rows_of_table(SatRows<Out, Out>{.in = columns_of_plane,
                                           .out = columns_of_plane,
                                           .count = 1,
                                           .channels = terms_.interleaved(),
                                           .length = terms_.length(),
                                           .above = plane_of(sums, p)});
    }
  }

  /// Up to kSatRows rows of one plane of the table, from row y of image b on.
  struct Place {
    std::int64_t b, y;
    int count, plane;
  };

  /// body(i, n, out, pitch) for one part after the other of elements x … x + length - 1: n elements of each
  /// row, from x + i on, are to be written at out + r * pitch.
  template <class Body>
  void write_parts(const Place& place, std::int64_t x, std::int64_t length, StagedRows<Out>* staged,
                   const Body& body) const {
    const std::int64_t step = staged ? StagedRows<Out>::kLength : length;
    for (std::int64_t i = 0; i < length; i += step) {
      const std::int64_t n = std::min(step, length - i);
      const auto row = [&](int r) { return &places_.at(place.b, 0, place.y + r, place.plane) + x + i; };
      if (staged)
        body(i, n, staged->room(0), StagedRows<Out>::kPitch);
      else
        body(i, n, row(0), places_.pitch);
      for (int r = 0; staged && r < place.count; ++r)
        staged->write(r, row(r), n, x + i + n == terms_.length());
    }
  }

  /// Integers.
  void scan(std::int64_t b, std::int64_t first, std::int64_t end, Out* above, std::int64_t ahead) const {
    const bool alike = places_.pitch * sizeof(Out) % 64 == 0;  // the rows' places in a cache line
    const bool is_staged = past_cache_ && !alike;
    // Samples that are terms go in one call: 100 ns for each four rows would be a third of a table of 512².
    if (terms_.direct() && !is_staged) {
      scan_rows(b, first, static_cast<int>(end - first), 0, above, ahead, nullptr, nullptr);
    } else {
      for_rows(first, end, [&](std::int64_t y, int count, int p) {
        Out left[kSatRows][4] = {};
        StagedRows<Out> staged;
        scan_rows(b, y, count, p, above, ahead, left, is_staged ? &staged : nullptr);
      });
    }
  }

  void scan_rows(std::int64_t b, std::int64_t y, int count, int plane, Out* above, std::int64_t ahead,
                 Out (*left)[4], StagedRows<Out>* staged) const {
    terms_.visit(b, y, count, plane, ahead,
                 [&]<class In>(const In* in, std::int64_t pitch, std::int64_t x, std::int64_t length,
                               std::int64_t then) {
                   SatRows<In, Out> rows{.in_pitch = pitch,
                                         .count = count,
                                         .channels = terms_.interleaved(),
                                         .left = left,
                                         .ahead = then,
                                         .past_cache = past_cache_ && !staged};
                   write_parts({b, y, count, plane}, x, length, staged,
                               [&](std::int64_t i, std::int64_t n, Out* out, std::int64_t out_pitch) {
                                 rows.in = in + i;
                                 rows.out = out;
                                 rows.out_pitch = out_pitch;
                                 rows.length = n;
                                 rows.above = plane_of(above, plane) + x + i;
                                 scan_rows_of_table(rows);
                               });
                 });
  }

  /// Floating point: pixel after pixel and row after row, onto `sums`, the band's own; the table's are they
  /// and the row above the band. No instruction set adds in another order.
  template <bool kWrite>
  void add_in_order(std::int64_t b, std::int64_t first, std::int64_t end, const Out* above, Out* sums) const {
    for_rows(first, end, [&](std::int64_t y, int count, int p) {
      Out left[kSatRows][4] = {};
      StagedRows<Out> staged;
      terms_.visit(
          b, y, count, p, 0,
          [&]<class In>(const In* in, std::int64_t pitch, std::int64_t x, std::int64_t length, std::int64_t) {
            const auto add = [&](std::int64_t i, std::int64_t n, Out* out, std::int64_t out_pitch) {
              const std::int64_t at = p * terms_.length() + x + i;
              add_pixels<kWrite>(in + i, pitch, count, n, left, kWrite ? above + at : nullptr, sums + at, out,
                                 out_pitch);
            };
            if (kWrite)
              write_parts({b, y, count, p}, x, length, past_cache_ ? &staged : nullptr, add);
            else
              add(0, length, nullptr, 0);
          });
    });
  }

  template <bool kWrite, class In>
  void add_pixels(const In* in, std::int64_t pitch, int count, std::int64_t length, Out (*left)[4],
                  const Out* above, Out* sums, Out* out, std::int64_t out_pitch) const {
    const auto add = [&]<int kCount, int kChannels>(std::integral_constant<int, kCount>,
                                                    std::integral_constant<int, kChannels>, int first) {
      Out running[kCount][kChannels];  // in registers
      for (int r = 0; r < kCount; ++r) std::copy_n(left[first + r], kChannels, running[r]);
      for (std::int64_t i = 0; i < length; i += kChannels)
        for (int c = 0; c < kChannels; ++c) {
          Out sum = sums[i + c];
          for (int r = 0; r < kCount; ++r) {
            running[r][c] += static_cast<Out>(in[(first + r) * pitch + i + c]);
            sum += running[r][c];
            if (kWrite) out[(first + r) * out_pitch + i + c] = above[i + c] + sum;
          }
          sums[i + c] = sum;
        }
      for (int r = 0; r < kCount; ++r) std::copy_n(running[r], kChannels, left[first + r]);
    };
    const auto add_rows = [&]<int kChannels>(std::integral_constant<int, kChannels> channels) {
      if (count == kSatRows) return add(std::integral_constant<int, kSatRows>(), channels, 0);
      for (int r = 0; r < count; ++r) add(std::integral_constant<int, 1>(), channels, r);
    };
    if (terms_.interleaved() == 1) return add_rows(std::integral_constant<int, 1>());
    if (terms_.interleaved() == 3) return add_rows(std::integral_constant<int, 3>());
    add_rows(std::integral_constant<int, 4>());
  }

  const SatTask<T, S>& task_;
  const TablePlaces<Out>& places_;
  SatTerms<T, S, Out, kSquared> terms_;
  bool past_cache_;
};

}  // namespace scanlens::cpu
