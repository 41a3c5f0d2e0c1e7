// Input that comes late, on a CUDA context's stream.
#pragma once

#include <cstdint>

#include "core/context.h"

namespace scanlens::test {

/// Queues a kernel that lets the next one begin at once, takes its time, and then sets the n words to
/// `value`. A kernel that begins early without waiting for it finds what was there before. Compiled for
/// compute capability 9.0 whatever the test is compiled for.
void write_late(Context& context, std::uint32_t* words, std::int64_t n, std::uint32_t value);

}  // namespace scanlens::test
