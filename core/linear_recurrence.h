// First-order linear recurrences: decaying sums, recursive filters, the states of state-space models.
#pragma once

#include "core/held/lines.h"

namespace scanlens {

/// The recurrence of linear_recurrence, below, along an axis (core/scan_axis.h); the initial value stands
/// before every line.
template <ContiguousArray A, ContiguousArray B, ContiguousArray H>
void linear_recurrence_axis(Context& context, const A& a, const B& b, H&& h, Axis axis,
                            const ScanOptions<ElementOf<A>>& options = {}) {
  static_assert(RecurrenceInLibrary<ElementOf<A>>,
                "linear_recurrence: not of the types that core/linear_recurrence.h names");
  compiled::linear_recurrence(context, elements_of(a), elements_of(b), room_of(h), axis, options);
}

/// h[i] = a[i] * h[i - 1] + b[i], with h[-1] = 0 or the initial value.
///
/// Types: Half, BFloat16, float, double. Options: `initial`, `initial_at`
/// and `reverse`, which begins at the last element: h[i] = a[i] * h[i + 1] + b[i].
/// Aliasing: `h` may be `a` or `b` itself. Products of neighbours in `a` are made on the way. One that
/// overflows may give NaN even where h itself would stay finite; one below the least normal number counts as
/// 0. Else h[i] is off by no more than (2 * i + 64) * epsilon * s[i], where s[i] is the same recurrence of
/// |a|, |b| and |initial|; of Half and BFloat16 with float's epsilon, and half a unit in the last place of
/// their own.
/// Bytes moved: each element is read once, or twice where there are fewer lines than multiprocessors, and
/// each result written once. Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.4.
template <ContiguousArray A, ContiguousArray B, ContiguousArray H>
void linear_recurrence(Context& context, const A& a, const B& b, H&& h,
                       const ScanOptions<ElementOf<A>>& options = {}) {
  linear_recurrence_axis(context, a, b, h, Axis{1, std::ssize(elements_of(a)), 1}, options);
}

}  // namespace scanlens
