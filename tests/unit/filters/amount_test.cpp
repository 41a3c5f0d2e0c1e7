#include "filters/amount.h"

#include <clocale>
#include <cmath>
#include <string>

#include "tests/unit/support/support.h"

namespace scanlens {
namespace {

using M = Measure;

void expect_amount(std::string_view text, Measure measure, double value, Unit unit) {
  const std::optional<Amount> amount = parse_amount(text, measure);
  ASSERT_TRUE(amount) << text;
  EXPECT_EQ(amount->value, value) << text;
  EXPECT_EQ(amount->unit, unit) << text;
}

TEST(Amount, HasTheUnitsOfItsMeasure) {
  expect_amount("1.5", M::number, 1.5, Unit::none);
  expect_amount("0.8", M::share, 0.8, Unit::none);
  expect_amount("80%", M::share, 0.8, Unit::share);
  for (const char* text : {"f/1.4", "F/1.4", "f1.4", "f/ 1.4", "\u0192/1.4"})
    expect_amount(text, M::f_number, 1.4, Unit::f_number);
  expect_amount("1.4", M::f_number, 1.4, Unit::none);
  expect_amount("50", M::millimetres, 50, Unit::none);
  expect_amount("50mm", M::millimetres, 50, Unit::millimetres);
  expect_amount("5cm", M::millimetres, 50, Unit::millimetres);
  expect_amount("0.05m", M::millimetres, 50, Unit::millimetres);
  expect_amount("2.5", M::metres, 2.5, Unit::none);
  expect_amount("2.5m", M::metres, 2.5, Unit::metres);
  expect_amount("70cm", M::metres, 0.7, Unit::metres);
  expect_amount("1200mm", M::metres, 1.2, Unit::metres);
  expect_amount("70cm", M::metres_or_share, 0.7, Unit::metres);
  expect_amount("80 %", M::metres_or_share, 0.8, Unit::share);
  expect_amount("0.8", M::metres_or_share, 0.8, Unit::none);
  expect_amount("24px", M::pixels, 24, Unit::pixels);
  expect_amount("24", M::pixels_or_percent, 24, Unit::none);
  expect_amount("24 px", M::pixels_or_percent, 24, Unit::pixels);
  expect_amount("2%", M::pixels_or_percent, 2, Unit::percent);
  expect_amount("50%", M::percent, 50, Unit::percent);
  expect_amount("30deg", M::degrees, 30, Unit::degrees);
  expect_amount("30\u00b0", M::degrees, 30, Unit::degrees);
  expect_amount("5s", M::seconds, 5, Unit::seconds);
}

TEST(Amount, IsWrittenInMoreThanOneWay) {
  for (const char* text : {"2.5m", "2.5 m", "2.5M", "+2.5m", "25e-1m", "2.50m", "250CM"})
    expect_amount(text, M::metres, 2.5, Unit::metres);
  expect_amount(".5", M::number, 0.5, Unit::none);
  expect_amount("5.", M::number, 5, Unit::none);
  expect_amount("-3", M::number, -3, Unit::none);
}

TEST(Amount, IsReadToItsLastCharacter) {
  for (const char* text : {"",    " ",     " 1",      "1 ",    "x",    "%",      "m",     "1x",     "1.5.5",
                           "1,5", "1 5",   "2.5 m m", "2.5mx", "5%%",  "%5",     "0x10",  "1e",     "--1",
                           "+-1", "1'000", "nan",     "NaN",   "-nan", "nan(1)", "1e999", "-1e999", "1e-999"})
    for (const Measure measure :
         {M::number, M::share, M::f_number, M::millimetres, M::metres, M::metres_or_share, M::pixels,
          M::pixels_or_percent, M::percent, M::degrees, M::seconds})
      EXPECT_FALSE(parse_amount(text, measure)) << text << " " << static_cast<int>(measure);
  EXPECT_FALSE(parse_amount(std::string_view("1\0", 2)));
}

TEST(Amount, HasNoUnitOfAnotherMeasure) {
  for (const auto& [text, measure] : {std::pair{"1m", M::number},
                                      {"1%", M::number},
                                      {"f/2", M::number},
                                      {"50px", M::millimetres},
                                      {"1%", M::metres},
                                      {"f/2", M::metres},
                                      {"1m", M::share},
                                      {"2m", M::pixels_or_percent},
                                      {"2%", M::pixels},
                                      {"2mm", M::f_number},
                                      {"1px", M::metres_or_share},
                                      {"1px", M::percent},
                                      {"1s", M::degrees},
                                      {"1deg", M::seconds}})
    EXPECT_FALSE(parse_amount(text, measure)) << text;
}

TEST(Amount, IsInfiniteWhereTheMeasureHasInfinity) {
  for (const Measure measure : {M::f_number, M::metres, M::metres_or_share}) {
    expect_amount("inf", measure, INFINITY, Unit::none);
    EXPECT_TRUE(parse_amount("INF", measure));
  }
  expect_amount("f/inf", M::f_number, INFINITY, Unit::f_number);
  for (const Measure measure : {M::number, M::share, M::millimetres, M::pixels, M::pixels_or_percent,
                                M::percent, M::degrees, M::seconds})
    EXPECT_FALSE(parse_amount("inf", measure)) << static_cast<int>(measure);
  EXPECT_FALSE(parse_amount("inf%", M::metres_or_share));
}

TEST(Amount, DoesNotDependOnTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "C.UTF-8"})
    if (std::setlocale(LC_ALL, name)) {
      expect_amount("1.5m", M::metres, 1.5, Unit::metres);
      EXPECT_FALSE(parse_amount("1,5m", M::metres)) << name;
      EXPECT_EQ(text_of({1.5, Unit::metres}), "1.5 m") << name;
    }
  std::setlocale(LC_ALL, before.c_str());
}

