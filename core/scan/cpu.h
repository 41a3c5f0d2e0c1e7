// Scans on the CPU for any operator. Sums and extrema of plain numbers go faster: core/scan/cpu_vectors.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "core/computed.h"
#include "core/cpu/copy.h"
#include "core/cpu/pieces.h"
#include "core/cpu/running.h"
#include "core/scan/backends.h"
#include "core/scan_kinds.h"

namespace scanlens::cpu {

/// Elements of a piece: 128 KiB, so that input and output fit the second-level cache of any core.
template <class T>
constexpr std::int64_t kScanPiece = std::max<std::int64_t>(1, 128 * 1024 / sizeof(T));

/// Number of runs of a piece, which its thread scans side by side: a run alone waits for each result of the
/// operator before it can go on. Totals that do not fit the registers together would wait for memory; from 12
/// bytes on one run was measured to be faster than two or four.
template <class T>
constexpr int kScanRuns = sizeof(T) <= 8 ? 4 : 1;

/// Holds where each run of a piece begins and ends, and what its elements come to.
template <class Total, int kRuns>
struct Runs {
  std::int64_t first[kRuns], end[kRuns];
  Total totals[kRuns];
};

template <int kRuns, class Total>
Runs<Total, kRuns> runs_of(const Piece& piece, const Total& nothing) {
  const auto from = [&](int run) { return piece.first + piece.count * run / kRuns; };
  return [&]<int... kRun>(std::integer_sequence<int, kRun...>) {
    return Runs<Total, kRuns>{{from(kRun)...}, {from(kRun + 1)...}, {((void)kRun, nothing)...}};
  }
  (std::make_integer_sequence<int, kRuns>());
}

/// Calls step(run, total, i) for each element i of each run, whose total it may change.
template <class Total, int kRuns, class Step>
void side_by_side(Runs<Total, kRuns>& runs, const Step& step) {
  std::int64_t common = runs.end[0] - runs.first[0];
  for (int run = 1; run < kRuns; ++run) common = std::min(common, runs.end[run] - runs.first[run]);
  // Each total is a parameter by value, which the compiler can keep in registers.
  const auto go = [&]<int... kRun>(std::integer_sequence<int, kRun...>, auto... totals) {
    for (std::int64_t i = 0; i < common; ++i) (step(kRun, totals, runs.first[kRun] + i), ...);
    ((runs.totals[kRun] = totals), ...);
  };
  [&]<int... kRun>(std::integer_sequence<int, kRun...> all) {
    go(all, runs.totals[kRun]...);
  }
  (std::make_integer_sequence<int, kRuns>());
  for (int run = 0; run < kRuns; ++run) {
    Total total = runs.totals[run];
    for (std::int64_t i = runs.first[run] + common; i < runs.end[run]; ++i) step(run, total, i);
    runs.totals[run] = total;
  }
}

/// Writes out[i] = next(total, i) for each element i of each run, whose total is what comes before it. On the
/// way past the cache elements stay in parts of the first-level cache until whole lines can go.
template <class Out, class Total, int kRuns, class Next>
void write_runs(Runs<Total, kRuns> runs, Out* out, bool past_cache, const Next& next) {
  if (!past_cache)
    return side_by_side(runs, [=](int, Total& total, std::int64_t i) { out[i] = next(total, i); });

  constexpr std::int64_t kPart = std::max<std::int64_t>(1, 2048 / sizeof(Out));
  alignas(Out) alignas(64) std::byte parts[kRuns][kPart * sizeof(Out)];
  for (Runs part = runs; part.first[kRuns - 1] < runs.end[kRuns - 1];) {
    for (int run = 0; run < kRuns; ++run) part.end[run] = std::min(runs.end[run], part.first[run] + kPart);
    const Runs begin = part;
    side_by_side(part, [&](int run, Total& total, std::int64_t i) {
      new (parts[run] + static_cast<std::size_t>(i - begin.first[run]) * sizeof(Out)) Out(next(total, i));
    });
    for (int run = 0; run < kRuns; ++run) {
      copy_past_cache(parts[run], out + part.first[run],
                      static_cast<std::size_t>(part.end[run] - part.first[run]) * sizeof(Out));
      part.first[run] = part.end[run];
    }
  }
  fence_copies();
}

/// Holds what all elements before a piece come to.
template <class Total>
struct BeforePiece {
  Total total;

