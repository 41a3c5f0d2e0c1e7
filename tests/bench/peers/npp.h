// NVIDIA's image library is a peer. It is not in the CUDA Toolkit's smallest installations, so it is opened
// when the program runs, if it is there.
#pragma once

#include <cstdint>
#include <optional>

#include "core/view.h"
#include "tests/bench/bench.h"

namespace scanlens::bench {

/// Runs nppiIntegral_8u32s_C1R over images of one channel; nothing where the library or the device is
/// missing. Its table has a row and a column of zeros before it, in memory of its own.
std::optional<Peer> npp_integral(Context& context, const std::vector<View<const std::uint8_t>>& images);

/// Runs nppiFilterBoxBorder_8u_C3R, with the border's pixels repeated outwards.
std::optional<Peer> npp_box_filter(Context& context, View<const std::uint8_t> image, int radius,
                                   View<std::uint8_t> out);

/// Runs nppiFilterGaussAdvancedBorder_8u_C3R with a kernel that is cut off at three standard deviations;
/// nothing where `sigma` is 0.
std::optional<Peer> npp_gaussian_filter(Context& context, View<const std::uint8_t> image, double sigma,
                                        View<std::uint8_t> out);

}  // namespace scanlens::bench
