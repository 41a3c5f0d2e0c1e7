// The words of --where: what they choose, and where they are wrong.
#include "app/stats/expression.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "app/stats/report.h"
#include "core/context.h"
#include "filters/statistics.h"

namespace scanlens {
namespace {

/// True if an expression chooses a pixel of these colours, at the upper left, of depth 2 m and mask 0.5.
bool chooses(const std::string& expression, std::array<std::uint8_t, 3> pixel = {255, 128, 0}) {
  Context context = Context::open("cpu");
  float disparity = 0.5f, mask = 0.5f;
  PixelSources<std::uint8_t> sources{
      {pixel.data(), 1, 1, 3}, {&disparity, 1, 1}, {&mask, 1, 1}, true, {8, 0.25f, 9}};
  const auto found = pixel_statistics(context, sources, parse_selection(expression), {});
  return std::get<CodeCounts>(found.at(0).values).total() == 1;
}

TEST(Expression, Comparisons) {
  for (const char* holds :
       {"red == 1",         "red >= 1",     "red<=1",      "red > 0.9",    "blue < 1e-9",  "green != 0.5",
        "green == 128/255", "0.5 < green",  "1/2 <= mask", "x == 0",       "y<1",          "depth == 2",
        "coc == 2",         "coc == 4/2",   "red > blue",  "luma == gray", "luma == grey", "mask",
        "depth < inf",      "depth > -inf", "red > -.5",   " \t red\n>0 "})
    EXPECT_TRUE(chooses(holds)) << holds;
  for (const char* fails : {"red < 1", "red != 1", "blue > 0", "green > 1", "0.5 > green", "mask < 0.5",
                            "not mask", "depth > 2", "red < blue", "x > 0", "depth == inf"})
    EXPECT_FALSE(chooses(fails)) << fails;
}

TEST(Expression, NumbersMayHaveUnits) {
  for (const char* holds : {"red == 100%", "green > 50 %", "mask == 50%", "x < 1px", "coc == 2px",
                            "depth == 2m", "depth == 200cm", "depth == 2000 mm", "250cm > depth"})
    EXPECT_TRUE(chooses(holds)) << holds;
  Unit unit = Unit::none;
  parse_selection("depth < 2.5 and luma > 50%", &unit);
  EXPECT_EQ(unit, Unit::none);
  parse_selection("not (luma > 50% or 2500mm > depth)", &unit);
  EXPECT_EQ(unit, Unit::metres);
  parse_selection("depth < 50%", &unit);
  EXPECT_EQ(unit, Unit::share);
}

TEST(Expression, NotBindsTighterThanAndAndAndThanOr) {
  const std::string yes = "red == 1", no = "red == 0";
  EXPECT_TRUE(chooses(yes + " or " + yes + " and " + no));
  EXPECT_FALSE(chooses("(" + yes + " or " + yes + ") and " + no));
  EXPECT_FALSE(chooses("not " + yes + " and " + no));
  EXPECT_TRUE(chooses("not (" + yes + " and " + no + ")"));
  EXPECT_FALSE(chooses("not (" + yes + " or " + no + ")"));
  EXPECT_TRUE(chooses("not not " + yes));
  EXPECT_TRUE(chooses("not(" + no + ")and(" + yes + ")"));
}

void expect_error(const std::string& expression, std::size_t at, const std::string& what) {
  try {
    parse_selection(expression);
    ADD_FAILURE() << expression << " was taken";
  } catch (const ExpressionError& error) {
    EXPECT_EQ(error.at(), at) << expression << ": " << error.what();
    EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << expression << ": " << error.what();
    EXPECT_EQ(error.kind(), ErrorKind::usage);
  }
}

TEST(Expression, ErrorsPointAtThePlace) {
  expect_error("luma > 90px", 7, "luma has no such unit; it takes %");
  expect_error("x < 50%", 4, "x has no such unit; it takes px");
  expect_error("depth < 2px", 8, "depth has no such unit");
  expect_error("depth < 2m or depth > 50%", 22, "another unit");
  expect_error("luma > 50%/2", 7, "no unit");
  expect_error("luma > 1e999", 7, "out of range");
  expect_error("", 0, "expected a comparison");
  expect_error("  ", 2, "expected a comparison");
  expect_error("luma >", 6, "expected a number or a name");
  expect_error("luma", 4, "expected < <= > >= == or !=");
  expect_error("luma = 1", 5, "equal is written ==");
  expect_error("luma > 0.9 blue < 1", 11, "expected and, or, or the end");
  expect_error("luma > 0.9 && blue < 1", 11, "&& is written and");
  expect_error("luma > 0.9 || blue < 1", 11, "|| is written or");
  expect_error("!mask", 0, "! is written not");
  expect_error("luma > 0.9 and", 14, "expected a comparison");
  expect_error("luma > 0.9 and or", 15, "expected a comparison");
  expect_error("(luma > 0.9", 11, "opens at character 1");
  expect_error("luma > 0.9)", 10, "no parenthesis is open");
  expect_error("lumna > 0.9", 0, "did you mean luma?");
  expect_error("hue > 0.9", 0, "there is no 'hue'");
  expect_error("luma > 0.9x", 7, "'0.9x' is no number");
  expect_error("luma > 1e999", 7, "out of range");
  expect_error("luma > -", 7, "expected a number");
  expect_error("luma > 1/", 9, "expected a number");
  expect_error("0.2 < luma < 0.5", 11, "0.2 < luma and luma < 0.5");
  expect_error("1 < 2", 0, "expected a name");
  expect_error("not", 3, "expected a comparison");
  expect_error("luma > nan", 7, "there is no 'nan'");
  expect_error("luma > \xc3\xa9", 7, "expected a number or a name");
  expect_error(std::string(100, '(') + "mask" + std::string(100, ')'), 64, "64 levels");
  std::string many = "mask";
  for (int i = 1; i < Selection::kMostComparisons; ++i) many += " or mask";
  EXPECT_EQ(parse_selection(many).count, 2 * Selection::kMostComparisons - 1);
  expect_error(many + " or mask", many.size() + 1, "at most 32 comparisons");
}

TEST(Expression, TheCaretStandsBelowThePlace) {
  const std::string expression = "luma > \xc3\xa9";
  try {
    parse_selection(expression);
    FAIL();
  } catch (const ExpressionError& error) {
    EXPECT_EQ(pointed_out(expression, error), expression + "\n       ^ expected a number or a name");
    EXPECT_EQ(pointed_out("\xc3\xa9\xc3\xa9     !", error).find('^'),
              std::string("\xc3\xa9\xc3\xa9     !\n     ").size());
  }
}

CodeCounts counts_of(std::initializer_list<std::pair<int, std::uint64_t>> codes) {
  std::vector<std::uint64_t> counts(256);
  for (const auto& [code, count] : codes) counts[static_cast<std::size_t>(code)] = count;
  return CodeCounts(std::move(counts));
}

TEST(Exposure, OfAPictureTooDark) {
  const ChannelStatistics luma{Quantity::luma, counts_of({{0, 10}, {60, 980}, {255, 10}})};
  const Exposure exposure = exposure_of({&luma, 1}).value();
  EXPECT_DOUBLE_EQ(*exposure.at_black, 0.01);
  EXPECT_DOUBLE_EQ(*exposure.at_white, 0.01);
  EXPECT_NEAR(*exposure.to_middle_grey, 1.99, 0.01);  // log2(0.18 / 0.0452)
  EXPECT_NE(exposure.sentence().find("1 % of the pixels are at white"), std::string::npos)
      << exposure.sentence();
}

TEST(Exposure, HighlightsBoundTheSuggestion) {
  const ChannelStatistics luma{Quantity::luma, counts_of({{60, 900}, {240, 100}})};
  const Exposure exposure = exposure_of({&luma, 1}).value();
  EXPECT_NEAR(*exposure.before_clipping, 0.19, 0.01);
  EXPECT_EQ(exposure.suggested, exposure.before_clipping);
  EXPECT_NE(exposure.sentence().find("but beyond +0.2 stops"), std::string::npos) << exposure.sentence();
}

TEST(Exposure, OfBlackAndOfNothing) {
  const ChannelStatistics black{Quantity::luma, counts_of({{0, 3}})}, none{Quantity::luma, counts_of({})};
  EXPECT_FALSE(exposure_of({&black, 1})->to_middle_grey);
  EXPECT_NE(exposure_of({&black, 1})->sentence().find("the median is black"), std::string::npos);
  EXPECT_FALSE(exposure_of({&none, 1}));
  EXPECT_FALSE(exposure_of({}));
}

}  // namespace
}  // namespace scanlens
