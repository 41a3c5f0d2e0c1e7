// Filters by name: what the command line takes, and what it says of mistakes.
#include "filters/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "filters/box.h"
#include "tests/unit/support/support.h"

namespace scanlens {
namespace {

/// The text is refused as wrong usage, and all of `says` is in the message.
void expect_refused(const std::string& text, const std::vector<std::string>& says) {
  try {
    parse_filter(text);
    ADD_FAILURE() << text << " was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    for (const std::string& part : says)
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << part << " in " << error.what();
  }
}

TEST(FilterRegistry, ParsesNamesAndValues) {
  const FilterCall call = parse_filter("box:radius=12");
  EXPECT_EQ(call.filter, &kBox);
  EXPECT_EQ(std::any_cast<const BoxParams&>(call.params).radius, 12);
  EXPECT_EQ(std::any_cast<BoxParams>(parse_filter("box").params).radius, BoxParams{}.radius);
}

TEST(FilterRegistry, ValuesMayHaveUnits) {
  EXPECT_EQ(std::any_cast<BoxParams>(parse_filter("box:radius=12px").params).radius, 12);
  FilterCall tilted = parse_filter("tilt_shift:position=25%:angle=5deg");
  EXPECT_EQ(tilted.filter->params[0].in(tilted.params), 0.25);
  EXPECT_EQ(tilted.filter->params[3].in(tilted.params), 5);

  const FilterCall of_width = parse_filter("box:radius=2%");
  EXPECT_EQ(std::any_cast<BoxParams>(at_size(of_width, {640, 480}).params).radius, 13) << "12.8, rounded";
  EXPECT_EQ(std::any_cast<BoxParams>(at_size(of_width, {100, 80}).params).radius, 2);
  EXPECT_TRUE(at_size(of_width, {100, 80}).of_size.empty());
  EXPECT_THROW(require_fits(of_width, 640, 480), Error) << "as long as it is percent";
  const FilterCall wide = parse_filter("tilt_shift:radius=100%");
  EXPECT_THROW(at_size(wide, {1001, 80}), Error) << "1000 at most";
  for (const char* text :
       {"box:radius=101%", "box:radius=-1%", "box:radius=2m", "tilt_shift:angle=5%", "denoise:noise=5px"})
    expect_refused(text, {"has to be"});
}

TEST(FilterRegistry, SaysWhatIsWrong) {
  for (const auto& [text, says] : {std::pair{"blur", "no filter 'blur'"},
                                   {"", "no filter is named"},
                                   {"box radius=2", "values follow colons; write box:key=value"},
                                   {"box=2", "write box:key=value"},
                                   {"box,unsharp", "write --filter box --filter unsharp"},
                                   {"box:radius=2 + unsharp", "radius is '2 + unsharp'"},
                                   {"box:size=3", "no parameter 'size'"},
                                   {"box:radius", "write radius=8"},
                                   {"box:radius=", "radius is ''"},
                                   {"box:radius=-1", "'-1'"},
                                   {"box:radius=1.5", "whole"},
                                   {"box:radius=nan", "'nan'"},
                                   {"box:radius=1e9", "1048576"},
                                   {"box:radius=3x", "'3x'"},
                                   {"box:radius=1:radius=2", "twice"},
                                   {"unshrap", "did you mean unsharp?"},
                                   {"box:raduis=3", "did you mean radius?"},
                                   {"resize", "no size is given"},
                                   {"resize:enlarge=1", "no size is given"}})
    expect_refused(text, {says});
}

TEST(FilterRegistry, EveryParameterTakesItsValuesAndNoOthers) {
  for (const Filter* filter : all_filters())
    for (const Param& param : filter->params) {
      const auto with = [&](const std::string& value) {
        return fmt::format("{}:{}={}", filter->name, param.name, value);
      };
      for (const double value : {param.least, param.value, param.most}) {
        FilterCall alone{filter, filter->defaults()};
        param.in(alone.params) = value;
        if (const std::string problem = filter->problem(alone.params); !problem.empty()) {
          expect_refused(with(value_text(param, value)), {problem});
          continue;
        }
        FilterCall call = parse_filter(with(value_text(param, value)));
        EXPECT_EQ(call.filter, filter);
        EXPECT_EQ(param.in(call.params), value) << param.name;
      }
      FilterCall usual{filter, filter->defaults()};
      EXPECT_EQ(param.in(usual.params), param.value) << param.name;
      EXPECT_TRUE(param.least <= param.value && param.value <= param.most) << param.name;

      const std::string name(param.name);
      const bool is_colour = param.measure == Measure::colour;
      const std::string bounds = is_colour ? "#rrggbb"
                                 : param.names.empty()
                                     ? fmt::format("{} to {}", param.least, param.most)
                                     : fmt::format("one of {}", fmt::join(param.names, ", "));
      for (const std::string& value :
           std::vector<std::string>{fmt::format("{}", param.least - 1), fmt::format("{}", param.most + 1),
                                    "nan", "inf", "-inf", "x", "", "1 "})
        expect_refused(with(value), {name, "'" + value + "'", bounds});
      if (param.whole && param.names.empty() && !is_colour)
        expect_refused(with(fmt::format("{}", param.least + 0.5)), {name, "whole"});
      expect_refused(fmt::format("{}:{}", filter->name, param.name), {"'" + name + "' is not key=value"});
      const std::string value = value_text(param, param.value);
      expect_refused(with(value) + ":" + name + "=" + value, {name, "twice"});
      expect_refused(fmt::format("{}:no_{}=1", filter->name, param.name), {"no parameter", name});
    }
}

TEST(FilterRegistry, EveryFilterIsNamedOnceAndDescribed) {
  const auto is_name = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_-") == std::string_view::npos;
  };
  const std::string text = describe(all_filters());
  std::set<std::string_view> names;
  for (const Filter* filter : all_filters()) {
    EXPECT_TRUE(is_name(filter->name)) << filter->name;
    EXPECT_TRUE(names.insert(filter->name).second) << filter->name << " stands there twice";
    EXPECT_FALSE(filter->help.empty()) << filter->name;
    EXPECT_NE(text.find(fmt::format("{}: {}\n", filter->name, filter->help)), std::string::npos);
    const std::string example = fmt::format("{}:{}", filter->name, filter->example);
    if (!filter->example.empty()) {
      EXPECT_NE(text.find("such as " + example), std::string::npos);
      EXPECT_EQ(parse_filter(example).filter, filter);
    }
    std::set<std::string_view> params;
    for (const Param& param : filter->params) {
      EXPECT_TRUE(is_name(param.name)) << param.name;
      EXPECT_TRUE(params.insert(param.name).second) << param.name << " stands there twice";
      EXPECT_FALSE(param.help.empty()) << param.name;
      EXPECT_NE(text.find(fmt::format("{}: {}; ", param.name, param.help)), std::string::npos);
      const std::string values = param.measure == Measure::colour ? "#rrggbb"
                                 : param.names.empty() ? fmt::format("{} to {}", param.least, param.most)
                                                       : fmt::format("{}", fmt::join(param.names, ", "));
      EXPECT_NE(text.find(fmt::format("{}, {} if not given", values, value_text(param, param.value))),
                std::string::npos);
    }
  }
}

}  // namespace
}  // namespace scanlens
