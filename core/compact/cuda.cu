// The compactions that the library holds ready compiled.
#include "core/compact/backends.h"
#include "core/compact/cuda.cuh"

namespace scanlens::gpu {

template <class T>
void compact_flagged(Context& context, const T* in, const std::uint8_t* flags, T* kept, T* rejected,
                     std::uint64_t* count, std::int64_t n) {
  run_compaction(context, in, flags, kept, rejected, count, n, KeepFlagged());
}

template <class T>
void unique(Context& context, const T* in, T* out, std::uint64_t* count, std::int64_t n) {
  run_compaction(context, in, nullptr, out, static_cast<T*>(nullptr), count, n, KeepChanges());
}

#define SCANLENS_INSTANTIATE(T)                                                                  \
  template void compact(Context&, const T*, T*, T*, std::uint64_t*, std::int64_t, Compare<T>);   \
  template void compact_flagged(Context&, const T*, const std::uint8_t*, T*, T*, std::uint64_t*, \
                                std::int64_t);                                                   \
  template void unique(Context&, const T*, T*, std::uint64_t*, std::int64_t);
SCANLENS_FOR_EACH_COMPACTED_TYPE(SCANLENS_INSTANTIATE)

}  // namespace scanlens::gpu
