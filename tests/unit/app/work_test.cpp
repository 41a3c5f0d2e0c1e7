#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <vector>

#include "app/work/lanes.h"
#include "app/work/line.h"

namespace scanlens {
namespace {

struct Piece {
  explicit Piece(int number) : number(number) {}
  const int number;
};

/// Gives pieces 0, 1 ... up to `count`.
std::function<std::shared_ptr<Piece>()> pieces(int count, std::atomic<int>& given) {
  return [count, &given]() -> std::shared_ptr<Piece> {
    if (given == count) return nullptr;
    return std::make_shared<Piece>(given++);
  };
}

TEST(Line, KeepsOrderBehindStepsThatHaveNone) {
  constexpr int kPieces = 500;
  std::atomic<int> given = 0, under_way = 0, most = 0;
  std::vector<int> in_order;
  std::multiset<int> worked, ready;
  std::mutex guard;
  Line<Piece> line;
  line.window = 5;
  line.next = [&, next = pieces(kPieces, given)] {
    auto piece = next();
    if (piece) most = std::max<int>(most, ++under_way);
    return piece;
  };
  line.steps = {{Order::any,
                 [&](Piece& piece) {
                   const std::lock_guard lock(guard);
                   worked.insert(piece.number);
                 }},
                {Order::one, [&](Piece& piece) { ready.insert(piece.number); }},
                {Order::kept, [&](Piece& piece) {
                   in_order.push_back(piece.number);
                   --under_way;
                 }}};
  run_line(line);
  ASSERT_EQ(in_order.size(), std::size_t{kPieces});
  for (int i = 0; i < kPieces; ++i) EXPECT_EQ(in_order[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(worked, ready);
  EXPECT_EQ(worked.size(), std::size_t{kPieces});
  EXPECT_LE(most, 5);
}

TEST(Line, EndsWithTheFirstFailure) {
  std::atomic<int> given = 0, stopped = 0;
  Line<Piece> line;
  line.window = 3;
  line.next = pieces(1000, given);
  line.steps = {{Order::kept, [](Piece& piece) {
                   if (piece.number == 7) throw std::runtime_error("piece 7");
                 }}};
  line.stop = [&] { ++stopped; };
  EXPECT_THROW(run_line(line), std::runtime_error);
  EXPECT_EQ(stopped, 1);
  EXPECT_LE(given, 7 + 1 + 3);
}

TEST(Lanes, LendAContextAgainAndCountWhatItKeeps) {
  bool frees = false;
  Budget budget(100, [&] { return frees; });
  Lanes lanes(budget, {"cpu"});
  const Context* first = nullptr;
  {
    const Lanes::Lane lane(lanes, {.keeps = 60});
    first = &lane.context();
    const Lanes::Lane other(lanes, {.keeps = 30});
    EXPECT_NE(first, &other.context());
    EXPECT_TRUE(Budget::Share(budget).resize(100));
  }
  EXPECT_TRUE(Budget::Share(budget).resize(10));
  EXPECT_FALSE(Budget::Share(budget).resize(11));
  {
    const Lanes::Lane lane(lanes, {.keeps = 60});
    EXPECT_EQ(first, &lane.context());
    EXPECT_TRUE(Budget::Share(budget).resize(70)) << "the piece's own share counts what its lane keeps";
  }
  EXPECT_TRUE(lanes.free_kept());
  EXPECT_TRUE(Budget::Share(budget).resize(100));
  EXPECT_FALSE(lanes.free_kept());
}

}  // namespace
}  // namespace scanlens
