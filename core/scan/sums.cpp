// Unsigned sums on the CPU, by vectors.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/scan/sums.cpp"
#include <hwy/foreach_target.h>  // must come first
//
#include "core/scan/cpu_vectors.h"

HWY_BEFORE_NAMESPACE();
namespace scanlens::cpu::HWY_NAMESPACE {
namespace {
SCANLENS_UNSIGNED_SUMS(SCANLENS_DEFINE_STEP)
}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scanlens::cpu {
SCANLENS_UNSIGNED_SUMS(SCANLENS_DEFINE_VECTOR_SCAN)
}  // namespace scanlens::cpu
#endif  // HWY_ONCE
