// The sizes that headers announce of a picture and its depth map, before either is decoded.
#pragma once

#include <cstdint>

#include "app/io/picture.h"

namespace scanlens {

/// Takes headers as they are read. The file decides which of picture and map comes first. So each is taken to
/// be as large in every way as the larger of those announced.
class Announced {
 public:
  void add(const RowFormat& format);
  const RowFormat& most() const { return most_; }

  /// Returns the host's bytes that decoding takes, with `depth` those of a map that is brought to the
  /// picture's size, too.
  std::int64_t bytes(bool depth) const;

 private:
  RowFormat most_ = {0, 0, 0, 0};
};

}  // namespace scanlens
