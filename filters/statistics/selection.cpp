#include "filters/selection.h"

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace scanlens {
namespace {

using Kind = Instruction::Kind;
using C = Compare<float>;

/// The comparison with the relation that it can have: unknown depth (NaN) is not even different.
Instruction with_relation(Instruction comparison, unsigned relation) {
  const auto is_depth = [](Quantity q) { return q == Quantity::depth || q == Quantity::coc; };
  if (is_depth(comparison.left) || is_depth(comparison.right))
    relation &= ~static_cast<unsigned>(C::unordered);
  comparison.relation = static_cast<std::uint8_t>(relation);
  return comparison;
}

Selection of_one(const Instruction& comparison) {
  Selection selection;
  selection.instructions[0] = with_relation(comparison, comparison.relation);
  selection.count = selection.depth = 1;
  return selection;
}

/// Joins two programs. Both operators commute, so that the one that needs more of the stack can go first,
/// while the stack is empty.
Selection joined(Kind kind, const Selection& a, const Selection& b) {
  if (a.chooses_all() || b.chooses_all()) return kind == Kind::either ? Selection() : a.chooses_all() ? b : a;
  // A program of n comparisons has n - 1 operators.
  if ((a.count + b.count + 2) / 2 > Selection::kMostComparisons)
    throw Error(ErrorKind::usage,
                "a selection has at most " + std::to_string(Selection::kMostComparisons) + " comparisons");
  const bool swap = a.depth < b.depth;
  const Selection &first = swap ? b : a, &second = swap ? a : b;
  Selection result = first;
  std::copy_n(second.instructions, second.count, result.instructions + result.count);
  result.count += second.count;
  result.instructions[result.count++] = {kind, {}, {}, 0, 0};
  result.depth = std::max(first.depth, second.depth + 1);
  return result;
}

}  // namespace

bool Selection::asks_for(Quantity quantity) const {
  return std::any_of(instructions, instructions + count, [&](const Instruction& step) {
    return step.kind == Kind::compare && (step.left == quantity || step.right == quantity);
  });
}

Selection compare(Quantity left, Compare<float>::Relation relation, Quantity right) {
  return of_one({Kind::compare, left, right, static_cast<std::uint8_t>(relation), 0});
}
Selection compare(Quantity left, Compare<float>::Relation relation, float number) {
  return of_one({Kind::compare, left, Quantity::number, static_cast<std::uint8_t>(relation), number});
}

Selection both(const Selection& a, const Selection& b) {
  return joined(Kind::both, a, b);
}
Selection either(const Selection& a, const Selection& b) {
  return joined(Kind::either, a, b);
}

Selection complement(Selection a) {
  if (a.chooses_all()) throw Error(ErrorKind::usage, "complement: the selection chooses all pixels");
  for (int i = 0; i < a.count; ++i) {  // De Morgan's laws
    Instruction& step = a.instructions[i];
    if (step.kind == Kind::compare)
      step = with_relation(step, step.relation ^ (C::less | C::equal | C::greater | C::unordered));
    else
      step.kind = step.kind == Kind::both ? Kind::either : Kind::both;
  }
  return a;
}

}  // namespace scanlens
