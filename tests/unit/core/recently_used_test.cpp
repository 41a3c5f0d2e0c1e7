// A bounded store of values that are costly to make.
#include "core/runtime/recently_used.h"

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/unit/support/support.h"

namespace scanlens {
namespace {

struct Sized {
  std::size_t size = 0;
  std::size_t bytes() const { return size; }
};
using Store = RecentlyUsed<int, Sized>;

TEST(RecentlyUsed, MakesAValueOnce) {
  Store store(100);
  const auto first = store.get(1, [] { return Sized{10}; });
  EXPECT_EQ(store.get(1, []() -> Sized { throw std::logic_error("made twice"); }), first);
}

TEST(RecentlyUsed, LetsGoOfWhatWasAskedForLongestAgo) {
  Store store(100);
  int made = 0;
  const auto ask = [&](int key) {
    return store.get(key, [&] {
      ++made;
      return Sized{40};
    });
  };
  const auto second_of_all = [&] {
    ask(1);
    return ask(2);
  }();
  ask(1);
  ask(3);  // 2 goes
  EXPECT_EQ(made, 3);
  EXPECT_EQ(store.bytes(), 80u);
  ask(1);
  ask(3);
  EXPECT_EQ(made, 3);
  EXPECT_EQ(second_of_all->size, 40u) << "who holds it keeps it";
  EXPECT_NE(ask(2), second_of_all);
  EXPECT_EQ(made, 4);
}

TEST(RecentlyUsed, KeepsOneThatIsLargerThanAll) {
  Store store(100);
  const auto large = store.get(1, [] { return Sized{1000}; });
  EXPECT_EQ(store.get(1, [] { return Sized{}; }), large);
  store.get(2, [] { return Sized{1}; });
  EXPECT_EQ(store.bytes(), 1u);
}

TEST(RecentlyUsed, HoldsNoLockWhileItMakes) {
  Store store(100);
  const auto outer = store.get(
      1, [&] { return Sized{store.get(2, [&] { return Sized{store.bytes() + 3}; })->size + store.bytes()}; });
  EXPECT_EQ(outer->size, 6u);
}

TEST(RecentlyUsed, GivesAllThreadsTheSameValue) {
  constexpr int kThreads = 4, kRounds = 200;
  Store store(1 << 20);
  std::vector<std::vector<std::shared_ptr<const Sized>>> got(kThreads);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : got)
      threads.emplace_back([&store, &mine] {
        for (int key = 0; key < kRounds; ++key) mine.push_back(store.get(key, [] { return Sized{1}; }));
      });
  }
  for (const auto& mine : got) EXPECT_EQ(mine, got.front());
  EXPECT_EQ(store.bytes(), static_cast<std::size_t>(kRounds));
}

TEST(RecentlyUsed, StaysWithinItsBytesUnderThreads) {
  constexpr int kThreads = 4, kRounds = 300;
  constexpr std::size_t kMost = 64;
  Store store(kMost);
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&store, &wrong, t] {
        for (int i = 0; i < kRounds; ++i) {
          const std::size_t size = 1 + static_cast<std::size_t>((i * (t + 3)) % 31);
          if (store.get(static_cast<int>(size), [&] { return Sized{size}; })->size != size) ++wrong;
          if (store.bytes() > kMost) ++wrong;
        }
      });
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace scanlens
