#include "app/stats/doubts.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "app/photo/lens_doubts.h"
#include "app/stats/expression.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Returns the comparisons with a finite number.
template <class Visit>
void for_each_number(const Selection& selection, const Visit& visit) {
  for (const Instruction& step : std::span(selection.instructions, static_cast<std::size_t>(selection.count)))
    if (step.kind == Instruction::Kind::compare && step.right == Quantity::number &&
        std::isfinite(step.number))
      visit(step.left, step.number);
}

/// Returns the code of white; nothing for floats.
std::optional<int> white_of(const Picture& picture) {
  if (std::holds_alternative<Image<std::uint8_t>>(picture.samples)) return UINT8_MAX;
  if (std::holds_alternative<Image<std::uint16_t>>(picture.samples)) return UINT16_MAX;
  return std::nullopt;
}

[[noreturn]] void refuse(const std::string& name, const std::string& cause) {
  throw Error(ErrorKind::usage, fmt::format("{}: where compares {}", name, cause));
}

}  // namespace

void require_shares(const Selection& selection, const Picture& picture, const std::string& name) {
  const std::optional<int> white = white_of(picture);
  for_each_number(selection, [&](Quantity quantity, float number) {
    const bool is_colour = quantity <= Quantity::luma, is_mask = quantity == Quantity::mask;
    if (!(number > 1) || !((is_colour && white) || is_mask)) return;
    refuse(name, fmt::format("{0} with {1}, but {0} goes from 0 to 1; write {1}/{2}", name_of(quantity),
                             number, is_mask ? UINT8_MAX : *white));
  });
}

void check_depth_numbers(const Selection& selection, Unit unit, const Depth& depth, const std::string& name,
                         Talk& talk) {
  if (depth.metric && unit == Unit::share)
    refuse(name, "depth with percent, but this depth is in metres; write depth < 2.5m");
  for_each_number(selection, [&](Quantity quantity, float number) {
    if (quantity != Quantity::depth) return;
    if (!depth.metric && (number > 1 || unit == Unit::metres))
      refuse(name, fmt::format("depth with {}, but this depth has no unit and goes from 0 (farthest) to 1 "
                               "(nearest); for metres add --depth-kind or --depth-scale",
                               text_of({number, unit})));
    if (const std::optional<std::string> meant = unit_meant(number, depth);
        depth.metric && unit == Unit::none && number > 0 && meant)
      talk.warn(
          fmt::format("{0}: depth is in metres in --where, and {1:.6g} m lie far outside of the map; write "
                      "{1:.6g}{2} for {3}",
                      name, number, *meant, *meant == "mm" ? "millimetres" : "centimetres"));
  });
}

}  // namespace scanlens
