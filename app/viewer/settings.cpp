#include "app/viewer/settings.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "app/io/file.h"
#include "core/error.h"

namespace scanlens {
namespace {

constexpr int kLeastSide = 64, kMostSide = 16384;

void load_side(const nlohmann::json& json, const char* name, int& side) {
  if (json.contains(name) && json[name].is_number_integer())
    side = std::clamp<int>(json[name].get<int>(), kLeastSide, kMostSide);
}

}  // namespace

std::filesystem::path settings_file() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  if (config && *config == '/') return std::filesystem::path(config) / "scanlens/viewer.json";
  return home && *home ? std::filesystem::path(home) / ".config/scanlens/viewer.json" : "";
}

void load_settings(const std::filesystem::path& file, ViewState& state, ViewerSettings& settings) {
  std::ifstream stream(file);
  const nlohmann::json json = nlohmann::json::parse(stream, nullptr, false);
  if (!json.is_object()) return;
  for (const ViewParam& param : view_params()) {
    const auto found = json.find(std::string(param.name));
    if (!param.kept || found == json.end() || !found->is_string()) continue;
    try {
      state.*param.value = parse_value(param, found->get<std::string>());
    } catch (const Error&) {  // of another version
    }
  }
  load_side(json, "window-width", settings.window.x);
  load_side(json, "window-height", settings.window.y);
}

void save_settings(const std::filesystem::path& file, const ViewState& state,
                   const ViewerSettings& settings) {
  if (file.empty()) return;
  nlohmann::json json;
  for (const ViewParam& param : view_params())
    if (param.kept) json[std::string(param.name)] = value_text(param, state.*param.value);
  json["window-width"] = settings.window.x;
  json["window-height"] = settings.window.y;
  const std::string text = json.dump(2) + '\n';
  try {
    make_folder(file.parent_path());
    write_file(file, std::as_bytes(std::span(text)));
  } catch (const Error&) {  // see settings.h
  }
}

}  // namespace scanlens
