// Acts on a person's inputs: the pointer, keys and what is dropped.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <type_traits>
#include <utility>

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
  const double line = layout().picture.column(model_.state.wipe);
  return model_.state.wipe > 0 && std::abs(pointer_.x - line) <= kWipeReach * scale_;
}

PointerShape Viewer::pointer_shape() const {
  if (panels_.keeps_pointer()) return panels_.pointer_shape();
  return dragging_ == Dragging::wipe || is_on_wipe() ? PointerShape::sideways : PointerShape::arrow;
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
          try_to([&] { strokes_.draw(what.words); });
        else if constexpr (std::is_same_v<What, SeekAsked>)
          try_to([&] { clip_.seek(what.moment); });
        else if constexpr (std::is_same_v<What, CloseAsked>)
          close_at_once();  // a script knows what it does
      },
      input);
}

void Viewer::press(const ButtonChanged& button) {
  panels_keep_drag_ = panels_.keeps_pointer();
  if (panels_keep_drag_) return;
  button_ = button.button;
  modifiers_ = button.modifiers;
  pressed_at_ = pointer_;
  dragging_ = is_on_wipe() && button_ == MouseButton::left    ? Dragging::wipe
              : strokes_.press(button, placement(), pointer_) ? Dragging::draw
                                                              : Dragging::undecided;
  if (dragging_ == Dragging::draw) has_clicked_ = true;
}

/// Decides what a drag does, once it is one: the left button draws strokes and turns scenes, all else moves
/// the picture.
void Viewer::begin_drag() {
  if (button_ == MouseButton::left && strokes_.begin_drag(placement(), pressed_at_)) {
    has_clicked_ = true;
    dragging_ = Dragging::draw;
    return;
  }
  const bool turns = model_.is_scene() && button_ == MouseButton::left && !(modifiers_ & kShift);
  dragging_ = turns ? Dragging::orbit : Dragging::pan;
}

void Viewer::move(glm::dvec2 to) {
  const glm::dvec2 from = dragging_ == Dragging::undecided ? pressed_at_ : pointer_;
  const glm::dvec2 by = to - from;
  if (dragging_ == Dragging::undecided) {
    if (glm::length(by) <= kClickReach * scale_) {
      pointer_ = to;
      return;
    }
    begin_drag();
  }
  pointer_ = to;
  ViewState& state = model_.state;
  switch (dragging_) {
    case Dragging::wipe:
      state.wipe = std::clamp(layout().picture.share_at(to.x), 0.001, 1.0);
      return;
    case Dragging::orbit:
      set_camera(state, orbited(camera_of(state), glm::vec2(by)));
      return;
    case Dragging::pan:
      if (model_.is_scene() && state.zoom <= 0)
        set_camera(state,
                   panned(camera_of(state), glm::vec2(by), model_.scene()->lens(state), model_.size().x));
      else
        placement().pan(state, by);
      return;
    case Dragging::draw:
      strokes_.move(placement(), to);
      return;
    case Dragging::nothing:
    case Dragging::undecided:
      return;
  }
}

void Viewer::release(const ButtonChanged& button) {
  const bool clicked = dragging_ == Dragging::undecided && button.button == button_;
  if (dragging_ == Dragging::draw) strokes_.release(placement());
  dragging_ = Dragging::nothing;
  if (panels_keep_drag_ || !clicked || button_ != MouseButton::left) return;
  const auto now = std::chrono::steady_clock::now();
  const bool twice =
      now - last_click_time_ < kDoubleClick && glm::length(pointer_ - last_click_) <= kClickReach * scale_;
  last_click_time_ = twice ? std::chrono::steady_clock::time_point() : now;
  last_click_ = pointer_;
  if (twice && !model_.is_scene()) {
    model_.state.zoom == 0 ? placement().zoom_at(model_.state, pointer_, 1 / placement().zoom())
                           : void(model_.state.zoom = 0);
    return;
  }
  const glm::dvec2 pixel = placement().to_picture(pointer_);
  if (!placement().holds(pointer_)) return;
  has_clicked_ = true;
  if (opens()) return void(focus_later_ = pixel);
  if (!model_.has_depth())
    return say(clip_.on() ? kClipWithoutDepth
               : strokes_.on()
                   ? "drag over what is nearest: a stroke is a drag, and a click focuses once there "
                     "is depth"
                   : "this photo has no depth: press D and draw it, or drop its depth map onto the "
                     "panels");
  try_to([&] { model_.focus_at(pixel); });
}

void Viewer::scroll(const Scrolled& scrolled) {
  if (panels_.keeps_pointer() || strokes_.scroll(scrolled, placement(), pointer_)) return;
  constexpr double kPerNotch = 1.15;
  const double factor = std::pow(kPerNotch, scrolled.notches);
  if (model_.is_scene() && !(scrolled.modifiers & kControl))
    set_camera(model_.state, dollied(camera_of(model_.state), 1 / factor));
  else
    placement().zoom_at(model_.state, pointer_, factor);
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
