// Elements of lines: how each is read, combined with those before it, and written. Both backends take them.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/half.h"
#include "core/scan/form.h"
#include "core/scan_rows.h"
#include "core/view.h"

namespace scanlens {

// Every kind of elements has: Item, as it is read; Value, as it is combined by `op`; begin(), which stands
// before a line; value(), of an item at a place along the axis; and kPieces results of each element, piece k
// of them made and written by piece<k>() and write<k>().

/// One array in, one out.
template <class In, class Out, class Op_>
struct PlainElements {
  using Item = In;
  using Op = Op_;
  using Value = CombinedIn<Out>;
  static constexpr int kPieces = 1;

  const In* in;
  Out* out;
  ScanForm<Out> form;
  Op op;

  SCANLENS_HOST_DEVICE Item read(std::int64_t at) const { return in[at]; }
  SCANLENS_HOST_DEVICE Value value(const Item& item, std::int64_t) const { return static_cast<Value>(item); }
  SCANLENS_HOST_DEVICE Value begin() const { return form.begin(); }
  template <int>
  SCANLENS_HOST_DEVICE Out piece(const Value& value) const {
    return static_cast<Out>(value);
  }
  template <int>
  SCANLENS_HOST_DEVICE void write(std::int64_t at, Out piece) const {
    out[at] = piece;
  }
};

/// A value and its place along the axis; a place below 0 is that of nothing.
template <class T>
struct Placed {
  T value;
  std::int64_t place;
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
    const bool later = b.place >= 0 && (a.place < 0 || (equal ? !first : better && !a_is_nan));
    return later ? b : a;
  }
  template <class T>
  SCANLENS_HOST_DEVICE static constexpr T identity() {
    return {{}, -1};
  }
};

/// One array in; the extremes and their places out.
template <class T>
struct ChosenElements {
  using Item = T;
  using Op = Choose;
  using Value = Placed<CombinedIn<T>>;
  static constexpr int kPieces = 2;

  const T* in;
  T* values;
  std::int64_t* places;
  ScanForm<T> form;
  Op op;

  SCANLENS_HOST_DEVICE Item read(std::int64_t at) const { return in[at]; }
  SCANLENS_HOST_DEVICE Value value(const Item& item, std::int64_t place) const {
    return {static_cast<CombinedIn<T>>(item), place};
  }
  SCANLENS_HOST_DEVICE Value begin() const { return Op::identity<Value>(); }
  template <int kPiece>
  SCANLENS_HOST_DEVICE std::conditional_t<kPiece == 0, T, std::int64_t> piece(const Value& value) const {
    if constexpr (kPiece == 0)
      return static_cast<T>(value.value);
    else
      return value.place;
  }
  template <int kPiece, class Piece>
  SCANLENS_HOST_DEVICE void write(std::int64_t at, Piece piece) const {
    if constexpr (kPiece == 0)
      values[at] = piece;
    else
      places[at] = piece;
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
  static constexpr int kPieces = 1;

  const T* a;
  const T* b;
  T* h;
  ScanForm<T> form;
  Op op;

  SCANLENS_HOST_DEVICE Item read(std::int64_t at) const { return {a[at], b[at]}; }
  SCANLENS_HOST_DEVICE Value value(const Item& item, std::int64_t) const {
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
