#include "app/depth/strokes/strokes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "app/io/json.h"
#include "app/io/text.h"
#include "core/error.h"

namespace scanlens {
namespace {

constexpr std::string_view kMark = "depth strokes";
constexpr std::int64_t kMostSide = std::int64_t{1} << 20;
constexpr std::size_t kMostPathBytes = 4096;
constexpr double kMostPlace = 1e7;       // pixels from the photo's corner
constexpr double kLeastDistance = 1e-4;  // metres

/// Reads one file; every complaint names the place in it.
class Reader {
 public:
  explicit Reader(const std::string& name) : place_(name) {}

  Strokes read(std::string_view text) {
    if (text.size() > kMostStrokeBytes) fail("the file is larger than 16 MiB");
    const std::optional<Json> json = Json::parse(text);
    if (!json || !json->is_object()) fail("the text is damaged: not a JSON object");
    require_keys(*json, {"scanlens", "version", "size", "unit", "map", "strokes"});
    if ((*json)["scanlens"].text() != kMark) fail(fmt::format("'scanlens' must be \"{}\"", kMark));
    if ((*json)["version"].whole() != 1) fail("'version' must be 1; a newer scanlens may read the file");
    read_size((*json)["size"]);
    const std::string& unit = (*json)["unit"].text();
    if (const Json* given = json->find("unit"); given && unit != "nearness" && unit != "metre")
      fail("'unit' must be \"nearness\" or \"metre\"");
    strokes_.metric = unit == "metre";
    if (const Json* map = json->find("map")) read_map(*map);
    const Json::Array& list = (*json)["strokes"].elements();
    if (list.empty()) fail("'strokes' must hold at least one stroke");
    if (list.size() > kMostStrokes) fail(fmt::format("{} strokes; at most {}", list.size(), kMostStrokes));
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string before = place_;
      place_ += fmt::format(": stroke {}", i + 1);
      read_stroke(list[i]);
      place_ = before;
    }
    return std::move(strokes_);
  }

 private:
  [[noreturn]] void fail(const std::string& cause) const {
    throw Error(fmt::format("{}: {}", place_, cause));
  }

  void require_keys(const Json& object, std::initializer_list<std::string_view> known) const {
    for (const auto& [key, value] : object.members())
      if (std::find(known.begin(), known.end(), key) == known.end())
        fail(fmt::format("unknown key '{}'; known are {}", key.substr(0, 40), fmt::join(known, ", ")));
  }

  void read_size(const Json& size) {
    const Json::Array& sides = size.elements();
    std::int64_t values[2] = {};
    for (std::size_t i = 0; i < 2 && sides.size() == 2; ++i) values[i] = sides[i].whole().value_or(0);
    for (const std::int64_t value : values)
      if (value < 1 || value > kMostSide)
        fail(fmt::format("'size' must be the photo's width and height, whole and 1 to {}", kMostSide));
    strokes_.width = values[0];
    strokes_.height = values[1];
  }

  void read_map(const Json& json) {
    strokes_.map = json.text();
    if (strokes_.map.empty() || strokes_.map.size() > kMostPathBytes ||
        strokes_.map.find('\0') != std::string::npos)
      fail("'map' must be the name of the depth map's file");
  }

  void read_stroke(const Json& json) {
    if (!json.is_object()) fail("it must be an object with \"points\"");
    const char* const level = strokes_.metric ? "distance" : "nearness";
    require_keys(json, {"points", "radius", "from", "to", level});
    Stroke stroke;
    const Json::Array& points = json["points"].elements();
    if (points.empty()) fail("'points' must hold at least one [x, y]");
    points_ += points.size();
    if (points_ > kMostStrokePoints) fail(fmt::format("more than {} points in all", kMostStrokePoints));
    for (const Json& point : points) {
      const Json::Array& place = point.elements();
      if (place.size() != 2) fail("'points' must hold pairs [x, y]");
      stroke.points.push_back({coordinate(place[0]), coordinate(place[1])});
    }
    if (const Json* radius = json.find("radius")) {
      const double most = static_cast<double>(std::max(strokes_.width, strokes_.height)) / 8;
      const std::optional<double> value = radius->number();
      if (!value || !(*value >= 0.5) || !(*value <= std::max(most, 1.0)))
        fail(fmt::format("'radius' must be 0.5 to an eighth of the photo's longer side, {:g}",
                         std::max(most, 1.0)));
      stroke.radius = *value;
    }
    read_depth(json, level, stroke);
    strokes_.strokes.push_back(std::move(stroke));
  }

  void read_depth(const Json& json, const char* level, Stroke& stroke) const {
    const Json *from = json.find("from"), *to = json.find("to"), *one = json.find(level);
    if (one ? (from || to) : !(from && to))
      fail(fmt::format("it takes either '{}', or 'from' and 'to'", level));
    if (one) {
      stroke.from = stroke.to = depth(*one, level);
      return;
    }
    stroke.from = depth(*from, "from");
    stroke.to = depth(*to, "to");
    if (stroke.from != stroke.to && stroke.points.front() == stroke.points.back())
      fail("a slope must end at another point than it begins; give it one depth instead");
  }

  double coordinate(const Json& json) const {
    const std::optional<double> value = json.number();
    if (!value || !(std::abs(*value) <= kMostPlace))
      fail(fmt::format("'points' must be numbers up to {:g}", kMostPlace));
    return *value;
  }

  double depth(const Json& json, const char* key) const {
    const std::optional<double> value = json.number();
    if (strokes_.metric) {
      if (json.text() == "inf") return std::numeric_limits<double>::infinity();
      if (!value || !(*value >= kLeastDistance) || !std::isfinite(*value))
        fail(fmt::format("'{}' must be metres, {:g} and more, or \"inf\"", key, kLeastDistance));
    } else if (!value || !(*value >= 0 && *value <= 1)) {
      fail(fmt::format("'{}' must be 0 (infinitely far) to 1 (nearest)", key));
    }
    return *value;
  }

  std::string place_;
  Strokes strokes_;
  std::size_t points_ = 0;
};

/// The finite number that is all of the text.
std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// A coordinate in pixels, or in per cent of a side: 0% and 100% are its ends.
std::optional<double> place_of(std::string_view text, std::int64_t side) {
  const bool percent = text.ends_with('%');
  const std::optional<double> value = number_of(percent ? text.substr(0, text.size() - 1) : text);
  if (!value || std::abs(*value) > kMostPlace) return std::nullopt;
  return percent ? *value / 100 * static_cast<double>(side) - 0.5 : *value;
}

std::vector<std::string_view> parted(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(mark, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

Json depth_json(double depth) {
  return std::isfinite(depth) ? Json(depth) : Json("inf");
}

}  // namespace

double Strokes::usual_radius() const {
  return std::max(1.0, std::round(static_cast<double>(width) / 250));
}

void Strokes::widen(double& farthest, double& nearest) const {
  for (const Stroke& stroke : strokes)
    for (const double distance : {stroke.from, stroke.to}) {
      farthest = std::min(farthest, 1 / distance);
      nearest = std::max(nearest, 1 / distance);
    }
}

std::optional<float> Strokes::focus() const {
  std::optional<float> focus;
  for (const Stroke& stroke : strokes) {
    if (stroke.from != stroke.to) continue;
    const auto disparity = static_cast<float>(metric ? 1 / stroke.from : stroke.from);
    focus = std::max(focus.value_or(0), metric ? disparity : rounded_nearness(disparity));
  }
  return focus;
}

bool Strokes::leave_out_the_far() const {
  constexpr double kLeastNear = 0.25, kSame = 0.25;
  const auto slopes = [](const Stroke& stroke) { return stroke.from != stroke.to; };
  if (strokes.empty() || std::any_of(strokes.begin(), strokes.end(), slopes)) return false;
  const auto nearness = [this](const Stroke& stroke) { return metric ? 1 / stroke.from : stroke.from; };
  double least = nearness(strokes[0]), most = least;
  for (const Stroke& stroke : strokes) {
    least = std::min(least, nearness(stroke));
    most = std::max(most, nearness(stroke));
  }
  return most - least < kSame * (metric ? most : 1) && least > (metric ? 0 : kLeastNear);
}

float rounded_nearness(float nearness) {
  constexpr float kCodes = 65535;
  return std::round(nearness * kCodes) / kCodes;
}

bool are_strokes(Bytes file) {
  const std::string_view text =
      without_mark({reinterpret_cast<const char*>(file.data()), std::min(file.size(), kMostStrokeBytes)});
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '{' && text.find(fmt::format("\"{}\"", kMark)) != text.npos;
}

Strokes parse_strokes(std::string_view text, const std::string& name) {
  return Reader(name).read(text);
}

std::optional<Strokes> strokes_of_file(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error) ||
      std::filesystem::file_size(file, error) > kMostStrokeBytes)
    return std::nullopt;
  const Memory memory = read_file(file, kMostStrokeBytes);
  if (!are_strokes({memory.data(), memory.bytes()})) return std::nullopt;
  return parse_strokes({reinterpret_cast<const char*>(memory.data()), memory.bytes()}, input_name(file));
}

std::string text_of(const Strokes& strokes) {
  std::string text =
      fmt::format("{{ \"scanlens\": \"{}\", \"version\": 1, \"size\": [{}, {}], \"unit\": \"{}\",", kMark,
                  strokes.width, strokes.height, strokes.metric ? "metre" : "nearness");
  if (!strokes.map.empty()) text += fmt::format(" \"map\": {},", Json(strokes.map).dump());
  text += "\n  \"strokes\": [";
  const char* comma = "\n";
  for (const Stroke& stroke : strokes.strokes) {
    Json::Array points;
    for (const auto& [x, y] : stroke.points) points.push_back(Json::Array{x, y});
    Json json = Json::object();
    json["points"] = points;
    if (stroke.radius > 0) json["radius"] = stroke.radius;
    if (stroke.from == stroke.to) {
      json[strokes.metric ? "distance" : "nearness"] = depth_json(stroke.from);
    } else {
      json["from"] = depth_json(stroke.from);
      json["to"] = depth_json(stroke.to);
    }
    text += fmt::format("{}    {}", std::exchange(comma, ",\n"), json.dump());
  }
  return text + " ] }\n";
}

std::string parse_stroke(const std::string& text, std::int64_t width, std::int64_t height, Stroke& stroke) {
  const std::string complaint = fmt::format(
      "takes nearness, 0 to 1, of one depth or of both ends, and points in pixels or per cent, as in "
      "0.95,0.06:2010,3000:50%,47%, not '{}'",
      text);
  stroke = {};
  const std::size_t end = std::min(text.find(':'), text.size());
  std::vector<double> depths;
  for (const std::string_view word : parted(std::string_view(text).substr(0, end), ',')) {
    const std::optional<double> depth = number_of(word);
    if (!depth || *depth < 0 || *depth > 1 || depths.size() == 2) return complaint;
    depths.push_back(*depth);
  }
  if (end == text.size()) return complaint;
  stroke.from = depths.front();
  stroke.to = depths.back();
  for (const std::string_view point : parted(std::string_view(text).substr(end + 1), ':')) {
    const std::vector<std::string_view> words = parted(point, ',');
    if (words.size() != 2) return complaint;
    const std::optional<double> x = place_of(words[0], width), y = place_of(words[1], height);
    if (!x || !y) return complaint;
    stroke.points.push_back({*x, *y});
  }
  if (stroke.from != stroke.to && stroke.points.front() == stroke.points.back()) return complaint;
  return "";
}

}  // namespace scanlens
