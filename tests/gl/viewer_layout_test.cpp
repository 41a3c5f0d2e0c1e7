// Places of panels, at the sizes of screens. With SCANLENS_SHOTS=FOLDER the tests leave screenshots there.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <filesystem>
#include <string>
#include <vector>

#include "app/viewer/parts/theme.h"
#include "tests/gl/viewer_fixture.h"

namespace scanlens {
namespace {

struct Screen {
  int width, height;
  double scale;
};
constexpr Screen kScreens[] = {{1024, 768, 1}, {1920, 1080, 1}, {3840, 2160, 2}};

class ViewerLayoutTest : public test::ViewerTest {
 protected:
  /// The panels of the last frame: ImGui's windows that are seen and lie in no other.
  static std::vector<const ImGuiWindow*> panels() {
    std::vector<const ImGuiWindow*> seen;
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
      if (window->WasActive && !window->Hidden && window->RootWindow == window &&
          !(window->Flags & ImGuiWindowFlags_ChildWindow))
        if (!(window->Flags & (ImGuiWindowFlags_Tooltip | ImGuiWindowFlags_Popup)) &&
            window->Name != std::string("Debug##Default"))
          seen.push_back(window);
    return seen;
  }

  static const ImGuiWindow* tooltip() {
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
      if (window->WasActive && !window->Hidden && window->Flags & ImGuiWindowFlags_Tooltip) return window;
    return nullptr;
  }

  ImRect picture_area() const {
    const Area area = viewer_->layout().picture;
    return {static_cast<float>(area.from.x), static_cast<float>(area.from.y),
            static_cast<float>(area.end().x), static_cast<float>(area.end().y)};
  }

  /// Returns true for words that lie on the picture: few, and clicks go through them.
  bool are_words(const ImGuiWindow& panel) const {
    constexpr float kMostShare = 0.1f;
    return panel.Flags & ImGuiWindowFlags_NoMouseInputs && picture_area().Contains(panel.Rect()) &&
           panel.Rect().GetArea() <= kMostShare * picture_area().GetArea();
  }

  void expect_no_overlap() const {
    const ImRect window({0, 0}, ImGui::GetIO().DisplaySize);
    const std::vector<const ImGuiWindow*> seen = panels();
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const ImRect one = seen[i]->Rect();
      EXPECT_TRUE(window.Contains(one)) << seen[i]->Name;
      EXPECT_TRUE(!one.Overlaps(picture_area()) || are_words(*seen[i]))
          << seen[i]->Name << " covers the picture";
      EXPECT_LE(seen[i]->ScrollMax.x, 0) << seen[i]->Name << " is too narrow for what is in it";
      for (std::size_t j = 0; j < i; ++j)
        EXPECT_FALSE(one.Overlaps(seen[j]->Rect())) << seen[i]->Name << " covers " << seen[j]->Name;
    }
  }

  void resize(const Screen& screen) {
    frame();  // takes the size that the surface begins with
    viewer_->input(Resized{screen.width, screen.height, screen.scale});
    shot();
    // Panels whose height follows from what is in them have it from the second frame on, and the bar by which
    // the others are scrolled.
    for (int i = 0; i < 3; ++i) frame();
    ASSERT_EQ(viewer_->size(), glm::ivec2(screen.width, screen.height));
  }

  void open_sample() {
    PhotoOptions options;
    options.depth = std::filesystem::path(SCANLENS_DATA) / "sample_depth.png";
    Album album({std::filesystem::path(SCANLENS_DATA) / "sample.jpg"}, options, settings_);
    ViewedPhoto photo = album.open();
    opened().open(std::move(album), std::move(photo));
    state().panels = 1;
    state().inspector = 0;
  }
};

TEST_F(ViewerLayoutTest, NothingLiesOnAnythingElse) {
  open_sample();
  for (const char* name : {"tilt_shift", "unsharp"})
    for (const Filter* filter : stackable_filters())
      if (filter->name == name) opened().filters.push_back({stacked(*filter).call, false});
  for (const Screen& screen : kScreens)
    for (const auto& [dark, all] : {std::pair(true, false), {true, true}, {false, true}}) {
      SCOPED_TRACE(fmt::format("{} x {}, dark {}, all {}", screen.width, screen.height, dark, all));
      state().dark = dark;
      state().histogram = state().graph = state().inspector = all;
      resize(screen);
      EXPECT_GE(panels().size(), all ? 5u : 2u);
      expect_no_overlap();
      save_shot(
          fmt::format("{}x{}{}{}", screen.width, screen.height, dark ? "" : "_light", all ? "_all" : ""));
    }
}

TEST_F(ViewerLayoutTest, PanelsHaveRoomForTheirWordsAtAnySize) {
  open_photo_with_depth();
  state().panels = state().histogram = state().graph = state().inspector = 1;
  for (const double width : {view_param("panel-width").least, 20.0, view_param("panel-width").most})
    for (const double text : {60.0, 100.0, 180.0}) {
      SCOPED_TRACE(fmt::format("{} letters wide, text of {} %", width, text));
      state().panel_width = width;
      state().text_size = text;
      resize({1024, 768, 1});
      expect_no_overlap();
    }
}

}  // namespace
}  // namespace scanlens
