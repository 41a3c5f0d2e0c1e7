// Strided arrays made dense: the call and the CPU.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>

#include "core/runtime/array_checks.h"
#include "core/runtime/checks.h"
#include "core/runtime/dispatch.h"
#include "core/transpose/pack_plan.h"

namespace scanlens {
namespace cpu {

template <class Unit>
void pack(Context&, const Strided<const Unit>& from, Unit* to) {
  constexpr std::int64_t kLeastElements = 1 << 14;  // of a task
  const int last = from.axes - 1;
  const std::int64_t length = from.extents[last], stride = from.strides[last];
  const std::int64_t rows = count_of(from) / length;
  const std::int64_t grain = std::max<std::int64_t>(1, kLeastElements / length);
  tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, rows, grain), [&](const auto& range) {
    for (std::int64_t row = range.begin(); row < range.end(); ++row) {
      const Unit* first = from.data;
      std::int64_t rest = row;
      for (int k = last - 1; k >= 0; --k) {
        first += rest % from.extents[k] * from.strides[k];
        rest /= from.extents[k];
      }
      Unit* out = to + row * length;
      if (stride == 1)
        std::copy_n(first, length, out);
      else
        for (std::int64_t i = 0; i < length; ++i) out[i] = first[i * stride];
    }
  });
}

}  // namespace cpu

namespace {

/// Requires that no element of `from` lies in `to`.
template <class Unit>
void require_apart_from(const Strided<const Unit>& from, std::span<Unit> to) {
  std::int64_t below = 0, above = 0;
  for (int k = 0; k < from.axes; ++k)
    (from.strides[k] < 0 ? below : above) += (from.extents[k] - 1) * from.strides[k];
  const std::span<const Unit> reach(from.data + below, static_cast<std::size_t>(above - below + 1));
  require_apart("pack", ArrayArgument("from", reach), ArrayArgument("to", to));
}

}  // namespace

template <class Unit>
void compiled::pack(Context& context, const Strided<const Unit>& from, std::span<Unit> to) {
  SCANLENS_REQUIRE(from.axes >= 0 && from.axes <= from.kMostAxes,
                   fmt::format("pack: `from` has {} axes; 0 to {} are possible", from.axes, from.kMostAxes));
  for (int k = 0; k < from.axes; ++k)
    SCANLENS_REQUIRE(from.extents[k] >= 0,
                     fmt::format("pack: axis {} of `from` has the impossible extent {}", k, from.extents[k]));
  const std::int64_t count = count_of(from);
  SCANLENS_REQUIRE(count == std::ssize(to),
                   fmt::format("pack: `from` has {} elements but `to` has {}", count, to.size()));
  if (count == 0) return;
  SCANLENS_REQUIRE(from.data != nullptr && to.data() != nullptr,
                   fmt::format("pack: `{}` points nowhere", from.data == nullptr ? "from" : "to"));
  require_apart_from(from, to);
  SCANLENS_DISPATCH(context, pack, merged(from), to.data());
}

#define SCANLENS_INSTANTIATE(Unit) \
  template void compiled::pack(Context&, const Strided<const Unit>&, std::span<Unit>);
SCANLENS_FOR_EACH_PACKED(SCANLENS_INSTANTIATE)

}  // namespace scanlens
