// Dear ImGui's context: what a person does goes in, triangles come out.
#pragma once

#include <imgui.h>

#include <string>

#include "app/viewer/script/input.h"

namespace scanlens {

/// Says what the pointer would do where it is.
enum class PointerShape { arrow, sideways, text };

/// Owns the program's only ImGui context.
class PanelContext {
 public:
  PanelContext();
  ~PanelContext();
  PanelContext(const PanelContext&) = delete;
  PanelContext& operator=(const PanelContext&) = delete;

  /// Takes what a person does.
  void input(const Input& input);
  // Return true if the panels keep the pointer, or the keys, to themselves.
  bool keeps_pointer() const { return ImGui::GetIO().WantCaptureMouse; }
  PointerShape pointer_shape() const;
  bool keeps_keys() const { return ImGui::GetIO().WantTextInput && ImGui::IsAnyItemActive(); }

  /// Returns true if a list of choices is open; close_list() closes it.
  bool list_is_open() const { return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup); }
  void close_list() { ImGui::SetWindowFocus(nullptr); }

  void begin_frame(double seconds);
  const ImDrawData& end_frame();

  void set_dark(bool dark);
  /// Sets the size of letters, by what it is at first.
  void set_text_size(double share);
  /// Returns the size of letters in pixels.
  double letter() const { return letter_; }

  /// Returns true if the fonts have changed since the last call: their texture is then out of date.
  bool fonts_changed();

  /// Returns the pixels of the window per point of text.
  float scale() const { return scale_; }

 private:
  void make_fonts();
  void make_style();
  float pixels_per_point() const { return scale_ * text_size_; }

  float scale_ = 0, text_size_ = 1, letter_ = 1;
  bool dark_ = true, fonts_changed_ = false;
};

}  // namespace scanlens
