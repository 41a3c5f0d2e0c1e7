// A filter's work on the bands of one picture, in the backend's memory. BandStream calls it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace scanlens {

/// Rows are packed. Calls are ordered as the context's are.
class BandWork {
 public:
  virtual ~BandWork() = default;

  /// Takes the next `count` rows of the picture, which are overwritten later.
  virtual void take(const std::byte* rows, std::int64_t count) = 0;

  /// Number of rows of the result that can be made from the rows taken so far.
  virtual std::int64_t ready() const = 0;

  /// Makes rows `first` .. `first + count` of the result, which follow those made before and are ready.
  virtual void make(std::int64_t first, std::int64_t count, std::byte* out) = 0;
};

}  // namespace scanlens
