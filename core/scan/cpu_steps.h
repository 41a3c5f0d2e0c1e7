// Scans on the CPU by a function that goes over a piece. It is compiled for several instruction sets; its
// first call chooses the best that the processor has.
#pragma once

#include "core/scan/cpu.h"

namespace scanlens::cpu {

/// Options of a function that goes over a piece.
struct Step {
  bool write = false;  ///< false: measure only
  bool inclusive = false;
  bool past_cache = false;
  bool aligned = false;    ///< writes whole lines of the cache: then results pair up by where they go
  std::int64_t ahead = 0;  ///< distance in elements at which memory is fetched into the cache ahead
};

/// Elements of a result that pair up alike wherever it goes: it stays in the first-level cache, where a store
/// may cross lines.
template <class T>
constexpr std::int64_t kPlaceFree = 32 * 1024 / sizeof(T);

template <class StepOver, class In, class Out, class Op>
void scan_by(const StepOver& step_over, const In* in, Out* out, std::int64_t n, const ScanForm<Out>& form,
             Op op) {
  using Total = Running<Out, Op>;
  constexpr std::int64_t kPiece = kScanPiece<Out>;
  n = form.count_of(n);
  constexpr std::int64_t kAlone = 4 * kPiece;  // takes less than 20 us, as long as to wake another thread
  // Results in place lie in the cache already; a store past the cache would only push them out.
  const bool in_place = static_cast<const void*>(in) == static_cast<const void*>(out);
  const bool is_long = n > kPlaceFree<Out>;
  const int workers = n <= kAlone ? 1 : workers_for(n, kPiece);
  const auto write = [&](const Piece& piece, const Total& before) {
    // While a thread writes a piece, memory brings the one that it will most likely measure next.
    const std::int64_t ahead = workers * kPiece;
    const Step step{.write = true,
                    .inclusive = form.inclusive,
                    .past_cache = !in_place && outgrows_cache<Out>(n),
                    .aligned = is_long,
                    .ahead = workers > 1 && piece.first + piece.count + ahead <= n ? ahead : 0};
    return step_over(in + piece.first, out + piece.first, piece.count, op, step, before);
  };
  if (workers == 1) {  // one pass; values pair up as with more workers
    Total before = start_of(form, op);
    for (std::int64_t i = 0; i < n; i += kPiece)
      before.append(write({i, std::min(kPiece, n - i), 0}, before));
    return;
  }
  const auto measure = [&](const Piece& piece) {
    return step_over(in + piece.first, out + piece.first, piece.count, op, Step{.aligned = is_long},
                     Total(op));
  };
  for_each_piece(n, kPiece, start_of(form, op), measure,
                 [&](const Piece& piece, const Total& before, const Total&) { write(piece, before); });
}

/// Defines the function that goes over a piece, for one instruction set.
#define SCANLENS_DEFINE_STEP(name, In, Out, Op)                                       \
  Running<Out, Op> name(const In* in, Out* out, std::int64_t count, Op op, Step step, \
                        const Running<Out, Op>& before) {                             \
    return step_over(in, out, count, op, step, before);                               \
  }

/// Defines the scan by the best of these functions.
#define SCANLENS_DEFINE_VECTOR_SCAN(name, In, Out, Op)                                            \
  HWY_EXPORT(name);                                                                               \
  template <>                                                                                     \
  void scan(Context&, const In* in, Out* out, std::int64_t n, const ScanForm<Out>& form, Op op) { \
    if (form.reverse) return scan_reversed(in, out, n, form, op);                                 \
    scan_by(HWY_DYNAMIC_DISPATCH(name), in, out, n, form, op);                                    \
  }

}  // namespace scanlens::cpu
