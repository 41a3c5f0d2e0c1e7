// A choice among the pixels of a picture: comparisons of a pixel's values and place, joined by and and or.
#pragma once

#include <cstdint>

#include "core/operators.h"

namespace scanlens {

/// The properties of a pixel that a selection can compare. Colours and alpha are shares of white, 0 .. 1, of
/// samples that are integers, and the samples themselves of floats.
enum class Quantity : std::uint8_t {
  red,
  green,
  blue,
  alpha,
  luma,   ///< of the codes as they are, with the weights of Rec. 709; of grey pictures their sample
  x,      ///< the column, from 0 at the left
  y,      ///< the row, from 0 at the top
  depth,  ///< metres, or 0 (farthest) .. 1 (nearest) where depth has no unit
  coc,    ///< radius of the circle of confusion in pixels
  mask,   ///< of a second picture, 0 .. 1
  number,
};

/// A step of a selection, which leaves one truth value on a stack. Free of branches on what it reads.
struct Instruction {
  enum class Kind : std::uint8_t {
    compare,  ///< pushes left `relation` right
    within,   ///< pushes whether the code of `left`, an integer, is among the `codes` ones from `first` on
    both,     ///< takes two and pushes whether both are true
    either,   ///< takes two and pushes whether one of them is
  };
  Kind kind;
  Quantity left, right;
  std::uint8_t relation;    ///< bits of Compare<float>::Relation
  float number;             ///< where `right` is Quantity::number
  std::uint16_t first = 0;  ///< after the greatest code the least follows
  std::uint32_t codes = 0;  ///< none to all that there are
};

/// True if a step orders depth against a finite number: its two sides may be parted by a ramp.
SCANLENS_HOST_DEVICE inline bool takes_ramp(const Instruction& step) {
  const int order = step.relation & (Compare<float>::less | Compare<float>::greater);
  return step.kind == Instruction::Kind::compare && step.left == Quantity::depth &&
         step.right == Quantity::number && step.number - step.number == 0 &&
         (order == Compare<float>::less || order == Compare<float>::greater);
}

/// A program in postfix order, with as many comparisons as fit the parameters of a kernel. Without
/// instructions it chooses every pixel. The operand that needs more of the stack goes first, so that no
/// program needs more than kMostDepth places of it (Ershov numbers).
struct Selection {
  static constexpr int kMostComparisons = 32;
  static constexpr int kMostDepth = 6;

  Instruction instructions[2 * kMostComparisons - 1] = {};
  int count = 0;
  int depth = 0;  ///< places of the stack that it needs

  SCANLENS_HOST_DEVICE bool chooses_all() const { return count == 0; }
  bool asks_for(Quantity quantity) const;
  bool asks_for_depth() const { return asks_for(Quantity::depth) || asks_for(Quantity::coc); }
};

/// A comparison of two quantities, or of one with a number. As everywhere, NaN is not_equal to all and
/// nothing else; but a comparison of depth or coc, and its complement, is false where a side is NaN
/// (unknown).
Selection compare(Quantity left, Compare<float>::Relation relation, Quantity right);
Selection compare(Quantity left, Compare<float>::Relation relation, float number);

/// The pixels that both, or either, of two choose. Throw Error (usage) beyond kMostComparisons.
Selection both(const Selection& a, const Selection& b);
Selection either(const Selection& a, const Selection& b);

/// The pixels that `a`, which must not choose all, does not choose.
Selection complement(Selection a);

}  // namespace scanlens
