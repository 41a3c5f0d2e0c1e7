// Linear recurrences.
#include "core/linear_recurrence.h"
#include "core/lines/backends.h"
#include "core/lines/elements.h"
#include "core/lines/lines.cuh"

namespace scanlens::gpu {

#define SCANLENS_INSTANTIATE(T) template void scan_lines(Context&, const RecurrenceElements<T>&, const Axis&);
SCANLENS_RECURRENCE_TYPES(SCANLENS_INSTANTIATE)

}  // namespace scanlens::gpu
