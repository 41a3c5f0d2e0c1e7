// Scans of any kind: the library's, or compiled where they are called.
#pragma once

#include <span>
#include <type_traits>

#include "core/computed.h"
#include "core/held/scans.h"
#include "core/runtime/dispatch_own.h"
#include "core/scan/checks.h"
#include "core/scan/cpu.h"
#if defined(__CUDACC__)
#include "core/moves/computed.cuh"
#include "core/scan/cuda.cuh"
#include "core/scan/segmented.cuh"
#endif

#if defined(__CUDACC__)
namespace scanlens::gpu {
template <class At, class Out, class Op>
void scan_computed(Context& context, const Computed<At>& in, std::span<Out> out, const ScanForm<Out>& form,
                   Op op) {
  Workspace workspace(context);
  scan(context, compute_elements(workspace, context, in), out.data(), in.count, form, op);
}
}  // namespace scanlens::gpu
#endif

namespace scanlens {
inline namespace SCANLENS_OWN_NAMESPACE {

/// Scans of other kinds than the library holds compiled.
template <class In, class Out, class Op>
concept OwnScan =
    ScanOperator<Op, CombinedIn<Out>> && std::is_trivially_copyable_v<In> && !ScanInLibrary<In, Out, Op>;
template <class T, class Op>
concept OwnSegmentedScan = ScanOperator<Op, T> && !SegmentedScanInLibrary<T, Op>;

template <class In, class Out, class Op>
void scan_by_kind(const char* call, bool inclusive, Context& context, std::span<const In> in,
                  std::span<Out> out, Op op, const ScanOptions<Out>& options) {
  if constexpr (ScanInLibrary<In, Out, Op>) {
    using As = SameBits<Out, Op>;
    compiled::scan(context, call, inclusive, elements_as<compiled::ScannedIn<In, Out, Op>>(in),
                   elements_as<As>(out), op, options_as<As>(options));
  } else if constexpr (!OwnScan<In, Out, Op>) {
    static_assert(std::is_trivially_copyable_v<In>, "scan: elements have to be trivially copyable");
    static_assert(Combines<Op, CombinedIn<Out>>, SCANLENS_DOES_NOT_COMBINE);
    static_assert(HasIdentity<Op, CombinedIn<Out>>, SCANLENS_NEEDS_IDENTITY);
  } else {
    require_scannable(call, {"in", in}, {"out", out});
    require_options(call, options, {"out", out});
    if (!in.empty())
      SCANLENS_DISPATCH_OWN(call, context, scan, in.data(), out.data(), std::ssize(in),
                            scan_form<Op>(inclusive, options), op);
  }
}

/// The same of computed elements.
template <class At, class Out, class Op>
void scan_by_kind(const char* call, bool inclusive, Context& context, const Computed<At>& in,
                  std::span<Out> out, Op op, const ScanOptions<Out>& options) {
  static_assert(Combines<Op, CombinedIn<Out>>, SCANLENS_DOES_NOT_COMBINE);
  static_assert(HasIdentity<Op, CombinedIn<Out>>, SCANLENS_NEEDS_IDENTITY);
  require_same_length(call, {"in", in.count}, {"out", out});
  require_options(call, options, {"out", out});
  if (!out.empty())
    SCANLENS_DISPATCH_OWN(call, context, scan_computed, in, out, scan_form<Op>(inclusive, options), op);
}

template <class T, class Op>
void segmented_scan_by_kind(const char* call, bool inclusive, Context& context, std::span<const T> in,
                            std::span<const std::uint8_t> heads, std::span<T> out, Op op,
                            const ScanOptions<T>& options) {
  if constexpr (SegmentedScanInLibrary<T, Op>) {
    using As = SameBits<T, Op>;
    compiled::segmented_scan(context, call, inclusive, elements_as<As>(in), heads, elements_as<As>(out), op,
                             options_as<As>(options));
  } else if constexpr (!OwnSegmentedScan<T, Op>) {
    static_assert(Combines<Op, T>, SCANLENS_DOES_NOT_COMBINE);
    static_assert(HasIdentity<Op, T>, SCANLENS_NEEDS_IDENTITY);
  } else {
    require_scannable(call, {"in", in}, {"heads", heads}, {"out", out});
    require_options(call, options, {"out", out}, Refused::reverse);
    if (!in.empty())
      SCANLENS_DISPATCH_OWN(call, context, segmented_scan, in.data(), heads.data(), out.data(),
                            std::ssize(in), scan_form<Op>(inclusive, options), op);
  }
}

}  // namespace SCANLENS_OWN_NAMESPACE
}  // namespace scanlens
