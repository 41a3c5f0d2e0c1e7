// Scans on the CPU for any operator. Sums and extrema of plain numbers go faster: core/scan/cpu.cpp.
#pragma once

#include "core/cpu/pieces.h"
#include "core/cpu/running.h"
#include "core/scan/backends.h"

namespace scanlens::cpu {

/// Elements in a piece: 128 KiB, so that what is read and what is written fit the second-level cache of any
/// core.
template <class T>
constexpr std::int64_t kScanPiece = std::max<std::int64_t>(1, 128 * 1024 / sizeof(T));

template <class In, class Out, class Op>
void scan(Context&, const In* in, Out* out, std::int64_t n, bool inclusive, Op op) {
  using Total = Running<Out, Op>;
  const auto measure = [=](const Piece& piece) {
    Total total(op);
    for (std::int64_t i = piece.first; i < piece.first + piece.count; ++i)
      total.append(static_cast<Out>(in[i]));
    return total;
  };
  const auto write = [=](const Piece& piece, Total running, const Total&) {
    for (std::int64_t i = piece.first; i < piece.first + piece.count; ++i) {
      const Out before = running.value();
      running.append(static_cast<Out>(in[i]));
      out[i] = inclusive ? running.value() : before;
    }
  };
  for_each_piece(n, kScanPiece<Out>, Total(op), measure, write);
}

/// What has been appended since the last head, and whether there was one.
template <class T, class Op>
class RunningSegment {
 public:
  explicit RunningSegment(Op op) : total_(op), nothing_(op) {}
  void begin() {
    total_ = nothing_;
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
  Running<T, Op> total_, nothing_;
  bool begun_ = false;
};

template <class T, class Op>
void segmented_scan(Context&, const T* in, const std::uint8_t* heads, T* out, std::int64_t n, bool inclusive,
                    Op op) {
  using Total = RunningSegment<T, Op>;
  const auto measure = [=](const Piece& piece) {
    Total total(op);
    for (std::int64_t i = piece.first; i < piece.first + piece.count; ++i) {
      if (heads[i]) total.begin();
      total.append(in[i]);
    }
    return total;
  };
  const auto write = [=](const Piece& piece, Total running, const Total&) {
    for (std::int64_t i = piece.first; i < piece.first + piece.count; ++i) {
      if (heads[i]) running.begin();
      const T before = running.value();
      running.append(in[i]);
      out[i] = inclusive ? running.value() : before;
    }
  };
  for_each_piece(n, kScanPiece<T>, Total(op), measure, write);
}

/// How core/scan/cpu.cpp goes over a piece.
struct Step {
  bool write = false;  ///< else measure only
  bool inclusive = false;
  bool past_cache = false;
  std::int64_t ahead = 0;  ///< what lies so many elements ahead is fetched into the cache meanwhile
};

// Those with versions of their own, by vectors: X(name, In, Out, Op).
#define SCANLENS_FOR_EACH_VECTOR_SCAN(X)       \
  X(SumI32, std::int32_t, std::int32_t, Sum)   \
  X(MinI32, std::int32_t, std::int32_t, Min)   \
  X(MaxI32, std::int32_t, std::int32_t, Max)   \
  X(SumU32, std::uint32_t, std::uint32_t, Sum) \
  X(MinU32, std::uint32_t, std::uint32_t, Min) \
  X(MaxU32, std::uint32_t, std::uint32_t, Max) \
  X(SumU64, std::uint64_t, std::uint64_t, Sum) \
  X(MinU64, std::uint64_t, std::uint64_t, Min) \
  X(MaxU64, std::uint64_t, std::uint64_t, Max) \
  X(SumF32, float, float, Sum)                 \
  X(MinF32, float, float, Min)                 \
  X(MaxF32, float, float, Max)                 \
  X(SumF64, double, double, Sum)               \
  X(MinF64, double, double, Min)               \
  X(MaxF64, double, double, Max)               \
  X(SumU8, std::uint8_t, std::uint32_t, Sum)   \
  X(SumU16, std::uint16_t, std::uint32_t, Sum)

#define SCANLENS_DECLARE_VECTOR_SCAN(name, In, Out, Op) \
  template <>                                           \
  void scan(Context&, const In* in, Out* out, std::int64_t n, bool inclusive, Op op);
SCANLENS_FOR_EACH_VECTOR_SCAN(SCANLENS_DECLARE_VECTOR_SCAN)
#undef SCANLENS_DECLARE_VECTOR_SCAN

}  // namespace scanlens::cpu
