// The steps that undo goes back over.
#include "app/viewer/model/history.h"

#include <gtest/gtest.h>

namespace scanlens {
namespace {

Treatment with(double value) {
  return {{value}, {}, {}};
}

TEST(History, GoesBackToTheStartAndForthAgain) {
  History history(with(0));
  for (const double value : {1, 2, 3}) {
    history.note(with(value), false);
    history.note(with(value), false);
  }
  EXPECT_EQ(history.undo()->values[0], 2);
  EXPECT_EQ(history.undo()->values[0], 1);
  EXPECT_EQ(history.undo()->values[0], 0);
  EXPECT_EQ(history.undo(), nullptr);
  EXPECT_EQ(history.redo()->values[0], 1);
  history.note(with(7), false);
  EXPECT_EQ(history.redo(), nullptr) << "what was undone is gone once something else is done";
  EXPECT_EQ(history.undo()->values[0], 1);
}

TEST(History, ADragIsOneStep) {
  History history(with(0));
  for (const double value : {1, 1, 2, 2, 3}) history.note(with(value), true);
  history.note(with(3), false);
  history.note(with(4), false);
  EXPECT_EQ(history.undo()->values[0], 3);
  EXPECT_EQ(history.undo()->values[0], 0);
}

TEST(History, AnotherPressIsAnotherStepHoweverSoonItComes) {
  History history(with(0));
  history.note(with(1), true);
  history.end_step();
  history.note(with(2), true);
  history.note(with(3), true);
  EXPECT_EQ(history.undo()->values[0], 1);
  EXPECT_EQ(history.undo()->values[0], 0);
}

TEST(History, StrokesAreSteps) {
  const auto drawn = [](double nearness) {
    Treatment treatment = with(0);
    treatment.strokes =
        std::make_shared<const Strokes>(Strokes{4, 3, false, {{{{1, 1}}, 0, nearness, nearness}}});
    return treatment;
  };
  History history(with(0));
  history.note(drawn(0.5), false);
  history.note(drawn(0.5), false);
  history.note(drawn(0.7), false);
  EXPECT_EQ(history.undo()->strokes->strokes[0].from, 0.5);
  EXPECT_EQ(history.undo()->strokes, nullptr);
  EXPECT_TRUE(history.is_saved());
}

TEST(History, KnowsWhatIsSaved) {
  History history(with(0));
  EXPECT_TRUE(history.is_saved());
  history.note(with(1), false);
  EXPECT_FALSE(history.is_saved());
  history.mark_saved(with(1));
  EXPECT_TRUE(history.is_saved());
  history.undo();
  EXPECT_FALSE(history.is_saved());
  history.redo();
  EXPECT_TRUE(history.is_saved());
}

TEST(History, FiltersAndMapsAreSteps) {
  History history(with(0));
  Treatment filtered = with(0);
  filtered.filters.push_back(stacked(*stackable_filters().front()));
  history.note(filtered, false);
  Treatment off = filtered;
  off.filters[0].on = false;
  history.note(filtered, false);
  history.note(off, false);
  Treatment mapped = off;
  mapped.options.depth = "map.png";
  history.note(off, false);
  history.note(mapped, false);
  EXPECT_TRUE(history.undo()->options.depth.empty());
  EXPECT_TRUE(history.undo()->filters[0].on);
  EXPECT_TRUE(history.undo()->filters.empty());
}

}  // namespace
}  // namespace scanlens
