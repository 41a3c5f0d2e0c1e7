// Checks that public functions make on one-dimensional arrays. This header is free of fmt, so that CUDA
// sources can include it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace scanlens {

/// An array as a check sees it.
struct ArrayArgument {
  const char* name;
  const void* data;
  std::int64_t count;
  std::size_t element_bytes;

  template <class T>
  ArrayArgument(const char* argument, std::span<T> array)
      : name(argument),
        data(array.data()),
        count(static_cast<std::int64_t>(array.size())),
        element_bytes(sizeof(T)) {}
  /// Elements that are computed: they lie nowhere.
  ArrayArgument(const char* argument, std::int64_t computed)
      : name(argument), data(argument), count(computed), element_bytes(0) {}
};

/// These throw Error (usage), which names `call` and the arrays, unless the arrays are as the name requires.
void require_same_length(const char* call, const ArrayArgument& a, const ArrayArgument& b);
void require_room(const char* call, const ArrayArgument& in,
                  const ArrayArgument& out);  ///< out at least as long
void require_apart(const char* call, const ArrayArgument& a, const ArrayArgument& b);  ///< no byte in common
/// Requires arrays with no byte in common, or the very same array of elements of the same size.
void require_apart_or_same(const char* call, const ArrayArgument& a, const ArrayArgument& b);

}  // namespace scanlens
