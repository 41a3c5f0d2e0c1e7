#include "core/histogram.h"

#include <fmt/format.h>

#include <cmath>

#include "core/reduce/histogram_backends.h"
#include "core/runtime/array_checks.h"
#include "core/runtime/checks.h"
#include "core/runtime/dispatch.h"

namespace scanlens {

template <class T>
void compiled::histogram(Context& context, std::span<const T> in, double lower, double upper,
                         std::span<std::uint64_t> bins) {
  require_same_length("histogram", {"in", in}, {"in", in});
  require_same_length("histogram", {"bins", bins}, {"bins", bins});
  require_apart("histogram", {"in", in}, {"bins", bins});
  SCANLENS_REQUIRE(!bins.empty() && bins.size() <= 65536,
                   fmt::format("histogram: {} bins were asked for; 1 to 65536 are possible", bins.size()));
  const BinOf<T> bin = bin_of<T>(lower, upper, std::ssize(bins));
  SCANLENS_REQUIRE(
      lower < upper && std::isfinite(upper - lower) && std::isfinite(bin.lower) && std::isfinite(bin.scale),
      fmt::format(
          "histogram: {} bins over [{}, {}) are not possible; the bounds must be finite, ascending and not "
          "too close together",
          bins.size(), lower, upper));
  SCANLENS_DISPATCH(context, histogram, in.data(), std::ssize(in), bin, bins.data());
}

#define SCANLENS_INSTANTIATE(T) \
  template void compiled::histogram(Context&, std::span<const T>, double, double, std::span<std::uint64_t>);
SCANLENS_INSTANTIATE(std::uint8_t)
SCANLENS_INSTANTIATE(std::uint16_t)
SCANLENS_INSTANTIATE(std::uint32_t)
SCANLENS_INSTANTIATE(float)
SCANLENS_INSTANTIATE(double)

}  // namespace scanlens
