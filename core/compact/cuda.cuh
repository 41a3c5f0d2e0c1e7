// Compaction on CUDA, for any predicate: few elements in registers, all others through the pipeline.
#pragma once

#include <type_traits>

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
  constexpr bool kOfNumbers = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
  using Keep = std::conditional_t<kOfNumbers && std::is_same_v<Predicate, Compare<T>>, KeepRange<T>,
                                  KeepIf<Predicate>>;
  run_compaction(context, in, nullptr, kept, rejected, count, n, Keep(predicate));
}

}  // namespace scanlens::gpu
