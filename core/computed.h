// Arrays whose elements are computed where they are read: no memory holds them.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "core/array.h"
#include "core/view.h"

namespace scanlens {

/// Element i is at(i), for i = 0 … count - 1. Scans of arrays, reduce, compact_if and partition_if read it in
/// place of an array. `at` is trivially copyable, may hold values and pointers, and must not throw; on CUDA
/// its call is SCANLENS_HOST_DEVICE. It is asked in any order, and in long scans twice for each element. On
/// CUDA a workspace keeps the elements during the call.
template <class At>
struct Computed {
  std::int64_t count = 0;
  At at;

  SCANLENS_HOST_DEVICE auto operator[](std::int64_t i) const { return at(i); }
};
template <class At>
Computed(std::int64_t, At) -> Computed<At>;

template <class T>
struct Counting {
  T first;
  SCANLENS_HOST_DEVICE T operator()(std::int64_t i) const {
    return static_cast<T>(first + static_cast<T>(i));
  }
};
/// The numbers first, first + 1, …
template <class T = std::int64_t>
Computed<Counting<T>> counting(std::int64_t count, T first = 0) {
  return {count, {first}};
}

template <class T, class F>
struct Transformed {
  const T* data;
  F f;
  SCANLENS_HOST_DEVICE auto operator()(std::int64_t i) const { return f(data[i]); }
};
/// f(x) of each element x of an array.
template <ContiguousArray In, class F>
Computed<Transformed<ElementOf<In>, F>> transformed(const In& in, F f) {
  const std::span<const ElementOf<In>> from = elements_of(in);
  return {std::ssize(from), {from.data(), f}};
}

template <class T>
struct EveryNth {
  const T* data;
  std::int64_t step;
  SCANLENS_HOST_DEVICE T operator()(std::int64_t i) const { return data[i * step]; }
};
/// The elements data[0], data[step], …, `count` of them.
template <class T>
Computed<EveryNth<T>> strided(const T* data, std::int64_t step, std::int64_t count) {
  return {count, {data, step}};
}

/// An array or a computed one.
template <class A>
inline constexpr bool kIsComputed = false;
template <class At>
inline constexpr bool kIsComputed<Computed<At>> = true;
template <class A>
concept Readable = ContiguousArray<A> || kIsComputed<A>;

template <class At>
const Computed<At>& elements_of(const Computed<At>& computed) {
  return computed;
}

/// The type of an element of either.
template <Readable A>
using ValueOf = std::remove_cvref_t<decltype(elements_of(std::declval<const A&>())[0])>;

}  // namespace scanlens