TEST(Amount, TextHasTheUnit) {
  EXPECT_EQ(text_of({2.5, Unit::metres}), "2.5 m");
  EXPECT_EQ(text_of({50, Unit::millimetres}), "50 mm");
  EXPECT_EQ(text_of({1.4, Unit::f_number}), "f/1.4");
  EXPECT_EQ(text_of({2, Unit::percent}), "2 %");
  EXPECT_EQ(text_of({24, Unit::pixels}), "24 pixels");
  EXPECT_EQ(text_of({0.8, Unit::share}), "0.8");
  EXPECT_EQ(text_of(3), "3");
}

TEST(Amount, NamesSayWhatIsTaken) {
  EXPECT_EQ(name_of(M::number), "a number");
  EXPECT_EQ(name_of(M::f_number), "an f-number");
  EXPECT_EQ(name_of(M::millimetres, "positive"), "a positive number of millimetres");
}

TEST(WholeNumber, IsDigitsAndASign) {
  EXPECT_EQ(parse_whole("12"), 12);
  EXPECT_EQ(parse_whole("+12"), 12);
  EXPECT_EQ(parse_whole("-12"), -12);
  EXPECT_EQ(parse_whole("010"), 10) << "not octal";
  EXPECT_EQ(parse_whole("9223372036854775807"), INT64_MAX);
  for (const char* text : {"", "1.5", "1e3", "0x10", "12 ", "12px", "9223372036854775808", "+-1", "nan"})
    EXPECT_FALSE(parse_whole(text)) << text;
}

TEST(TakenNumber, LeavesWhatIsBehind) {
  std::string_view text = "2.5 m, 3";
  const std::optional<double> number = take_number(text);
  ASSERT_EQ(number, 2.5);
  EXPECT_EQ(text, " m, 3");
  EXPECT_EQ(take_unit(text, *number, M::metres).unit, Unit::metres);
  EXPECT_EQ(text, ", 3");
  EXPECT_EQ(take_unit(text, *number, M::metres).unit, Unit::none);
  EXPECT_FALSE(take_number(text));
  EXPECT_EQ(text, ", 3") << "unchanged where there is none";
}

}  // namespace
}  // namespace scanlens
