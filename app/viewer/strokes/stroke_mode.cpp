#include "app/viewer/strokes/stroke_mode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include "app/depth/strokes/guessed.h"
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

StrokeMode::StrokeMode(Opened& open, Talk& talk) : open_(open), talk_(talk) {}

void StrokeMode::toggle() {
  if (!drawable()) return;
  double& on = open_.state.strokes;
  on = on > 0 ? 0 : 1;
  open_.draws_without_depth = on > 0;
}

/// Takes the photo that is shown now.
void StrokeMode::begin_photo() {
  depth_ = {};
  sharp_ = {};
  set_protects(false);
  photo_ = drawable() ? open_.photo_picture() : nullptr;
  sets_radius_ = false;
  if (!photo_) return;
  const ViewedPhoto& photo = *open_.photo();
  depth_.drawn = depth_.asked = depth_.final = photo.strokes;
  guess_ = photo.depth_file.empty() ? photo.strokes : nullptr;
  map_file_ = photo.corrected_map;
  if (!photo.strokes && photo.depth) map_file_ = photo.depth_file.empty() ? photo.file : photo.depth_file;
  map_range_ = {};
  if (photo.depth && photo.depth->metric) map_range_ = {photo.depth->least, photo.depth->most};
  Strokes strokes = {photo.picture.width(), photo.picture.height(), false, {}};
  if (photo.strokes) strokes = *photo.strokes;
  strokes.map = map_file_.string();
  const StrokeRange range = range_of(strokes, photo.depth);
  depth_.drawing = StrokeDrawing(std::move(strokes), range);
  sharp_.drawing = StrokeDrawing({photo.picture.width(), photo.picture.height(), false, {}}, {});
  sharp_.drawing.pick(1);
}

void StrokeMode::set_protects(bool protects) {
  protects_ = protects;
  sharp_.drawing.pick(1);
}

void StrokeMode::begin_spreading(Layer& layer) {
  const ViewedPhoto& photo = *open_.photo();
  SpreadPhoto source = {photo_, {}, nullptr, {}, {}};
  if (photo.is_converted && !is_standard_stream(photo.file)) source.file = photo.file;
  if (&layer == &sharp_) {
    source.options.resample = DepthResample::bilinear;  // as --keep-sharp does
  } else {
    source.options = open_.photo_options().depth_options;
    if (photo.strokes)
      source.map_file = map_file_;
    else if (photo.depth)
      source.map = std::make_shared<const Depth>(copy_of(*photo.depth));
  }
  layer.spread = std::make_unique<BackgroundSpread>(std::move(source), talk_.settings);
}

/// Returns the focus for what is drawn: the nearest stroke, or what it was at first.
double StrokeMode::proposed_focus() const {
  const std::optional<float> nearest =
      depth_.drawn && map_file_.empty() ? depth_.drawn->focus() : std::nullopt;
  return nearest ? focus_value(*nearest, depth_.drawn->metric) : open_.first_value(view_param("focus"));
}

void StrokeMode::keep_drawn(Layer& layer) const {
  const Strokes& strokes = layer.drawing.strokes();
  if (strokes.strokes.empty())
    layer.drawn = nullptr;
  else if (!layer.drawn || *layer.drawn != strokes)
    layer.drawn = std::make_shared<const Strokes>(strokes);
}

/// Keeps what was drawn with what is open. The focus follows it, unless somebody has focused elsewhere.
void StrokeMode::commit() {
  const bool follows = open_.state.focus == proposed_focus();
  keep_drawn(depth_);
  keep_drawn(sharp_);
  open_.strokes = depth_.drawn;
  open_.sharp = sharp_.drawn;
  if (follows) open_.state.focus = proposed_focus();
}

double StrokeMode::reach(const Placement& placement) const {
  return kReach / placement.zoom();
}

