// Shows how near depth of field comes to what a real lens sees. bench/quality/ measures it.
#pragma once

#include <string>
#include <vector>

namespace scanlens::bench {

/// Holds how like two pictures are: over the whole, and in the band around jumps of the circle of confusion.
/// It is infinite where they are equal, NaN where there is no such pixel.
struct Likeness {
  double psnr = 0, band_psnr = 0;  ///< dB, of sRGB-encoded samples from 0 to 1
  double ssim = 0, band_ssim = 0;  ///< of their luma
};

/// Holds a scene's sharp picture blurred by one quality, against the mean of many views through the lens.
struct QualityResult {
  std::string scene, size;
  double focus_m = 0;
  int circle = 0;  ///< largest radius in pixels
  int views = 0;
  std::string quality;
  Likeness likeness;
  Likeness gain;  ///< over the first quality
};

/// Prints the head of the table, in Markdown.
void print_quality_header();
/// Prints a line of it.
void print(const QualityResult& result);
/// Prints for each scene and quality the means over all pictures, and the mean and least gains.
void print_quality_means(const std::vector<QualityResult>& results);

}  // namespace scanlens::bench
