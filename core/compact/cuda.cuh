// Compaction on CUDA: few elements in registers, all others through the pipeline.
#pragma once

#include <type_traits>

#include "core/compact/backends.h"
#include "core/compact/few.cuh"
#include "core/compact/job.cuh"
#include "core/pipeline/launch.cuh"
#include "core/view.h"

namespace scanlens::gpu {

template <class T, class Keep>
void run_compaction(Context& context, const T* in, const std::uint8_t* flags, T* kept, T* rejected,
                    std::uint64_t* count, std::int64_t n, Keep keep) {
  if (n == 0) {
    SCANLENS_CUDA_CHECK(cudaMemsetAsync(count, 0, sizeof(*count), stream_of(context)));
    return;
  }
  if constexpr (sizeof(T) <= kMostFewBytes)
    if (are_few<T>(context, n)) return compact_few(context, in, flags, kept, rejected, count, n, keep);
  const CompactJob<T, Keep> job{in, flags, kept, rejected, count, n, keep};
  run_pipeline(context, job, most_shift(View<const T>(in, n, 1)));
}

template <class T, class Predicate>
void compact(Context& context, const T* in, T* kept, T* rejected, std::uint64_t* count, std::int64_t n,
             Predicate predicate) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool> && std::is_same_v<Predicate, Compare<T>>) {
    using Bits = std::make_unsigned_t<T>;  // a range of signed integers is one of unsigned ones
    run_compaction(context, reinterpret_cast<const Bits*>(in), nullptr, reinterpret_cast<Bits*>(kept),
                   reinterpret_cast<Bits*>(rejected), count, n, KeepRange<Bits>(predicate));
  } else {
    using Keep = std::conditional_t<std::is_floating_point_v<T> && std::is_same_v<Predicate, Compare<T>>,
                                    KeepRange<T>, KeepIf<Predicate>>;
    run_compaction(context, in, nullptr, kept, rejected, count, n, Keep(predicate));
  }
}

template <class T>
void compact_flagged(Context& context, const T* in, const std::uint8_t* flags, T* kept, T* rejected,
                     std::uint64_t* count, std::int64_t n) {
  run_compaction(context, in, flags, kept, rejected, count, n, KeepFlagged());
}

template <class T>
void unique(Context& context, const T* in, T* out, std::uint64_t* count, std::int64_t n) {
  run_compaction(context, in, nullptr, out, static_cast<T*>(nullptr), count, n, KeepChanges());
}

}  // namespace scanlens::gpu
