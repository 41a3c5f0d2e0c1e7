// The deposits of pixels, found for many at once: filters/dof/cpu/show.cpp says how such files are compiled.
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

namespace hn = hwy::HWY_NAMESPACE;

/// Stores channels side by side.
template <int kChannels>
HWY_FLATTEN void interleave(const std::uint32_t (&of_channel)[kChannels][kSpreadRun],
                            typename SpreadTile<kChannels>::Values (&values)[kSpreadRun], int count) {
  if constexpr (kChannels == 4) {
    const hn::ScalableTag<std::uint32_t> d;
    static_assert(kSpreadRun % hn::MaxLanes(d) == 0);
    for (int i = 0; i < count; i += static_cast<int>(hn::Lanes(d)))
      hn::StoreInterleaved4(hn::LoadU(d, of_channel[0] + i), hn::LoadU(d, of_channel[1] + i),
                            hn::LoadU(d, of_channel[2] + i), hn::LoadU(d, of_channel[3] + i), d,
                            values[i].of);
  } else {
    for (int c = 0; c < kChannels; ++c)
      for (int i = 0; i < count; ++i) values[i].of[c] = of_channel[c][i];
  }
}

/// Finds the values of one part. `share` is that of each pixel's shape, and `random` each pixel's number.
template <int kChannels>
HWY_FLATTEN void find_part(int part, const std::uint32_t (&share)[kSpreadRun],
                           std::uint32_t (&random)[kSpreadRun], const SpreadRun<kChannels>& run,
                           RunParts<kChannels>& parts) {
  std::uint32_t of_channel[kChannels][kSpreadRun];
  const std::uint32_t* const steps = parts.steps[part];
  for (int c = 0; c < kChannels; ++c) {
    const std::uint32_t* const light = run.light[c];
    for (int i = 0; i < run.count; ++i) {
      of_channel[c][i] = deposit_of(light[i], share[i], steps[i], random[i]);
      random[i] = next_random(random[i]);
    }
  }
  interleave<kChannels>(of_channel, parts.values[part], run.count);
}

template <int kChannels>
HWY_FLATTEN void find_parts_of(const RunShapes& shapes, const LayerCuts& all_cuts,
                               const SpreadRun<kChannels>& run, RunParts<kChannels>& parts) {
  const int count = run.count;
  const LayerCuts cuts = all_cuts;
  std::uint32_t behind[kSpreadRun], upper[kSpreadRun];
  for (int i = 0; i < count; ++i)
    upper[i] = upper_share(shapes.radius[i], shapes.per_radius[i], std::fabs(run.circles[i]));
  for (int i = 0; i < count; ++i) {
    const LayerShare of_layers = layer_share(run.circles[i], cuts);
    parts.layer[i] = of_layers.layer;
    behind[i] = of_layers.behind;
  }
  std::uint32_t any_behind = 0;
  for (int i = 0; i < count; ++i) {
    const std::uint32_t before = kShareSteps - behind[i];
    const std::uint32_t upper_before = upper[i] * before >> kShareBits,
                        upper_behind = upper[i] * behind[i] >> kShareBits;
    any_behind |= behind[i];
    parts.steps[0][i] = before - upper_before;
    parts.steps[1][i] = upper_before;
    parts.steps[2][i] = behind[i] - upper_behind;
    parts.steps[3][i] = upper_behind;
  }
  for (int part = 0; part < (any_behind ? 4 : 2); ++part) {
    std::uint32_t random[kSpreadRun];
    for (int i = 0; i < count; ++i) {
      const std::uint32_t hash = pixel_hash(run.x[i], run.y), own = part < 2 ? hash : random_behind(hash);
      random[i] = part % 2 ? ~own : own;
    }
    find_part(part, shapes.share[part % 2], random, run, parts);
  }
}

#define SCANLENS_DEFINE_FIND_PARTS(channels) constexpr auto& FindParts##channels = find_parts_of<channels>;
SCANLENS_DEFINE_FIND_PARTS(2)
SCANLENS_DEFINE_FIND_PARTS(4)
SCANLENS_DEFINE_FIND_PARTS(5)
#undef SCANLENS_DEFINE_FIND_PARTS

}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scanlens::cpu {

#define SCANLENS_DISPATCH_FIND_PARTS(channels)                                                    \
  HWY_EXPORT(FindParts##channels);                                                                \
  template <>                                                                                     \
  void find_parts(const RunShapes& shapes, const LayerCuts& cuts, const SpreadRun<channels>& run, \
                  RunParts<channels>& parts) {                                                    \
    HWY_DYNAMIC_DISPATCH(FindParts##channels)(shapes, cuts, run, parts);                          \
  }
SCANLENS_DISPATCH_FIND_PARTS(2)
SCANLENS_DISPATCH_FIND_PARTS(4)
SCANLENS_DISPATCH_FIND_PARTS(5)
#undef SCANLENS_DISPATCH_FIND_PARTS

}  // namespace scanlens::cpu
#endif  // HWY_ONCE
