// The rows of summed-area tables by vectors, through Highway: every function is compiled for several
// instruction sets, and the best that the processor has is chosen when it is first called.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/sat/cpu/rows.cpp"
#include <hwy/foreach_target.h>  // must come first
//
#include <hwy/highway.h>

#include "core/sat/cpu/scan_rows.h"

HWY_BEFORE_NAMESPACE();
namespace scanlens::cpu::HWY_NAMESPACE {
namespace {

/// Columns are added in lanes just wide enough for 256 rows, several vectors side by side.
template <class In, class Out>
void add_columns(const In* in, std::int64_t pitch, int count, std::int64_t length, Out* sums) {
  using Wide = std::conditional_t<sizeof(In) == 1, std::uint16_t,
                                  std::conditional_t<sizeof(In) == 2, std::uint32_t, Out>>;
  constexpr int kVectors = 4;
  const hn::ScalableTag<Wide> d;
  const hn::ScalableTag<Out> out;
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(d));
  constexpr auto kOutLanes = static_cast<std::int64_t>(hn::MaxLanes(out));
  std::int64_t i = 0;
  for (; i + kVectors * kLanes <= length; i += kVectors * kLanes) {
    hn::Vec<decltype(d)> columns[kVectors];
    for (auto& column : columns) column = hn::Zero(d);
    for (int r = 0; r < count; ++r)
      for (int k = 0; k < kVectors; ++k)
        columns[k] = hn::Add(columns[k], load_as(d, in + r * pitch + i + k * kLanes));
    HWY_ALIGN Wide added[kVectors * kLanes];
    for (int k = 0; k < kVectors; ++k) hn::Store(columns[k], d, added + k * kLanes);
    for (std::int64_t k = 0; k < kVectors * kLanes; k += kOutLanes)
      hn::StoreU(hn::Add(hn::LoadU(out, sums + i + k), load_as(out, added + k)), out, sums + i + k);
  }
  for (; i < length; ++i)
    for (int r = 0; r < count; ++r) sums[i] += static_cast<Out>(in[r * pitch + i]);
}

#define SCANLENS_DEFINE_SCAN(name, In, Out)       \
  void Scan##name(const SatRows<In, Out>& rows) { \
    scan_rows(rows);                              \
  }
SCANLENS_FOR_EACH_SAT_ROWS_BUT_BYTES(SCANLENS_DEFINE_SCAN)
#undef SCANLENS_DEFINE_SCAN

#define SCANLENS_DEFINE_ADD(name, In, Out)                                                      \
  void Add##name(const In* in, std::int64_t pitch, int count, std::int64_t length, Out* sums) { \
    add_columns(in, pitch, count, length, sums);                                                \
  }
SCANLENS_FOR_EACH_SAT_ROWS(SCANLENS_DEFINE_ADD)
#undef SCANLENS_DEFINE_ADD

}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scanlens::cpu {

#define SCANLENS_DISPATCH_SCAN(name, In, Out)             \
  HWY_EXPORT(Scan##name);                                 \
  template <>                                             \
  void scan_rows_of_table(const SatRows<In, Out>& rows) { \
    HWY_DYNAMIC_DISPATCH(Scan##name)(rows);               \
  }
SCANLENS_FOR_EACH_SAT_ROWS_BUT_BYTES(SCANLENS_DISPATCH_SCAN)
#undef SCANLENS_DISPATCH_SCAN

#define SCANLENS_DISPATCH_ADD(name, In, Out)                                                   \
  HWY_EXPORT(Add##name);                                                                       \
  template <>                                                                                  \
  void add_rows(const In* in, std::int64_t pitch, int count, std::int64_t length, Out* sums) { \
    HWY_DYNAMIC_DISPATCH(Add##name)(in, pitch, count, length, sums);                           \
  }
SCANLENS_FOR_EACH_SAT_ROWS(SCANLENS_DISPATCH_ADD)
#undef SCANLENS_DISPATCH_ADD

}  // namespace scanlens::cpu
#endif  // HWY_ONCE
