// The strip of the folder's photos along the bottom.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/io/text.h"
#include "app/viewer/panel_parts.h"
#include "app/viewer/viewer.h"

namespace scanlens {
namespace {

/// The photos that the strip has room for, the one that is shown in its middle.
struct SpanOfRows {
  std::size_t first, end;
};

SpanOfRows span_of(const Album& album, double width, double cell) {
  const auto room = std::max<std::size_t>(1, static_cast<std::size_t>(width / cell));
  const std::size_t place = std::min(album.place(), album.size() - 1), half = room / 2;
  const std::size_t most = album.size() > room ? album.size() - room : 0;
  const std::size_t first = std::min(place > half ? place - half : 0, most);
  return {first, std::min(first + room, album.size())};
}

}  // namespace

std::vector<std::filesystem::path> files_in_strip(const Viewer& viewer) {
  const Album& album = viewer.open().album();
  const Area area = viewer.layout().line;
  if (!viewer.shows_strip() || album.size() == 0) return {};
  const SpanOfRows span = span_of(album, area.size.x, area.size.y);
  std::vector<std::filesystem::path> files(album.files().begin() + static_cast<std::ptrdiff_t>(span.first),
                                           album.files().begin() + static_cast<std::ptrdiff_t>(span.end));
  const auto away = [&](const std::filesystem::path& file) {
    const auto at = std::find(album.files().begin(), album.files().end(), file) - album.files().begin();
    return std::abs(at - static_cast<std::ptrdiff_t>(album.place()));
  };
  std::stable_sort(files.begin(), files.end(),
                   [&](const auto& a, const auto& b) { return away(a) < away(b); });
  return files;
}

void build_strip(Viewer& viewer, float size) {
  if (!viewer.shows_strip()) return;
  const Area area = viewer.layout().line;
  const Album& album = viewer.open().album();
  ImGui::SetNextWindowPos({static_cast<float>(area.from.x), static_cast<float>(area.from.y)});
  ImGui::SetNextWindowSize({static_cast<float>(area.size.x), static_cast<float>(area.size.y)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::Begin(
      "strip", nullptr,
      ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoBringToFrontOnFocus);
  ImGui::PopStyleVar(2);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const auto cell = static_cast<float>(area.size.y), gap = 0.15f * size;
  const SpanOfRows span = span_of(album, area.size.x, area.size.y);
  for (std::size_t i = span.first; i < span.end; ++i) {
    const std::filesystem::path& file = album.files()[i];
    const ImVec2 from(static_cast<float>(area.from.x) + static_cast<float>(i - span.first) * cell,
                      static_cast<float>(area.from.y));
    ImGui::SetCursorScreenPos(from);
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::InvisibleButton("photo", {cell, cell}) && i != album.place())
      viewer.opening().step(static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(album.place()));
    ImGui::PopID();
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("%s\n%zu of %zu", printable(file.filename().string()).c_str(), i + 1, album.size());
    const float inside = cell - 2 * gap;
    if (const Texture* const small = viewer.thumbnails().of(file)) {
      const auto width = static_cast<float>(small->width()), height = static_cast<float>(small->height());
      const float scale = inside / std::max(width, height);
      const ImVec2 at(from.x + (cell - scale * width) / 2, from.y + (cell - scale * height) / 2);
      draw.AddImage(reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(small->id())), at,
                    {at.x + scale * width, at.y + scale * height});
    } else {
      const ImVec2 end(from.x + cell - gap, from.y + cell - gap);
      draw.PushClipRect({from.x + gap, from.y}, end, true);
      draw.AddText({from.x + gap, from.y + cell / 2 - size / 2}, ImGui::GetColorU32(ImGuiCol_TextDisabled),
                   printable(file.filename().string()).c_str());
      draw.PopClipRect();
    }
    if (i == album.place())
      draw.AddRect({from.x + 1, from.y + 1}, {from.x + cell - 1, from.y + cell - 1},
                   ImGui::GetColorU32(ImGuiCol_SliderGrabActive), 0.2f * size, 0, 2);
  }
  ImGui::End();
}

}  // namespace scanlens
