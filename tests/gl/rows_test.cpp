// Rows of the panels as a person uses them, and the contrast of their colours. They need no OpenGL.
#include "app/viewer/rows.h"

#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <string>

#include "app/viewer/panel_context.h"
#include "app/viewer/parts/theme.h"

namespace scanlens {
namespace {

/// A panel of one row, 300 pixels wide in the corner of a window.
class RowsTest : public testing::Test {
 protected:
  RowsTest() {
    panels_.input(Resized{1024, 768, 1});
    unsigned char* shares = nullptr;
    int width = 0, height = 0;
    ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&shares, &width, &height);
  }

  bool frame(double seconds = 1.0 / 60) {
    panels_.begin_frame(seconds);
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({300, 400});
    ImGui::Begin("panel", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove);
    from_ = ImGui::GetCursorScreenPos();
    width_ = ImGui::GetContentRegionAvail().x;
    const bool set = slider_row(row_, saying_, range_, value_);
    ImGui::End();
    panels_.end_frame();
    return set;
  }

  void point(float x, float y) {
    panels_.input(PointerMoved{x, y});
    frame();
  }
  void press(bool down) {
    panels_.input(ButtonChanged{MouseButton::left, down});
    frame();
  }
  void click() {
    press(true);
    press(false);
  }
  float on_label() const { return from_.y + 5; }
  float on_slider() const { return from_.y + panels_letter() * 1.5f; }
  static float panels_letter() { return ImGui::GetFontSize() > 0 ? ImGui::GetFontSize() : 15; }

  static const ImGuiWindow* tooltip() {
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
      if (window->WasActive && !window->Hidden && window->Flags & ImGuiWindowFlags_Tooltip) return window;
    return nullptr;
  }

  PanelContext panels_;
  Row row_{"Aperture", "focal length / aperture", "--f-number", 2.0};
  Saying saying_{Measure::f_number};
  SliderRange range_{0.5, 64, true};
  double value_ = 2;
  ImVec2 from_;
  float width_ = 0;
};

TEST_F(RowsTest, ADragSetsWhatIsSaid) {
  frame();
  point(from_.x + width_ - 1, on_slider());
  press(true);
  frame();
  EXPECT_EQ(value_, 64);
  point(from_.x + width_ / 2, on_slider());
  EXPECT_NEAR(value_, 5.7, 0.2) << "the middle of octaves";
  EXPECT_EQ(value_, rounded_as_said(saying_, value_));
  point(-50, 700);
  EXPECT_EQ(value_, 0.5) << "the end of the range";
  press(false);
}

TEST_F(RowsTest, AValueIsTyped) {
  frame();
  point(from_.x + width_ - 4, on_label());
  click();
  frame();
  ASSERT_TRUE(panels_.keeps_keys());
  for (const char letter : std::string("f/5.6")) {
    panels_.input(Typed{static_cast<char32_t>(letter)});
    frame();
  }
  EXPECT_EQ(value_, 2) << "not before Enter";
  panels_.input(KeyChanged{kEnter, true});
  EXPECT_TRUE(frame());
  panels_.input(KeyChanged{kEnter, false});
  frame();
  EXPECT_EQ(value_, 5.6);
  frame();
  EXPECT_FALSE(panels_.keeps_keys());
}

TEST_F(RowsTest, EscapeAndNonsenseLeaveAValueAsItIs) {
  for (const Key end : {Key{kEscape}, Key{kEnter}}) {
    frame();
    point(from_.x + width_ - 4, on_label());
    click();
    frame();
    for (const char letter : std::string(end == kEnter ? "x" : "8"))
      panels_.input(Typed{static_cast<char32_t>(letter)});
    frame();
    panels_.input(KeyChanged{end, true});
    frame();
    panels_.input(KeyChanged{end, false});
    frame();
    EXPECT_EQ(value_, 2);
    point(500, 500);
    for (int i = 0; i < 3; ++i) frame(1);  // no double click
  }
}

TEST_F(RowsTest, ADoubleClickBringsTheFirstValueBack) {
  for (const bool on_the_line : {false, true}) {
    value_ = 8;
    for (int i = 0; i < 3; ++i) frame(1);
    point(from_.x + width_ / 3, on_the_line ? on_slider() : on_label());
    click();
    click();
    EXPECT_EQ(value_, 2) << (on_the_line ? "on the slider" : "on the label");
  }
}

TEST_F(RowsTest, ATooltipComesBesideThePanelAfterAWhile) {
  frame();
  point(from_.x + 20, on_label());
  frame();
  EXPECT_FALSE(tooltip()) << "at once";
  for (int i = 0; i < 5; ++i) frame(0.3);
  const ImGuiWindow* const seen = tooltip();
  ASSERT_TRUE(seen);
  EXPECT_GE(seen->Pos.x, 300) << "beside the panel";
  EXPECT_LE(seen->Rect().Max.x, 1024);
  point(from_.x + 40, on_slider());
  panels_.input(ButtonChanged{MouseButton::left, true});
  for (int i = 0; i < 5; ++i) {
    frame(0.3);
    EXPECT_FALSE(i > 0 && tooltip()) << "while a button is down";
  }
}

TEST(Theme, LettersCanBeRead) {
  for (const bool dark : {true, false}) {
    const Theme& theme = theme_of(dark);
    for (const ImVec4& ground : {theme.panel, theme.field, theme.hovered, theme.active})
      EXPECT_GE(contrast(theme.letters, ground), kLeastContrast);
    for (const ImVec4& letters : {theme.quiet, theme.warning})
      for (const ImVec4& ground : {theme.panel, theme.field})
        EXPECT_GE(contrast(letters, ground), kLeastContrast);
    for (const ImVec4& ground : {theme.panel, theme.field})
      EXPECT_GE(contrast(theme.accent, ground), kLeastMarkContrast);
  }
}

TEST(Theme, EveryTextOfTheStyleIsOnePairOfTheTheme) {
  const PanelContext panels;
  for (const bool dark : {true, false}) {
    apply_theme(theme_of(dark), 15);
    const ImVec4* const colors = ImGui::GetStyle().Colors;
    for (const ImGuiCol ground :
         {ImGuiCol_WindowBg, ImGuiCol_PopupBg, ImGuiCol_TitleBg, ImGuiCol_TitleBgActive, ImGuiCol_FrameBg,
          ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive, ImGuiCol_Button, ImGuiCol_ButtonHovered,
          ImGuiCol_ButtonActive, ImGuiCol_Header, ImGuiCol_HeaderHovered, ImGuiCol_HeaderActive}) {
      EXPECT_EQ(colors[ground].w, 1) << ImGui::GetStyleColorName(ground) << " lets the picture through";
      EXPECT_GE(contrast(colors[ImGuiCol_Text], colors[ground]), kLeastContrast)
          << ImGui::GetStyleColorName(ground);
    }
  }
}

TEST(Theme, KnowsContrast) {
  EXPECT_NEAR(contrast({0, 0, 0, 1}, {1, 1, 1, 1}), 21, 1e-4);
  EXPECT_NEAR(contrast({1, 1, 1, 1}, {0.46667f, 0.46667f, 0.46667f, 1}), 4.48, 0.01)
      << "#777, as WCAG's examples have it";
}

}  // namespace
}  // namespace scanlens
