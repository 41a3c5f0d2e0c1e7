#include "app/depth/meaning/understand.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "app/depth/meaning/kind.h"
#include "app/depth/middle.h"
#include "core/error.h"

namespace scanlens {
namespace {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

// Holds what options, file and values amount to.
struct Meaning {
  DepthKind kind = DepthKind::inverse;
  std::optional<double> scale;
  bool metric = false;
  const Stated* stated = nullptr;  // the file's words, if they decide
  std::string decided_by;
};

/// Says how many infinite values are taken for unknown.
void remark_on_infinities(RawDepth& raw) {
  const View<const float> values = std::as_const(raw.values).view();
  const std::int64_t count = std::count_if(values.data, values.data + values.extent(),
                                           [](float value) { return std::isinf(value); });
  if (count > 0)
    raw.remarks.push_back(
        {false, fmt::format("{} infinite value{} taken for unknown, as Middlebury writes it", count,
                            count == 1 ? " is" : "s are")});
}

Meaning understand(RawDepth& raw, const DepthOptions& options, const std::string& name) {
  const auto refuse = [&](const char* why) {
    throw Error(ErrorKind::usage, fmt::format("{}: {}", name, why));
  };
  Meaning meaning;
  if (options.kind || options.scale) {
    const DepthKind otherwise = raw.kind.value_or(raw.full > 255 ? DepthKind::depth : DepthKind::inverse);
    meaning.kind = options.kind.value_or(raw.stated ? raw.stated->kind : otherwise);
    meaning.decided_by = options.kind ? "--depth-kind" : "--depth-scale";
    if (raw.stated)
      raw.remarks.push_back({false, "read as the options say, not as the file does: " + raw.stated->words});
  } else if (raw.stated) {
    meaning.kind = raw.stated->kind;
    meaning.stated = &*raw.stated;
    meaning.metric = raw.stated->metric;
    meaning.decided_by = raw.stated->by;
    warn_of_doubts(raw);
  } else if (raw.kind) {
    meaning.kind = *raw.kind;
    meaning.decided_by = raw.reason;
    warn_of_doubts(raw);
  } else {
    meaning.kind = kind_by_values(raw, options.invert, meaning.decided_by);
  }

  meaning.scale = options.scale;
  if (!meaning.stated) {
    if (meaning.kind == DepthKind::depth && !meaning.scale) {
      if (!raw.floating() && !raw.wide && raw.full <= 255)
        refuse("8-bit depth has no usual unit, give --depth-scale (metres per step)");
      meaning.scale = raw.floating() ? 1 : 0.001;
    }
    meaning.metric = meaning.kind == DepthKind::depth ||
                     (meaning.kind == DepthKind::disparity && meaning.scale.has_value());
  }
  if (meaning.scale && !(*meaning.scale > 0 && std::isfinite(*meaning.scale)))
    refuse("--depth-scale has to be a positive number");
  if (options.offset != 0 && !(meaning.kind == DepthKind::disparity && meaning.metric && !meaning.stated))
    refuse("--depth-offset only applies to disparity with --depth-scale");
  if (!std::isfinite(options.offset)) refuse("--depth-offset has to be a number");
  if (options.invert && meaning.metric)
    refuse(
        "--invert only applies to relative maps, and this one is read as metric; if it is relative, say "
        "--depth-kind inverse, too");
  if (options.range && (meaning.metric || options.scale))
    refuse(
        "--depth-range only applies to maps without a unit and without --depth-scale; this one has its "
        "range");
  return meaning;
}

/// Says where the values of a relative map are 0 and where 1.
struct Range {
  double least = 0, most = 1;
  std::string how;
};

/// Integers are known from 0 on, and without a bound.
bool is_known_relative(double value, bool inverse, bool floating) {
  if (!floating) return value >= 0 && (inverse || value > 0);
  return std::abs(value) < kSentinel && (inverse || value > 0);  // NaN is not
}

/// Integers are divided by the format's full scale, not by the frame's own extremes, so that the frames of a
/// film agree. Floats have no full scale; values within 0..1 speak for themselves, others are spread between
/// percentiles. Nothing where no value is known.
std::optional<Range> find_range(const RawDepth& raw, bool inverse) {
  if (!raw.floating()) return Range{0, raw.full, fmt::format("divided by {}", raw.full)};
  std::vector<float> known;
  const View<const float> values = raw.values.view();
  std::copy_if(values.data, values.data + values.extent(), std::back_inserter(known),
               [&](float value) { return is_known_relative(value, inverse, true); });
  if (known.empty()) return std::nullopt;
  const auto [lowest, highest] = std::minmax_element(known.begin(), known.end());
  const double least_of_all = *lowest, most_of_all = *highest;
  const auto [least, most] = std::pair<double, double>(middle_range(known, kClippedShare));
  const std::string clipped =
      least == least_of_all && most == most_of_all
          ? ""
          : fmt::format("; {:.2g} % at each end, up to {:.6g} and {:.6g}, are clipped", 100 * kClippedShare,
                        least_of_all, most_of_all);
  if (least >= 0 && most <= 1)
    return Range{
        0, 1,
        "values within 0 .. 1 taken as they are" + (least_of_all < 0 || most_of_all > 1 ? clipped : "")};
  return Range{least, most,
               fmt::format("normalised from its own range {:.6g} .. {:.6g}{}", least, most, clipped)};
}

/// Replaces every value by `disparity_of` it, NaN where that is no number.
void replace(Image<float>& image, const auto& disparity_of) {
  const View<float> values = image.view();
  for (std::int64_t i = 0; i < values.extent(); ++i) {
    const float disparity = static_cast<float>(disparity_of(double{values.data[i]}));
    values.data[i] = std::isfinite(disparity) ? disparity : kUnknown;
  }
}

std::string range_words(const DepthRange& range) {
  return fmt::format("--depth-range {:.6g} .. {:.6g}", range.farthest, range.nearest);
}

std::string convert_stated(RawDepth& raw, const Stated& stated, const DepthOptions& options) {
  const DepthRange range = options.range.value_or(DepthRange{stated.farthest, stated.nearest});
  const double span = range.nearest - range.farthest;
  replace(raw.values, [&](double value) -> double {
    if (std::isnan(value)) return kUnknown;
    const double quantity = stated.at_zero + stated.step * value;
    const double disparity = stated.kind == DepthKind::depth ? 1 / quantity : quantity;
    if (stated.metric) return std::max(0.0, disparity);
    const double share = std::clamp((disparity - range.farthest) / span, 0.0, 1.0);
    return options.invert ? 1 - share : share;
  });
  return fmt::format("{} read as {}{}{}", raw.format, stated.words,
                     options.range               ? ", " + range_words(range)
                     : stated.normalised.empty() ? ""
                                                 : ", " + stated.normalised,
                     options.invert ? ", inverted" : "");
}

/// Returns true if distances are negative, as some cameras that look along -Z write them, and remarks on
/// that.
bool points_backwards(RawDepth& raw) {
  const View<const float> values = std::as_const(raw.values).view();
  const auto is_distance = [](float value) { return value > 0; };
  const auto is_negative = [](float value) { return value < 0 && std::isfinite(value); };
  const float* const end = values.data + values.extent();
  if (!raw.floating() || std::any_of(values.data, end, is_distance) ||
      std::none_of(values.data, end, is_negative))
    return false;
  raw.remarks.push_back(
      {false, "all its distances are negative, as along an axis that points backwards; taken without sign"});
  return true;
}

std::string convert_distance(RawDepth& raw, double scale) {
  const bool far = !raw.infinity_is_unknown;
  if (!far) remark_on_infinities(raw);
  const double sign = points_backwards(raw) ? -1 : 1;
  replace(raw.values, [&](double value) -> double {
    value *= sign;
    if (!(value > 0) || (std::isinf(value) && !far)) return kUnknown;
    return value >= kSentinel ? 0.0 : 1 / (value * scale);
  });
  return fmt::format("{} read as distance in {} (depth, scale {})", raw.format,
                     scale == 0.001 ? "millimetres"
                     : scale == 1   ? "metres"
                                    : fmt::format("steps of {} m", scale),
                     scale);
}

std::string convert_disparity(RawDepth& raw, double scale, double offset) {
  remark_on_infinities(raw);
  replace(raw.values, [&](double value) -> double {
    return value > 0 && value < kSentinel ? std::max(0.0, (value + offset) * scale) : kUnknown;
  });
  return fmt::format("{} read as disparity in 1/metre (disparity, offset {}, scale {})", raw.format, offset,
                     scale);
}

std::string convert_relative(RawDepth& raw, const Meaning& meaning, const DepthOptions& options) {
  const bool inverse = meaning.kind == DepthKind::inverse, invert = options.invert;
  const bool floating = raw.floating();
  Range range;
  if (options.range)
    range = {options.range->farthest, options.range->nearest, range_words(*options.range)};
  else if (meaning.scale)
    range = {0, 1 / *meaning.scale, fmt::format("scale {}", *meaning.scale)};
  else
    range = find_range(raw, inverse).value_or(Range{0, 1, "no values"});
  const double width = range.most > range.least ? range.most - range.least : 1;
  const std::int64_t far = sentinels(raw);
  remark_on_infinities(raw);
  replace(raw.values, [&](double value) -> double {
    if (floating && value >= kSentinel && std::isfinite(value)) return 0;
    if (!is_known_relative(value, inverse, floating)) return kUnknown;
    const double share = std::clamp((value - range.least) / width, 0.0, 1.0);
    return invert ? 1 - share : share;
  });
  if (far > 0)
    raw.remarks.push_back(
        {true, fmt::format("{} pixel{} of 1e9 or more in a relative map {} taken for infinitely far; "
                           "if it holds distances, say --depth-kind depth",
                           far, far == 1 ? "" : "s", far == 1 ? "is" : "are")});
  return fmt::format("{} read as relative {} ({}, {}){}", raw.format, inverse ? "inverse depth" : "disparity",
                     inverse ? "inverse" : "disparity", range.how,
                     invert ? ", inverted: larger values are farther" : "");
}

}  // namespace

Depth understood(RawDepth raw, const DepthOptions& options, const std::string& name) {
  const Meaning meaning = understand(raw, options, name);
  Depth depth;
  depth.kind = meaning.kind;
  depth.metric = meaning.metric;
  depth.exact = raw.exact;
  if (meaning.stated)
    depth.convention = convert_stated(raw, *meaning.stated, options);
  else if (meaning.kind == DepthKind::depth)
    depth.convention = convert_distance(raw, *meaning.scale);
  else if (meaning.metric)
    depth.convention = convert_disparity(raw, *meaning.scale, options.offset);
  else
    depth.convention = convert_relative(raw, meaning, options);
  depth.decided_by = meaning.decided_by;
  depth.remarks = std::move(raw.remarks);
  depth.disparity = std::move(raw.values);
  return depth;
}

DepthMeaning meaning_of(RawDepth raw, const DepthOptions& options, const std::string& name) {
  constexpr const char* kWords[] = {"distances", "disparity", "inverse depth"};
  const Meaning meaning = understand(raw, options, name);
  DepthMeaning found{meaning.metric,
                     fmt::format("{} read as {} {}", raw.format, meaning.metric ? "metric" : "relative",
                                 kWords[static_cast<int>(meaning.kind)]),
                     {}};
  if (meaning.metric || meaning.scale) return found;
  if (meaning.stated) {
    found.range = {meaning.stated->farthest, meaning.stated->nearest};
  } else if (raw.wide) {
    found.range = {0, raw.full};
  } else if (raw.floating()) {
    const std::optional<Range> range = find_range(raw, meaning.kind == DepthKind::inverse);
    if (range) found.range = {range->least, range->most};
  }
  return found;
}

}  // namespace scanlens
