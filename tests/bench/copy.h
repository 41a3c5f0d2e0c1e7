// Copies give the bound: how long this device takes to move bytes when it does nothing else.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/context.h"

namespace scanlens::bench {

/// Returns in how many ways move_bytes can do it. Which is the fastest depends on the sizes: try them all.
int copy_shapes(const Context& context);

/// Reads `read` bytes at `from` and writes `written` bytes at `to` (rounded down to 16), which need not be as
/// many: a reduction only reads. The part that both counts share is a copy; the rest that is written is
/// arbitrary. Both addresses are aligned to 16 bytes, and `to` has room for 16 bytes at least.
void move_bytes(Context& context, int shape, const std::byte* from, std::int64_t read, std::byte* to,
                std::int64_t written);

/// Returns the size of the last-level cache: work that moves less stays in it when it is repeated.
std::int64_t cache_bytes(const Context& context);

}  // namespace scanlens::bench
