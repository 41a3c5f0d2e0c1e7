// One array over several GPUs: contexts that hold it together, each a part.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "core/context.h"
#include "core/held/ranks.h"
#include "core/histogram.h"
#include "core/moments.h"
#include "core/sat.h"
#include "core/sort.h"

namespace scanlens {

struct RanksOptions {
  /// Seconds that a rank waits for the other ranks, when it joins them and in each synchronisation.
  double time_limit = 60;
  /// Compares the calls of all ranks before each, which waits for the device. Debug builds of the library
  /// always do.
  bool check = false;
};

/// Contexts that hold one array together, cut in the order of their ranks: a process may hold one rank or
/// many. Every rank makes the same calls in the same order. README.md in core/ranks says what they cost, and
/// how to start them.
///
/// The contexts are the caller's and outlive the ranks. GPUs talk by NCCL, version 2.18 or newer, which is
/// loaded when the first ranks are made: the file or folder that SCANLENS_NCCL names, else libnccl.so.2 from
/// where the loader looks. NVLink multicast stays off unless NCCL_NVLS_ENABLE says otherwise.
///
/// Calls are queued like those of a context; those of a process with one rank can be captured, others, and
/// sorts, throw Error (usage). If another rank fails or is gone, the next synchronize() of a context throws
/// Error (retry) within the time limit. So do calls that wait, and every call after it. Other waits for the
/// device, such as a copy to pageable memory, do not know the limit: synchronize() first.
///
/// Determinism: integers have the bits of one context, whatever the cut; floats have the same bits
/// for the same cut and devices.
class Ranks {
 public:
  /// Identifies the ranks of several processes. One process makes it and gives it to the other processes.
  using Id = std::array<char, 128>;
  static Id make_id();

  /// Rank `rank` of `count`, one in this process. Returns when all have joined.
  static Ranks join(Context& context, const Id& id, int rank, int count, const RanksOptions& options = {});
  /// The same on a communicator of the caller's, an ncclComm_t, which is borrowed: the caller aborts it where
  /// a call throws Error (retry).
  static Ranks of(Context& context, void* nccl_communicator, const RanksOptions& options = {});
  /// All ranks in this process, one for each context, on different GPUs; one context may be anywhere.
  static Ranks of(std::span<Context> contexts, const RanksOptions& options = {});
  /// `count` ranks on one context, of either backend, for tests and dry runs: the same code without NCCL.
  static Ranks simulated(Context& context, int count, const RanksOptions& options = {});

  Ranks(Ranks&&) noexcept;
  Ranks& operator=(Ranks&&) noexcept;
  ~Ranks();

  int count() const;  ///< ranks in all
  int first() const;  ///< those of this process are first … first + local - 1
  int local() const;
  Context& context(int local) const;

  /// Waits for everything called so far on all ranks of this process; throws what failed on the way.
  void synchronize();

  struct Impl;
  Impl& impl() const { return *impl_; }

 private:
  explicit Ranks(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The scans of core/scan.h over the parts of all ranks in their order; the operator need not commute. Part i
/// of `out` is as long as that of `in`. Bytes moved: each element is read twice and written once, and a value
/// a rank goes to all others.
template <class In, class Out, class Op = Sum>
void inclusive_scan(Ranks& ranks, Parts<const In> in, Parts<Out> out, Op op = {}) {
  scan_held_parts(true, ranks, in, out, op);
}
template <class In, class Out, class Op = Sum>
void exclusive_scan(Ranks& ranks, Parts<const In> in, Parts<Out> out, Op op = {}) {
  scan_held_parts(false, ranks, in, out, op);
}

/// The reductions of core/reduce.h and core/histogram.h over all parts. Every rank gets the result, each at
/// its own address in its context's memory. Indices count from the first element of rank 0.
template <class In, class Out, class Op = Sum>
void reduce(Ranks& ranks, Parts<const In> in, std::span<Out* const> results, Op op = {}) {
  reduce_held_parts(ranks, in, results, op);
}
template <NumberInLibrary T>
void argmin(Ranks& ranks, Parts<const T> in, std::span<Located<T>* const> results);
template <NumberInLibrary T>
void argmax(Ranks& ranks, Parts<const T> in, std::span<Located<T>* const> results);
template <MomentsInLibrary T>
void moments(Ranks& ranks, Parts<const T> in, std::span<Moments* const> results);
template <HistogramInLibrary T>
void histogram(Ranks& ranks, Parts<const T> in, double lower, double upper, Parts<std::uint64_t> bins);

/// The sorts of core/sort.h over all parts: equal keys keep their order over the ranks. Parts of `out` may
/// have other lengths than those of `in`, together the same: rank r ends with the elements that follow those
/// of the ranks before it. An output may be its own input. Waits for the device. At most 128 ranks.
/// Workspace: three arrays of keys (and of values).
template <NumberInLibrary Key>
void sort_keys(Ranks& ranks, Parts<const Key> in, Parts<Key> out, const SortOptions& options = {});
template <class Key, class Value>
requires NumberInLibrary<Key> && PairSortInLibrary<Key, Value>
void sort_pairs(Ranks& ranks, Parts<const Key> keys_in, Parts<const Value> values_in, Parts<Key> keys_out,
                Parts<Value> values_out, const SortOptions& options = {});

/// The table of core/sat.h of an image that is cut into slabs of rows. A table has one row more than its
/// slab, row 0, which becomes the last row of the table above, zeros on the first rank; it is as wide as the
/// slab, or one column wider, as continue_summed_area_table has it. Types and terms: those of the list there.
/// Bytes moved: the image is read twice and the table written once; a row of sums a rank goes to all others.
template <class T, class S>
requires TableInLibrary<T, S>
void summed_area_table(Ranks& ranks, std::span<const View<const T>> slabs, std::span<const View<S>> tables,
                       const Terms& terms = {});

}  // namespace scanlens
