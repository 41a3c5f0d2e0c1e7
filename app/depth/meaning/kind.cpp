#include "app/depth/meaning/kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "app/depth/meaning/evidence.h"

namespace scanlens {
namespace {

/// The range of the known values of a float map.
struct Span {
  float least = std::numeric_limits<float>::infinity(), most = -std::numeric_limits<float>::infinity();
  std::int64_t zeros = 0, negatives = 0;

  /// Returns true if the values could be metres: of a room, a street or a view.
  bool could_be_metres() const { return least >= 0.01f && most > 1 && most <= 1000 && negatives == 0; }
};

/// Zeros stand apart: they mark holes in maps of distances.
Span span_of(View<const float> values) {
  Span span;
  for (const float* value = values.data; value != values.data + values.extent(); ++value) {
    if (!(std::abs(*value) < kSentinel)) continue;  // NaN is not
    span.zeros += *value == 0;
    span.negatives += *value < 0;
    if (*value == 0) continue;
    span.least = std::min(span.least, *value);
    span.most = std::max(span.most, *value);
  }
  return span;
}

std::string open_question(const std::string& why, bool relative, const char* other) {
  return fmt::format(
      "the meaning of its values is not clear: {}; read as {}; if it holds {}, say --depth-kind {}", why,
      relative ? "inverse depth" : "millimetres", other, relative ? "depth" : "inverse");
}

/// Warns of what is known to be written in another unit, or with another mark for unknown.
void warn_of_millimetres(RawDepth& raw) {
  constexpr double kMany = 0.5, kApart = 0.3, kLong = 3;
  const View<const float> values = std::as_const(raw.values).view();
  const auto pixels = static_cast<double>(values.extent());
  const auto count = [&](auto is) {
    return static_cast<double>(std::count_if(values.data, values.data + values.extent(), is));
  };
  const double zeros = count([](float value) { return value <= 0; });
  const auto full = static_cast<float>(raw.full);
  const double saturated = raw.full == 65535 ? count([&](float value) { return value == full; }) : 0;
  if (zeros > kMany * pixels &&
      static_cast<double>(values.width) > kLong * static_cast<double>(values.height))
    raw.remarks.push_back(
        {true, fmt::format("{:.3g} % of its pixels are 0 and it is wide, as the maps of KITTI, whose unit "
                           "is 1/256 m; read as millimetres, for KITTI say --depth-scale 0.00390625",
                           100 * zeros / pixels)});
  float second = 0;
  for (const float* value = values.data; value != values.data + values.extent(); ++value)
    if (*value < full) second = std::max(second, *value);
  if (saturated > 0 && zeros == 0 && second > 0 && static_cast<double>(second) < kApart * raw.full)
    raw.remarks.push_back(
        {true, fmt::format("{:.0f} of its pixels hold 65535 and no other value comes near; "
                           "taken for far away (65.5 m); if they are unknown, write 0 there",
                           saturated)});
  if (second <= 255 && second > 0)
    raw.remarks.push_back(
        {true, open_question(fmt::format("no value is above {:.0f}, nearer than sensors see", second), false,
                             "inverse depth")});
}

/// Warns of values that are read as inverse depth and grow as distances do.
void warn_of_growth(RawDepth& raw, const char* remedy) {
  raw.remarks.push_back(
      {true, fmt::format("its values grow towards the top of the picture, as distances do; read as inverse "
                         "depth, and if larger values are farther, say {}",
                         remedy)});
}

bool grows_clearly(View<const float> values) {
  const std::optional<double> growth = growth_towards_top(values);
  return growth && *growth > kClearGrowth;
}

DepthKind kind_of_integers(RawDepth& raw, bool inverted, std::string& why) {
  const View<const float> values = std::as_const(raw.values).view();
  if (!raw.wide && raw.full <= 255) {
    why = "8 bits are what networks write";
    if (!inverted && grows_clearly(values)) warn_of_growth(raw, "--invert");
    return DepthKind::inverse;
  }
  const Evidence evidence = raw.wide ? weigh_integers(values) : weigh_16_bits(values, raw.full);
  why = evidence.reason;
  if (!evidence.clear)
    raw.remarks.push_back(
        {true, open_question(why, evidence.relative, evidence.relative ? "millimetres" : "inverse depth")});
  else if (!evidence.relative)
    warn_of_millimetres(raw);
  if (evidence.relative && !inverted && grows_clearly(values)) warn_of_growth(raw, "--invert");
  return evidence.relative ? DepthKind::inverse : DepthKind::depth;
}

/// Decides floats without a unit by where in the picture they grow.
DepthKind kind_of_floats(RawDepth& raw, bool inverted, std::string& why) {
  const View<const float> values = std::as_const(raw.values).view();
  const std::int64_t pixels = values.extent(), far = sentinels(raw);
  if (static_cast<double>(far) > kClippedShare * static_cast<double>(pixels)) {
    why = fmt::format("{:.2g} % of its pixels hold 1e9 or more, which marks infinity in maps of distance",
                      100 * static_cast<double>(far) / static_cast<double>(pixels));
    return DepthKind::depth;
  }
  why = "numbers without a unit are what networks write; for metres say --depth-kind depth";
  const Span span = span_of(values);
  const std::optional<double> growth = growth_towards_top(values);
  const bool grows = growth && *growth > kClearGrowth, shrinks = growth && *growth < -kClearGrowth;
  // Few zeros and none apart are the far end of inverse depth.
  constexpr double kManyZeros = 0.01, kNear = 0.1;
  const bool holes = static_cast<double>(span.zeros) > kManyZeros * static_cast<double>(pixels) &&
                     span.least > kNear * span.most && span.negatives == 0;
  if (span.could_be_metres() && grows && (span.zeros == 0 || holes)) {
    why = fmt::format(
        "its values, {:.4g} .. {:.4g}, grow towards the top of the picture, as distances do; for inverse "
        "depth say --depth-kind inverse",
        span.least, span.most);
    return DepthKind::depth;
  }
  const auto warn = [&](const std::string& text) { raw.remarks.push_back({true, text}); };
  if (holes) {
    warn(open_question("zeros stand apart from the rest like the holes of a map of distances", true,
                       "metres"));
  } else if (span.could_be_metres() && span.zeros == 0 && !shrinks) {
    warn(open_question(fmt::format("{:.4g} .. {:.4g} may be metres as well", span.least, span.most), true,
                       "metres"));
  } else if (grows && !inverted) {
    const bool share = span.least >= 0 && span.most <= 1;
    warn_of_growth(
        raw, share || span.negatives > 0 ? "--invert" : "--invert, or --depth-kind depth and --depth-scale");
  }
  return DepthKind::inverse;
}

}  // namespace

std::int64_t sentinels(const RawDepth& raw) {
  if (!raw.floating()) return 0;
  const View<const float> values = raw.values.view();
  return std::count_if(values.data, values.data + values.extent(),
                       [](float value) { return value >= kSentinel && std::isfinite(value); });
}

DepthKind kind_by_values(RawDepth& raw, bool inverted, std::string& why) {
  return raw.floating() ? kind_of_floats(raw, inverted, why) : kind_of_integers(raw, inverted, why);
}

void warn_of_doubts(RawDepth& raw) {
  for (const std::string& doubt : raw.doubts) raw.remarks.push_back({true, doubt});
  if (raw.kind != DepthKind::depth || !raw.floating() || raw.is_ours) return;
  const std::optional<double> growth = growth_towards_top(std::as_const(raw.values).view());
  if (raw.is_loosely_named && growth && *growth < -kClearGrowth)
    raw.remarks.push_back(
        {true,
         "its values grow towards the bottom of the picture, as inverse depth does; taken for metres "
         "by its name, and if it is inverse depth, say --depth-kind inverse"});
  const Span span = span_of(std::as_const(raw.values).view());
  constexpr float kNearlyOne = 0.9f;
  if (span.negatives == 0 && span.most <= 1 && span.most > kNearlyOne && sentinels(raw) == 0)
    raw.remarks.push_back(
        {true, fmt::format("its distances end at {:.4g}, as those of a pass that is normalised to 0 .. 1; "
                           "taken for metres, and if it is one, say --depth-kind inverse (with --invert "
                           "where larger values are farther)",
                           span.most)});
}

}  // namespace scanlens
