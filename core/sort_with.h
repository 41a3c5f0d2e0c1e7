// Sorts by a comparator of your own.
#pragma once

#include "core/held/own_sorts.h"

namespace scanlens {

/// out = in, such that less(b, a) holds for no element b behind an element a; stable. Elements: trivially
/// copyable. `less` is a strict weak order that does not throw, and is asked on several threads. `out` may be
/// `in`. On the CPU alone; a CUDA context is an error. Workspace: an array of elements. Source: merge sort,
/// by pieces that Green, McColl, Bader, "GPU Merge Path", 2012, cut.
template <ContiguousArray In, ContiguousArray Out, class Less>
void sort_by(Context& context, const In& in, Out&& out, Less less) {
  sort_held_by(context, elements_of(in), room_of(out), less);
}

}  // namespace scanlens