std::optional<double> StrokeMode::nearness_at(glm::dvec2 pixel) const {
  const std::optional<float> disparity = open_.disparity_around(pixel);
  if (!disparity) return std::nullopt;
  const StrokeRange& range = depth_.drawing.range();
  if (depth_.drawing.strokes().metric)
    return range.nearness(depth_.drawing.strokes(),
                          *disparity > 0 ? 1.0 / *disparity : std::numeric_limits<double>::infinity());
  const double width = map_range_.nearest - map_range_.farthest;
  return std::clamp((*disparity - map_range_.farthest) / (width > 0 ? width : 1), 0.0, 1.0);
}

bool StrokeMode::press(const ButtonChanged& button, const Placement& placement, glm::dvec2 pointer) {
  if (!on()) return false;
  if (button.button == MouseButton::right) {
    sets_radius_ = true;
    pressed_at_ = pointer;
    const StrokeDrawing& drawing = active().drawing;
    radius_at_press_ = drawing.radius() > 0 ? drawing.radius() : drawing.strokes().usual_radius();
    return true;
  }
  if (button.button != MouseButton::left || !placement.holds(pointer)) return false;
  if (button.modifiers & (kAlt | kControl)) {
    const std::optional<double> here = nearness_at(placement.to_picture(pointer));
    if (here && !protects_) depth_.drawing.pick(*here);
    return true;
  }
  return active().drawing.tool() == StrokeTool::eraser && begin_drag(placement, pointer);
}

bool StrokeMode::begin_drag(const Placement& placement, glm::dvec2 from) {
  if (!on() || !placement.holds(from)) return false;
  const std::optional<double> here = protects_ ? std::nullopt : nearness_at(placement.to_picture(from));
  active().drawing.press(place_of(placement, from), reach(placement), here);
  commit();
  return true;
}

void StrokeMode::move(const Placement& placement, glm::dvec2 pointer) {
  constexpr double kPerOctave = 60;  // pixels of the window
  if (sets_radius_)
    return active().drawing.set_radius(radius_at_press_ *
                                       std::exp2((pointer.x - pressed_at_.x) / kPerOctave));
  active().drawing.move(place_of(placement, pointer), reach(placement));
  commit();
}

void StrokeMode::release(const Placement& placement) {
  if (std::exchange(sets_radius_, false)) return;
  active().drawing.release(reach(placement));
  commit();
}

bool StrokeMode::scroll(const Scrolled& scrolled, const Placement& placement, glm::dvec2 pointer) {
  if (!on() || protects_ || !(scrolled.modifiers & (kAlt | kControl))) return false;
  change([&](StrokeDrawing& drawing) {
    drawing.bring_nearer(kPerNotch * scrolled.notches, place_of(placement, pointer));
  });
  return true;
}

bool StrokeMode::press_key(const KeyChanged& key) {
  if (!on() || key.modifiers != kNoModifier) return false;
  if (key.key == kDelete) {
    active().drawing.remove_selected();
    commit();
  } else if (key.key == kEnter) {
    protects_ = false;
    depth_.drawing.go_to_line(depth_.drawing.line() + 1);
  }
  return key.key == kDelete || key.key == kEnter;
}

bool StrokeMode::type(char character) {
  const int number = character - '1', tools = static_cast<int>(std::size(kStrokeToolNames));
  if (!on() || number < 0 || number > tools) return false;
  number == tools ? set_protects(true) : choose_tool(static_cast<StrokeTool>(number));
  return true;
}

void StrokeMode::choose_tool(StrokeTool tool) {
  protects_ = protects_ && tool == StrokeTool::eraser;
  active().drawing.set_tool(tool);
}

void StrokeMode::guess() {
  if (!drawable() || !photo_ || corrects_a_map() || guesses()) return;
  open_.state.strokes = 1;
  guessing_ = {photo_, depth_.drawn,
               std::async(std::launch::async, [photo = photo_] { return guessed_strokes(rows_of(*photo)); })};
}

/// Takes the guess that is made; recordings wait for it. Where another photo is shown since, or something was
/// drawn, the guess is dropped.
void StrokeMode::take_guess() {
  constexpr std::chrono::seconds kNone(0);
  if (!guesses()) return;
  if (open_.hurries && guessing_.strokes.wait_for(kNone) != std::future_status::ready) return;
  Guessing guess = std::exchange(guessing_, {});
  Strokes strokes = guess.strokes.get();
  if (guess.photo != photo_ || guess.drawn != depth_.drawn || draws()) return;
  change([&](StrokeDrawing& drawing) { drawing.take(std::move(strokes)); });
  guess_ = depth_.drawn;
}

