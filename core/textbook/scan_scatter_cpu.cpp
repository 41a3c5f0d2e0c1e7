// Compaction by scan and scatter on the CPU.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "core/held/compactions.h"
#include "core/scan/backends.h"
#include "core/textbook/backends.h"

namespace scanlens::cpu {

template <class T>
void compact_scan_scatter(Context& context, const T* in, const std::uint8_t* flags, T* out,
                          std::uint64_t* count, std::int64_t n) {
  const auto for_each_element = [n](const auto& body) {
    tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, n), [&](const auto& range) {
      for (std::int64_t i = range.begin(); i < range.end(); ++i) body(i);
    });
  };
  if (n == 0) {
    *count = 0;
    return;
  }
  Workspace workspace(context);
  auto* const places = workspace.take<std::uint32_t>(n);
  for_each_element([=](std::int64_t i) { places[i] = flags[i] != 0; });
  scan(context, static_cast<const std::uint32_t*>(places), places, n, scan_form<Sum, std::uint32_t>(false),
       Sum());
  for_each_element([=](std::int64_t i) {
    if (flags[i]) out[places[i]] = in[i];
  });
  *count = std::uint64_t{places[n - 1]} + (flags[n - 1] != 0);
}

#define SCANLENS_INSTANTIATE(name, T)                                                             \
  template void compact_scan_scatter(Context&, const T*, const std::uint8_t*, T*, std::uint64_t*, \
                                     std::int64_t);
SCANLENS_COMPACTED_BITS(SCANLENS_INSTANTIATE)

}  // namespace scanlens::cpu
