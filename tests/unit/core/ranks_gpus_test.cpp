// Ranks on several GPUs: in one process, and a process a rank, which are this test itself started anew.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "core/devices.h"
#include "core/graph.h"
#include "tests/unit/support/ranks.h"

extern char** environ;

namespace scanlens::test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kMostGpus = 8;

int gpus() {
  return std::min(kMostGpus, static_cast<int>(devices().size()) - 1);
}

#define SCANLENS_NEEDS_GPUS() \
  if (gpus() < 2) GTEST_SKIP() << "takes two GPUs or more, which NCCL connects; here are " << gpus()

void compare_some(Ranks& ranks, std::uint64_t first_seed, int cases, bool delays = false) {
  std::mt19937_64 random(first_seed + static_cast<std::uint64_t>(ranks.first()));
  const auto compare = [&](void (*one_case)(Ranks&, RankCase&)) {
    for (int i = 0; i < cases && !testing::Test::HasFailure(); ++i) {
      const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(i);
      SCOPED_TRACE("ranks " + std::to_string(ranks.count()) + ", case of seed " + std::to_string(seed));
      RankCase one(ranks.count(), seed, 500000);
      if (delays) std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
      one_case(ranks, one);
    }
  };
  compare(compare_random_scan);
  compare(compare_random_reduction);
  compare(compare_random_sort);
  compare(compare_random_table);
}

TEST(RanksOfOneProcess, AreThoseOfOneContext) {
  SCANLENS_NEEDS_GPUS();
  const std::uint64_t seed = generator()();
  for (int count = 2; count <= gpus(); count *= 2) {
    std::vector<Context> contexts;
    for (int i = 0; i < count; ++i) contexts.push_back(Context::open("cuda:" + std::to_string(i)));
    RanksOptions options;
    options.time_limit = 20;
    Ranks ranks = Ranks::of(contexts, options);
    compare_some(ranks, seed, 40);
  }
}

TEST(RanksOfOneProcess, CannotBeCaptured) {
  SCANLENS_NEEDS_GPUS();
  std::vector<Context> contexts;
  for (int i = 0; i < 2; ++i) contexts.push_back(Context::open("cuda:" + std::to_string(i)));
  Ranks ranks = Ranks::of(contexts);
  const Spread<float> in(ranks, {100, 300}, std::vector<float>(300, 1));
  EXPECT_THROW(Graph(contexts[0], [&] { inclusive_scan<float, float>(ranks, in.in(), in.parts()); }), Error);
}

// Variables that name the work of a process of RanksOfProcesses.
constexpr const char* kMode = "SCANLENS_TEST_MODE";
constexpr const char* kRank = "SCANLENS_TEST_RANK";
constexpr const char* kCount = "SCANLENS_TEST_RANKS";
constexpr const char* kId = "SCANLENS_TEST_ID";

std::string hex(const Ranks::Id& id) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : id) {
    text += kDigits[static_cast<unsigned char>(c) >> 4];
    text += kDigits[c & 15];
  }
  return text;
}

Ranks::Id of_hex(const std::string& text) {
  Ranks::Id id{};
  for (std::size_t i = 0; i < id.size(); ++i)
    id[i] = static_cast<char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  return id;
}

/// Rank `count - 1` dies before a call that the other ranks make: they say so within the time limit.
void lose_a_rank(Ranks& ranks) {
  const auto count = static_cast<std::size_t>(ranks.count());
  const Spread<float> in(ranks, std::vector<std::size_t>(count, 1000), std::vector<float>(1000, 1));
  inclusive_scan<float, float>(ranks, in.in(), in.parts());
  ranks.synchronize();
  if (ranks.first() == ranks.count() - 1) std::raise(SIGKILL);
  const auto start = Clock::now();
  try {
    for (int i = 0; i < 3; ++i) inclusive_scan<float, float>(ranks, in.in(), in.parts());
    ranks.context(0).synchronize();
    ADD_FAILURE() << "the scan without a rank came back";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::retry) << error.what();
    EXPECT_LT(std::chrono::duration<double>(Clock::now() - start).count(), 15);
  }
  EXPECT_THROW((inclusive_scan<float, float>(ranks, in.in(), in.parts())), Error);
}

/// Ranks make different calls, and all find it out.
void disagree(Ranks& ranks) {
  const std::vector<std::size_t> ends(static_cast<std::size_t>(ranks.count()), 1000);
  const Spread<float> in(ranks, ends, std::vector<float>(1000, 1));
  if (ranks.first() == 0)
    EXPECT_THROW((inclusive_scan<float, float>(ranks, in.in(), in.parts())), Error);
  else
    EXPECT_THROW((exclusive_scan<float, float>(ranks, in.in(), in.parts())), Error);
}

/// Captured calls are replayed with other input.
void capture(Ranks& ranks) {
  constexpr std::size_t kCount = 1 << 16;
  std::vector<std::size_t> ends;
  for (int rank = 1; rank <= ranks.count(); ++rank) ends.push_back(kCount * static_cast<std::size_t>(rank));
  const Spread<std::uint32_t> in(ranks, ends, std::vector<std::uint32_t>(ends.back(), 1));
  const Spread<std::uint32_t> out(ranks, ends, std::vector<std::uint32_t>(ends.back()));
  Context& context = ranks.context(0);
  Graph graph(context, [&] { inclusive_scan<std::uint32_t, std::uint32_t>(ranks, in.in(), out.parts()); });
  const std::vector<std::uint32_t> twos(kCount, 2);
  const auto bytes = static_cast<std::int64_t>(kCount * sizeof(std::uint32_t));
  copy_bytes(context, twos.data(), bytes, in.parts()[0].data(), bytes, bytes, 1);
  graph.replay(10);
  out.for_each([](std::uint32_t sum, std::size_t i) { ASSERT_EQ(sum, 2 * (i + 1)); });
  const double milliseconds = context.time([&] { graph.replay(1000); }) / 1000;
  if (ranks.first() == 0) std::printf("a captured scan of 2^16 a rank: %.1f us\n", milliseconds * 1000);
}

