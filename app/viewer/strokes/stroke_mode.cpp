#include "app/viewer/strokes/stroke_mode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include "app/io/text.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Pixels of the window beside a stroke that still touch it.
constexpr double kReach = 8;
/// Seconds without a change after which the map itself is made.
constexpr double kPause = 0.15;
/// Nearness of a notch of the wheel.
constexpr double kPerNotch = 0.02;

/// Returns a place of the picture, whose pixels are squares, as strokes have it.
StrokeDrawing::Place place_of(const Placement& placement, glm::dvec2 pointer) {
  const glm::dvec2 pixel = placement.to_picture(pointer) - 0.5;
  return {pixel.x, pixel.y};
}

/// Returns the range in which distances of strokes are drawn.
StrokeRange range_of(const Strokes& strokes, const std::optional<Depth>& depth) {
  if (!strokes.metric) return {};
  StrokeRange range = {0, 1};
  if (depth && depth->most > depth->least) range = {depth->least, depth->most};
  strokes.widen(range.farthest, range.nearest);
  return range;
}

}  // namespace

StrokeMode::StrokeMode(ViewerModel& model, Talk& talk) : model_(model), talk_(talk) {}

void StrokeMode::toggle() {
  if (!drawable()) return;
  double& on = model_.state.strokes;
  on = on > 0 ? 0 : 1;
  model_.draws_without_depth = on > 0;
}

/// Takes the photo that is shown now.
void StrokeMode::begin_photo() {
  spread_.reset();
  photo_ = drawable() ? model_.photo_picture() : nullptr;
  drawn_ = asked_ = final_ = nullptr;
  sets_radius_ = false;
  if (!photo_) return;
  const ViewedPhoto& photo = *model_.photo();
  drawn_ = asked_ = final_ = photo.strokes;
  map_file_ = photo.corrected_map;
  if (!photo.strokes && photo.depth) map_file_ = photo.depth_file.empty() ? photo.file : photo.depth_file;
  map_range_ = {};
  if (photo.depth && photo.depth->metric) map_range_ = {photo.depth->least, photo.depth->most};
  Strokes strokes = {photo.picture.width(), photo.picture.height(), false, {}};
  if (photo.strokes) strokes = *photo.strokes;
  strokes.map = map_file_.string();
  const StrokeRange range = range_of(strokes, photo.depth);
  drawing_ = StrokeDrawing(std::move(strokes), range);
}

void StrokeMode::begin_spreading() {
  const ViewedPhoto& photo = *model_.photo();
  SpreadPhoto source = {photo_, {}, nullptr, {}, model_.photo_options().depth_options};
  if (photo.is_converted && !is_standard_stream(photo.file)) source.file = photo.file;
  if (photo.strokes)
    source.map_file = map_file_;
  else if (photo.depth)
    source.map = std::make_shared<const Depth>(copy_of(*photo.depth));
  spread_ = std::make_unique<BackgroundSpread>(std::move(source), talk_.settings);
}

/// Hands what was drawn to the model.
void StrokeMode::commit() {
  const Strokes& strokes = drawing_.strokes();
  if (strokes.strokes.empty())
    drawn_ = nullptr;
  else if (!drawn_ || *drawn_ != strokes)
    drawn_ = std::make_shared<const Strokes>(strokes);
  model_.strokes = drawn_;
}

double StrokeMode::reach(const Placement& placement) const {
  return kReach / placement.zoom();
}

std::optional<double> StrokeMode::nearness_at(glm::dvec2 pixel) const {
  const std::optional<float> disparity = model_.disparity_around(pixel);
  if (!disparity) return std::nullopt;
  const StrokeRange& range = drawing_.range();
  if (drawing_.strokes().metric)
    return range.nearness(drawing_.strokes(),
                          *disparity > 0 ? 1.0 / *disparity : std::numeric_limits<double>::infinity());
  const double width = map_range_.nearest - map_range_.farthest;
  return std::clamp((*disparity - map_range_.farthest) / (width > 0 ? width : 1), 0.0, 1.0);
}

bool StrokeMode::press(const ButtonChanged& button, const Placement& placement, glm::dvec2 pointer) {
  if (!on()) return false;
  if (button.button == MouseButton::right) {
    sets_radius_ = true;
    pressed_at_ = pointer;
    radius_at_press_ = drawing_.radius() > 0 ? drawing_.radius() : drawing_.strokes().usual_radius();
    return true;
  }
  if (button.button != MouseButton::left || !placement.holds(pointer)) return false;
  const std::optional<double> here = nearness_at(placement.to_picture(pointer));
  if (button.modifiers & (kAlt | kControl)) {
    if (here) drawing_.pick(*here);
    return true;
  }
  change(
      [&](StrokeDrawing& drawing) { drawing.press(place_of(placement, pointer), reach(placement), here); });
  return true;
}

