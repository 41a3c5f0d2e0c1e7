// Scans of lines on the CPU, whatever elements are made of (core/lines/elements.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "core/cpu/pieces.h"
#include "core/cpu/running.h"
#include "core/rows/cpu.h"
#include "core/scan/cpu.h"
#include "core/scan_axis.h"

namespace scanlens::cpu {

/// A line of an array: where its elements lie, in the order of the scan.
template <class Elements>
struct Line {
  const Elements& elements;
  std::int64_t first;   ///< element of the array
  std::int64_t length;  ///< elements
  std::int64_t step;    ///< from element to element

  using Total = Running<typename Elements::Value, typename Elements::Op>;

  std::int64_t place(std::int64_t i) const { return elements.form.reverse ? length - 1 - i : i; }

  typename Elements::Value value(std::int64_t at, std::int64_t i) const {
    return elements.value(elements.read(first + at * step), static_cast<typename Elements::Position>(i));
  }
  void append(Total& total, std::int64_t i) const {
    const std::int64_t at = place(i);
    total.append(value(at, i));
  }
  /// Appends an element and writes its results.
  void write(Total& total, std::int64_t i) const {
    const std::int64_t at = place(i);
    const auto next = value(at, i);
    if (elements.form.inclusive) total.append(next);
    const typename Elements::Value result = total.value();
    elements.template write<0>(first + at * step, elements.template piece<0>(result));
    if constexpr (Elements::kPieces > 1)
      elements.template write<1>(first + at * step, elements.template piece<1>(result));
    if (!elements.form.inclusive) total.append(next);
  }
};

template <class Elements>
typename Line<Elements>::Total begin_of(const Elements& elements) {
  typename Line<Elements>::Total total(elements.op);
  total.append(elements.begin());
  return total;
}

/// Scans one line by all threads.
template <class Elements>
void scan_line(const Line<Elements>& line) {
  using Total = typename Line<Elements>::Total;
  constexpr std::int64_t kPiece = kScanPiece<typename Elements::Item>;
  Total start = begin_of(line.elements);
  if (line.length <= kPiece) {
    for (std::int64_t i = 0; i < line.length; ++i) line.write(start, i);
    return;
  }
  for_each_piece(
      line.length, kPiece, start,
      [&](const Piece& piece) {
        Total total(line.elements.op);
        for (std::int64_t i = piece.first; i < piece.first + piece.count; ++i) line.append(total, i);
        return total;
      },
      [&](const Piece& piece, Total before, const Total&) {
        for (std::int64_t i = piece.first; i < piece.first + piece.count; ++i) line.write(before, i);
      });
}

/// Neighbouring columns of one outer element, which are scanned side by side.
template <class Elements>
class Strip {
 public:
  static constexpr std::int64_t kColumns = 64;
  using Total = typename Line<Elements>::Total;

  /// Totals of all columns.
  struct Totals {
    std::array<Total, kColumns> of;

    explicit Totals(const Total& total) : Totals(total, std::make_index_sequence<kColumns>()) {}
    void append(const Totals& later) {
      for (std::size_t x = 0; x < of.size(); ++x) of[x].append(later.of[x]);
    }

   private:
    template <std::size_t... I>
    Totals(const Total& total, std::index_sequence<I...>) : of{((void)I, total)...} {}
  };

  Strip(const Elements& elements, const Axis& axis, std::int64_t number)
      : elements_(elements), axis_(axis), outer_(number / strips(axis)) {
    x_ = number % strips(axis) * kColumns;
    width_ = std::min(kColumns, axis.inner - x_);
  }
  static std::int64_t strips(const Axis& axis) { return (axis.inner + kColumns - 1) / kColumns; }

  void append(Totals& totals, std::int64_t first, std::int64_t count) const {
    over(first, count, [&](const Line<Elements>& line, std::int64_t x, std::int64_t i) {
      line.append(totals.of[static_cast<std::size_t>(x)], i);
    });
  }
  void write(Totals& totals, std::int64_t first, std::int64_t count) const {
    over(first, count, [&](const Line<Elements>& line, std::int64_t x, std::int64_t i) {
      line.write(totals.of[static_cast<std::size_t>(x)], i);
    });
  }

 private:
  template <class Visit>
  void over(std::int64_t first, std::int64_t count, const Visit& visit) const {
    for (std::int64_t i = first; i < first + count; ++i)
      for (std::int64_t x = 0; x < width_; ++x)
        visit(Line<Elements>{elements_, outer_ * axis_.length * axis_.inner + x_ + x, axis_.length,
                             axis_.inner},
              x, i);
  }

  const Elements& elements_;
  Axis axis_;
  std::int64_t outer_, x_, width_;
};

/// Scans the lines along the axis of dense arrays that are not empty.
template <class Elements>
void scan_lines(Context&, const Elements& elements, const Axis& axis) {
  using Total = typename Line<Elements>::Total;
  if (axis.inner == 1) {
    // An array of one line may have fewer elements that count.
    const std::int64_t length = elements.form.count_of(axis.length);
    const auto scan_outer = [&](std::int64_t outer) {
      scan_line(Line<Elements>{elements, outer * length, length, 1});
    };
    if (axis.outer >= thread_count())
      in_parallel(axis.outer, scan_outer);
    else
      for (std::int64_t outer = 0; outer < axis.outer; ++outer) scan_outer(outer);
    return;
  }
  using Strip = Strip<Elements>;
  using Totals = typename Strip::Totals;
  const Totals start(begin_of(elements));
  const std::int64_t strips = axis.outer * Strip::strips(axis);
  if (strips >= thread_count()) {
    in_parallel(strips, [&](std::int64_t number) {
      Totals totals = start;
      Strip(elements, axis, number).write(totals, 0, axis.length);
    });
    return;
  }
  const std::int64_t rows =
      std::max<std::int64_t>(1, kScanPiece<typename Elements::Item> / std::min(Strip::kColumns, axis.inner));
  for (std::int64_t number = 0; number < strips; ++number) {
    const Strip strip(elements, axis, number);
    for_each_piece(
        axis.length, rows, start,
        [&](const Piece& piece) {
          Totals totals{Total(elements.op)};
          strip.append(totals, piece.first, piece.count);
          return totals;
        },
        [&](const Piece& piece, Totals above, const Totals&) {
          strip.write(above, piece.first, piece.count);
        });
  }
}

}  // namespace scanlens::cpu
