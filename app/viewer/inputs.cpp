// Acts on a person's inputs: the pointer, keys and what is dropped.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <type_traits>
#include <utility>

#include "app/viewer/parts/drop_targets.h"
#include "app/viewer/viewer.h"

namespace scanlens {
namespace {

/// Points of text that the pointer may move in a click.
constexpr double kClickReach = 4;
/// Between the clicks of a double click; a slow frame may lie there, too.
constexpr std::chrono::milliseconds kDoubleClick(600);
/// Points from the wipe's line at which it is taken hold of.
constexpr double kWipeReach = 7;

}  // namespace

bool Viewer::is_on_wipe() const {
  const double line = layout().picture.column(open_.state.wipe);
  return open_.state.wipe > 0 && std::abs(pointer_.x - line) <= kWipeReach * scale_;
}

PointerShape Viewer::pointer_shape() const {
  if (panels_.keeps_pointer()) return panels_.pointer_shape();
  return press_.does == Press::Does::wipe || is_on_wipe() ? PointerShape::sideways : PointerShape::arrow;
}

bool Viewer::pointer_inside() const {
  return pointer_.x >= 0 && pointer_.y >= 0 && pointer_.x < size_.x && pointer_.y < size_.y;
}

void Viewer::input(const Input& input) {
  // A key that is held down repeats itself faster than slow frames act on it, and must not go on afterwards.
  const auto waits = [&]<class What>(const What& what) {
    if constexpr (std::is_same_v<What, KeyChanged> || std::is_same_v<What, Typed>)
      return what.repeated && std::any_of(inputs_.begin(), inputs_.end(), [](const Input& waiting) {
               const auto* const same = std::get_if<What>(&waiting);
               return same && same->repeated;
             });
    else
      return false;
  };
  if (!std::visit(waits, input)) inputs_.push_back(input);
}

/// Takes as many inputs as panels can tell apart in a frame: one change of a button or a key. A button or a
/// drop behind a move waits, because the thing under the pointer is known from the next frame on.
void Viewer::act_on_inputs() {
  bool moved = false, changed = false;
  while (!inputs_.empty()) {
    const bool of_button = std::holds_alternative<ButtonChanged>(inputs_.front());
    const bool of_key = std::holds_alternative<KeyChanged>(inputs_.front());
    const bool of_place = of_button || std::holds_alternative<Dropped>(inputs_.front());
    if (((of_button || of_key) && changed) || (of_place && moved)) return;
    if (once_saved_ && !std::holds_alternative<Resized>(inputs_.front())) return;
    changed = changed || of_button || of_key;
    moved = moved || std::holds_alternative<PointerMoved>(inputs_.front());
    const Input input = std::move(inputs_.front());
    inputs_.pop_front();
    panels_.input(input);
    if (const auto* const button = std::get_if<ButtonChanged>(&input)) held_ += button->down ? 1 : -1;
    if (const auto* const key = std::get_if<KeyChanged>(&input); key && !key->repeated)
      held_ += key->down ? 1 : -1;
    held_ = std::max(held_, 0);
    const bool pressed =
        (of_button && std::get<ButtonChanged>(input).down) ||
        (of_key && std::get<KeyChanged>(input).down && !std::get<KeyChanged>(input).repeated);
    begins_step_ = begins_step_ || pressed || std::holds_alternative<StrokeDrawn>(input);
    act(input);
  }
}

void Viewer::act(const Input& input) {
  std::visit(
      [&]<class What>(const What& what) {
        if constexpr (std::is_same_v<What, PointerMoved>)
          move({what.x, what.y});
        else if constexpr (std::is_same_v<What, ButtonChanged>)
          what.down ? press(what) : release(what);
        else if constexpr (std::is_same_v<What, Scrolled>)
          scroll(what);
        else if constexpr (std::is_same_v<What, KeyChanged>)
          press_key(what);
        else if constexpr (std::is_same_v<What, Typed>)
          type(what);
        else if constexpr (std::is_same_v<What, Dropped>)
          take_dropped(what.files);
        else if constexpr (std::is_same_v<What, DraggedOver>)
          dragged_over_ = what.inside;
        else if constexpr (std::is_same_v<What, Resized>) {
          size_ = {std::max(what.width, 1), std::max(what.height, 1)};
          scale_ = what.scale;
        } else if constexpr (std::is_same_v<What, StrokeDrawn>)
          notices_.try_to([&] { strokes_.draw(what.words); });
        else if constexpr (std::is_same_v<What, SeekAsked>)
          notices_.try_to([&] { clip_.seek(what.moment); });
        else if constexpr (std::is_same_v<What, CloseAsked>)
          close_at_once();  // a script knows what it does
      },
      input);
}

void Viewer::press(const ButtonChanged& button) {
  press_.on_panels = panels_.keeps_pointer();
  if (press_.on_panels) return;
  press_ = {Press::Does::undecided, false, button.button, button.modifiers, pointer_};
  if (is_on_wipe() && button.button == MouseButton::left) {
    press_.does = Press::Does::wipe;
  } else if (!plane_.on() && strokes_.press(button, placement(), pointer_)) {
    press_.does = Press::Does::draw;
    has_clicked_ = true;
  }
}

/// Decides what a drag does, once it is one: the left button draws strokes and turns scenes, all else moves
/// the picture.
void Viewer::begin_drag() {
  if (press_.button == MouseButton::left && strokes_.begin_drag(placement(), press_.at)) {
    has_clicked_ = true;
    press_.does = Press::Does::draw;
    return;
  }
  const bool turns = open_.is_scene() && press_.button == MouseButton::left && !(press_.modifiers & kShift);
  press_.does = turns ? Press::Does::orbit : Press::Does::pan;
}

void Viewer::move(glm::dvec2 to) {
  const glm::dvec2 from = press_.does == Press::Does::undecided ? press_.at : pointer_;
  const glm::dvec2 by = to - from;
  if (press_.does == Press::Does::undecided) {
    if (glm::length(by) <= kClickReach * scale_) {
      pointer_ = to;
      return;
    }
    begin_drag();
  }
  pointer_ = to;
  ViewState& state = open_.state;
  switch (press_.does) {
    case Press::Does::wipe:
      state.wipe = std::clamp(layout().picture.share_at(to.x), 0.001, 1.0);
      return;
    case Press::Does::orbit:
      set_camera(state, orbited(camera_of(state), glm::vec2(by)));
      return;
    case Press::Does::pan:
      if (open_.is_scene() && state.zoom <= 0)
        set_camera(state, panned(camera_of(state), glm::vec2(by), LiveScene::lens(state), open_.size().x));
      else
        placement().pan(state, by);
      return;
    case Press::Does::draw:
      strokes_.move(placement(), to);
      return;
    case Press::Does::nothing:
    case Press::Does::undecided:
      return;
  }
}

void Viewer::release(const ButtonChanged& button) {
  const bool clicked = press_.does == Press::Does::undecided && button.button == press_.button;
  if (press_.does == Press::Does::draw) strokes_.release(placement());
  press_.does = Press::Does::nothing;
  if (clicked && !press_.on_panels && press_.button == MouseButton::left) click();
}

/// Focuses where the pointer is; the second of two clicks changes the zoom.
void Viewer::click() {
  const auto now = std::chrono::steady_clock::now();
  const bool twice =
      now - last_click_time_ < kDoubleClick && glm::length(pointer_ - last_click_) <= kClickReach * scale_;
  last_click_time_ = twice ? std::chrono::steady_clock::time_point() : now;
  last_click_ = pointer_;
  const Placement place = placement();
  if (twice && !open_.is_scene()) {
    open_.state.zoom == 0 ? place.zoom_at(open_.state, pointer_, 1 / place.zoom())
                          : void(open_.state.zoom = 0);
    return;
  }
  const glm::dvec2 pixel = place.to_picture(pointer_);
  if (!place.holds(pointer_)) return;
  has_clicked_ = true;
  if (opening_.opens()) return opening_.focus_later(pixel);
  if (!open_.has_depth())
    return notices_.say(clip_.on() ? kClipWithoutDepth
                        : strokes_.on()
                            ? "drag over what is nearest: a stroke is a drag, and a click focuses once there "
                              "is depth"
                            : "this photo has no depth: press D and draw it, or drop its depth map onto the "
                              "panels");
  plane_.on() ? plane_.click(pixel) : focus_at(pixel);
}

/// Focuses on the thing at a pixel of the picture, where it has depth.
void Viewer::focus_at(std::optional<glm::dvec2> pixel) {
  const std::optional<float> disparity = pixel ? stage_.disparity_around(*pixel) : std::nullopt;
  if (disparity) open_.focus_on(*disparity);
}

/// Opens dropped files, or takes one as the photo's depth map if it was dropped on that card or on the
/// panels. Dropped elsewhere, a file that looks like a map is one if the photo has no depth.
void Viewer::take_dropped(const std::vector<std::filesystem::path>& files) {
  const bool had_cards = std::exchange(dragged_over_, false);
  const ViewedPhoto* const photo = open_.is_early() ? nullptr : open_.photo();
  if (!photo || files.size() != 1) return opening_.open(files);
  const DropTargets targets = drop_targets(layout().picture, true);
  if (had_cards && holds(targets.open, pointer_)) return opening_.open(files);
  if ((had_cards && holds(*targets.map, pointer_)) || panels_.keeps_pointer())
    return opening_.take_depth(files[0]);
  if (clip_.on() || photo->depth ||
      !looks_like_map(files[0], glm::dvec2(open_.size()), open_.settings().limits()))
    return opening_.open(files);
  notices_.say(
      fmt::format("{} is grey and has the photo's proportions: taken for the depth map of {} (Ctrl+Z undoes)",
                  short_name(files[0]), short_name(photo->file)));
  opening_.take_depth(files[0]);
}

void Viewer::scroll(const Scrolled& scrolled) {
  if (panels_.keeps_pointer() || strokes_.scroll(scrolled, placement(), pointer_)) return;
  constexpr double kPerNotch = 1.15;
  const double factor = std::pow(kPerNotch, scrolled.notches);
  if (open_.is_scene() && !(scrolled.modifiers & kControl))
    set_camera(open_.state, dollied(camera_of(open_.state), 1 / factor));
  else
    placement().zoom_at(open_.state, pointer_, factor);
}

void Viewer::press_key(const KeyChanged& key) {
  if (!key.down) return;
  if (questions_.any()) {
    // Closing twice closes without an answer.
    const bool closes = key.key == 'Q' && (questions_.kind() == Questions::Kind::close);
    return closes ? close() : questions_.press(*this, key.key);
  }
  if (panels_.keeps_keys() || strokes_.press_key(key)) return;
  for (const ViewerKey& known : viewer_keys())
    if (known.act && known.signs.empty() && known.key == key.key && known.modifiers == key.modifiers &&
        (known.repeats || !key.repeated))
      return known.act(*this);
}

void Viewer::type(const Typed& typed) {
  // Layouts without ASCII letters have letters of their own in the places of signs.
  const char character = typed.character > '~' ? typed.us_sign : static_cast<char>(typed.character);
  if (panels_.keeps_keys() || questions_.any() || character == 0 || strokes_.type(character)) return;
  for (const ViewerKey& known : viewer_keys())
    if (known.signs.find(character) != std::string_view::npos && (known.repeats || !typed.repeated))
      return known.act(*this);
}

}  // namespace scanlens