void StrokeMode::move(const Placement& placement, glm::dvec2 pointer) {
  constexpr double kPerOctave = 60;  // pixels of the window
  if (sets_radius_)
    return drawing_.set_radius(radius_at_press_ * std::exp2((pointer.x - pressed_at_.x) / kPerOctave));
  change([&](StrokeDrawing& drawing) { drawing.move(place_of(placement, pointer), reach(placement)); });
}

void StrokeMode::release(const Placement& placement) {
  if (std::exchange(sets_radius_, false)) return;
  change([&](StrokeDrawing& drawing) { drawing.release(reach(placement)); });
}

bool StrokeMode::scroll(const Scrolled& scrolled, const Placement& placement, glm::dvec2 pointer) {
  if (!on() || !(scrolled.modifiers & (kAlt | kControl))) return false;
  change([&](StrokeDrawing& drawing) {
    drawing.bring_nearer(kPerNotch * scrolled.notches, place_of(placement, pointer));
  });
  return true;
}

bool StrokeMode::press_key(const KeyChanged& key) {
  if (!on() || key.key != kDelete || key.modifiers != kNoModifier) return false;
  change([](StrokeDrawing& drawing) { drawing.remove_selected(); });
  return true;
}

bool StrokeMode::type(char character) {
  const int number = character - '1';
  if (!on() || number < 0 || number >= static_cast<int>(std::size(kStrokeToolNames))) return false;
  drawing_.set_tool(static_cast<StrokeTool>(number));
  return true;
}

void StrokeMode::draw(const std::string& words) {
  if (drawable() && model_.photo_picture() != photo_) begin_photo();
  if (!drawable() || !photo_) throw Error(ErrorKind::usage, "a stroke needs a photo; open one first");
  Stroke stroke;
  const std::string complaint = parse_stroke(words, photo_->width(), photo_->height(), stroke);
  if (!complaint.empty()) throw Error(ErrorKind::usage, "a stroke " + complaint);
  model_.state.strokes = 1;
  change([&](StrokeDrawing& drawing) { drawing.add(std::move(stroke)); });
}

void StrokeMode::advance(double seconds) {
  if (drawable() ? model_.photo_picture() != photo_ : photo_ != nullptr) begin_photo();
  if (!photo_) {
    model_.is_unsettled = false;
    return;
  }
  if (model_.strokes != drawn_) {  // by undo, or because the photo was read again
    drawn_ = model_.strokes;
    Strokes strokes = {photo_->width(), photo_->height(), drawing_.strokes().metric, {}};
    if (drawn_) strokes = *drawn_;
    strokes.map = map_file_.string();
    drawing_.take(std::move(strokes));
  }
  ask(seconds);
  if (spread_ && !at_rest()) {
    // A short wait costs nobody a frame; recordings show nothing but finished maps.
    constexpr std::chrono::milliseconds kShort(4), kLong(60'000);
    if (!drawing_.draws()) spread_->wait(kShort);
    show_result();
    if (!model_.hurries)
      for (ask(kPause); final_ != drawn_; show_result()) spread_->wait(kLong);
  }
  model_.is_unsettled = !at_rest();
}

/// Asks for a preview of what has changed, and for the map once nothing does.
void StrokeMode::ask(double seconds) {
  since_asked_ += seconds;
  if (drawn_ != asked_) {
    if (!spread_) begin_spreading();
    asked_ = drawn_;
    spread_->want(asked_);
    final_asked_ = false;
    since_asked_ = 0;
  }
  const bool may_be_made = spread_ && final_ != asked_ && !final_asked_;
  if (!may_be_made || (model_.hurries && (drawing_.draws() || since_asked_ < kPause))) return;
  final_asked_ = true;
  spread_->want_final();
}

void StrokeMode::show_result() {
  std::optional<BackgroundSpread::Result> result = spread_->take();
  if (!result) return;
  if (result->failure) {
    if (result->strokes == asked_) final_ = asked_;
    std::rethrow_exception(result->failure);
  }
  model_.show_depth(std::move(result->depth));
  if (result->is_final) final_ = result->strokes;
}

std::string StrokeMode::nearness_text(double nearness) const {
  const bool metric = drawing_.strokes().metric;
  if (!metric && map_range_.farthest == 0 && map_range_.nearest == 1) return fmt::format("{:.3g}", nearness);
  const double disparity = metric ? 1 / drawing_.range().depth(drawing_.strokes(), nearness)
                                  : std::lerp(map_range_.farthest, map_range_.nearest, nearness);
  return disparity > 0 ? fmt::format("{:.3g} m", 1 / disparity) : "infinity";
}

}  // namespace scanlens
