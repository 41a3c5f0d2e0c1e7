#include "filters/statistics/codes.h"

#include <cmath>
#include <limits>

#include "filters/statistics/evaluate.h"

namespace scanlens {
namespace {

/// Number of codes whose share of white comes before: shares grow with codes.
template <class T, class IsBefore>
std::uint32_t codes_before(const IsBefore& is_before) {
  std::uint32_t code = 0, end = std::uint32_t{std::numeric_limits<T>::max()} + 1;
  while (code < end) {
    const std::uint32_t middle = code + (end - code) / 2;
    if (is_before(share_of(static_cast<T>(middle))))
      code = middle + 1;
    else
      end = middle;
  }
  return code;
}

template <class T>
Instruction within(Instruction step) {
  constexpr std::uint32_t kCodes = std::uint32_t{std::numeric_limits<T>::max()} + 1;
  using C = Compare<float>;
  const float number = step.number;
  step.kind = Instruction::Kind::within;
  if (std::isnan(number)) {
    step.codes = step.relation & C::unordered ? kCodes : 0;
    return step;
  }
  // The codes lie on a circle. The codes that are less, equal and greater are three arcs of it, so any of
  // them together are one arc.
  const std::uint32_t equal = codes_before<T>([&](float share) { return share < number; });
  const std::uint32_t greater = codes_before<T>([&](float share) { return share <= number; });
  const std::uint32_t bounds[] = {0, equal, greater, kCodes};
  const C::Relation relations[] = {C::less, C::equal, C::greater};
  for (int arc = 0; arc < 3; ++arc) {
    if (!(step.relation & relations[arc])) continue;
    step.codes += bounds[arc + 1] - bounds[arc];
    if (!(step.relation & relations[(arc + 2) % 3])) step.first = static_cast<std::uint16_t>(bounds[arc]);
  }
  return step;
}

}  // namespace

template <class T>
Selection in_codes(const Selection& selection) {
  Selection result = selection;
  for (int i = 0; i < result.count; ++i) {
    Instruction& step = result.instructions[i];
    const bool has_code = step.left <= Quantity::luma;
    if (step.kind == Instruction::Kind::compare && has_code && step.right == Quantity::number)
      step = within<T>(step);
  }
  return result;
}

template Selection in_codes<std::uint8_t>(const Selection&);
template Selection in_codes<std::uint16_t>(const Selection&);

}  // namespace scanlens
