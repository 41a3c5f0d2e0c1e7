#include "app/viewer/panel_parts.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "app/io/text.h"
#include "app/viewer/parts/theme.h"
#include "app/viewer/viewer.h"
#include "filters/color.h"

namespace scanlens {
namespace {

constexpr ImGuiWindowFlags kStill = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing |
                                    ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoInputs;

/// Sizes of letters that a card is wide where the panels are hidden.
constexpr float kCardWidth = 20;
/// Their heights, at least.
constexpr float kGraphHeight = 13, kHistogramHeight = 7, kPixelHeight = 12;

/// Returns true if a card that is `letters` high leaves the panels above it enough of the window.
bool has_room(const Viewer& viewer, float size, float from_bottom, float letters) {
  constexpr float kLeftForPanels = 10;
  const float left = ImGui::GetIO().DisplaySize.y - from_bottom - letters * size;
  return !viewer.layout().has_panels || left >= kLeftForPanels * size;
}

/// Opens a card, whose height follows from what is in it.
void begin_card(const Viewer& viewer, const char* name, float size, float from_bottom) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const Layout layout = viewer.layout();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, layout.has_panels ? 0 : ImGui::GetStyle().WindowRounding);
  if (layout.has_panels) {
    ImGui::SetNextWindowPos({0, window.y - from_bottom}, ImGuiCond_Always, {0, 1});
    ImGui::SetNextWindowSize({static_cast<float>(layout.panels.size.x) - edge_width(size), 0});
  } else {
    ImGui::SetNextWindowPos({window.x - kPanelMargin * size, window.y - from_bottom - kPanelMargin * size},
                            ImGuiCond_Always, {1, 1});
    ImGui::SetNextWindowSize({std::min(kCardWidth * size, window.x - 2 * kPanelMargin * size), 0});
  }
  ImGui::Begin(name, nullptr, kStill);
  ImGui::PopStyleVar();
  ImGui::PushTextWrapPos(0);
  if (!layout.has_panels) return;
  const ImVec2 from = ImGui::GetWindowPos();
  ImGui::GetWindowDrawList()->AddLine(from, {from.x + ImGui::GetWindowWidth(), from.y},
                                      ImGui::GetColorU32(ImGuiCol_Separator));
}

/// Closes it, and returns where the next one begins.
float end_card(const Viewer& viewer, float size, float from_bottom) {
  const float height = ImGui::GetWindowHeight();
  ImGui::PopTextWrapPos();
  ImGui::End();
  return from_bottom + height + (viewer.layout().has_panels ? 0 : kPanelMargin * size);
}

constexpr ImU32 kStageColors[] = {IM_COL32(90, 160, 250, 255), IM_COL32(250, 150, 60, 255),
                                  IM_COL32(120, 210, 110, 255), IM_COL32(210, 120, 220, 255),
                                  IM_COL32(170, 170, 170, 255)};

std::string sample_text(double value, bool light) {
  return light ? fmt::format("{:.5g}", value) : fmt::format("{:.0f}", value);
}

std::string samples_text(const std::array<double, 4>& samples, const PixelReport& report) {
  std::string line;
  for (int c = 0; c < report.channels; ++c)
    line += (c ? "  " : "") + sample_text(samples[static_cast<std::size_t>(c)], report.bits == 32);
  return line;
}

/// Returns the linear light of codes, of float samples themselves.
std::string light_text(const PixelReport& report) {
  std::string line;
  const double white = report.bits == 32 ? 1 : (1 << report.bits) - 1;
  for (int c = 0; c < std::min(report.channels, 3); ++c) {
    const auto share = static_cast<float>(report.result[static_cast<std::size_t>(c)] / white);
    line += fmt::format("{}{:.4g}", c ? "  " : "", report.bits == 32 ? share : srgb_to_linear(share));
  }
  return line;
}

/// Returns the milliseconds that few frames exceed: one that compiles shaders would leave the rest flat.
double usual_most(const std::deque<FrameTimes>& frames) {
  std::vector<double> sums;
  for (const FrameTimes& frame : frames) sums.push_back(frame.device_sum());
  if (sums.empty()) return 1;
  const auto at = sums.begin() + static_cast<std::ptrdiff_t>(sums.size() * 19 / 20);
  std::nth_element(sums.begin(), at, sums.end());
  return std::max(1.05 * *at, 1.0);
}

}  // namespace

