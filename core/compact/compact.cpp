#include "core/compact.h"

#include "core/compact/backends.h"
#include "core/compact/checks.h"
#include "core/compact/cpu.h"
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
void compiled::compact_flagged(Context& context, std::span<const T> in, std::span<const std::uint8_t> flags,
                               std::span<T> out, std::uint64_t* count) {
  require_compactable("compact_flagged", {"in", in}, {"out", out}, count);
  require_flags("compact_flagged", {"in", in}, {"flags", flags}, {"out", out}, count);
  const auto n = static_cast<std::int64_t>(in.size());
  SCANLENS_DISPATCH(context, compact_flagged, in.data(), flags.data(), out.data(), static_cast<T*>(nullptr),
                    count, n);
}

template <class T>
void compiled::partition_if(Context& context, std::span<const T> in, Compare<T> predicate, std::span<T> kept,
                            std::span<T> rejected, std::uint64_t* count) {
  require_compactable("partition_if", {"in", in}, {"kept", kept}, count);
  require_compactable("partition_if", {"in", in}, {"rejected", rejected}, count);
  require_apart("partition_if", {"kept", kept}, {"rejected", rejected});
  const auto n = static_cast<std::int64_t>(in.size());
  SCANLENS_DISPATCH(context, compact, in.data(), kept.data(), rejected.data(), count, n, predicate);
}

template <class T>
void compiled::partition_flagged(Context& context, std::span<const T> in, std::span<const std::uint8_t> flags,
                                 std::span<T> kept, std::span<T> rejected, std::uint64_t* count) {
  require_compactable("partition_flagged", {"in", in}, {"kept", kept}, count);
  require_compactable("partition_flagged", {"in", in}, {"rejected", rejected}, count);
  require_apart("partition_flagged", {"kept", kept}, {"rejected", rejected});
  require_flags("partition_flagged", {"in", in}, {"flags", flags}, {"kept", kept}, count);
  require_flags("partition_flagged", {"in", in}, {"flags", flags}, {"rejected", rejected}, count);
  const auto n = static_cast<std::int64_t>(in.size());
  SCANLENS_DISPATCH(context, compact_flagged, in.data(), flags.data(), kept.data(), rejected.data(), count,
                    n);
}

template <class T>
void compiled::unique(Context& context, std::span<const T> in, std::span<T> out, std::uint64_t* count) {
  require_compactable("unique", {"in", in}, {"out", out}, count);
  const auto n = static_cast<std::int64_t>(in.size());
  SCANLENS_DISPATCH(context, unique, in.data(), out.data(), count, n);
}

#define SCANLENS_INSTANTIATE_COMPACTION(T)                                                                   \
  static_assert(kCompactInLibrary<T>);                                                                       \
  template void compiled::compact_if(Context&, std::span<const T>, Compare<T>, std::span<T>,                 \
                                     std::uint64_t*);                                                        \
  template void compiled::compact_flagged(Context&, std::span<const T>, std::span<const std::uint8_t>,       \
                                          std::span<T>, std::uint64_t*);                                     \
  template void compiled::partition_if(Context&, std::span<const T>, Compare<T>, std::span<T>, std::span<T>, \
                                       std::uint64_t*);                                                      \
  template void compiled::partition_flagged(Context&, std::span<const T>, std::span<const std::uint8_t>,     \
                                            std::span<T>, std::span<T>, std::uint64_t*);                     \
  template void compiled::unique(Context&, std::span<const T>, std::span<T>, std::uint64_t*);
SCANLENS_FOR_EACH_COMPACTED_TYPE(SCANLENS_INSTANTIATE_COMPACTION)

}  // namespace scanlens