void StrokeMode::draw(const std::string& words) {
  if (drawable() && open_.photo_picture() != photo_) begin_photo();
  if (!drawable() || !photo_) throw Error(ErrorKind::usage, "a stroke needs a photo; open one first");
  Stroke stroke;
  const std::string complaint = parse_stroke(words, photo_->width(), photo_->height(), stroke);
  if (!complaint.empty()) throw Error(ErrorKind::usage, "a stroke " + complaint);
  open_.state.strokes = 1;
  change([&](StrokeDrawing& drawing) { drawing.add(std::move(stroke)); });
}

void StrokeMode::advance(double seconds) {
  if (drawable() ? open_.photo_picture() != photo_ : photo_ != nullptr) begin_photo();
  take_guess();
  if (!photo_) {
    open_.is_unsettled = false;
    return;
  }
  take_changed(depth_, open_.strokes);
  take_changed(sharp_, open_.sharp);
  go_on(depth_, seconds);
  go_on(sharp_, seconds);
  open_.is_unsettled = !at_rest();
}

/// Takes strokes that undo, or a photo that was read again, has changed.
void StrokeMode::take_changed(Layer& layer, const std::shared_ptr<const Strokes>& changed) const {
  if (layer.drawn == changed) return;
  layer.drawn = changed;
  Strokes strokes = {photo_->width(), photo_->height(), layer.drawing.strokes().metric, {}};
  if (changed) strokes = *changed;
  if (&layer == &depth_) strokes.map = map_file_.string();
  layer.drawing.take(std::move(strokes));
}

void StrokeMode::go_on(Layer& layer, double seconds) {
  ask(layer, seconds);
  if (!layer.spread || layer.rests(layer.drawn)) return;
  // A short wait costs nobody a frame; recordings show nothing but finished maps.
  constexpr std::chrono::milliseconds kShort(4), kLong(60'000);
  if (!layer.drawing.draws()) layer.spread->wait(kShort);
  show_result(layer);
  if (!open_.hurries)
    for (ask(layer, kPause); layer.final != layer.drawn; show_result(layer)) layer.spread->wait(kLong);
}

/// Asks for a preview of what has changed, and for the map once nothing does.
void StrokeMode::ask(Layer& layer, double seconds) {
  layer.since_asked += seconds;
  if (layer.drawn != layer.asked) {
    if (!layer.spread) begin_spreading(layer);
    layer.asked = layer.drawn;
    layer.spread->want(layer.asked);
    layer.final_asked = false;
    layer.since_asked = 0;
  }
  const bool may_be_made = layer.spread && layer.final != layer.asked && !layer.final_asked;
  if (!may_be_made || (open_.hurries && (layer.drawing.draws() || layer.since_asked < kPause))) return;
  layer.final_asked = true;
  layer.spread->want_final();
}

void StrokeMode::show_result(Layer& layer) {
  std::optional<BackgroundSpread::Result> result = layer.spread->take();
  if (!result) return;
  if (result->failure) {
    if (result->strokes == layer.asked) layer.final = layer.asked;
    std::rethrow_exception(result->failure);
  }
  &layer == &sharp_ ? open_.show_shares(std::move(result->depth))
                    : open_.show_depth(std::move(result->depth));
  if (result->is_final) layer.final = result->strokes;
}

std::string StrokeMode::nearness_text(double nearness) const {
  const bool metric = depth_.drawing.strokes().metric;
  if (!metric && map_range_.farthest == 0 && map_range_.nearest == 1) return fmt::format("{:.3g}", nearness);
  const double disparity = metric ? 1 / depth_.drawing.range().depth(depth_.drawing.strokes(), nearness)
                                  : std::lerp(map_range_.farthest, map_range_.nearest, nearness);
  return disparity > 0 ? fmt::format("{:.3g} m", 1 / disparity) : "infinity";
}

}  // namespace scanlens