  template <int kRuns>
  void append(const Runs<Total, kRuns>& runs) {
    for (const Total& run : runs.totals) total.append(run);
  }
};

/// An array from its end.
template <class T>
struct FromEnd {
  T* last;
  T& operator[](std::int64_t i) const { return last[-i]; }
};
template <class Out, class Total, int kRuns, class Next>
void write_runs(Runs<Total, kRuns> runs, FromEnd<Out> out, bool, const Next& next) {
  side_by_side(runs, [=](int, Total& total, std::int64_t i) { out[i] = next(total, i); });
}

/// Scans n elements by two steps. next(total, i) appends element i and returns the value to write for it.
/// measure(runs) appends to each run's total all that counts after the run. `start` stands before the first
/// element; `nothing` is the total of no elements.
template <class Total, class To, class Measure, class Next>
void scan_elements(Total start, const Total& nothing, To out, std::int64_t n, bool past_cache,
                   const Measure& measure, const Next& next) {
  using Out = std::remove_reference_t<decltype(out[0])>;
  constexpr int kRuns = kScanRuns<Out>;
  if (n <= kScanPiece<Out>) {  // nothing comes after it
    for (std::int64_t i = 0; i < n; ++i) out[i] = next(start, i);
    return;
  }
  for_each_piece(
      n, kScanPiece<Out>, BeforePiece<Total>{start},
      [&](const Piece& piece) {
        Runs runs = runs_of<kRuns>(piece, nothing);
        measure(runs);
        return runs;
      },
      [&](const Piece& piece, BeforePiece<Total> before, const Runs<Total, kRuns>& measured) {
        Runs runs = runs_of<kRuns>(piece, nothing);
        for (int run = 0; run < kRuns; ++run) {
          runs.totals[run] = before.total;
          before.total.append(measured.totals[run]);
        }
        write_runs(runs, out, past_cache, next);
      });
}

/// Appends a value to the total; returns what a scan writes for it.
template <bool kInclusive, class Out, class Total, class Value>
Out append_next(Total& total, Value value) {
  if constexpr (kInclusive) {
    total.append(value);
    return static_cast<Out>(total.value());
  } else {
    const auto before = total.value();
    total.append(value);
    return static_cast<Out>(before);
  }
}

/// The value before the first element.
template <class Op, class T>
Running<CombinedIn<T>, Op> start_of(const ScanForm<T>& form, Op op) {
  Running<CombinedIn<T>, Op> start(op);
  if (form.begins) start.append(form.begin());
  return start;
}

template <class From, class To, class Out, class Op>
void scan_from(From in, To out, std::int64_t n, bool past_cache, const ScanForm<Out>& form, Op op) {
  using Value = CombinedIn<Out>;
  using Total = Running<Value, Op>;
  const auto measure = [=](auto& runs) {
    side_by_side(runs, [=](int, Total& total, std::int64_t i) { total.append(static_cast<Value>(in[i])); });
  };
  const auto scan_by = [&](auto kind) {
    scan_elements(start_of(form, op), Total(op), out, n, past_cache, measure,
                  [=](Total& total, std::int64_t i) {
                    return append_next<kind, Out>(total, static_cast<Value>(in[i]));
                  });
  };
  if (form.inclusive)
    scan_by(std::true_type());
  else
    scan_by(std::false_type());
}

template <class In, class Out, class Op>
void scan_reversed(const In* in, Out* out, std::int64_t n, const ScanForm<Out>& form, Op op) {
  n = form.count_of(n);
  if (n > 0) scan_from(FromEnd<const In>{in + n - 1}, FromEnd<Out>{out + n - 1}, n, false, form, op);
}

template <class In, class Out, class Op>
void scan(Context&, const In* in, Out* out, std::int64_t n, const ScanForm<Out>& form, Op op) {
  if (form.reverse) return scan_reversed(in, out, n, form, op);
  n = form.count_of(n);
  const bool in_place = static_cast<const void*>(in) == static_cast<const void*>(out);
  scan_from(in, out, n, !in_place && outgrows_cache<Out>(n), form, op);
}

/// The same of computed elements.
template <class At>
struct ComputedFromEnd {
  Computed<At> in;
  auto operator[](std::int64_t i) const { return in[in.count - 1 - i]; }
};
template <class At, class Out, class Op>
void scan_computed(Context&, Computed<At> in, std::span<Out> out, const ScanForm<Out>& form, Op op) {
  const std::int64_t n = in.count = form.count_of(in.count);
  if (n == 0) return;
  if (form.reverse)
    return scan_from(ComputedFromEnd<At>{in}, FromEnd<Out>{out.data() + n - 1}, n, false, form, op);
  scan_from(in, out.data(), n, outgrows_cache<Out>(n), form, op);
}

/// Holds what has been appended since the last head, and whether there was one.
template <class T, class Op>
class RunningSegment {
 public:
  RunningSegment(Op op, const Running<T, Op>& first) : total_(op), first_(first) {}
  void begin() {
    total_ = first_;
    begun_ = true;
  }
  void append(T value) { total_.append(value); }
  void append(const RunningSegment& later) {
    if (later.begun_)
      *this = later;
    else
      total_.append(later.total_);
  }
  T value() const { return total_.value(); }

