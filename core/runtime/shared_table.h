// Tables that may go, where a context's backend can read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/context.h"

namespace scanlens {

/// See readable().
std::shared_ptr<const std::byte> readable_bytes(Context& context, const std::shared_ptr<const void>& owner,
                                                const void* table, std::size_t bytes);

/// Returns the table itself on the CPU, on CUDA a copy. The copies that were asked for last are kept. The
/// table does not change while somebody holds it. Hold the result until the calls that read it have been
/// made; a graph of theirs holds it by itself.
template <class T>
std::shared_ptr<const T> readable(Context& context, const std::shared_ptr<const T>& table,
                                  std::int64_t count) {
  return std::reinterpret_pointer_cast<const T>(
      readable_bytes(context, table, table.get(), static_cast<std::size_t>(count) * sizeof(T)));
}

}  // namespace scanlens
