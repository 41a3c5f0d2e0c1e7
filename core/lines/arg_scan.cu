// Running extremes with their places.
#include "core/arg_scan.h"
#include "core/lines/backends.h"
#include "core/lines/elements.h"
#include "core/lines/lines.cuh"

namespace scanlens::gpu {

#define SCANLENS_INSTANTIATE(T) template void scan_lines(Context&, const ChosenElements<T>&, const Axis&);
SCANLENS_ARG_SCANNED_TYPES(SCANLENS_INSTANTIATE)
template void scan_lines(Context&, const RankedElements<std::int32_t>&, const Axis&);
template void scan_lines(Context&, const RankedElements<std::uint32_t>&, const Axis&);
template void scan_lines(Context&, const RankedElements<float>&, const Axis&);
template void scan_lines(Context&, const RankedElements<Half>&, const Axis&);
template void scan_lines(Context&, const RankedElements<BFloat16>&, const Axis&);

}  // namespace scanlens::gpu
