// The list of what keys and mouse do, in groups.
#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/viewer/panel_parts.h"
#include "app/viewer/viewer.h"

namespace scanlens {
namespace {

/// Lines that stand under one heading.
struct KeyGroup {
  const ViewerKey* heading;
  std::vector<const ViewerKey*> keys;

  std::size_t lines() const { return keys.size() + 2; }
};

std::vector<KeyGroup> groups_of_keys() {
  std::vector<KeyGroup> groups;
  for (const ViewerKey& key : viewer_keys()) {
    if (key.is_heading())
      groups.push_back({&key, {}});
    else if (!key.help.empty() && !groups.empty())
      groups.back().keys.push_back(&key);
  }
  // Files begin the table; a person looks for focus first.
  if (!groups.empty()) std::rotate(groups.begin(), groups.begin() + 1, groups.end());
  return groups;
}

/// Puts each group into the column that is shortest so far.
std::vector<std::vector<KeyGroup>> in_columns(std::vector<KeyGroup> groups, std::size_t count) {
  std::vector<std::vector<KeyGroup>> columns(count);
  std::vector<std::size_t> lines(count);
  for (KeyGroup& group : groups) {
    const auto shortest =
        static_cast<std::size_t>(std::min_element(lines.begin(), lines.end()) - lines.begin());
    lines[shortest] += group.lines();
    columns[shortest].push_back(std::move(group));
  }
  return columns;
}

void build_group(const KeyGroup& group, float size) {
  ImGui::TextColored(ImGui::GetStyleColorVec4(ImGuiCol_CheckMark), "%.*s",
                     static_cast<int>(group.heading->help.size()), group.heading->help.data());
  if (ImGui::BeginTable(std::string(group.heading->help).c_str(), 2)) {
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, 8.5f * size);
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);
    for (const ViewerKey* key : group.keys) {
      ImGui::PushTextWrapPos(0);
      ImGui::TableNextColumn();
      text(std::string(key->shown));
      ImGui::TableNextColumn();
      text(std::string(key->help));
      ImGui::PopTextWrapPos();
    }
    ImGui::EndTable();
  }
  ImGui::Dummy({0, 0.3f * size});
}

}  // namespace

void build_help(Viewer& viewer, float size) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const int columns = window.x >= 52 * size ? 2 : 1;
  const float width = static_cast<float>(columns) * 33 * size;
  ImGui::SetNextWindowPos({0.5f * window.x, 0.5f * window.y}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(width, window.x), std::min(columns == 2 ? 0 : 46 * size, window.y)});
  ImGui::SetNextWindowSizeConstraints({0, 0}, {window.x, window.y});
  ImGui::SetNextWindowBgAlpha(1);
  bool open = true;
  ImGui::Begin("Keys", &open,
               ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse);
  if (ImGui::BeginTable("columns", columns)) {
    for (const std::vector<KeyGroup>& column :
         in_columns(groups_of_keys(), static_cast<std::size_t>(columns))) {
      ImGui::TableNextColumn();
      for (const KeyGroup& group : column) build_group(group, size);
    }
    ImGui::EndTable();
  }
  ImGui::End();
  if (!open) viewer.toggle(&ViewState::help);
}

}  // namespace scanlens
