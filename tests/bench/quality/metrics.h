// Measures of the likeness of two pictures.
#pragma once

#include <cstdint>

#include "core/image.h"
#include "core/view.h"
#include "filters/dof_formula.h"

namespace scanlens::bench {

/// Returns the peak signal-to-noise ratio in dB: -10 log10 of the mean squared difference of samples whose
/// peak is 1. The mean is over the pixels where `where` is not 0, or over all pixels if it is empty. Infinite
/// for equal pictures, NaN without a pixel. Shapes: `a` and `b` equal, `where` the same with one channel.
double psnr(View<const float> a, View<const float> b, View<const std::uint8_t> where = {});

/// Half of the side of SSIM's window, less a half: the window has 11 x 11 pixels.
inline constexpr std::int64_t kSsimReach = 5;

/// Returns the structural similarity of two grey pictures, 0 to 1, around each pixel whose window lies
/// inside: pixel (x, y) of the result stands for (x + 5, y + 5). The window is a Gaussian of sigma 1.5 cut to
/// 11 x 11, K1 is 0.01 and K2 is 0.03. The sides must be 11 at least. Source: Wang, Bovik, Sheikh,
/// Simoncelli, "Image quality assessment: from error visibility to structural similarity", 2004.
Image<float> ssim_map(View<const float> a, View<const float> b);

/// Returns the mean of such a map over the pixels where `where`, of the pictures' size, is not 0. An empty
/// `where` means all pixels. NaN without a pixel.
double mean_ssim(View<const float> map, View<const std::uint8_t> where = {});

/// Returns Rec. 709's luma of an RGB picture's encoded samples.
Image<float> luma_picture(View<const float> picture);

/// Returns 1 for the pixels around jumps of the circle of confusion, signed, of more than 1.5 pixels between
/// neighbours: those in a disc of radius `reach` around the right or lower one of the two. A row of the disc,
/// dy away from its middle, reaches round(sqrt(reach² - dy²)) to both sides.
Image<std::uint8_t> jump_band(View<const float> disparity, const Blur& blur, int reach);

}  // namespace scanlens::bench
