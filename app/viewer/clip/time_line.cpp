#include "app/viewer/clip/time_line.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "app/viewer/clip/clip_mode.h"

namespace scanlens {
namespace {

constexpr ImGuiWindowFlags kStrip = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing |
                                    ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBringToFrontOnFocus;

/// Adds the button: a triangle, or two bars while the clip plays.
void build_button(ClipMode& clip, float side) {
  const ImVec2 place = ImGui::GetCursorScreenPos();
  if (ImGui::InvisibleButton("play", {side, side})) clip.toggle_playing();
  const bool lit = ImGui::IsItemHovered() || ImGui::IsItemActive();
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", clip.playing() ? "stop (Space)" : "play (Space)");
  const ImU32 color = ImGui::GetColorU32(lit ? ImGuiCol_SliderGrabActive : ImGuiCol_Text);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const auto at = [&](float x, float y) { return ImVec2(place.x + x * side, place.y + y * side); };
  if (clip.playing()) {
    draw.AddRectFilled(at(0.28f, 0.24f), at(0.44f, 0.76f), color);
    draw.AddRectFilled(at(0.56f, 0.24f), at(0.72f, 0.76f), color);
  } else {
    draw.AddTriangleFilled(at(0.30f, 0.22f), at(0.78f, 0.5f), at(0.30f, 0.78f), color);
  }
}

/// Adds the mark of a key.
void draw_key(ImDrawList& draw, float x, float y, float half, ImU32 color, bool full) {
  const ImVec2 points[] = {{x, y - half}, {x + half, y}, {x, y + half}, {x - half, y}};
  if (full)
    draw.AddConvexPolyFilled(points, 4, color);
  else
    draw.AddPolyline(points, 4, color, ImDrawFlags_Closed, 1.5f);
}

/// Adds the button that sets a key, or removes it.
void build_key_button(ClipMode& clip, float side) {
  const ImVec2 place = ImGui::GetCursorScreenPos();
  if (ImGui::InvisibleButton("key", {side, side})) clip.toggle_key();
  const bool lit = ImGui::IsItemHovered() || ImGui::IsItemActive();
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip(clip.has_key() ? "remove the key of this frame (K)"
                                     : "set a key: focus and lens as they are at this frame (K)");
  draw_key(*ImGui::GetWindowDrawList(), place.x + 0.5f * side, place.y + 0.5f * side, 0.28f * side,
           ImGui::GetColorU32(lit ? ImGuiCol_SliderGrabActive : ImGuiCol_Text), clip.has_key());
}

/// Adds the line itself, whose handle is at the frame that is asked for.
void build_line(ClipMode& clip, std::int64_t last, ImVec2 extent, float size) {
  const ImVec2 place = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton("line", extent);
  const bool held = ImGui::IsItemActive(), lit = held || ImGui::IsItemHovered();
  const auto frames = static_cast<double>(last - clip.first());
  const float inset = 0.4f * size, width = std::max(extent.x - 2 * inset, 1.f);
  const auto place_of = [&](std::int64_t frame) {
    const double share = frames > 0 ? static_cast<double>(frame - clip.first()) / frames : 0;
    return place.x + inset + static_cast<float>(share) * width;
  };
  const auto frame_at = [&](float x) {
    const double share = std::clamp((x - place.x - inset) / width, 0.f, 1.f);
    std::int64_t found = clip.first() + std::llround(share * frames);
    clip.keys().for_each([&](std::int64_t key) {  // whose mark the pointer is on
      if (std::abs(place_of(key) - x) < 0.3f * size) found = key;
    });
    return found;
  };
  const float x = ImGui::GetIO().MousePos.x;
  if (held && frame_at(x) != clip.target()) clip.go_to(frame_at(x));
  if (lit && !held) ImGui::SetTooltip("frame %lld", static_cast<long long>(frame_at(x)));
  const float middle = place.y + extent.y / 2, half = 0.12f * size, from = place.x + inset;
  const float at = place_of(clip.target());
  const ImU32 grab = ImGui::GetColorU32(lit ? ImGuiCol_SliderGrabActive : ImGuiCol_SliderGrab);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled({from, middle - half}, {from + width, middle + half},
                     ImGui::GetColorU32(ImGuiCol_TextDisabled), half);
  draw.AddRectFilled({from, middle - half}, {at, middle + half}, grab, half);
  draw.AddCircleFilled({at, middle}, (lit ? 0.42f : 0.36f) * size, grab);
  clip.keys().for_each([&](std::int64_t key) {
    draw_key(draw, place_of(key), middle, 0.3f * size, ImGui::GetColorU32(ImGuiCol_Text), true);
  });
}

/// Returns "0:01.20 \u00b7 frame 12 of 39".
std::string words_of(const ClipMode& clip, std::int64_t frame, const std::optional<std::int64_t>& last) {
  const std::string words = fmt::format("{} \u00b7 frame {}", clock_text(clip.seconds()), frame);
  return last ? fmt::format("{} of {}", words, *last) : words;
}

}  // namespace

std::string clock_text(double seconds) {
  const auto hundredths = std::llround(std::max(seconds, 0.0) * 100);
  const long long hours = hundredths / 360000, minutes = hundredths / 6000 % 60;
  const double rest = static_cast<double>(hundredths % 6000) / 100;
  return hours > 0 ? fmt::format("{}:{:02}:{:05.2f}", hours, minutes, rest)
                   : fmt::format("{}:{:05.2f}", minutes, rest);
}

void build_time_line(ClipMode& clip, const Area& area, float size) {
  if (area.size.y <= 0) return;
  const auto left = static_cast<float>(area.from.x), top = static_cast<float>(area.from.y),
             width = static_cast<float>(area.size.x), height = static_cast<float>(area.size.y);
  ImGui::SetNextWindowPos({left, top});
  ImGui::SetNextWindowSize({width, height});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0.4f * size, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
  ImGui::Begin("time", nullptr, kStrip);
  ImGui::PopStyleVar(3);
  const std::optional<std::int64_t> last = clip.last();
  const float side = 0.8f * height, least = 8 * size;
  const bool has_keys = clip.takes_keys();
  const auto room_beside = [&](const std::string& words) {
    return width - (has_keys ? 2 : 1) * side - ImGui::CalcTextSize(words.c_str()).x - 2.4f * size;
  };
  // A place is kept for the widest words, so that the line does not move. Small windows have fewer.
  std::string words = words_of(clip, clip.shown(), last), widest = words_of(clip, last.value_or(0), last);
  if (room_beside(widest) < least) {
    words = fmt::format("{}", clip.shown());
    widest = fmt::format("{}", last.value_or(clip.shown()));
  }
  const float text_width = ImGui::CalcTextSize(widest.c_str()).x;
  ImGui::SetCursorPosY((height - side) / 2);
  build_button(clip, side);
  if (has_keys) {
    ImGui::SameLine(0, 0);
    ImGui::SetCursorPosY((height - side) / 2);
    build_key_button(clip, side);
  }
  if (const float room = room_beside(widest); last && room > size) {
    ImGui::SameLine();
    ImGui::SetCursorPosY(0);
    build_line(clip, *last, {room, height}, size);
  }
  ImGui::SameLine(width - 0.6f * size - text_width);
  ImGui::SetCursorPosY((height - size) / 2);
  ImGui::TextUnformatted(words.c_str());
  ImGui::End();
}

}  // namespace scanlens
