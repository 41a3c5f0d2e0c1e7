// Summed-area tables of core/sat.h of kinds that the library does not hold compiled. Included from a .cu file
// it serves both backends; from a .cpp file the CPU alone, and a CUDA context is an error.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "core/runtime/dispatch_own.h"
#include "core/sat.h"
#include "core/sat/checks.h"
#include "core/sat/cpu/bands.h"
#if defined(__CUDACC__)
#include "core/sat/cuda/own.cuh"
#endif

namespace scanlens {
inline namespace SCANLENS_OWN_NAMESPACE {

/// True for all types and channels that core/sat.h names, but for packed terms.
template <int kIn, int kOut, class T, class S>
inline constexpr bool kIsOwnTable = (TableInLibrary<T, S> ||
                                     (std::same_as<T, float> && std::same_as<S, std::uint32_t>)) &&
                                    (kIn == 1 || kIn == 3 || kIn == 4) &&
                                    (kOut == kIn || (kIn == 3 && kOut == 4));

/// As in core/sat.h, of an image of kIn channels and a table of kOut, planar or not: summed_area_table<3, 4>
/// makes one that counts pixels in its fourth channel. Look-up tables, squares and weights are served with
/// all of them. Tables that the library holds are taken from there; the rest is compiled for each pair of
/// channels.
template <int kIn, int kOut, class T, class S>
void summed_area_table(Context& context, View<T> image, View<S> table, const Terms& terms = {},
                       std::int64_t images = 1) {
  static_assert(kIsOwnTable<kIn, kOut, std::remove_const_t<T>, S>,
                "summed_area_table: not of the types and channels that core/sat.h names");
  const char* call = "summed_area_table";
  const auto task = sat_task<std::remove_const_t<T>, S>(call, image, table, nullptr, terms, images, false);
  if (table.empty()) return;
  require_compiled_for(call, image.channels, task.channels, kIn, kOut);
  SCANLENS_DISPATCH_OWN("summed_area_table", context, own_table, task, SatChannels<kIn, kOut>());
}

template <int kIn, int kOut, class T, class S>
void summed_area_tables(Context& context, View<T> image, View<S> table, View<SquareSum<S>> squares,
                        const Terms& terms = {}, std::int64_t images = 1) {
  static_assert(kIsOwnTable<kIn, kOut, std::remove_const_t<T>, S>,
                "summed_area_tables: not of the types and channels that core/sat.h names");
  const char* call = "summed_area_tables";
  const auto task = sat_task<std::remove_const_t<T>, S>(call, image, table, &squares, terms, images, false);
  if (table.empty()) return;
  require_compiled_for(call, image.channels, task.channels, kIn, kOut);
  SCANLENS_DISPATCH_OWN("summed_area_tables", context, own_tables, task, SatChannels<kIn, kOut>());
}

template <int kIn, int kOut, class T, class S>
void continue_summed_area_table(Context& context, View<T> band, View<S> table, const Terms& terms = {}) {
  static_assert(kIsOwnTable<kIn, kOut, std::remove_const_t<T>, S>,
                "continue_summed_area_table: not of the types and channels that core/sat.h names");
  const char* call = "continue_summed_area_table";
  const auto task = sat_task<std::remove_const_t<T>, S>(call, band, table, nullptr, terms, 1, true);
  if (band.height == 0 || table.empty()) return;
  require_compiled_for(call, band.channels, task.channels, kIn, kOut);
  SCANLENS_DISPATCH_OWN("continue_summed_area_table", context, own_table, task, SatChannels<kIn, kOut>());
}

}  // namespace SCANLENS_OWN_NAMESPACE
}  // namespace scanlens
