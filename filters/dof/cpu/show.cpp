// Every function is compiled for several instruction sets, and the best that the processor has is chosen when
// it is first called. All are loops over the formulas that C++, CUDA and GLSL share. HWY_FLATTEN inlines the
// formulas, so that the compiler can make vectors of the loops. The options of this file (CMakeLists.txt)
// help it, and forbid fused multiplication: every instruction set gives the same bits.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filters/dof/cpu/show.cpp"
#include <hwy/foreach_target.h>  // must come first
//
#include <hwy/highway.h>

#include <algorithm>

#include "core/spread/cpu.h"
#include "filters/dof/composite_formula.h"
#include "filters/dof/cpu/show.h"
#include "filters/dof/light_formula.h"

HWY_BEFORE_NAMESPACE();
namespace scanlens::cpu::HWY_NAMESPACE {
namespace {

template <int kLight>
HWY_FLATTEN void find_shares_of(ShownRun<kLight>& run) {
  const float* const circles = run.circles;
  for (int i = 0; i < run.count; ++i) run.share[i] = sharpness(circles[i]);
}

/// The nearest float, as a conversion gives it; few instruction sets have one of unsigned integers.
float float_of(std::uint32_t value) {
  return static_cast<float>(static_cast<int>(value >> 16)) * 65536 +
         static_cast<float>(static_cast<int>(value & 0xffff));
}

/// Adds a layer: Composite::add. `own` is the share of itself that each pixel keeps in it.
template <int kLight>
HWY_FLATTEN void add_layer(const float (&own)[kShownRun], const float (&of_layer)[kLight + 1][kShownRun],
                           ShownRun<kLight>& run) {
  const int count = run.count;
  float seen[kShownRun], per_cover[kShownRun];
  for (int i = 0; i < count; ++i) {
    const float left = run.left[i], both = own[i] < left ? own[i] : left;
    const float coverage = whole_coverage(of_layer[kLight][i]);
    seen[i] = seen_share(coverage, left, own[i]);
    per_cover[i] = coverage > 0 ? 1 / coverage : 0.f;
    run.exact[i] = both >= 1 ? 1 : run.exact[i];
    run.left[i] = left - seen[i];
  }
  for (int c = 0; c < kLight; ++c)
    for (int i = 0; i < count; ++i)
      run.light[c][i] += seen_light(seen[i], of_layer[c][i] * per_cover[i], own[i], run.sharp[c][i]);
}

template <int kLight>
HWY_FLATTEN void compose_run(const LayerCuts& cuts, float light_one, ShownRun<kLight>& run) {
  constexpr int kStep = kSpreadStep<kLight + 1>;
  const int count = run.count;
  int layer[kShownRun];
  for (int i = 0; i < count; ++i) layer[i] = 0;
  for (int l = 0; l < cuts.count; ++l)
    for (int i = 0; i < count; ++i) layer[i] += run.circles[i] <= cuts.at[l] ? 1 : 0;
  for (int c = 0; c < kLight; ++c) std::fill_n(run.light[c], count, 0.f);
  std::fill_n(run.left, count, 1.f);
  std::fill_n(run.exact, count, 0);
  for (int l = 0; l <= cuts.count; ++l) {
    float own[kShownRun], of_layer[kLight + 1][kShownRun];
    int any = 0;
    for (int i = 0; i < count; ++i) {
      own[i] = layer[i] == l ? run.share[i] : 0.f;
      any |= own[i] > 0 ? 1 : 0;
    }
    const std::uint32_t* const field = run.fields[l];
    if (!field && any == 0) continue;
    for (int c = 0; c <= kLight; ++c) {
      const float per = c < 3 && c < kLight ? light_one : kOneLight;
      if (field)
        for (int i = 0; i < count; ++i) of_layer[c][i] = float_of(field[i * kStep + c]) * (1 / per);
      else
        std::fill_n(of_layer[c], count, 0.f);
    }
    add_layer(own, of_layer, run);
  }
  // Composite::fill, but for pixels that the light around them fills.
  float per_covered[kShownRun], left[kShownRun];
  for (int i = 0; i < count; ++i) {
    const float covered = 1 - run.left[i];
    per_covered[i] = covered > 1e-9f ? 1 / covered : 0.f;
    const bool filled = is_filled(run.circles[i], run.left[i]);
    left[i] = filled ? 0.f : run.left[i];
    run.left[i] = filled ? run.left[i] : 0.f;
  }
  for (int c = 0; c < kLight; ++c)
    for (int i = 0; i < count; ++i)
      run.light[c][i] += filling_light(left[i], run.light[c][i] * per_covered[i], 0.f, 0.f, 0.f);
}

/// Finds entries of linear16_to_srgb8.
template <int kLight>
HWY_FLATTEN void find_entries_of(ShownRun<kLight>& run) {
  for (int c = 0; c < kLight; ++c)
    for (int i = 0; i < run.count; ++i) run.entry[c][i] = entry_of_light(run.light[c][i]);
}

#define SCANLENS_DEFINE_SHOW(light)                            \
  constexpr auto& FindShares##light = find_shares_of<light>;   \
  constexpr auto& FindEntries##light = find_entries_of<light>; \
  constexpr auto& Compose##light = compose_run<light>;
SCANLENS_DEFINE_SHOW(1)
SCANLENS_DEFINE_SHOW(3)
SCANLENS_DEFINE_SHOW(4)
#undef SCANLENS_DEFINE_SHOW

}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scanlens::cpu {

#define SCANLENS_DISPATCH_SHOW(light)                                          \
  HWY_EXPORT(FindShares##light);                                               \
  HWY_EXPORT(FindEntries##light);                                              \
  HWY_EXPORT(Compose##light);                                                  \
  template <>                                                                  \
  void find_shares(ShownRun<light>& run) {                                     \
    HWY_DYNAMIC_DISPATCH(FindShares##light)(run);                              \
  }                                                                            \
  template <>                                                                  \
  void find_entries(ShownRun<light>& run) {                                    \
    HWY_DYNAMIC_DISPATCH(FindEntries##light)(run);                             \
  }                                                                            \
  template <>                                                                  \
  void compose(const LayerCuts& cuts, float light_one, ShownRun<light>& run) { \
    HWY_DYNAMIC_DISPATCH(Compose##light)(cuts, light_one, run);                \
  }
SCANLENS_DISPATCH_SHOW(1)
SCANLENS_DISPATCH_SHOW(3)
SCANLENS_DISPATCH_SHOW(4)
#undef SCANLENS_DISPATCH_SHOW

}  // namespace scanlens::cpu
#endif  // HWY_ONCE
