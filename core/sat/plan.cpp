#include "core/sat/plan.h"

#include <algorithm>
#include <climits>
#include <cstdint>

#include "core/sat/limits.h"

namespace scanlens {
namespace {

/// The height of resident tiles, or 0 if none fit. All of them are on the GPU at once, and read at most
/// `most_words` of each other.
std::int64_t resident_height(const SatFeatures& features, const gpu::Traits& device,
                             std::int64_t most_words) {
  namespace tiles = resident_tiles;
  const int channels = features.channels;
  if (device.shared_bytes < tiles::shared_bytes(channels)) return 0;
  const std::int64_t blocks = std::min(device.multiprocessors, tiles::kMost);
  const std::int64_t across = tiles_along(features.width, tiles::width(channels));
  const std::int64_t most_down = across > blocks ? 0 : blocks / across / features.images;
  if (most_down == 0) return 0;
  // One row per warp at least: more tiles would wait longer for each other.
  const std::int64_t height =
      std::max<std::int64_t>(words_holding(features.height, most_down), tiles::kLeastHeight);
  if (height > tiles::kMostHeight) return 0;
  const std::int64_t down = tiles_along(features.height, height);
  const std::int64_t words = (down - 1) * tiles::words_down(channels, features.lut) +
                             (across - 1) * tiles::words_right(height, channels, features.lut) +
                             (down - 1) * (across - 1) * tiles::words_of_total(channels);
  return words <= most_words ? height : 0;
}

/// The share of multiprocessors, of 100, that must get a stripe, or tiles are faster. Measured on an H200:
/// RGB of 3000 pixels per row, 71 of 100, 0.73 of a copy's speed, by tiles 0.78; 3840 pixels, 91 of 100, 0.80
/// and 0.75; 5000 pixels, 60 of 100, 0.72 both; 6000 pixels, 71 of 100, 0.81 and 0.76; 10000 pixels, 60 of
/// 100, 0.86 and 0.77.
int least_busy(int channels, int spans) {
  if (spans == 1 && channels > 1) return 85;
  return spans < 4 ? 68 : 50;
}

/// The width in spans of the narrowest stripes that give each multiprocessor one at most; 0 where stripes do
/// not serve.
int stripe_spans(const SatFeatures& features, const gpu::Traits& device) {
  if (features.images != 1 || features.planar || !features.image_rows_aligned ||
      (features.lut && features.channels == 4) || features.height > INT_MAX / 2 ||
      device.shared_bytes < stripes::kSharedBytes)
    return 0;
  const std::int64_t multiprocessors = std::min(device.multiprocessors, stripes::kMost);
  const int most_spans = features.channels == 1 ? 2 : stripes::kMostSpans;
  for (int spans = 1; spans <= most_spans; spans *= 2) {
    const std::int64_t count = words_holding<std::int64_t>(features.width * features.channels,
                                                           spans * stripes::span_values(features.channels));
    if (count * 100 < multiprocessors * least_busy(features.channels, spans)) return 0;
    // Rows off 16-byte boundaries leave one by one, in pieces that a copy of fewer bytes makes dearer.
    // Measured on an H200, RGB with OpenCV's border: 8192 x 8192, 2 spans, 374 us, by tiles 338; 16384 x
    // 16384, 4 spans, 1253 and 1360.
    const bool by_rows = features.channels == 3 && spans >= stripes::kLeastSpansByRows;
    if (count <= multiprocessors) return features.table_rows_aligned || by_rows ? spans : 0;
  }
  return 0;
}

}  // namespace

SatPlan sat_plan(const SatFeatures& features, const gpu::Traits& device) {
  if (!features.bytes || !device.hopper) return {};
  // Measured on an H200: resident tiles against stripes take, at 2700 words (one channel, 8192 x 512), 11.6
  // us against 13.0, at 4200 (RGB, 4096 x 1024) 23.6 against 22.3; against other tiles, at 4100 (RGBA, 3440 x
  // 1440), 35 against 43.
  constexpr std::int64_t kFewWords = 3500;
  if (const std::int64_t height = resident_height(features, device, kFewWords))
    return {TablePlan::resident, 0, height};
  if (const int spans = stripe_spans(features, device))
    return {TablePlan::stripes, spans, 0, !features.table_rows_aligned};
  if (const std::int64_t height = resident_height(features, device, INT64_MAX))
    return {TablePlan::resident, 0, height};
  return {};
}

}  // namespace scanlens
