// The parts of a batch, each by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "app/batch/plan/hash.h"
#include "app/batch/plan/name_pattern.h"
#include "app/batch/plan/shard.h"
#include "app/work/budget.h"
#include "core/error.h"

namespace scanlens {
namespace {

TEST(Hash, IsTheSameEverywhere) {
  // FNV-1a by its own test vectors is 0xcbf29ce484222325 for "" and 0x85944171f73967e8 for "foobar"; what is
  // expected here is those mixed by splitmix64's finaliser, in Python.
  EXPECT_EQ(hash_of(""), 0xf52a15e9a9b5e89bu);
  EXPECT_EQ(hash_of("foobar"), 0x404da9e3b74078c2u);
}

TEST(Shard, EveryNameIsInOneAndTheyAreAlike) {
  for (const int count : {1, 2, 3, 4, 7, 64}) {
    std::vector<int> sizes(static_cast<std::size_t>(count));
    constexpr int kNames = 10000;
    for (int i = 0; i < kNames; ++i) {
      const std::string name = "album/IMG_" + std::to_string(i) + ".jpg";
      int holders = 0;
      for (int k = 1; k <= count; ++k)
        if (Shard{k, count, {}}.holds(name)) {
          ++holders;
          ++sizes[static_cast<std::size_t>(k - 1)];
        }
      ASSERT_EQ(holders, 1) << name;
    }
    const double expected = static_cast<double>(kNames) / count;
    for (const int size : sizes) EXPECT_NEAR(size, expected, 6 * std::sqrt(expected)) << count;
  }
}

std::optional<Shard> of(const std::map<std::string, std::string>& variables) {
  return shard_of_environment([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Shard, ComesFromSlurmAndKubernetes) {
  EXPECT_FALSE(of({}));
  EXPECT_EQ(of({{"SLURM_ARRAY_TASK_ID", "7"},
                {"SLURM_ARRAY_TASK_MIN", "1"},
                {"SLURM_ARRAY_TASK_STEP", "2"},
                {"SLURM_ARRAY_TASK_COUNT", "5"}})
                ->text(),
            "4/5");
  EXPECT_EQ(of({{"JOB_COMPLETION_INDEX", "0"}, {"JOB_COMPLETIONS", "3"}})->text(), "1/3");
  EXPECT_THROW(of({{"JOB_COMPLETION_INDEX", "3"}, {"JOB_COMPLETIONS", "3"}}), Error);
  EXPECT_THROW(of({{"SLURM_ARRAY_TASK_ID", "7"}}), Error);
  EXPECT_THROW(of({{"SLURM_ARRAY_TASK_ID", ""}, {"SLURM_ARRAY_TASK_COUNT", "3"}}), Error);
  EXPECT_THROW(of({{"SLURM_ARRAY_TASK_ID", "99999999999999999999"}, {"SLURM_ARRAY_TASK_COUNT", "3"}}), Error);
}

TEST(NamePattern, FillsItsFields) {
  const NamePattern pattern("--name", "x/{dir}/{{{stem}}}-{name}.{ext}");
  EXPECT_EQ(pattern.name_for("a/b/photo.old.JPG"), "x/a/b/{photo.old}-photo.old.JPG.JPG");
  EXPECT_EQ(pattern.name_for("photo.jpg", "png"), "x/{photo}-photo.jpg.png");
  EXPECT_EQ(NamePattern("--name", "{dir}/{stem}.{ext}").name_for("bare"), "bare.");
  EXPECT_EQ(NamePattern("--name", "{stem}").name_for(".jpg"), ".jpg");
  const NamePattern facts("--name", "{n:04}-{n}-{date}-{width}", true);
  EXPECT_EQ(facts.name_for("a.jpg", "", {12, 800, "2024-05-17"}), "0012-12-2024-05-17-800");
  EXPECT_TRUE(facts.asks_for_facts());
  EXPECT_FALSE(NamePattern("--name", "{n}", true).asks_for_facts());
  EXPECT_THROW(NamePattern("--depth-pattern", "{n}"), Error);
  EXPECT_THROW(NamePattern("--name", "{n:4}", true), Error);
  EXPECT_EQ(NamePattern("--name", "{stem}").name_for("{dir}.jpg"), "{dir}");
}

/// Pictures that wait while they hold nothing, grow where that is free, and keep something for the next.
TEST(Budget, IsNeverExceeded) {
  constexpr std::int64_t kLimit = 100;
  std::atomic<std::int64_t> used = 0, kept = 0;
  Budget* all = nullptr;
  Budget budget(kLimit, [&] {
    const std::int64_t bytes = kept.exchange(0);
    used -= bytes;
    all->forget(bytes);
    return bytes > 0;
  });
  all = &budget;
  std::mutex waiting;  // one at a time
  std::atomic<int> wrong = 0, done = 0, begun_again = 0;
  const auto add = [&](std::int64_t bytes) {
    if ((used += bytes) > kLimit) ++wrong;
  };
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 6; ++seed)
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      for (int i = 0; i < 300; ++i) {
        const auto small = static_cast<std::int64_t>(random() % 20),
                   large = static_cast<std::int64_t>(random() % (kLimit + 1));
        Budget::Share share(budget);
        std::int64_t needed = small;
        do {
          share.release();
          const std::lock_guard lock(waiting);
          share.wait_for(needed);
          needed = large;
        } while (!share.resize(large) && ++begun_again);
        add(large);
        std::this_thread::yield();
        used -= large;
        if (large > 3) {  // a lane counts what it keeps before the picture gives its share back
          budget.keep(3);
          add(3);
          kept += 3;
          share.resize(large - 3);
        }
        ++done;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(done, 1800);
  EXPECT_GT(begun_again, 0);
}

TEST(Budget, MoreThanTheLimitWaitsUntilItIsAlone) {
  Budget budget(10, [] { return false; });
  Budget::Share first(budget);
  first.wait_for(6);
  EXPECT_FALSE(Budget::Share(budget).resize(5));
  std::atomic<bool> is_in = false;
  std::thread large([&] {
    Budget::Share share(budget);
    share.wait_for(50);
    is_in = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(is_in);
  EXPECT_TRUE(first.resize(2));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(is_in);
  first.release();
  large.join();
}

}  // namespace
}  // namespace scanlens
