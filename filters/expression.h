// Pixels chosen in words: luma > 0.9 and not (depth < 2.5 or mask).
//
//   expression = term { "or" term }
//   term       = factor { "and" factor }
//   factor     = "not" factor | "(" expression ")" | "mask" | operand relation operand
//   relation   = "<" | "<=" | ">" | ">=" | "==" | "!="
//   operand    = name | number [ "/" number ]
//   number     = [ "-" ] ( digits, as C++ writes a double, and a unit | "inf" )
//   unit       = "" | "%" of colours, alpha, mask and depth | "px" of x, y and coc | "mm" | "cm" | "m" of
//   depth name       = "red" | "r" | "green" | "g" | "blue" | "b" | "alpha" | "luma" | "grey" | "gray" | "x"
//   | "y"
//              | "depth" | "coc" | "mask"
//
// "mask" by itself is mask >= 0.5. A quotient is rounded as the shares of codes are, so that red == 128/255
// is true of the code 128.
#pragma once

#include <string>
#include <string_view>

#include "core/error.h"
#include "filters/amount.h"
#include "filters/selection.h"

namespace scanlens {

/// Says what is wrong with an expression, and where: `at` bytes from its start.
class ExpressionError : public Error {
 public:
  ExpressionError(std::size_t at, const std::string& what) : Error(ErrorKind::usage, what), at_(at) {}
  std::size_t at() const { return at_; }

 private:
  std::size_t at_;
};

/// Returns the selection that an expression describes. Throws ExpressionError. `depth_unit` becomes the unit
/// of numbers that depth is compared with: share, metres (millimetres, too) or none.
Selection parse_selection(std::string_view expression, Unit* depth_unit = nullptr);

/// Returns "luma" for Quantity::luma.
std::string_view name_of(Quantity quantity);

}  // namespace scanlens
