#include "app/viewer/panel_context.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

#include "app/io/letters.h"
#include "app/viewer/parts/theme.h"

namespace scanlens {
namespace {

constexpr float kFontPoints = 15, kDefaultFontPoints = 13;

}  // namespace

PanelContext::PanelContext() {
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
  const std::pair<int, Key> kKeys[] = {{ImGuiKey_Tab, kTab},
                                       {ImGuiKey_LeftArrow, kLeft},
                                       {ImGuiKey_RightArrow, kRight},
                                       {ImGuiKey_UpArrow, kUp},
                                       {ImGuiKey_DownArrow, kDown},
                                       {ImGuiKey_Home, kHome},
                                       {ImGuiKey_End, kEnd},
                                       {ImGuiKey_Delete, kDelete},
                                       {ImGuiKey_Backspace, kBackspace},
                                       {ImGuiKey_Enter, kEnter},
                                       {ImGuiKey_Escape, kEscape},
                                       {ImGuiKey_PageUp, kPageUp},
                                       {ImGuiKey_PageDown, kPageDown},
                                       {ImGuiKey_A, 'A'},
                                       {ImGuiKey_C, 'C'},
                                       {ImGuiKey_V, 'V'},
                                       {ImGuiKey_X, 'X'},
                                       {ImGuiKey_Y, 'Y'},
                                       {ImGuiKey_Z, 'Z'}};
  for (const auto& [of_imgui, key] : kKeys) io.KeyMap[of_imgui] = key;
  input(Resized{1, 1, 1});
}

PanelContext::~PanelContext() {
  ImGui::DestroyContext();
}

void PanelContext::input(const Input& input) {
  ImGuiIO& io = ImGui::GetIO();
  const auto set_modifiers = [&](int modifiers) {
    io.KeyShift = modifiers & kShift;
    io.KeyCtrl = modifiers & kControl;
    io.KeyAlt = modifiers & kAlt;
  };
  std::visit(
      [&]<class What>(const What& what) {
        if constexpr (std::is_same_v<What, PointerMoved>) {
          io.MousePos = {static_cast<float>(what.x), static_cast<float>(what.y)};
        } else if constexpr (std::is_same_v<What, ButtonChanged>) {
          io.MouseDown[static_cast<int>(what.button)] = what.down;
          set_modifiers(what.modifiers);
        } else if constexpr (std::is_same_v<What, Scrolled>) {
          io.MouseWheel += static_cast<float>(what.notches);
          set_modifiers(what.modifiers);
        } else if constexpr (std::is_same_v<What, KeyChanged>) {
          if (what.key >= 0 && what.key < static_cast<int>(std::size(io.KeysDown)))
            io.KeysDown[what.key] = what.down;
          set_modifiers(what.modifiers);
        } else if constexpr (std::is_same_v<What, Typed>) {
          io.AddInputCharacter(what.character);
        } else if constexpr (std::is_same_v<What, Resized>) {
          io.DisplaySize = {static_cast<float>(what.width), static_cast<float>(what.height)};
          const auto scale = static_cast<float>(std::clamp(what.scale, 0.5, 8.0));
          if (scale == scale_) return;
          scale_ = scale;
          make_fonts();
          make_style();
        }
      },
      input);
}

void PanelContext::make_fonts() {
  ImFontAtlas& fonts = *ImGui::GetIO().Fonts;
  fonts.Clear();
  // Letters, and the few signs that panels use.
  static constexpr ImWchar kRanges[] = {0x20, 0xff, 0x2013, 0x2026, 0x2190, 0x2193, 0};
  const std::string file = font_of_system().string();
  letter_ = std::round(kFontPoints * pixels_per_point());
  if (!file.empty()) fonts.AddFontFromFileTTF(file.c_str(), letter_, nullptr, kRanges);
  if (fonts.Fonts.empty()) {
    ImFontConfig config;
    config.SizePixels = letter_ = std::round(kDefaultFontPoints * pixels_per_point());
    fonts.AddFontDefault(&config);
  }
  fonts_changed_ = true;
}

void PanelContext::make_style() {
  apply_theme(theme_of(dark_), letter_);
}

void PanelContext::set_dark(bool dark) {
  if (dark == dark_) return;
  dark_ = dark;
  make_style();
}

void PanelContext::set_text_size(double share) {
  if (static_cast<float>(share) == text_size_) return;
  text_size_ = static_cast<float>(share);
  make_fonts();
  make_style();
}

PointerShape PanelContext::pointer_shape() const {
  switch (ImGui::GetMouseCursor()) {
    case ImGuiMouseCursor_ResizeEW:
      return PointerShape::sideways;
    case ImGuiMouseCursor_TextInput:
      return PointerShape::text;
    default:
      return PointerShape::arrow;
  }
}

bool PanelContext::fonts_changed() {
  return std::exchange(fonts_changed_, false);
}

void PanelContext::begin_frame(double seconds) {
  ImGui::GetIO().DeltaTime = static_cast<float>(std::clamp(seconds, 1e-4, 1.0));
  ImGui::NewFrame();
}

const ImDrawData& PanelContext::end_frame() {
  ImGui::Render();
  ImGui::GetIO().MouseWheel = 0;
  return *ImGui::GetDrawData();
}

}  // namespace scanlens
