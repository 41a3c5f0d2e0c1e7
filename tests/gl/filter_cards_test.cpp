// The cards of filters, clicked and dragged everywhere. They need no OpenGL, but the panels' library.
#include "app/viewer/filter_cards.h"

#include <gtest/gtest.h>
#include <imgui.h>

#include <set>
#include <string>

#include "app/viewer/panel_context.h"

namespace scanlens {
namespace {

constexpr int kWidth = 300, kHeight = 160;

class FilterCards : public testing::Test {
 protected:
  FilterCards() {
    panels_.input(Resized{kWidth, kHeight, 1});
    ImGui::GetIO().Fonts->Build();
    reset();
  }

  void reset() {
    filters_.clear();
    for (const char* name : {"box", "unsharp", "gaussian"})
      for (const Filter* filter : stackable_filters())
        if (filter->name == name) filters_.push_back(stacked(*filter));
  }

  /// Names the filters of the stack, those that are off in brackets.
  std::string names() const {
    std::string names;
    for (const StackedFilter& filter : filters_) {
      const std::string name(filter.call.filter->name);
      names += (names.empty() ? "" : " ") + (filter.on ? name : "(" + name + ")");
    }
    return names;
  }

  void frame() {
    panels_.begin_frame(1.0 / 60);
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({kWidth, kHeight});
    ImGui::Begin("cards", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove);
    build_filter_cards(filters_, ImGui::GetFontSize(), [](StackedFilter&) {});
    ImGui::End();
    panels_.end_frame();
  }
  void drag(double x0, double y0, double x1, double y1) {
    for (const Input& input : {Input(PointerMoved{x0, y0}), Input(ButtonChanged{MouseButton::left, true}),
                               Input(PointerMoved{x1, y1}), Input(PointerMoved{x1, y1}),
                               Input(ButtonChanged{MouseButton::left, false})}) {
      panels_.input(input);
      frame();
    }
    frame();
  }

  PanelContext panels_;
  std::vector<StackedFilter> filters_;
};

TEST_F(FilterCards, MakeRoomForOneThatMoves) {
  move_filter(filters_, 0, 2);
  EXPECT_EQ(names(), "unsharp gaussian box");
  move_filter(filters_, 2, 1);
  EXPECT_EQ(names(), "unsharp box gaussian");
  move_filter(filters_, 1, 7);
  EXPECT_EQ(names(), "unsharp box gaussian");
}

TEST_F(FilterCards, ClicksSwitchMoveAndRemove) {
  std::set<std::string> reached;
  frame();
  for (int y = 2; y < kHeight; y += 5)
    for (int x = 2; x < kWidth; x += 5) {
      reset();
      drag(x, y, x, y);
      reached.insert(names());
    }
  EXPECT_EQ(reached,
            (std::set<std::string>{"box unsharp gaussian", "(box) unsharp gaussian", "box (unsharp) gaussian",
                                   "box unsharp (gaussian)", "unsharp box gaussian", "box gaussian unsharp",
                                   "unsharp gaussian", "box gaussian", "box unsharp"}));
}

TEST_F(FilterCards, TitlesAreDraggedOntoOthers) {
  std::set<std::string> reached;
  frame();
  for (int from = 2; from < kHeight; from += 8)
    for (int to = 2; to < kHeight; to += 8) {
      reset();
      drag(kWidth / 3.0, from, kWidth / 3.0, to);
      reached.insert(names());
    }
  EXPECT_EQ(reached,
            (std::set<std::string>{"box unsharp gaussian", "unsharp box gaussian", "unsharp gaussian box",
                                   "gaussian box unsharp", "box gaussian unsharp"}));
}

}  // namespace
}  // namespace scanlens
