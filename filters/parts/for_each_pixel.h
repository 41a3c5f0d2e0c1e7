// A function of a filter's own for every pixel. Included from a .cu file it serves both backends, from a .cpp
// file the CPU alone.
#pragma once

#include <cstdint>
#include <functional>
#include <type_traits>

#include "core/runtime/count.h"
#include "core/runtime/dispatch_own.h"
#if defined(__CUDACC__)
#include "filters/parts/for_each_pixel.cuh"
#endif

namespace scanlens {
namespace cpu {

/// Calls work(first, end) for ranges that make up the rows 0 .. rows - 1, on all threads.
void for_each_rows(std::int64_t rows, const std::function<void(std::int64_t, std::int64_t)>& work);

template <class Body>
void for_each_pixel(Context&, std::int64_t width, std::int64_t height, const Body& shared) {
  for_each_rows(height, [&](std::int64_t first, std::int64_t end) {
    const Body body = shared;  // a copy that no written byte can be part of
    for (std::int64_t y = first; y < end; ++y)
      for (std::int64_t x = 0; x < width; ++x) body(static_cast<int>(x), static_cast<int>(y));
  });
}

}  // namespace cpu

inline namespace SCANLENS_OWN_NAMESPACE {

/// Calls body(x, y) once for every pixel, in any order. `body` is trivially copyable, its call is const and
/// SCANLENS_HOST_DEVICE, takes two ints, and writes nothing that another pixel's call touches.
template <class Body>
void for_each_pixel(Context& context, std::int64_t width, std::int64_t height, const Body& body) {
  static_assert(std::is_trivially_copyable_v<Body>, "the function is copied to the device byte by byte");
  if (width > 0 && height > 0 && !counts(context))
    SCANLENS_DISPATCH_OWN("for_each_pixel", context, for_each_pixel, width, height, body);
}

}  // namespace SCANLENS_OWN_NAMESPACE
}  // namespace scanlens
