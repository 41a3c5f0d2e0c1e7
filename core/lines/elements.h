// Elements of lines: how each is read, combined with those before it, and written. Both backends take them.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/half.h"
#include "core/log_sum_exp.h"
#include "core/operators.h"
#include "core/scan/form.h"
#include "core/scan_axis.h"
#include "core/view.h"

namespace scanlens {

// Every kind of elements has: Item, as it is read; Value, as it is combined by `op`; begin(), which stands
// before a line; value(), of an item at a position along its line, counted in the order of the scan; and
// kPieces results of each element, piece k of them made and written by piece<k>() and write<k>().

/// sum * exp(most), where `most` is the greatest of the logarithms that were added.
template <class T>
struct LogTerm {
  T most, sum;
};

/// One exponential an addition; the logarithm is taken of results alone.
struct AddLogTerms {
  template <class T>
  SCANLENS_HOST_DEVICE LogTerm<T> operator()(const LogTerm<T>& a, const LogTerm<T>& b) const {
    const bool b_is_more = a.most < b.most;
    const LogTerm<T> more = b_is_more ? b : a, less = b_is_more ? a : b;
    const T apart = less.most == more.most ? T{0} : less.most - more.most;  // infinities may be equal
    return {more.most, more.sum + less.sum * log_formula::exponential(apart)};
  }
  template <class Term>
  SCANLENS_HOST_DEVICE static constexpr Term identity() {
    return {kLeastOf<decltype(Term::most)>, 0};
  }
};

/// One array of logarithms in, one out.
template <class T>
struct LogElements {
  using Item = T;
  using Op = AddLogTerms;
  using Value = LogTerm<CombinedIn<T>>;
  using Position = std::int64_t;
  static constexpr int kPieces = 1;
  static constexpr bool kMayBeExclusive = true;

  const T* in;
  T* out;
  ScanForm<T> form;
  Op op;

  SCANLENS_HOST_DEVICE Item read(std::int64_t at) const { return in[at]; }
  SCANLENS_HOST_DEVICE Value value(const Item& item, Position) const {
    return {static_cast<CombinedIn<T>>(item), 1};
  }
  SCANLENS_HOST_DEVICE Value begin() const { return {form.begin(), 1}; }
  template <int>
  SCANLENS_HOST_DEVICE T piece(const Value& value) const {
    return static_cast<T>(value.most + log_formula::fast_logarithm(value.sum));
  }
  template <int>
  SCANLENS_HOST_DEVICE void write(std::int64_t at, T piece) const {
    out[at] = piece;
  }
};

/// The place in memory of a position along a line, counted in the order of the scan.
SCANLENS_HOST_DEVICE inline std::int64_t place_of(std::int64_t position, std::int64_t length, bool reverse) {
  return reverse ? length - 1 - position : position;
}

/// A number of 32 bits that is the greater the better an element is: NaN is best.
template <class T>
SCANLENS_HOST_DEVICE std::uint32_t rank_of(T value, bool greatest) {
  std::uint32_t bits;
  if constexpr (std::is_integral_v<T>) {
    bits = static_cast<std::uint32_t>(value) ^ (std::is_signed_v<T> ? 0x80000000u : 0u);
    return greatest ? bits : ~bits;
  } else {
    const float number = static_cast<float>(value) + 0.0f;  // 0 has no sign
    bits = half_bits::same_bits<std::uint32_t>(number);
    bits ^= bits >> 31 ? 0xFFFFFFFFu : 0x80000000u;
    return number != number ? 0xFFFFFFFFu : greatest ? bits : ~bits;
  }
}
template <class T>
SCANLENS_HOST_DEVICE T value_of_rank(std::uint32_t rank, bool greatest) {
  std::uint32_t bits = greatest ? rank : ~rank;
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(bits ^ (std::is_signed_v<T> ? 0x80000000u : 0u));
  } else {
    bits ^= bits >> 31 ? 0x80000000u : 0xFFFFFFFFu;
    return static_cast<T>(half_bits::same_bits<float>(rank == 0xFFFFFFFFu ? 0x7FFFFFFFu : bits));
  }
}

/// The common part of extremes: one array in; the values and their places out.
template <class T>
struct ExtremeElements {
  using Item = T;
  static constexpr int kPieces = 2;
  static constexpr bool kMayBeExclusive = false;

  const T* in;
  T* values;
  std::int64_t* places;
  std::int64_t length;  ///< of a line
  ScanForm<T> form;

  SCANLENS_HOST_DEVICE Item read(std::int64_t at) const { return in[at]; }
  SCANLENS_HOST_DEVICE std::int64_t place(std::int64_t position) const {
    return place_of(position, length, form.reverse);
  }
  template <int kPiece, class Piece>
  SCANLENS_HOST_DEVICE void write(std::int64_t at, Piece piece) const {
    if constexpr (kPiece == 0)
      values[at] = piece;
    else
      places[at] = piece;
  }
};

