#include "core/runtime/array_checks.h"

#include <fmt/format.h>

#include "core/error.h"

namespace scanlens {
namespace {

bool overlap(const ArrayArgument& a, const ArrayArgument& b) {
  const auto first = [](const ArrayArgument& array) { return reinterpret_cast<std::uintptr_t>(array.data); };
  const auto last = [&](const ArrayArgument& array) {
    return first(array) + static_cast<std::size_t>(array.count) * array.element_bytes;
  };
  return a.count > 0 && b.count > 0 && first(a) < last(b) && first(b) < last(a);
}

void require_pointer(const char* call, const ArrayArgument& array) {
  if (array.count < 0)
    throw Error(ErrorKind::usage, fmt::format("{}: `{}` has {} elements; give a count of 0 or more", call,
                                              array.name, array.count));
  if (array.count > 0 && array.data == nullptr)
    throw Error(ErrorKind::usage, fmt::format("{}: `{}` points nowhere", call, array.name));
}

}  // namespace

void require_same_length(const char* call, const ArrayArgument& a, const ArrayArgument& b) {
  require_pointer(call, a);
  require_pointer(call, b);
  if (a.count != b.count)
    throw Error(ErrorKind::usage, fmt::format("{}: `{}` has {} elements but `{}` has {}", call, a.name,
                                              a.count, b.name, b.count));
}

void require_room(const char* call, const ArrayArgument& in, const ArrayArgument& out) {
  require_pointer(call, in);
  require_pointer(call, out);
  if (out.count < in.count)
    throw Error(ErrorKind::usage, fmt::format("{}: `{}` has room for {} elements, but `{}` has {}", call,
                                              out.name, out.count, in.name, in.count));
}

void require_apart(const char* call, const ArrayArgument& a, const ArrayArgument& b) {
  if (overlap(a, b))
    throw Error(ErrorKind::usage, fmt::format("{}: `{}` and `{}` overlap", call, a.name, b.name));
}

void require_apart_or_same(const char* call, const ArrayArgument& a, const ArrayArgument& b) {
  const bool same = a.data == b.data && a.count == b.count && a.element_bytes == b.element_bytes;
  if (!same && overlap(a, b))
    throw Error(ErrorKind::usage,
                fmt::format("{}: `{}` and `{}` overlap without being the same array", call, a.name, b.name));
}

}  // namespace scanlens