float build_graph(Viewer& viewer, float size, float from_bottom) {
  const std::deque<FrameTimes>& frames = viewer.stage().times().frames();
  if (!has_room(viewer, size, from_bottom, kGraphHeight)) return from_bottom;
  begin_card(viewer, "times", size, from_bottom);
  const ImVec2 place = ImGui::GetCursorScreenPos(), extent{ImGui::GetContentRegionAvail().x, 5 * size};
  ImGui::Dummy(extent);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const double most = usual_most(frames);
  const float per_frame = extent.x / 240;
  float x = place.x + extent.x - per_frame * static_cast<float>(frames.size());
  for (const FrameTimes& frame : frames) {
    float y = place.y + extent.y;
    for (int stage = 0; stage < kStages && y > place.y; ++stage) {
      const double share = frame.device[static_cast<std::size_t>(stage)] / most;
      const float height = std::min(static_cast<float>(share) * extent.y, y - place.y);
      draw.AddRectFilled({x, y - height}, {x + std::max(per_frame, 1.f), y}, kStageColors[stage]);
      y -= height;
    }
    x += per_frame;
  }
  const FrameTimes last = frames.empty() ? FrameTimes() : frames.back();
  text(fmt::format("{:.1f} ms of device, {:.1f} of frame", last.device_sum(), last.frame));
  draw.AddText(place, ImGui::GetColorU32(ImGuiCol_TextDisabled), fmt::format("{:.0f} ms", most).c_str());
  for (int stage = 0; stage < kStages; ++stage) {
    constexpr int kColumns = 2;
    if (stage % kColumns) ImGui::SameLine(ImGui::GetContentRegionMax().x / kColumns);
    const ImVec2 mark = ImGui::GetCursorScreenPos();
    draw.AddRectFilled({mark.x, mark.y + 0.2f * size}, {mark.x + 0.6f * size, mark.y + 0.8f * size},
                       kStageColors[stage]);
    ImGui::Dummy({0.6f * size, size});
    ImGui::SameLine();
    text(fmt::format("{} {:.2f}", kStageNames[stage], last.device[static_cast<std::size_t>(stage)]));
  }
  return end_card(viewer, size, from_bottom);
}

float build_histogram(Viewer& viewer, float size, float from_bottom) {
  const SeenHistogram& histogram = viewer.stage().histogram();
  if (!has_room(viewer, size, from_bottom, kHistogramHeight)) return from_bottom;
  begin_card(viewer, "histogram", size, from_bottom);
  const ImVec2 place = ImGui::GetCursorScreenPos(), extent{ImGui::GetContentRegionAvail().x, 5 * size};
  ImGui::Dummy(extent);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  constexpr ImU32 kChannels[] = {IM_COL32(240, 70, 60, 110), IM_COL32(70, 220, 80, 110),
                                 IM_COL32(80, 120, 255, 130)};
  const std::size_t channels = histogram.channels.size();
  for (std::size_t c = 0; c < channels; ++c) {
    const std::vector<float>& bins = histogram.channels[c];
    const float per_bin = extent.x / static_cast<float>(bins.size());
    for (std::size_t i = 0; i < bins.size(); ++i) {
      const float x = place.x + per_bin * static_cast<float>(i);
      draw.AddRectFilled({x, place.y + extent.y * (1 - bins[i])}, {x + per_bin, place.y + extent.y},
                         channels == 1 ? IM_COL32(140, 140, 140, 220) : kChannels[c]);
    }
  }
  return end_card(viewer, size, from_bottom);
}

float build_inspector(Viewer& viewer, float size, float from_bottom) {
  const Opened& open = viewer.open();
  const bool on_picture = viewer.pointer_inside() && !ImGui::GetIO().WantCaptureMouse;
  const Placement placement(open.state, viewer.layout().picture, glm::dvec2(open.size()));
  const std::optional<PixelReport> report =
      on_picture ? viewer.stage().pixel(placement.to_picture(viewer.pointer())) : std::nullopt;
  if ((!report && !viewer.layout().has_panels) || !has_room(viewer, size, from_bottom, kPixelHeight))
    return from_bottom;
  begin_card(viewer, "pixel", size, from_bottom);
  if (!report) {  // the card keeps its height, so that panels above it stay where they are
    text("pixel   none under the pointer");
    for (int line = 1; line < (open.has_depth() ? 6 : 4); ++line) text("");
    return end_card(viewer, size, from_bottom);
  }
  text(fmt::format("pixel {},{}   zoom {:.4g} %", report->x, report->y, 100 * placement.zoom()));
  text("input   " + samples_text(report->input, *report));
  text("result  " + samples_text(report->result, *report));
  text("light   " + light_text(*report));
  if (report->disparity) {
    const float disparity = *report->disparity;
    text(!report->metric ? fmt::format("depth   {:.4g} of 0 (far) .. 1 (near)", disparity)
         : disparity > 0 ? fmt::format("depth   {:.4g} m", 1 / disparity)
                         : "depth   infinity");
    text(fmt::format("circle  {:.2f} px{}", std::abs(report->circle),
                     report->circle > 0.5    ? ", before the focus"
                     : report->circle < -0.5 ? ", behind the focus"
                                             : ", in focus"));
  }
  return end_card(viewer, size, from_bottom);
}

void build_notices(const Viewer& viewer, float size) {
  if (viewer.notices().shown().empty() || !viewer.shows_notices) return;
  const Area area = viewer.layout().picture;
  const float margin = kPanelMargin * size, free = static_cast<float>(area.size.x) - 2 * margin;
  ImGui::SetNextWindowPos({static_cast<float>(area.from.x) + margin, margin});
  ImGui::SetNextWindowSize({std::min(free, 48 * size), 0});
  ImGui::Begin("notices", nullptr, kStill);
  ImGui::PushTextWrapPos(0);
  constexpr std::size_t kMostShown = 4;
  const std::size_t count = viewer.notices().shown().size();
  for (std::size_t i = count > kMostShown ? count - kMostShown : 0; i < count; ++i) {
    const Notice& notice = viewer.notices().shown()[i];
    const std::string line = printable(notice.text);
    if (notice.warning)
      ImGui::TextColored(theme_of(viewer.open().state.dark > 0).warning, "%s", line.c_str());
    else
      text(line);
  }
  ImGui::PopTextWrapPos();
  ImGui::End();
}

}  // namespace scanlens
