#include "app/viewer/questions.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "app/io/picture.h"
#include "app/io/text.h"
#include "app/viewer/panel_parts.h"
#include "app/viewer/viewer.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Returns the path that a person has typed; "~" is the person's folder.
std::filesystem::path path_of(const std::string& typed, const std::filesystem::path& folder) {
  const char* home = std::getenv("HOME");
  if (home && (typed == "~" || typed.starts_with("~/"))) return home + typed.substr(1);
  const std::filesystem::path path(typed);
  return path.is_absolute() ? path : folder / path;
}

}  // namespace

void Questions::begin(Kind kind, const std::string& text) {
  kind_ = kind;
  cause_.clear();
  text_ = {};
  std::copy_n(text.begin(), std::min(text.size(), text_.size() - 1), text_.begin());
  begins_ = scrolls_ = true;
}

void Questions::ask_open(const std::filesystem::path& folder) {
  begin(Kind::open, "");
  files_.show(folder);
}

void Questions::ask_save(const std::filesystem::path& proposed) {
  std::error_code error;
  begin(Kind::save, std::filesystem::absolute(proposed, error).lexically_normal().string());
}

void Questions::press(Viewer& viewer, Key key) {
  const auto move = [&](std::ptrdiff_t by) {
    files_.choose(files_.place() + by);
    scrolls_ = true;
  };
  constexpr std::ptrdiff_t kPage = 10;
  switch (key) {
    case kEscape:
      return end();
    case kEnter:
      return accept(viewer);
    case kUp:
      return move(-1);
    case kDown:
      return move(1);
    case kPageUp:
      return move(-kPage);
    case kPageDown:
      return move(kPage);
    default:
      return;
  }
}

void Questions::accept(Viewer& viewer) {
  if (kind_ == Kind::close) return viewer.save_and_close();
  if (kind_ == Kind::save) return accept_save(viewer);
  // A path that is there, or the entry that is chosen among those that hold the text.
  const std::string typed = text_.data();
  const std::filesystem::path path = path_of(typed, files_.folder());
  std::error_code error;
  if (typed.find('/') != std::string::npos && std::filesystem::exists(path, error)) {
    const bool is_folder = std::filesystem::is_directory(path, error);
    return accept_open(viewer, {is_folder ? FileList::Kind::folder : FileList::Kind::picture, path, typed},
                       false);
  }
  if (const FileList::Entry* const entry = files_.chosen())
    accept_open(viewer, FileList::Entry(*entry), entry->kind == FileList::Kind::map);
}

void Questions::accept_open(Viewer& viewer, const FileList::Entry& entry, bool as_map) {
  if (entry.kind == FileList::Kind::folder) return ask_open(entry.path);
  end();
  as_map&& viewer.open().photo() ? viewer.opening().take_depth(entry.path)
                                 : viewer.opening().open({entry.path});
}

void Questions::accept_save(Viewer& viewer) {
  const std::filesystem::path output = path_of(text_.data(), std::filesystem::current_path());
  try {
    const ViewedPhoto* const photo = viewer.open().photo();
    check_output(output, photo ? photo->file : std::filesystem::path());
    std::error_code error;
    if (std::filesystem::exists(output, error))
      throw Error(output.string() + " is there already; choose another name");
  } catch (const std::exception& error) {
    cause_ = error.what();
    return;
  }
  end();
  viewer.save_to(output);
}

/// Adds the text, ready to be typed; returns whether it has changed.
bool Questions::build_text(const char* hint) {
  if (begins_) ImGui::SetKeyboardFocusHere();
  begins_ = false;
  ImGui::SetNextItemWidth(-1);
  return ImGui::InputTextWithHint("##text", hint, text_.data(), text_.size(),
                                  ImGuiInputTextFlags_AutoSelectAll);
}

void Questions::build_open(Viewer& viewer, float size) {
  text("Open in " + printable(files_.folder().string()));
  if (build_text("type a part of a name, or a path")) {
    files_.filter(text_.data());
    scrolls_ = true;
  }
  const float line = ImGui::GetTextLineHeightWithSpacing();
  ImGui::BeginChild("files", {0, std::min(16 * line, ImGui::GetIO().DisplaySize.y - 12 * size)}, true);
  const FileList::Entry* taken = nullptr;
  for (std::size_t i = 0; i < files_.entries().size(); ++i) {
    const FileList::Entry& entry = files_.entries()[i];
    const bool chosen = &entry == files_.chosen();
    const std::string name = entry.name + (entry.kind == FileList::Kind::map ? "   depth map" : "");
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::Selectable(name.c_str(), chosen, ImGuiSelectableFlags_AllowDoubleClick)) {
      files_.choose(static_cast<std::ptrdiff_t>(i));
      if (entry.kind == FileList::Kind::folder || ImGui::IsMouseDoubleClicked(0)) taken = files_.chosen();
    }
    if (chosen && scrolls_) ImGui::SetScrollHereY();
    ImGui::PopID();
  }
  scrolls_ = false;
  if (files_.entries().empty())
    text(!files_.cause().empty() ? printable(files_.cause()) : "no pictures of such a name here");
  ImGui::EndChild();
  const FileList::Entry* const chosen = files_.chosen();
  const bool is_file = chosen && chosen->kind != FileList::Kind::folder;
  if (ImGui::Button("Open") || taken) {
    const FileList::Entry* const entry = taken ? taken : chosen;
    if (entry)
      return accept_open(viewer, FileList::Entry(*entry), taken && entry->kind == FileList::Kind::map);
  }
  if (viewer.open().photo()) {
    ImGui::SameLine();
    if (ImGui::Button("Take as depth map") && is_file)
      return accept_open(viewer, FileList::Entry(*chosen), true);
  }
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) end();
}

void Questions::build_save(Viewer& viewer) {
  text("Save as");
  if (build_text("place and name")) cause_.clear();
  ImGui::PushTextWrapPos(0);
  if (!cause_.empty()) text(printable(cause_));
  ImGui::PopTextWrapPos();
  if (ImGui::Button("Save")) return accept_save(viewer);
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) end();
}

void Questions::build_close(Viewer& viewer) {
  ImGui::PushTextWrapPos(0);
  text(fmt::format("{}: changes are not saved", viewer.open().unsaved()));
  ImGui::PopTextWrapPos();
  if (ImGui::Button("Save and close")) return viewer.save_and_close();
  ImGui::SameLine();
  if (ImGui::Button("Close without saving")) viewer.close_at_once();
  ImGui::SameLine();
  if (ImGui::Button("Stay")) end();
}

void Questions::build(Viewer& viewer, float size) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0.5f * window.x, 0.5f * window.y}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(38 * size, window.x), 0});
  ImGui::SetNextWindowBgAlpha(1);
  if (begins_) ImGui::SetNextWindowFocus();
  ImGui::Begin("question", nullptr,
               ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoTitleBar |
                   ImGuiWindowFlags_NoSavedSettings);
  switch (kind_) {
    case Kind::open:
      build_open(viewer, size);
      break;
    case Kind::save:
      build_save(viewer);
      break;
    case Kind::close:
      build_close(viewer);
      break;
    case Kind::none:
      break;
  }
  ImGui::End();
}

}  // namespace scanlens
