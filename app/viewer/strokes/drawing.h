// Drawing on a photo, to say how far things are: tools, and what they do to strokes.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "app/depth/strokes/strokes.h"

namespace scanlens {

enum class StrokeTool { brush, slope, sky, eraser };
inline constexpr std::string_view kStrokeToolNames[] = {"brush", "slope", "sky", "eraser"};

/// The range in which depths of strokes are nearness, 0 to 1.
struct StrokeRange {
  double farthest = 0, nearest = 1;  ///< of metric strokes: 1/metre

  /// Returns nearness of a depth as strokes state it, and back.
  double nearness(const Strokes& strokes, double depth) const;
  double depth(const Strokes& strokes, double nearness) const;
};

/// Strokes in work. Places are pixels of the photo, as strokes have them; depths are nearness, 0 to 1.
class StrokeDrawing {
 public:
  using Place = std::array<double, 2>;

  /// Begins with strokes, which may be none.
  StrokeDrawing(Strokes strokes, const StrokeRange& range);
  StrokeDrawing() = default;

  const Strokes& strokes() const { return strokes_; }
  const StrokeRange& range() const { return range_; }
  /// Takes other strokes, by undo or redo. Guidance goes back to what they lack.
  void take(Strokes strokes);

  StrokeTool tool() const { return tool_; }
  void set_tool(StrokeTool tool) { tool_ = tool; }
  /// Radius of the next strokes, in pixels.
  double radius() const { return radius_; }
  void set_radius(double radius);

  // A drag of the pointer. `reach` is how many pixels beside a stroke still touch it.
  /// Begins a stroke, takes hold of a slope's end, or erases. The first stroke on a map takes the map's depth
  /// `here`. A stroke that begins on another one takes that one's depth.
  void press(const Place& place, double reach, std::optional<double> here = {});
  void move(const Place& place, double reach);
  /// Ends the stroke. A slope that is shorter than `reach` is dropped.
  void release(double reach);
  bool draws() const { return hold_ != Hold::nothing; }

  /// Adds a stroke that is given in points.
  void add(Stroke stroke);

  /// Takes a nearness for what is drawn next.
  void pick(double nearness);
  double next_nearness() const { return next_; }

  /// The stroke that is changed by what follows: the last one that was drawn, or that was chosen.
  std::optional<std::size_t> selected() const { return selected_; }
  void select(std::size_t number);
  void remove_selected();
  /// Returns the nearness of its first or its last end.
  double nearness(std::size_t number, bool last) const;
  /// Sets one end of a slope, or all of any other stroke.
  void set_nearness(std::size_t number, bool last, double nearness);
  /// Brings the selected stroke nearer. For a slope, this moves the end that is closer to the place.
  void bring_nearer(double by, const Place& place);

  /// The line of guidance that the person is at. Only the person goes on to another one.
  int line() const { return line_; }
  /// Goes to a line, and takes up its tool and its depth.
  void go_to_line(int line);

 private:
  enum Line { kNearThing, kFarThing, kGround, kAnything };
  enum class Hold { nothing, stroke, from, to, eraser };

  bool full() const;
  std::optional<std::size_t> touched(const Place& place, double reach) const;
  void erase(const Place& place, double reach);
  bool take_hold(const Place& place, double reach);
  void begin_stroke(const Place& place, double reach, std::optional<double> here);
  void choose(double nearness);
  double nearness_on(const Stroke& stroke, const Place& place) const;
  Place inside(const Place& place) const;
  int first_open_line() const;

  Strokes strokes_;
  StrokeRange range_;
  StrokeTool tool_ = StrokeTool::brush;
  double radius_ = 0;
  double next_ = kNearest;
  bool is_chosen_ = false;  ///< next_, by the person
  Hold hold_ = Hold::nothing;
  std::optional<std::size_t> selected_;
  int line_ = kAnything;

  // Values that guidance proposes.
  static constexpr double kNearEnd = 0.95, kFarEnd = 0.05, kNearest = 0.9, kFarthest = 0.1;
};

/// The lines of guidance, in the order of StrokeDrawing's.
inline constexpr std::string_view kStrokeGuidance[] = {"paint what is nearest", "paint what is farthest",
                                                       "drag the ground from near to far",
                                                       "paint what looks wrong"};

}  // namespace scanlens
