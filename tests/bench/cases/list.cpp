#include "tests/bench/cases/list.h"

#include <algorithm>

#include "app/commands/primitives.h"

namespace scanlens::bench {

#define SCANLENS_DECLARE(name, shapes, sweeps, help) void bench_##name(Bench& bench);
SCANLENS_PRIMITIVES(SCANLENS_DECLARE)
#undef SCANLENS_DECLARE

std::span<const Primitive> primitives() {
#define SCANLENS_ENTRY(name, shapes, sweeps, help) {#name, bench_##name, shapes, sweeps, help},
  static constexpr Primitive kPrimitives[] = {SCANLENS_PRIMITIVES(SCANLENS_ENTRY)};
#undef SCANLENS_ENTRY
  return kPrimitives;
}

const Primitive& primitive(std::string_view name) {
  return *std::find_if(primitives().begin(), primitives().end(),
                       [&](const Primitive& one) { return one.name == name; });
}

}  // namespace scanlens::bench
