// A peer that cannot do its work is named, and has no time.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "tests/bench/bench.h"

namespace scanlens::bench {
namespace {

TEST(BenchPeer, ThatFailsHasNoTime) {
  Context context = Context::open("cpu");
  std::vector<Result> results;
  std::string complaints;
  Settings settings;
  settings.quick = true;
  settings.complain = [&](const std::string& line) { complaints += line; };
  settings.collected = [&](const Result& result) { results.push_back(result); };
  Bench bench(context, settings);
  bench.reserve(4096, 4096);
  const std::span<const std::uint32_t> in = bench.filled<std::uint32_t>(1024, Input::random(1));
  const std::span<std::uint32_t> out = bench.target<std::uint32_t>(1024);
  Case one;
  one.primitive = "copy";
  one.elements = 1024;
  one.bytes_read = one.bytes_written = 4096;
  one.ours = [=] { std::copy(in.begin(), in.end(), out.begin()); };
  one.peers = {{"broken", [] { throw Error("no such kernel"); }}, {"sound", one.ours}};
  one.verify = [=] { return std::equal(in.begin(), in.end(), out.begin()) ? "" : "differs"; };
  bench.run(one);

  ASSERT_EQ(results.size(), 1u);
  ASSERT_EQ(results[0].peers.size(), 2u);
  EXPECT_EQ(results[0].peers[0].failed, "no such kernel");
  EXPECT_EQ(results[0].peers[0].time.ms, 0);
  EXPECT_EQ(results[0].peers[1].failed, "");
  EXPECT_GT(results[0].peers[1].time.ms, 0);
  EXPECT_GT(results[0].ours.ms, 0);
  EXPECT_NE(complaints.find("no such kernel"), std::string::npos);
  EXPECT_EQ(bench.collected().wrong, 0);
}

}  // namespace
}  // namespace scanlens::bench
