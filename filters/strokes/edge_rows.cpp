// A plain loop, compiled for several instruction sets, without fused multiplication and addition
// (CMakeLists.txt).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filters/strokes/edge_rows.cpp"
#include <hwy/foreach_target.h>  // must come first
//
#include <hwy/highway.h>

#include "filters/strokes/edge_rows.h"

HWY_BEFORE_NAMESPACE();
namespace scanlens::strokes::HWY_NAMESPACE {
namespace {

void Multiply(const EdgeRows& a, std::int64_t first, std::int64_t end, const float* HWY_RESTRICT x,
              float* HWY_RESTRICT y) {
  const std::int64_t width = a.width;
  const float* HWY_RESTRICT const diagonals = a.diagonals;
  const float* HWY_RESTRICT const right = a.right;
  const float* HWY_RESTRICT const down = a.down;
  for (std::int64_t i = first; i < end; ++i) {
    float sum = diagonals[i] * x[i];
    sum -= right[i] * x[i + 1];
    sum -= right[i - 1] * x[i - 1];
    sum -= down[i] * x[i + width];
    sum -= down[i - width] * x[i - width];
    y[i] = sum;
  }
}

}  // namespace
}  // namespace scanlens::strokes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scanlens::strokes {

HWY_EXPORT(Multiply);
void EdgeRows::multiply(std::int64_t first, std::int64_t end, const float* x, int, float* y) const {
  HWY_DYNAMIC_DISPATCH(Multiply)(*this, first, end, x, y);
}

}  // namespace scanlens::strokes
#endif  // HWY_ONCE
