#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/error.h"
#include "core/runtime/checks.h"
#include "filters/expression.h"
#include "filters/where/pixels.h"

namespace scanlens {
namespace {

/// Returns true if a selection compares depth with a number by an order, which a feather of depth widens.
bool orders_depth(const Selection& selection) {
  return std::any_of(selection.instructions, selection.instructions + selection.count,
                     [](const Instruction& step) { return takes_ramp(step); });
}

[[noreturn]] void refuse(std::string_view feather, const std::string& cause) {
  throw Error(ErrorKind::usage, fmt::format("feather is '{}', {}", feather, cause));
}

Amount parse_feather(std::string_view text) {
  if (const std::optional<Amount> pixels = parse_amount(text, Measure::pixels)) {
    if (!(pixels->value >= 0 && pixels->value <= kMostFeather))
      refuse(text, fmt::format("but has to be from 0 to {} pixels", kMostFeather));
    return {pixels->value, Unit::pixels};
  }
  const std::optional<Amount> depth = parse_amount(text, Measure::metres_or_share);
  if (!depth || !(depth->value >= 0) || !std::isfinite(depth->value))
    refuse(text, "but has to be pixels, as in 8px, or a width in depth, as in 0.5m or 5%");
  return *depth;
}

}  // namespace

std::int64_t Where::feather_pixels() const {
  return feather.unit == Unit::pixels ? static_cast<std::int64_t>(std::ceil(feather.value)) : 0;
}

Where parse_where(std::string_view expression, std::string_view feather) {
  Where where;
  where.text = expression;
  where.selection = parse_selection(expression, &where.depth_unit);
  if (feather.empty()) return where;
  where.feather = parse_feather(feather);
  if (where.feather.unit == Unit::pixels) return where;
  if (!orders_depth(where.selection))
    refuse(feather, "a width in depth, but the expression compares depth with no number; give pixels, 8px");
  if (where.depth_unit != Unit::none && where.depth_unit != where.feather.unit)
    refuse(feather, "but depth is compared in another unit; give the feather in that one");
  where.depth_unit = where.feather.unit;
  return where;
}

template <class T>
void weigh(Context& context, const Where& where, const PixelSources<T>& rows, std::int64_t top,
           View<std::uint16_t> weights, const FeatherGuide& guide) {
  const auto asks = [&](Quantity quantity) { return where.selection.asks_for(quantity); };
  const int channels = rows.image.channels;
  SCANLENS_REQUIRE(same_size(rows.image, weights) && (guide.plane.empty() || same_size(guide.plane, weights)),
                   "where: picture and weights differ in size");
  SCANLENS_REQUIRE(!where.selection.asks_for_depth() || same_size(rows.disparity, weights),
                   "where asks for depth, which is missing; give depth of the picture's size");
  SCANLENS_REQUIRE(!asks(Quantity::mask) || same_size(rows.mask, weights),
                   "where asks for a mask, which is missing; give one of the picture's size");
  SCANLENS_REQUIRE(channels > 1 || !(asks(Quantity::red) || asks(Quantity::green) || asks(Quantity::blue)),
                   "where asks for a colour, but this picture is grey; write luma");
  SCANLENS_REQUIRE(channels == 4 || !asks(Quantity::alpha),
                   "where asks for alpha, but this picture has no alpha; leave it out");
  weigh_pixels(context, where, rows, top, weights, guide);
}

#define SCANLENS_INSTANTIATE(T)                                                                          \
  template void weigh(Context&, const Where&, const PixelSources<T>&, std::int64_t, View<std::uint16_t>, \
                      const FeatherGuide&);
SCANLENS_INSTANTIATE(std::uint8_t)
SCANLENS_INSTANTIATE(std::uint16_t)
SCANLENS_INSTANTIATE(float)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens
