// Strokes of a person's that say how far things are: the file, and the words of the command line.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/io/file.h"

namespace scanlens {

/// A piece of a plane, as a polyline with round ends.
struct Stroke {
  std::vector<std::array<double, 2>> points;  ///< pixels; (0, 0) is the middle of the first
  double radius = 0;                          ///< pixels; 0: Strokes::usual_radius
  /// Depth at the first and at the last point: nearness 0 .. 1, or metres up to infinity. Equal: one depth.
  double from = 0, to = 0;

  friend bool operator==(const Stroke&, const Stroke&) = default;
};

struct Strokes {
  std::int64_t width = 0, height = 0;  ///< of the upright photo that they were drawn on
  bool metric = false;                 ///< depths are metres
  std::vector<Stroke> strokes;
  std::string map = {};  ///< file of the depth map that they correct, from their own file's folder; or none

  /// Returns the radius of strokes that state none: a 250th of the width, 1 at least.
  double usual_radius() const;

  /// Widens a range of nearness until it holds the metres that strokes state.
  void widen(double& farthest, double& nearest) const;

  /// Returns the disparity of the nearest stroke that is no slope, as the map has it: what is to be in focus.
  std::optional<float> focus() const;

  /// Returns true if all strokes have nearly one depth, and none is far.
  bool leave_out_the_far() const;

  friend bool operator==(const Strokes&, const Strokes&) = default;
};

/// Returns nearness as maps of strokes have it, in 16 bits.
float rounded_nearness(float nearness);

inline constexpr std::size_t kMostStrokes = 1000;
inline constexpr std::size_t kMostStrokePoints = 100'000;
inline constexpr std::size_t kMostStrokeBytes = std::size_t{1} << 24;  ///< of a file

/// True if a file holds strokes, by its first byte and its mark.
bool are_strokes(Bytes file);

/// Reads the text of a file of strokes:
///
///     { "scanlens": "depth strokes", "version": 1, "size": [4032, 3024], "unit": "nearness",
///       "strokes": [
///         { "points": [[2010, 3000], [1990, 1420]], "radius": 10, "from": 0.95, "to": 0.06 },
///         { "points": [[880, 1210], [905, 1400]], "nearness": 0.72 } ] }
///
/// With "unit": "metre" depths are "distance", or "from" and "to", in metres; "inf" is the sky. With "map":
/// "photo_depth.png" strokes correct that map, and nearness 0 and 1 are its farthest and nearest. Throws
/// Error "NAME: stroke 2: cause", stroke 1 being the first, for unknown keys and values out of bounds.
Strokes parse_strokes(std::string_view text, const std::string& name);

/// Returns the strokes of a file; nothing for one that holds something else. Throws what parse_strokes does.
std::optional<Strokes> strokes_of_file(const std::filesystem::path& file);

/// Returns text that parse_strokes reads as the same strokes.
std::string text_of(const Strokes& strokes);

/// Reads a stroke as --stroke takes it: "0.95,0.06:2010,3000:50%,47%", nearness and points, in pixels or per
/// cent of a photo of this size. Returns "" and the stroke, or a complaint that begins with "takes".
std::string parse_stroke(const std::string& text, std::int64_t width, std::int64_t height, Stroke& stroke);

}  // namespace scanlens
