#include "core/compact/checks.h"
#include "core/compact/cpu.h"
#include "core/held/compactions.h"
#include "core/runtime/dispatch.h"

namespace scanlens {

template <class T>
void compiled::compact_if(Context& context, std::span<const T> in, Compare<T> predicate, std::span<T> out,
                          std::uint64_t* count) {
  require_compactable("compact_if", {"in", in}, {"out", out}, count);
  const auto n = static_cast<std::int64_t>(in.size());
  SCANLENS_DISPATCH(context, compact, in.data(), out.data(), static_cast<T*>(nullptr), count, n, predicate);
}

template <class T>
void compiled::partition_if(Context& context, std::span<const T> in, Compare<T> predicate, std::span<T> kept,
                            std::span<T> rejected, std::uint64_t* count) {
  require_partition("partition_if", {"in", in}, {"kept", kept}, {"rejected", rejected}, count);
  const auto n = static_cast<std::int64_t>(in.size());
  SCANLENS_DISPATCH(context, compact, in.data(), kept.data(), rejected.data(), count, n, predicate);
}

template <class T>
void compiled::unique(Context& context, std::span<const T> in, std::span<T> out, std::uint64_t* count) {
  require_compactable("unique", {"in", in}, {"out", out}, count);
  const auto n = static_cast<std::int64_t>(in.size());
  SCANLENS_DISPATCH(context, unique, in.data(), out.data(), count, n);
}

#define SCANLENS_INSTANTIATE(name, T)                                                                        \
  template void compiled::compact_if(Context&, std::span<const T>, Compare<T>, std::span<T>,                 \
                                     std::uint64_t*);                                                        \
  template void compiled::partition_if(Context&, std::span<const T>, Compare<T>, std::span<T>, std::span<T>, \
                                       std::uint64_t*);
SCANLENS_COMPACTED_TYPES(SCANLENS_INSTANTIATE)
#define SCANLENS_INSTANTIATE_UNIQUE(name, T) \
  template void compiled::unique(Context&, std::span<const T>, std::span<T>, std::uint64_t*);
SCANLENS_COMPACTED_BITS(SCANLENS_INSTANTIATE_UNIQUE)
SCANLENS_COMPACTED_FLOATS(SCANLENS_INSTANTIATE_UNIQUE)

}  // namespace scanlens
