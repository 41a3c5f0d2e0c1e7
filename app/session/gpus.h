// The GPUs that this process sees.
#pragma once

#include <cstddef>
#include <string_view>

namespace scanlens {

/// Hides all but the first `count` GPUs from this process, where `device` is "auto" or "cuda": the driver
/// takes 0.3 s to start for each that it sees. Does nothing after the first call of CUDA, or where
/// CUDA_VISIBLE_DEVICES names no more. Not safe beside threads that read the environment.
void see_gpus(std::string_view device, std::size_t count);

}  // namespace scanlens
