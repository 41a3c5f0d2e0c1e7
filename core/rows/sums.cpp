// Row scans of unsigned sums, which tables need: the call and the CPU.
#include "core/rows/checked.h"
#include "core/rows/cpu.h"

namespace scanlens {

SCANLENS_FOR_EACH_TABLE_ROW_SCAN(SCANLENS_INSTANTIATE_CHECKED_ROWS)

#define SCANLENS_INSTANTIATE_ROWS(T, Op) template void cpu::scan_rows(Context&, View<const T>, View<T>, Op);
SCANLENS_FOR_EACH_TABLE_ROW_SCAN(SCANLENS_INSTANTIATE_ROWS)

}  // namespace scanlens