/// Extremes of types of up to 32 bits and lines of fewer than 2^32 elements: a rank above a position is one
/// number of 64 bits, and the best is the greatest.
template <class T>
struct RankedElements : ExtremeElements<T> {
  using Op = Max;
  using Value = std::uint64_t;
  using Position = std::uint32_t;

  bool greatest;
  bool first;  ///< of equal ones
  Op op;

  SCANLENS_HOST_DEVICE Value value(const T& item, Position position) const {
    return std::uint64_t{rank_of(item, greatest)} << 32 | (first ? ~position : position);
  }
  SCANLENS_HOST_DEVICE Value begin() const { return 0; }
  template <int kPiece>
  SCANLENS_HOST_DEVICE std::conditional_t<kPiece == 0, T, std::int64_t> piece(const Value& value) const {
    const auto low = static_cast<std::uint32_t>(value);
    if constexpr (kPiece == 0)
      return value_of_rank<T>(static_cast<std::uint32_t>(value >> 32), greatest);
    else
      return this->place(first ? ~low : low);
  }
};

/// A value and its position along the line; a position below 0 is that of nothing.
template <class T>
struct Placed {
  T value;
  std::int64_t position;
};

/// Chooses the greater or the lesser of two values, the second of them later in the scan. NaN goes first.
struct Choose {
  bool greatest;
  bool first;  ///< of equal ones

  template <class T>
  SCANLENS_HOST_DEVICE T operator()(const T& a, const T& b) const {
    const bool a_is_nan = a.value != a.value, b_is_nan = b.value != b.value;
    const bool better = b_is_nan || (greatest ? a.value < b.value : b.value < a.value);
    const bool equal = a_is_nan ? b_is_nan : a.value == b.value;
    const bool later = b.position >= 0 && (a.position < 0 || (equal ? !first : better && !a_is_nan));
    return later ? b : a;
  }
  template <class T>
  SCANLENS_HOST_DEVICE static constexpr T identity() {
    return {{}, -1};
  }
};

/// Extremes of any type and length.
template <class T>
struct ChosenElements : ExtremeElements<T> {
  using Op = Choose;
  using Value = Placed<CombinedIn<T>>;
  using Position = std::int64_t;

  Op op;

  SCANLENS_HOST_DEVICE Value value(const T& item, Position position) const {
    return {static_cast<CombinedIn<T>>(item), position};
  }
  SCANLENS_HOST_DEVICE Value begin() const { return Op::identity<Value>(); }
  template <int kPiece>
  SCANLENS_HOST_DEVICE std::conditional_t<kPiece == 0, T, std::int64_t> piece(const Value& value) const {
    if constexpr (kPiece == 0)
      return static_cast<T>(value.value);
    else
      return this->place(value.position);
  }
};

/// x -> a * x + b.
template <class T>
struct Affine {
  T a, b;
};

/// The second of two such functions after the first. A factor below the least normal number becomes 0: the
/// products of many factors would stay there for long, where processors are slow.
struct Compose {
  template <class T>
  SCANLENS_HOST_DEVICE Affine<T> operator()(const Affine<T>& first, const Affine<T>& second) const {
    constexpr T kLeast = std::numeric_limits<T>::min();
    const T a = second.a * first.a;
    return {a < kLeast && a > -kLeast ? T{0} : a, second.a * first.b + second.b};
  }
  template <class T>
  SCANLENS_HOST_DEVICE static constexpr T identity() {
    return {1, 0};
  }
};

/// Coefficients of two arrays in; the results of the functions so far, of the initial value, out.
template <class T>
struct RecurrenceElements {
  using Item = Affine<T>;
  using Op = Compose;
  using Value = Affine<CombinedIn<T>>;
  using Position = std::int64_t;
  static constexpr int kPieces = 1;
  static constexpr bool kMayBeExclusive = false;

  const T* a;
  const T* b;
  T* h;
  ScanForm<T> form;
  Op op;

  SCANLENS_HOST_DEVICE Item read(std::int64_t at) const { return {a[at], b[at]}; }
  SCANLENS_HOST_DEVICE Value value(const Item& item, Position) const {
    return {static_cast<CombinedIn<T>>(item.a), static_cast<CombinedIn<T>>(item.b)};
  }
  SCANLENS_HOST_DEVICE Value begin() const { return {0, form.begin()}; }
  template <int>
  SCANLENS_HOST_DEVICE T piece(const Value& value) const {
    return static_cast<T>(value.b);
  }
  template <int>
  SCANLENS_HOST_DEVICE void write(std::int64_t at, T piece) const {
    h[at] = piece;
  }
};

}  // namespace scanlens