/// 1000 calls, before which ranks wait for random times.
void call_with_delays(Ranks& ranks) {
  std::mt19937 random(static_cast<unsigned>(ranks.first()) + 1);
  std::vector<std::size_t> ends;
  for (int rank = 1; rank <= ranks.count(); ++rank) ends.push_back(5000 * static_cast<std::size_t>(rank));
  const Spread<std::uint32_t> in(ranks, ends, std::vector<std::uint32_t>(ends.back(), 1));
  const Spread<std::uint32_t> out(ranks, ends, std::vector<std::uint32_t>(ends.back()));
  for (int i = 0; i < 1000; ++i) {
    if (random() % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 4000));
    inclusive_scan<std::uint32_t, std::uint32_t>(ranks, i % 2 ? out.in() : in.in(), out.parts());
    if (i % 50 == 0) inclusive_scan<std::uint32_t, std::uint32_t, Max>(ranks, in.in(), out.parts());
    if (i % 100 == 0) ranks.synchronize();
  }
  inclusive_scan<std::uint32_t, std::uint32_t>(ranks, in.in(), out.parts());
  out.for_each([](std::uint32_t sum, std::size_t i) { ASSERT_EQ(sum, i + 1); });
}

TEST(RanksChild, DoesItsPart) {
  const char* mode = std::getenv(kMode);
  if (!mode) GTEST_SKIP() << "is started by RanksOfProcesses";
  const int rank = std::atoi(std::getenv(kRank)), count = std::atoi(std::getenv(kCount));
  const std::string what = mode;
  Context context = Context::open("cuda:" + std::to_string(rank));
  RanksOptions options;
  options.time_limit = what == "lose" ? 4 : 15;
  options.check = what == "disagree";
  if (what == "missing") {  // the last never comes
    options.time_limit = 4;
    EXPECT_THROW(Ranks::join(context, of_hex(std::getenv(kId)), rank, count + 1, options), Error);
    std::fflush(nullptr);
    _exit(HasFailure());  // the thread that still waits would be in the way
  }
  Ranks ranks = Ranks::join(context, of_hex(std::getenv(kId)), rank, count, options);
  if (what == "compare")
    compare_some(ranks, std::strtoull(std::getenv("SCANLENS_SEED"), nullptr, 10), 40, true);
  if (what == "delays") call_with_delays(ranks);
  if (what == "lose") lose_a_rank(ranks);
  if (what == "disagree") disagree(ranks);
  if (what == "capture") capture(ranks);
}

class RanksOfProcesses : public testing::Test {
 protected:
  void SetUp() override { SCANLENS_NEEDS_GPUS(); }

  /// Starts `count` ranks and returns how many failed, those that had to be killed after `limit` among them.
  static int failures(const std::string& mode, int count, double limit = 35) {
    setenv(kMode, mode.c_str(), 1);
    setenv(kCount, std::to_string(count).c_str(), 1);
    setenv(kId, hex(Ranks::make_id()).c_str(), 1);
    setenv("SCANLENS_SEED", std::to_string(generator()()).c_str(), 1);
    std::vector<pid_t> children;
    for (int rank = 0; rank < count; ++rank) {
      setenv(kRank, std::to_string(rank).c_str(), 1);
      std::string program = "/proc/self/exe", filter = "--gtest_filter=RanksChild.*";
      char* words[] = {program.data(), filter.data(), nullptr};
      pid_t child = 0;
      if (posix_spawn(&child, program.c_str(), nullptr, nullptr, words, environ) == 0)
        children.push_back(child);
    }
    unsetenv(kMode);
    int failed = count - static_cast<int>(children.size());
    const auto start = Clock::now();
    while (!children.empty()) {
      for (auto child = children.begin(); child != children.end();) {
        int status = 0;
        if (waitpid(*child, &status, WNOHANG) == *child) {
          failed += status != 0;
          child = children.erase(child);
        } else {
          ++child;
        }
      }
      if (std::chrono::duration<double>(Clock::now() - start).count() > limit)
        for (const pid_t child : children) kill(child, SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return failed;
  }
};

TEST_F(RanksOfProcesses, AreThoseOfOneContext) {
  for (int count = 2; count <= gpus(); count *= 2) EXPECT_EQ(failures("compare", count), 0);
}
TEST_F(RanksOfProcesses, MayComeLate) {
  EXPECT_EQ(failures("delays", gpus()), 0);
}
TEST_F(RanksOfProcesses, CanBeCaptured) {
  EXPECT_EQ(failures("capture", gpus()), 0);
}
TEST_F(RanksOfProcesses, FindThatTheyDisagree) {
  EXPECT_EQ(failures("disagree", gpus()), 0);
}
TEST_F(RanksOfProcesses, SayThatOneIsGone) {
  EXPECT_EQ(failures("lose", gpus()), 1) << "only the one that was killed";
}
TEST_F(RanksOfProcesses, DoNotWaitForOneThatNeverCame) {
  EXPECT_EQ(failures("missing", gpus() - 1), 0);
}

}  // namespace
}  // namespace scanlens::test
