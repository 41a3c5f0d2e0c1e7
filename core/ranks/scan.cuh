// Scans on CUDA that go on from a value in device memory, for any type and operator: the Job of core/scan.
#pragma once

#include "core/pipeline/launch.cuh"
#include "core/ranks/partial.h"
#include "core/scan/job.cuh"

namespace scanlens::gpu {

/// The carry that stands before a tile, with what stands before the array.
template <class Op, class T>
__device__ Carry<Op, T> carry_after(const Op& op, const StartOf<T, Op>& start, const Carry<Op, T>& carry) {
  Carry<Op, T> all{};
  if constexpr (kSumsFloats<T, Op>) {
    all.value = start + carry.value;
  } else if constexpr (std::is_same_v<Op, Sum> && std::is_same_v<T, double>) {
    all.value.add(start);
    all.value.add(carry.value);
  } else {
    all.value = op(start, carry.value);
  }
  return all;
}

template <class In, class Out, class Op>
struct ContinuedScanJob : ScanJob<In, Out, Op> {
  using Base = ScanJob<In, Out, Op>;
  const StartOf<Out, Op>* start;

  __device__ void finish(const std::byte* slot, const Chunk& chunk, const typename Base::Carry& tiles_before,
                         const Out& warps_before) const {
    Base::finish(slot, chunk, carry_after<Op, Out>(this->op, *start, tiles_before), warps_before);
  }
};

/// Writes nothing but what the array comes to, in its order, for operators that do not commute.
template <class In, class Out, class Op>
struct TotalJob : ScanJob<In, Out, Op> {
  using Base = ScanJob<In, Out, Op>;
  Out* total;

  __device__ void done(const typename Base::Carry& before, const Out& last) const {
    *total = this->op(before.rounded(), last);
  }
  __device__ void finish(const std::byte*, const Chunk&, const typename Base::Carry&, const Out&) const {}
};

template <class In, class Out, class Op>
void continue_scan(Context& context, const In* in, Out* out, std::int64_t n, bool inclusive, Op op,
                   const StartOf<Out, Op>* start) {
  const View<const In> from(in, n, 1);
  run_pipeline(
      context,
      ContinuedScanJob<In, Out, Op>{{from, View<Out>(out, n, 1), op, scan_form<Op, Out>(inclusive)}, start},
      most_shift(from));
}

/// *total = in[0] op … op in[n - 1], for n >= 1.
template <class In, class Out, class Op>
void total_in_order(Context& context, const In* in, std::int64_t n, Out* total, Op op) {
  const View<const In> from(in, n, 1);
  run_pipeline(context,
               TotalJob<In, Out, Op>{{from, View<Out>(nullptr, n, 1), op, scan_form<Op, Out>(true)}, total},
               most_shift(from));
}

}  // namespace scanlens::gpu
