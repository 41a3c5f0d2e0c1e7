// The refusal of work that takes more memory than it may.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "app/io/text.h"
#include "core/error.h"

namespace scanlens {

/// Throws Error (retry) where the work on `what` needs more bytes than the limit of memory at this place.
inline void require_fit(const std::string& what, std::int64_t needed, std::uint64_t limit,
                        const std::string& where) {
  if (static_cast<std::uint64_t>(needed) > limit)
    throw Error(ErrorKind::retry,
                fmt::format("{}: the work needs {} of memory on the {}, more than the limit of {} "
                            "(--max-memory, or what is free)",
                            what, bytes_text(static_cast<std::size_t>(needed)), where, bytes_text(limit)));
}

}  // namespace scanlens
