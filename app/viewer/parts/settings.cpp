#include "app/viewer/parts/settings.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <string>

#include "app/io/file.h"
#include "app/io/json.h"
#include "core/error.h"

namespace scanlens {
namespace {

constexpr int kLeastSide = 64, kMostSide = 16384;

void load_side(const Json& json, const char* name, int& side) {
  if (const std::optional<std::int64_t> pixels = json[name].whole())
    side = static_cast<int>(std::clamp<std::int64_t>(*pixels, kLeastSide, kMostSide));
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
  std::stringstream text;
  text << stream.rdbuf();
  const Json json = Json::parse(text.str()).value_or(nullptr);
  for (const ViewParam& param : view_params()) {
    const Json& value = json[param.name];
    if (!param.kept || !value.is_string()) continue;
    try {
      state.*param.value = parse_value(param, value.text());
    } catch (const Error&) {  // of another version
    }
  }
  load_side(json, "window-width", settings.window.x);
  load_side(json, "window-height", settings.window.y);
}

void save_settings(const std::filesystem::path& file, const ViewState& state,
                   const ViewerSettings& settings) {
  if (file.empty()) return;
  std::map<std::string, Json> sorted = {{"window-width", settings.window.x},
                                        {"window-height", settings.window.y}};
  for (const ViewParam& param : view_params())
    if (param.kept) sorted[std::string(param.name)] = value_text(param, state.*param.value);
  const Json json = Json::Object(sorted.begin(), sorted.end());
  const std::string text = json.dump(2) + '\n';
  try {
    make_folder(file.parent_path());
    write_file(file, std::as_bytes(std::span(text)));
  } catch (const Error&) {  // see settings.h
  }
}

}  // namespace scanlens
