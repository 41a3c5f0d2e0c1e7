// What pixels deposit, found for many at once: filters/dof/cpu/show.cpp says how such files are compiled.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filters/dof/cpu/spread.cpp"
#include <hwy/foreach_target.h>  // must come first
//
#include <hwy/highway.h>

#include <cmath>

#include "filters/dof/cpu/spread.h"

HWY_BEFORE_NAMESPACE();
namespace scanlens::cpu::HWY_NAMESPACE {
namespace {

/// Finds the values of one part. `share` is that of each pixel's shape, and `random` each pixel's number.
template <int kChannels>
HWY_FLATTEN void find_part(int part, const std::uint32_t (&share)[kSpreadRun],
                           std::uint32_t (&random)[kSpreadRun], SpreadRun<kChannels>& run) {
  for (int c = 0; c < kChannels; ++c) {
    std::uint32_t of_channel[kSpreadRun];
    const std::uint32_t *const light = run.light[c], *const steps = run.steps[part];
    for (int i = 0; i < run.count; ++i) {
      of_channel[i] = deposit_of(light[i], share[i], steps[i], random[i]);
      random[i] = next_random(random[i]);
    }
    for (int i = 0; i < run.count; ++i) run.parts[part][i].of[c] = of_channel[i];
  }
}

template <int kChannels>
HWY_FLATTEN void find_parts_of(const SpreadShape* shapes, int shape_count, const LayerCuts& all_cuts,
                               SpreadRun<kChannels>& run) {
  const int count = run.count;
  const LayerCuts cuts = all_cuts;
  std::uint32_t share[2][kSpreadRun], behind[kSpreadRun], upper[kSpreadRun];
  float radius[kSpreadRun], of_shape[kSpreadRun], per_radius[kSpreadRun];
  for (int i = 0; i < count; ++i) radius[i] = std::fabs(run.circles[i]);
  for (int i = 0; i < count; ++i) {
    const int k = run.shape[i] = shape_of_radius(shapes, shape_count, radius[i]);
    of_shape[i] = shapes[k].radius;
    per_radius[i] = shapes[k].per_radius;
    share[0][i] = shapes[k].share;
    share[1][i] = shapes[k + 1].share;
  }
  for (int i = 0; i < count; ++i) upper[i] = upper_share(of_shape[i], per_radius[i], radius[i]);
  for (int i = 0; i < count; ++i) {
    const LayerShare of_layers = layer_share(run.circles[i], cuts);
    run.layer[i] = of_layers.layer;
    behind[i] = of_layers.behind;
  }
  std::uint32_t any_behind = 0;
  for (int i = 0; i < count; ++i) {
    const std::uint32_t before = kShareSteps - behind[i];
    const std::uint32_t upper_before = upper[i] * before >> kShareBits,
                        upper_behind = upper[i] * behind[i] >> kShareBits;
    any_behind |= behind[i];
    run.steps[0][i] = before - upper_before;
    run.steps[1][i] = upper_before;
    run.steps[2][i] = behind[i] - upper_behind;
    run.steps[3][i] = upper_behind;
  }
  for (int part = 0; part < (any_behind ? 4 : 2); ++part) {
    std::uint32_t random[kSpreadRun];
    for (int i = 0; i < count; ++i) {
      const std::uint32_t hash = pixel_hash(run.x + i, run.y), own = part < 2 ? hash : random_behind(hash);
      random[i] = part % 2 ? ~own : own;
    }
    find_part(part, share[part % 2], random, run);
  }
}

#define SCANLENS_DEFINE_FIND_PARTS(channels)                                            \
  void FindParts##channels(const SpreadShape* shapes, int count, const LayerCuts& cuts, \
                           SpreadRun<channels>& run) {                                  \
    find_parts_of(shapes, count, cuts, run);                                            \
  }
SCANLENS_DEFINE_FIND_PARTS(2)
SCANLENS_DEFINE_FIND_PARTS(4)
SCANLENS_DEFINE_FIND_PARTS(5)
#undef SCANLENS_DEFINE_FIND_PARTS

}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scanlens::cpu {

#define SCANLENS_DISPATCH_FIND_PARTS(channels)                                                             \
  HWY_EXPORT(FindParts##channels);                                                                         \
  template <>                                                                                              \
  void find_parts(const SpreadShape* shapes, int count, const LayerCuts& cuts, SpreadRun<channels>& run) { \
    HWY_DYNAMIC_DISPATCH(FindParts##channels)(shapes, count, cuts, run);                                   \
  }
SCANLENS_DISPATCH_FIND_PARTS(2)
SCANLENS_DISPATCH_FIND_PARTS(4)
SCANLENS_DISPATCH_FIND_PARTS(5)
#undef SCANLENS_DISPATCH_FIND_PARTS

}  // namespace scanlens::cpu
#endif  // HWY_ONCE
