// Row scans of unsigned sums, which summed-area tables also need: the call and the CPU.
#include "core/rows/checked.h"

namespace scanlens {

SCANLENS_UNSIGNED_ROW_SUMS(SCANLENS_INSTANTIATE_ROWS)

}  // namespace scanlens
