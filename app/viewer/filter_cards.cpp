#include "app/viewer/filter_cards.h"

#include <imgui.h>
// The border of what lies in a card is moved here.
#include <imgui_internal.h>

#include <algorithm>
#include <optional>
#include <string>

#include "app/viewer/panel_parts.h"
#include "app/viewer/parts/said.h"

namespace scanlens {
namespace {

constexpr const char* kDragged = "filter";

/// A person's change to the order of the stack.
struct Change {
  std::optional<std::size_t> removed;
  std::size_t from = 0, to = 0;
};

/// Keeps what is added from the right border of the panel, as Indent does from the left.
class RightIndent {
 public:
  explicit RightIndent(float by) : window_(*ImGui::GetCurrentWindow()), by_(by) { move(-by_); }
  ~RightIndent() { move(by_); }
  RightIndent(const RightIndent&) = delete;
  RightIndent& operator=(const RightIndent&) = delete;

 private:
  void move(float by) {
    window_.WorkRect.Max.x += by;
    window_.ContentRegionRect.Max.x += by;
  }

  ImGuiWindow& window_;
  const float by_;
};

/// Adds the title, by which a card is dragged.
void build_title(const StackedFilter& filter, std::size_t place, float width, Change& change) {
  const std::string name = label_of(filter.call.filter->name);
  ImGui::Selectable(name.c_str(), false, 0, {width, 0});
  if (ImGui::BeginDragDropSource(ImGuiDragDropFlags_SourceNoHoldToOpenOthers)) {
    ImGui::SetDragDropPayload(kDragged, &place, sizeof place);
    text(name);
    ImGui::EndDragDropSource();
  }
  if (ImGui::BeginDragDropTarget()) {
    if (const ImGuiPayload* const payload = ImGui::AcceptDragDropPayload(kDragged)) {
      change.from = *static_cast<const std::size_t*>(payload->Data);
      change.to = place;
    }
    ImGui::EndDragDropTarget();
  }
}

void build_head(StackedFilter& filter, std::size_t place, std::size_t count, float size, Change& change) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float button = ImGui::GetFrameHeight(), end = ImGui::GetContentRegionMax().x;
  ImGui::Checkbox("##on", &filter.on);
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  const float buttons = 3 * button + 3 * style.ItemSpacing.x;
  build_title(filter, place, std::max(end - ImGui::GetCursorPosX() - buttons, 2 * size), change);
  const auto at_right = [&](float from_end) {
    ImGui::SameLine();
    ImGui::SetCursorPosX(end - from_end * button - (from_end - 1) * style.ItemSpacing.x);
  };
  at_right(3);
  if (ImGui::ArrowButton("earlier", ImGuiDir_Up) && place > 0) change = {{}, place, place - 1};
  at_right(2);
  if (ImGui::ArrowButton("later", ImGuiDir_Down) && place + 1 < count) change = {{}, place, place + 1};
  at_right(1);
  if (ImGui::Button("x", {button, button})) change.removed = place;
}

/// Adds a card behind what is drawn in it.
void build_card(StackedFilter& filter, std::size_t place, std::size_t count, float size, Change& change,
                const std::function<void(StackedFilter&)>& build_values) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 top = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImDrawListSplitter layers;
  layers.Split(&draw, 2);
  layers.SetCurrentChannel(&draw, 1);
  ImGui::PushID(static_cast<int>(place));
  ImGui::Dummy({width, 0.1f * size});
  ImGui::Indent(0.4f * size);
  {
    const RightIndent indent(0.4f * size);
    build_head(filter, place, count, size, change);
    if (filter.on) build_values(filter);
  }
  ImGui::Unindent(0.4f * size);
  ImGui::Dummy({width, 0.1f * size});
  ImGui::PopID();
  layers.SetCurrentChannel(&draw, 0);
  const ImVec2 bottom(top.x + width, ImGui::GetItemRectMax().y);
  draw.AddRectFilled(top, bottom, ImGui::GetColorU32(ImGuiCol_FrameBg, 0.45f), 0.4f * size);
  layers.Merge(&draw);
}

}  // namespace

void move_filter(std::vector<StackedFilter>& filters, std::size_t from, std::size_t to) {
  if (from >= filters.size() || to >= filters.size()) return;
  const auto at = [&](std::size_t place) { return filters.begin() + static_cast<std::ptrdiff_t>(place); };
  from < to ? std::rotate(at(from), at(from) + 1, at(to) + 1) : std::rotate(at(to), at(from), at(from) + 1);
}

void build_filter_cards(std::vector<StackedFilter>& filters, float size,
                        const std::function<void(StackedFilter&)>& build_values) {
  Change change;
  for (std::size_t i = 0; i < filters.size(); ++i)
    build_card(filters[i], i, filters.size(), size, change, build_values);
  if (change.removed)
    filters.erase(filters.begin() + static_cast<std::ptrdiff_t>(*change.removed));
  else if (change.from != change.to)
    move_filter(filters, change.from, change.to);
}

}  // namespace scanlens