 private:
  Running<T, Op> total_;
  Running<T, Op> first_;  ///< what stands before the first element of a segment
  bool begun_ = false;
};

/// Returns the last head in first … end - 1; -1 if no head is there. Eight flags are looked at together.
inline std::int64_t last_head(const std::uint8_t* heads, std::int64_t first, std::int64_t end) {
  for (std::uint64_t eight = 0; end - first >= 8; end -= 8) {
    std::memcpy(&eight, heads + end - 8, 8);
    if (eight != 0) break;
  }
  while (end > first && !heads[end - 1]) --end;
  return end > first ? end - 1 : -1;
}

template <class T, class Op>
void segmented_scan(Context&, const T* in, const std::uint8_t* heads, T* out, std::int64_t n,
                    const ScanForm<T>& form, Op op) {
  using Total = RunningSegment<T, Op>;
  n = form.count_of(n);
  const Total nothing(op, start_of(form, op));
  Total start = nothing;
  start.begin();
  const auto measure = [=](auto& runs) {
    for (std::size_t run = 0; run < std::size(runs.totals); ++run) {
      // Elements before a run's last head do not count.
      const std::int64_t head = last_head(heads, runs.first[run], runs.end[run]);
      if (head < 0) continue;
      runs.totals[run].begin();
      runs.first[run] = head;
    }
    side_by_side(runs, [=](int, Total& total, std::int64_t i) { total.append(in[i]); });
  };
  const auto scan_by = [&](auto kind) {
    scan_elements(start, nothing, out, n, in != out && outgrows_cache<T>(n), measure,
                  [=](Total& total, std::int64_t i) {
                    if (heads[i]) total.begin();
                    return append_next<kind, T>(total, in[i]);
                  });
  };
  if (form.inclusive)
    scan_by(std::true_type());
  else
    scan_by(std::false_type());
}

// These scans have versions of their own, by vectors. SCANLENS_UNSIGNED_SUMS are in sums.cpp.
#define SCANLENS_VECTOR_SCANS(X) \
  SCANLENS_INTEGER_EXTREMES(X) SCANLENS_FLOAT_SCANS(X) SCANLENS_WIDENING_SCANS(X)
#define SCANLENS_DECLARE_VECTOR_SCAN(name, In, Out, Op) \
  template <>                                           \
  void scan(Context&, const In* in, Out* out, std::int64_t n, const ScanForm<Out>& form, Op op);
SCANLENS_UNSIGNED_SUMS(SCANLENS_DECLARE_VECTOR_SCAN)
SCANLENS_VECTOR_SCANS(SCANLENS_DECLARE_VECTOR_SCAN)
#undef SCANLENS_DECLARE_VECTOR_SCAN

}  // namespace scanlens::cpu
