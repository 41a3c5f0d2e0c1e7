#include "filters/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "filters/amount.h"
#include "filters/nearest.h"
#include "filters/nesting.h"

namespace scanlens {
namespace {

using Relation = Compare<float>::Relation;

constexpr std::array<std::pair<std::string_view, Quantity>, 15> kNames = {{{"red", Quantity::red},
                                                                           {"green", Quantity::green},
                                                                           {"blue", Quantity::blue},
                                                                           {"alpha", Quantity::alpha},
                                                                           {"luma", Quantity::luma},
                                                                           {"grey", Quantity::luma},
                                                                           {"gray", Quantity::luma},
                                                                           {"x", Quantity::x},
                                                                           {"y", Quantity::y},
                                                                           {"depth", Quantity::depth},
                                                                           {"coc", Quantity::coc},
                                                                           {"mask", Quantity::mask},
                                                                           {"r", Quantity::red},
                                                                           {"g", Quantity::green},
                                                                           {"b", Quantity::blue}}};
/// The longer ones first.
constexpr std::array<std::pair<std::string_view, Relation>, 6> kRelations = {{{"<=", Relation::less_equal},
                                                                              {">=", Relation::greater_equal},
                                                                              {"==", Relation::equal},
                                                                              {"!=", Relation::not_equal},
                                                                              {"<", Relation::less},
                                                                              {">", Relation::greater}}};

/// The relation that holds from right to left.
Relation mirrored(Relation relation) {
  using C = Compare<float>;
  const int kept = relation & (C::equal | C::unordered);
  return static_cast<Relation>(kept | ((relation & C::less) ? C::greater : 0) |
                               ((relation & C::greater) ? C::less : 0));
}

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Returns true if text begins with a digit.
bool is_digit(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0;
}

struct Operand {
  Quantity quantity = Quantity::number;
  float number = 0;
  std::size_t at = 0;
  Unit unit = Unit::none;  ///< of a number
};

/// Returns the units of a quantity's numbers, in words, unless `unit` is among them.
const char* units_instead(Unit unit, Quantity quantity) {
  switch (quantity) {
    case Quantity::x:
    case Quantity::y:
    case Quantity::coc:
      return unit == Unit::pixels ? nullptr : "px";
    case Quantity::depth:
      return unit == Unit::pixels ? "m, cm, mm, or % where depth has no unit" : nullptr;
    default:
      return unit == Unit::share ? nullptr : "%, or a number from 0 to 1";
  }
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { skip_space(); }

  Selection parse() {
    if (at_end()) fail(at_, "expected a comparison, as in luma > 0.9");
    const Selection selection = expression();
    if (at_end()) return selection;
    if (starts_with(")")) fail(at_, "no parenthesis is open here");
    if (starts_with("&&")) fail(at_, "expected and, or, or the end; && is written and");
    if (starts_with("||")) fail(at_, "expected and, or, or the end; || is written or");
    fail(at_, "expected and, or, or the end");
  }

  Unit depth_unit() const { return depth_unit_; }

 private:
  [[noreturn]] static void fail(std::size_t at, const std::string& what) { throw ExpressionError(at, what); }

  bool at_end() const { return at_ == text_.size(); }
  bool starts_with(std::string_view token) const { return text_.substr(at_).starts_with(token); }

  void skip_space() {
    while (!at_end() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(std::string_view token) {
    if (!starts_with(token)) return false;
    at_ += token.size();
    skip_space();
    return true;
  }
  /// Returns the word that begins here, lower or upper case as it stands; nothing where none does.
  std::string_view word() const {
    std::size_t end = at_;
    while (end < text_.size() && (is_letter(text_[end]) || (end > at_ && std::isdigit(text_[end]) != 0)))
      ++end;
    return text_.substr(at_, end - at_);
  }
  bool take_word(std::string_view expected) { return word() == expected && take(expected); }

  Selection expression() {
    Selection all = term();
    for (std::size_t at = at_; take_word("or"); at = at_) all = joined(at, either, all, term());
    return all;
  }

  Selection term() {
    Selection all = factor();
    for (std::size_t at = at_; take_word("and"); at = at_) all = joined(at, both, all, factor());
    return all;
  }

  /// Joins two, and blames the word between them where they are too many.
  static Selection joined(std::size_t at, Selection (*join)(const Selection&, const Selection&),
                          const Selection& a, const Selection& b) {
    try {
      return join(a, b);
    } catch (const Error& error) {
      fail(at, error.what());
    }
  }

  Selection factor() {
    const std::size_t start = at_;
    if (take_word("not")) return nested(start, [&] { return complement(factor()); });
    if (starts_with("!") && !starts_with("!=")) fail(at_, "expected a comparison; ! is written not");
    if (take("(")) {
      const Selection inside = nested(start, [&] { return expression(); });
      if (!take(")"))
        fail(at_, "expected ) for the parenthesis that opens at character " + std::to_string(start + 1));
      return inside;
    }
    return comparison();
  }

  template <class Parse>
  Selection nested(std::size_t at, const Parse& parse) {
    if (nesting_ == kMostNesting) fail(at, fmt::format("nested more than {} levels deep", kMostNesting));
    ++nesting_;
    const Selection inside = parse();
    --nesting_;
    return inside;
  }

  Selection comparison() {
    const Operand left = operand("a comparison, as in luma > 0.9");
    const std::size_t start = at_;
    const auto found =
        std::find_if(kRelations.begin(), kRelations.end(), [&](const auto& r) { return take(r.first); });
    if (found == kRelations.end()) {
      if (left.quantity == Quantity::mask) return compare(Quantity::mask, Relation::greater_equal, 0.5f);
      fail(start, starts_with("=") ? "expected < <= > >= == or !=; equal is written =="
                                   : "expected < <= > >= == or !=");
    }
    const Operand right = operand("a number or a name");
    if (std::any_of(kRelations.begin(), kRelations.end(),
                    [&](const auto& r) { return starts_with(r.first); }))
      fail(at_, "expected and, or, or the end; a range is written 0.2 < luma and luma < 0.5");
    if (right.quantity == Quantity::number && left.quantity == Quantity::number)
      fail(left.at, "expected a name on one side: two numbers do not select pixels");
    if (right.quantity == Quantity::number) {
      require_unit(left.quantity, right);
      return compare(left.quantity, found->second, right.number);
    }
    if (left.quantity == Quantity::number) {
      require_unit(right.quantity, left);
      return compare(right.quantity, mirrored(found->second), left.number);
    }
    return compare(left.quantity, found->second, right.quantity);
  }

  /// Refuses a number whose unit the quantity does not have, and notes those of depth.
  void require_unit(Quantity quantity, const Operand& number) {
    if (number.unit == Unit::none) return;
    if (const char* units = units_instead(number.unit, quantity))
      fail(number.at, fmt::format("{} has no such unit; it takes {}", name_of(quantity), units));
    if (quantity != Quantity::depth) return;
    if (depth_unit_ != Unit::none && depth_unit_ != number.unit)
      fail(number.at, "depth has another unit before: it is in metres, or a share");
    depth_unit_ = number.unit;
  }

  Operand operand(const std::string& expected) {
    const std::size_t start = at_;
    const std::string_view name = word();
    if (name.empty() || name == "inf") {
      const Amount amount = quotient(expected);
      return {Quantity::number, static_cast<float>(amount.value), start, amount.unit};
    }
    for (const auto& [known, quantity] : kNames)
      if (name == known) {
        take(name);
        return {quantity, 0, start};
      }
    if (name == "and" || name == "or" || name == "not") fail(start, "expected " + expected);
    fail(start, fmt::format("there is no '{}'{}", name, meant_by(name)));
  }

  static std::string meant_by(std::string_view name) {
    std::vector<std::string> known;
    for (const auto& entry : kNames) known.emplace_back(entry.first);
    if (const std::string meant = nearest(name, known); !meant.empty())
      return "; did you mean " + meant + "?";
    return ": pixels have red, green, blue, alpha, luma, x, y, depth, coc and mask";
  }

  Amount quotient(const std::string& expected) {
    const std::size_t start = at_;
    const Amount amount = this->amount(expected);
    if (!take("/")) return amount;
    const Amount divisor = this->amount("a number");
    if (amount.unit != Unit::none || divisor.unit != Unit::none) fail(start, "a quotient has no unit");
    return static_cast<float>(amount.value) / static_cast<float>(divisor.value);
  }

  Amount amount(const std::string& expected) {
    const std::size_t start = at_;
    const bool negative = take("-");
    Amount amount;
    if (take_word("inf")) {
      amount.value = std::numeric_limits<double>::infinity();
    } else {
      std::string_view rest = text_.substr(at_);
      if (rest.starts_with('.') ? !is_digit(rest.substr(1)) : !is_digit(rest))
        fail(start, "expected " + expected);
      const std::optional<double> number = take_number(rest);
      if (!number) fail(start, "this number is out of range");
      amount = take_unit(rest, *number, Measure::metres_or_share);
      if (amount.unit == Unit::none) amount = take_unit(rest, *number, Measure::pixels);
      at_ = text_.size() - rest.size();
      if (!at_end() && is_letter(text_[at_]))
        fail(start, fmt::format("'{}{}' is not a number", text_.substr(start, at_ - start), word()));
      skip_space();
    }
    if (negative) amount.value = -amount.value;
    return amount;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int nesting_ = 0;
  Unit depth_unit_ = Unit::none;
};

}  // namespace

Selection parse_selection(std::string_view expression, Unit* depth_unit) {
  Parser parser(expression);
  const Selection selection = parser.parse();
  if (depth_unit) *depth_unit = parser.depth_unit();
  return selection;
}

std::string_view name_of(Quantity quantity) {
  return std::find_if(kNames.begin(), kNames.end(),
                      [&](const auto& known) { return known.second == quantity; })
      ->first;
}

}  // namespace scanlens
