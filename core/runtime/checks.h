// Checks that public functions make on their views.
#pragma once

#include <fmt/format.h>

#include <string>

#include "core/error.h"
#include "core/view.h"

namespace scanlens {

template <class T>
std::string shape(const View<T>& view) {
  return fmt::format("{} x {} x {}", view.width, view.height, view.channels);
}

inline void require(bool condition, const std::string& message) {
  if (!condition) throw Error(ErrorKind::usage, message);
}

/// Requires a view that describes memory: no negative size, no row longer than the pitch, a pointer unless it
/// is empty.
template <class T>
void require_valid(const View<T>& view, const char* call, const char* name) {
  require(view.width >= 0 && view.height >= 0 && view.channels >= 1,
          fmt::format("{}: `{}` has the impossible shape {}", call, name, shape(view)));
  require(view.height <= 1 || view.pitch >= view.row_samples(),
          fmt::format("{}: the pitch of `{}` is {}, less than a row of {}", call, name, view.pitch,
                      view.row_samples()));
  require(view.empty() || view.data != nullptr, fmt::format("{}: `{}` points nowhere", call, name));
}

}  // namespace scanlens
