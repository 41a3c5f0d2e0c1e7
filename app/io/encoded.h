// Encoded files on their way to the disk. Inside scanlens_files.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "app/io/file.h"

namespace scanlens {

/// Owns an encoded file in memory, whatever allocated it.
struct Encoded {
  std::shared_ptr<const void> memory;
  std::size_t size = 0;

  Bytes bytes() const { return {static_cast<const std::byte*>(memory.get()), size}; }
};

inline Encoded owned(std::vector<std::byte> bytes) {
  const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return {{owner, owner->data()}, owner->size()};
}

}  // namespace scanlens
