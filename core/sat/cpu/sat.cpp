// The summed-area tables that the library holds compiled for the CPU.
#include "core/sat/cpu/bands.h"

namespace scanlens::cpu {

template <class T, class S>
void summed_area_table(Context& context, const SatTask<T, S>& task) {
  sum_bands<SquaresInLibrary<T, S>>(context, task);
}

#define SCANLENS_INSTANTIATE(T, S, ...) template void summed_area_table(Context&, const SatTask<T, S>&);
SCANLENS_FOR_EACH_TABLE(SCANLENS_INSTANTIATE)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens::cpu
