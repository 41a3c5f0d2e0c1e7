// Statistics of many pictures against those of all their samples.
#include "app/stats/merged.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

namespace scanlens {
namespace {

const std::vector<double> kPercents = {0, 5, 50, 99, 100};

/// A grey picture of codes; `chosen` have been counted.
PictureStatistics grey(const std::vector<int>& chosen, std::size_t codes, std::uint64_t pixels) {
  std::vector<std::uint64_t> counts(codes);
  for (const int code : chosen) ++counts[static_cast<std::size_t>(code)];
  return {pixels, false, {{Quantity::luma, CodeCounts(counts)}}};
}

PictureStatistics light(double mean, std::uint64_t count) {
  FloatStatistics floats;
  floats.moments = {count, mean, 1, mean - 1, mean + 1};
  floats.percentiles.assign(2 + kPercents.size(), mean);
  floats.bins = {count};
  return {count, false, {{Quantity::luma, floats}}};
}

std::string told(const MergedStatistics& merged) {
  return channels_json(merged.report(kPercents)).dump();
}

TEST(MergedStatistics, CodesAreThoseOfAllSamplesAtOnce) {
  std::mt19937 random(15);
  for (const bool has_wide : {false, true}) {
    MergedStatistics merged, at_once;
    std::vector<int> all;
    std::uint64_t pixels = 0;
    for (std::size_t place = 0; place < 5; ++place) {
      const bool is_wide = has_wide && place % 2 == 1;
      std::vector<int> codes(random() % 100);
      for (int& code : codes) code = static_cast<int>(random() % (is_wide ? 65536 : 256));
      for (const int code : codes) all.push_back(has_wide && !is_wide ? 257 * code : code);
      merged.add(place, grey(codes, is_wide ? 65536 : 256, codes.size() + 3));
      pixels += codes.size() + 3;
    }
    at_once.add(0, grey(all, has_wide ? 65536 : 256, pixels));
    EXPECT_EQ(told(merged), told(at_once));
    EXPECT_EQ(merged.report({}).pixels, pixels);
    EXPECT_EQ(merged.report({}).chosen, all.size());
  }
}

TEST(MergedStatistics, EveryChannelHasTheSameCodes) {
  MergedStatistics merged;
  merged.add(0, {1, false, {{Quantity::alpha, CodeCounts(std::vector<std::uint64_t>(256, 1))}}});
  merged.add(1, grey({65535}, 65536, 1));
  for (const ChannelReport& channel : merged.report({}).channels) EXPECT_EQ(channel.upper, 65536);
}

TEST(MergedStatistics, DoNotDependOnTheOrder) {
  std::vector<PictureStatistics> pictures;
  for (int i = 0; i < 40; ++i) pictures.push_back(light(0.1 * i, 1 + 7u * static_cast<unsigned>(i)));
  MergedStatistics forth, back;
  for (std::size_t i = 0; i < pictures.size(); ++i) forth.add(i, pictures[i]);
  for (std::size_t i = pictures.size(); i-- > 0;) back.add(i, pictures[i]);
  EXPECT_EQ(told(forth), told(back));
}

TEST(MergedStatistics, WhatHasAnotherUnitIsMergedApart) {
  MergedStatistics merged;
  PictureStatistics metres = grey({1, 2, 3}, 256, 3), relative = metres;
  metres.channels.push_back({Quantity::depth, std::get<FloatStatistics>(light(2, 3).channels[0].values)});
  relative.channels.push_back({Quantity::depth, std::get<FloatStatistics>(light(0.5, 3).channels[0].values)});
  metres.metric_depth = true;
  merged.add(0, relative);
  merged.add(1, light(7, 10));
  merged.add(2, metres);
  const StatsReport report = merged.report(kPercents);
  std::vector<std::string> titles;
  for (const ChannelReport& channel : report.channels) titles.push_back(channel.title());
  EXPECT_EQ(titles,
            (std::vector<std::string>{"luma (code)", "luma (light)", "depth (m)", "depth (relative)"}));
  EXPECT_EQ(report.channels[0].pixels, 6u);
  EXPECT_EQ(report.channels[1].spread->mean, 7);
  EXPECT_FALSE(report.channels[1].spread->median) << "of floats none follows from the pictures'";
  EXPECT_EQ(report.channels[2].spread->mean, 2);
  const auto all = nlohmann::json::parse(channels_json(report).dump());
  EXPECT_TRUE(all[1]["median"].is_null() && all[1]["percentiles"]["50"].is_null() &&
              all[1]["histogram"].is_null());
  EXPECT_EQ(all[0]["percentiles"]["50"], 2);
  EXPECT_NE(table_of(report, false).find("luma (light)"), std::string::npos);
  EXPECT_NE(stats_svg(report, "").find("no histogram"), std::string::npos);
}

}  // namespace
}  // namespace scanlens
