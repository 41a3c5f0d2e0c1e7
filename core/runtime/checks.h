// Checks that public functions make on their views.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "core/error.h"
#include "core/view.h"

namespace scanlens {

template <class T>
std::string shape(const View<T>& view) {
  return fmt::format("{} x {} x {}", view.width, view.height, view.channels);
}

/// Throws Error (usage) unless the condition holds. A macro, because a message is put together only then:
/// those of one call would take 1.5 us, as much as a small table does on a GPU.
#define SCANLENS_REQUIRE(condition, ...)                                                  \
  do {                                                                                    \
    if (!(condition)) throw ::scanlens::Error(::scanlens::ErrorKind::usage, __VA_ARGS__); \
  } while (false)

/// Requires a view that describes memory: no negative size, none beyond the addresses of a processor, no row
/// longer than the pitch, a pointer unless it is empty.
template <class T>
void require_valid(const View<T>& view, const char* call, const char* name) {
  constexpr std::int64_t kMost = (std::int64_t{1} << 56) / sizeof(T);  // samples
  SCANLENS_REQUIRE(view.width >= 0 && view.height >= 0 && view.channels >= 1,
                   fmt::format("{}: `{}` has the impossible shape {}", call, name, shape(view)));
  SCANLENS_REQUIRE(view.width <= kMost / view.channels &&
                       (view.height <= 1 || view.pitch <= 0 || view.height <= kMost / view.pitch),
                   fmt::format("{}: `{}` of {} samples with the pitch {} is beyond what an address can hold; "
                               "give its width, height and pitch in samples",
                               call, name, shape(view), view.pitch));
  SCANLENS_REQUIRE(view.height <= 1 || view.pitch >= view.row_samples(),
                   fmt::format("{}: the pitch of `{}` is {}, less than a row of {}", call, name, view.pitch,
                               view.row_samples()));
  SCANLENS_REQUIRE(view.empty() || view.data != nullptr, fmt::format("{}: `{}` points nowhere", call, name));
}

}  // namespace scanlens
