// The scan algorithms of the literature, per backend. Called by the public scan_by only, with checked arrays
// of at least one element, and never for `automatic`.
#pragma once

#include <bit>
#include <cstdint>

#include "core/context.h"
#include "core/textbook/scan_algorithms.h"
#include "core/view.h"

namespace scanlens {

namespace cpu {
template <class T>  // uint32_t, float
void scan_by(Context& context, ScanAlgorithm algorithm, ScanKind kind, const T* in, T* out,
             std::int64_t count);
}
namespace gpu {
template <class T>
void scan_by(Context& context, ScanAlgorithm algorithm, ScanKind kind, const T* in, T* out,
             std::int64_t count);
}

/// A tile state tells the tiles after it how far a tile has come. It fits one 64-bit word, which is read and
/// written as a whole: nobody sees the flag of one state with the value of another, and no fence is needed.
template <class T>
struct TileState {
  enum Flag : std::uint32_t {
    empty,   ///< nothing yet; what cleared memory says
    total,   ///< the sum of this tile
    prefix,  ///< the sum of everything up to the end of this tile
  };
  Flag flag = empty;
  T value{};

  SCANLENS_HOST_DEVICE std::uint64_t word() const { return std::bit_cast<std::uint64_t>(*this); }
  SCANLENS_HOST_DEVICE static TileState of(std::uint64_t word) { return std::bit_cast<TileState>(word); }
};

}  // namespace scanlens
