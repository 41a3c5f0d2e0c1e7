// conjugate_gradients() of core/sparse.h with operators of your own: matrices that are computed, not stored.
//
// Included from a .cu file it serves both backends; from a .cpp file the CPU alone, and a CUDA context is an
// error.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>

#include "core/array.h"
#include "core/runtime/dispatch_own.h"
#include "core/sparse.h"
#include "core/sparse/solve_checks.h"
#include "core/sparse/solve_cpu.h"
#if defined(__CUDACC__)
#include "core/sparse/solve_cuda.cuh"
#endif

namespace scanlens {
inline namespace SCANLENS_OWN_NAMESPACE {

/// A square, symmetric and positive definite matrix. `Element` is float or double and `rows` says how many
/// there are. diagonal(row) and product(row, x, columns, c), the row times column c of x, are const and
/// SCANLENS_HOST_DEVICE. It is copied to the device byte by byte, and its pointers are the device's there. An
/// operator of one column may have halo(), a number of elements: product() then finds that many zeros before
/// and behind x, and needs no case for borders.
template <class A>
concept OwnOperator = std::is_trivially_copyable_v<A> &&
    (std::same_as<typename A::Element, float> ||
     std::same_as<typename A::Element, double>)&&requires(const A& a, const typename A::Element* x) {
  { a.rows } -> std::convertible_to<std::int64_t>;
  { a.diagonal(std::int64_t{0}) } -> std::convertible_to<typename A::Element>;
  { a.product(std::int64_t{0}, x, 1, 0) } -> std::convertible_to<typename A::Element>;
};

/// As in core/sparse.h. The bits are the same on both backends as far as the operator's are.
template <OwnOperator A, ContiguousArray B, ContiguousArray X>
void conjugate_gradients(Context& context, const A& a, const B& b, X&& x, int columns,
                         Solved* result = nullptr, const SolveOptions& options = {}) {
  using T = typename A::Element;
  const std::span<const T> from(b);
  const std::span<T> to(x);
  require_solvable("conjugate_gradients", a.rows, {"b", from}, {"x", to}, columns, result, options);
  SCANLENS_DISPATCH_OWN("conjugate_gradients", context, solve, a, from.data(), to.data(), columns, result,
                        options);
}

}  // namespace SCANLENS_OWN_NAMESPACE
}  // namespace scanlens
