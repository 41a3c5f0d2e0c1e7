// Values of depth of field's parameters, as people write them.
#include <cmath>

#include "filters/dof_params.h"

namespace scanlens {
namespace {

bool is_within(const DofParam& param, const Amount& amount) {
  constexpr double kAll = 100;
  if (param.is_open()) return amount.value > 0;
  if (!(amount.value >= param.least)) return false;
  if (amount.unit == Unit::percent) return amount.value <= kAll;
  const bool is_length = param.measure == Measure::metres_or_share && amount.unit != Unit::share;
  return is_length || amount.value <= param.most;
}

}  // namespace

Unit unit_of(Measure measure) {
  switch (measure) {
    case Measure::f_number:
      return Unit::f_number;
    case Measure::millimetres:
      return Unit::millimetres;
    case Measure::pixels_or_percent:
      return Unit::pixels;
    default:
      return Unit::none;
  }
}

std::optional<Amount> parse_dof(const DofParam& param, std::string_view text) {
  std::optional<Amount> amount = parse_amount(text, param.measure);
  if (!amount || !is_within(param, *amount)) return std::nullopt;
  if (param.whole && amount->value != std::floor(amount->value)) return std::nullopt;
  if (amount->unit == Unit::none) amount->unit = unit_of(param.measure);
  return amount;
}

double radius_of(const Amount& blur, std::int64_t width) {
  return blur.unit == Unit::percent ? blur.value / 100 * static_cast<double>(width) : blur.value;
}

}  // namespace scanlens
