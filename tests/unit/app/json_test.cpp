// JSON values print as nlohmann's do, and read what they print.
#include "app/io/json.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "filters/nesting.h"

namespace scanlens {
namespace {

using Reference = nlohmann::ordered_json;

template <class Value>
Value built() {
  Value value = {{"text", "\xff\"\n\u00e9\t"},
                 {"least", std::numeric_limits<std::int64_t>::min()},
                 {"most", std::numeric_limits<std::uint64_t>::max()},
                 {"numbers", {0.1, 100.0, 1e300, 0.1f, std::numeric_limits<double>::infinity()}},
                 {"words", {"two", "words"}},
                 {"nested", {{"a", {{"b", nullptr}}}, {"c", true}}},
                 {"empty", Value::array()},
                 {"none", Value::object()},
                 {"list", std::vector<std::string>{"p", "q"}}};
  value["added"] = {{"x", 1}};
  value["list"] = "replaced";
  Value list = Value::array();
  list.push_back({{"name", "pair"}, {"value", -1}});
  list.push_back({1, 2});
  value["pushed"] = list;
  return value;
}

TEST(Json, PrintsAsNlohmannDoes) {
  for (const int indent : {-1, 0, 2})
    EXPECT_EQ(built<Json>().dump(indent),
              built<Reference>().dump(indent, ' ', false, Reference::error_handler_t::replace));
}

TEST(Json, ReadsWhatItPrints) {
  const std::optional<Json> read = Json::parse(built<Json>().dump());
  ASSERT_TRUE(read);
  EXPECT_EQ((*read)["least"].whole(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ((*read)["numbers"].elements()[0].number(), 0.1);
  EXPECT_EQ((*read)["nested"]["c"].truth(), true);
  EXPECT_TRUE((*read)["nested"]["a"]["b"].is_null());
  EXPECT_EQ((*read)["words"].elements()[1].text(), "words");
  EXPECT_EQ(read->find("nothing"), nullptr);
  EXPECT_EQ((*read)["text"].whole(), std::nullopt);
  for (const char* text : {"", "{nope", "{\"a\": 1} x"}) EXPECT_FALSE(Json::parse(text)) << text;
}

TEST(Json, TakesTheLastOfOneName) {
  const std::optional<Json> read =
      Json::parse("{\"b\": 1, \"a\": 2, \"b\": [3], \"a\": {\"c\": 4, \"c\": 5}}");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->dump(), "{\"a\":{\"c\":5},\"b\":[3]}");
}

TEST(Json, RefusesWhatIsNestedTooDeep) {
  const auto nested = [](std::size_t levels) {
    std::string text;
    for (std::size_t i = 0; i < levels; ++i) text += i % 2 ? "[" : "{\"a\":";
    text += "1";
    for (std::size_t i = levels; i-- > 0;) text += i % 2 ? "]" : "}";
    return text;
  };
  EXPECT_EQ(Json::parse(nested(kMostNesting)).value().dump(), nested(kMostNesting));
  EXPECT_FALSE(Json::parse(nested(kMostNesting + 1)));
  constexpr std::size_t kHostile = 10'000'000;
  EXPECT_FALSE(Json::parse(std::string(kHostile, '[') + std::string(kHostile, ']')));
  EXPECT_FALSE(Json::parse(nested(1'000'000)));
}

}  // namespace
}  // namespace scanlens
