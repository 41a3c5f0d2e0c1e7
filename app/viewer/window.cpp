// The viewer's window, by GLFW.
#include <glad/gl.h>
// GLFW must find OpenGL's functions already declared.
#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string_view>

#include "app/viewer/parts/drag_watch.h"
#include "app/viewer/surface.h"
#include "app/viewer/viewer.h"
#include "core/error.h"

namespace scanlens {
namespace {

std::string glfw_cause() {
  const char* text = nullptr;
  glfwGetError(&text);
  return text ? text : "GLFW does not say why";
}

constexpr const char* kWithoutWindow =
    "; without one, `view --screenshot FILE` and `view --headless --script FILE` draw into files, and `dof`, "
    "`render` and `filter` need no OpenGL window either";

/// Brackets GLFW, from its first call to its last.
class Glfw {
 public:
  Glfw() {
    if (!glfwInit()) throw Error("no window can be opened: " + glfw_cause() + kWithoutWindow);
  }
  ~Glfw() { glfwTerminate(); }
  Glfw(const Glfw&) = delete;
  Glfw& operator=(const Glfw&) = delete;
};

struct CloseWindow {
  void operator()(GLFWwindow* window) const { glfwDestroyWindow(window); }
};
using WindowPointer = std::unique_ptr<GLFWwindow, CloseWindow>;

/// Returns the scale of text for a screen with as many lines as 4K, for desktops that set none; 1 for others.
double scale_by_lines() {
  GLFWmonitor* const monitor = glfwGetPrimaryMonitor();
  const GLFWvidmode* const mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
  if (!mode) return 1;
  constexpr double kUsualLines = 1080, kStep = 0.25, kLeast = 1.5;
  const double scale = kStep * std::round(std::min(mode->width, mode->height) / kUsualLines / kStep);
  return scale < kLeast ? 1 : scale;
}

/// Returns the window's pixels per point of text: the desktop's scale, or `by_lines` if the
/// desktop has not set one.
double pixels_per_point(GLFWwindow* window, double by_lines) {
  float scale = 1;
  glfwGetWindowContentScale(window, &scale, nullptr);
  return scale == 1 ? by_lines : scale;
}

/// Makes a window fit the screen, where it has grown beyond it by the screen's scale.
void fit_screen(GLFWwindow* window) {
  GLFWmonitor* const monitor = glfwGetPrimaryMonitor();
  if (!monitor) return;
  int x = 0, y = 0, free_width = 0, free_height = 0, width = 0, height = 0;
  glfwGetMonitorWorkarea(monitor, &x, &y, &free_width, &free_height);
  glfwGetWindowSize(window, &width, &height);
  constexpr double kShare = 0.95;
  const auto fitting = [](int side, int free) {
    return free > 0 ? std::min(side, static_cast<int>(kShare * free)) : side;
  };
  glfwSetWindowSize(window, fitting(width, free_width), fitting(height, free_height));
}

WindowPointer open_glfw_window(int width, int height, const std::string& title, double by_lines) {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 5);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_DEBUG_CONTEXT, wants_debug_context());
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  WindowPointer window(
      glfwCreateWindow(std::max(1, width), std::max(1, height), title.c_str(), nullptr, nullptr));
  if (!window) throw Error("no window with OpenGL 4.5 can be opened: " + glfw_cause() + kWithoutWindow);
  float scale = 1;
  glfwGetWindowContentScale(window.get(), &scale, nullptr);
  if (scale == 1 && by_lines != 1)
    glfwSetWindowSize(window.get(), static_cast<int>(std::lround(width * by_lines)),
                      static_cast<int>(std::lround(height * by_lines)));
  fit_screen(window.get());
  glfwShowWindow(window.get());
  glfwMakeContextCurrent(window.get());
  glfwSwapInterval(1);
  return window;
}

std::string_view or_empty(const char* text) {
  return text ? text : "";
}

/// Returns the viewer's name of a key; nothing for keys that it does not use.
std::optional<Key> key_of(int glfw_key, int scancode) {
  if (glfw_key > GLFW_KEY_SPACE && glfw_key <= GLFW_KEY_GRAVE_ACCENT) {
    const std::string_view name = or_empty(glfwGetKeyName(glfw_key, scancode));
    const bool ascii = name.size() == 1 && name[0] > ' ' && name[0] <= '~';
    return ascii ? std::toupper(static_cast<unsigned char>(name[0])) : glfw_key;  // which is ASCII, too
  }
  if (glfw_key >= GLFW_KEY_F1 && glfw_key <= GLFW_KEY_F12) return kF1 + (glfw_key - GLFW_KEY_F1);
  switch (glfw_key) {
    case GLFW_KEY_SPACE:
      return ' ';
    case GLFW_KEY_KP_ADD:
      return '+';
    case GLFW_KEY_KP_SUBTRACT:
      return '-';
    case GLFW_KEY_KP_0:
      return '0';
    case GLFW_KEY_ESCAPE:
      return kEscape;
    case GLFW_KEY_ENTER:
    case GLFW_KEY_KP_ENTER:
      return kEnter;
    case GLFW_KEY_TAB:
      return kTab;
    case GLFW_KEY_BACKSPACE:
      return kBackspace;
    case GLFW_KEY_DELETE:
      return kDelete;
    case GLFW_KEY_LEFT:
      return kLeft;
    case GLFW_KEY_RIGHT:
      return kRight;
    case GLFW_KEY_UP:
      return kUp;
    case GLFW_KEY_DOWN:
      return kDown;
    case GLFW_KEY_PAGE_UP:
      return kPageUp;
    case GLFW_KEY_PAGE_DOWN:
      return kPageDown;
    case GLFW_KEY_HOME:
      return kHome;
    case GLFW_KEY_END:
      return kEnd;
    default:
      return std::nullopt;
  }
}

/// Returns the sign that a US keyboard has on a key; 0 if it has no sign.
char us_sign_of(int glfw_key, bool shift) {
  constexpr std::string_view kSigns = ",./;'[]\\-=`", kWithShift = "<>?:\"{}|_+~";
  const std::size_t at =
      glfw_key > 0 && glfw_key <= '~' ? kSigns.find(static_cast<char>(glfw_key)) : kSigns.npos;
  return at == kSigns.npos ? '\0' : (shift ? kWithShift : kSigns)[at];
}

int modifiers_of(int glfw_modifiers) {
  return (glfw_modifiers & GLFW_MOD_SHIFT ? kShift : 0) | (glfw_modifiers & GLFW_MOD_CONTROL ? kControl : 0) |
         (glfw_modifiers & GLFW_MOD_ALT ? kAlt : 0);
}

class Window : public Surface {
 public:
  Window(int width, int height, const std::string& title)
      : by_lines_(scale_by_lines()),
        window_(open_glfw_window(width, height, title, by_lines_)),
        gl_(GlContext::adopt(glfwGetProcAddress)),
        title_(title) {
    glfwSetWindowUserPointer(window_.get(), this);
    listen();
    note_size();  // before what is done in it: a window may be closed in its first frame
  }

  const GlContext& gl() const override { return gl_; }

  void take_input(Viewer& viewer, double patience) override {
    patience > 0 ? glfwWaitEventsTimeout(patience) : glfwPollEvents();
    if (glfwWindowShouldClose(window_.get())) {
      glfwSetWindowShouldClose(window_.get(), GLFW_FALSE);
      viewer.close();
    }
    note_size();
    note_drag();
    for (const Input& input : inputs_) viewer.input(input);
    inputs_.clear();
  }

  void resize(const Resized& to) override {
    note_size();
    const glm::dvec2 units = glm::dvec2(to.width, to.height) / pixels_per_unit();
    glfwSetWindowSize(window_.get(), static_cast<int>(std::lround(units.x)),
                      static_cast<int>(std::lround(units.y)));
    // The window system takes its time.
    const Clock::time_point end = Clock::now() + std::chrono::seconds(1);
    while (size_ != glm::ivec2(to.width, to.height) && Clock::now() < end) {
      glfwWaitEventsTimeout(0.02);
      note_size();
    }
  }

  void begin_frame(Viewer&) override { glBindFramebuffer(GL_FRAMEBUFFER, 0); }

  void end_frame(Viewer& viewer) override {
    if (const std::optional<std::string> text = viewer.take_copied())
      glfwSetClipboardString(window_.get(), text->c_str());
    if (viewer.title() != title_) {
      title_ = viewer.title();
      glfwSetWindowTitle(window_.get(), title_.c_str());
    }
    fill_screen(viewer.open().state.full_screen > 0);
    show_pointer(viewer.pointer_shape());
    glfwSwapBuffers(window_.get());
  }

  double seconds() override {
    const Clock::time_point now = Clock::now();
    const std::chrono::duration<double> since = now - last_;
    last_ = now;
    return std::min(since.count(), 0.25);
  }

  Image<std::uint8_t> picture() override { return read_frame(size_.x, size_.y); }

 private:
  using Clock = std::chrono::steady_clock;

  static Window& of(GLFWwindow* window) { return *static_cast<Window*>(glfwGetWindowUserPointer(window)); }

  /// Returns pixels of the picture per unit of the pointer's place, which differ on some systems.
  glm::dvec2 pixels_per_unit() const {
    int width = 1, height = 1;
    glfwGetWindowSize(window_.get(), &width, &height);
    return glm::dvec2(size_) / glm::dvec2(std::max(width, 1), std::max(height, 1));
  }

  void listen() {
    GLFWwindow* const window = window_.get();
    glfwSetCursorPosCallback(window, [](GLFWwindow* which, double x, double y) {
      const glm::dvec2 place = glm::dvec2(x, y) * of(which).pixels_per_unit();
      of(which).inputs_.push_back(PointerMoved{place.x, place.y});
    });
    glfwSetCursorEnterCallback(window, [](GLFWwindow* which, int entered) {
      if (!entered) of(which).inputs_.push_back(PointerMoved{-1, -1});
    });
    glfwSetMouseButtonCallback(window, [](GLFWwindow* which, int button, int action, int modifiers) {
      if (button > GLFW_MOUSE_BUTTON_MIDDLE) return;
      of(which).inputs_.push_back(
          ButtonChanged{static_cast<MouseButton>(button), action == GLFW_PRESS, modifiers_of(modifiers)});
    });
    glfwSetScrollCallback(window, [](GLFWwindow* which, double, double notches) {
      const bool control =
          glfwGetKey(which, GLFW_KEY_LEFT_CONTROL) || glfwGetKey(which, GLFW_KEY_RIGHT_CONTROL);
      const bool alt = glfwGetKey(which, GLFW_KEY_LEFT_ALT) || glfwGetKey(which, GLFW_KEY_RIGHT_ALT);
      of(which).inputs_.push_back(
          Scrolled{notches, (control ? kControl : kNoModifier) | (alt ? kAlt : kNoModifier)});
    });
    glfwSetKeyCallback(window, [](GLFWwindow* which, int key, int scancode, int action, int modifiers) {
      of(which).repeating_ = action == GLFW_REPEAT;
      of(which).us_sign_ = us_sign_of(key, modifiers & GLFW_MOD_SHIFT);
      // AltGr makes signs of letters, and is no modifier to GLFW.
      if (glfwGetKey(which, GLFW_KEY_RIGHT_ALT) == GLFW_PRESS) modifiers |= GLFW_MOD_ALT;
      if (const std::optional<Key> known = key_of(key, scancode))
        of(which).inputs_.push_back(
            KeyChanged{*known, action != GLFW_RELEASE, modifiers_of(modifiers), action == GLFW_REPEAT});
    });
    // Follows the call for the key that types it.
    glfwSetCharCallback(window, [](GLFWwindow* which, unsigned character) {
      Window& self = of(which);
      self.inputs_.push_back(Typed{character, self.repeating_, self.us_sign_});
    });
    glfwSetDropCallback(window, [](GLFWwindow* which, int count, const char** files) {
      // The cards were there until the files were let go.
      if (of(which).drags_.take_dropped()) of(which).inputs_.push_back(DraggedOver{true});
      of(which).inputs_.push_back(Dropped{{files, files + count}});
    });
  }

  void note_size() {
    int width = 0, height = 0;
    glfwGetFramebufferSize(window_.get(), &width, &height);
    const double scale = pixels_per_point(window_.get(), by_lines_);
    if (width < 1 || height < 1 || (glm::ivec2(width, height) == size_ && scale == scale_)) return;
    size_ = {width, height};
    scale_ = scale;
    inputs_.push_back(Resized{width, height, scale});
  }

  /// Says that files came over the window, or left it.
  void note_drag() {
    const bool over = drags_.is_dragged_over();
    if (over == dragged_over_) return;
    dragged_over_ = over;
    inputs_.push_back(DraggedOver{over});
  }

  /// GLFW's end takes the cursors with it.
  void show_pointer(PointerShape shape) {
    if (shape == shape_) return;
    shape_ = shape;
    GLFWcursor*& cursor = cursors_[static_cast<std::size_t>(shape)];
    if (!cursor && shape != PointerShape::arrow)
      cursor =
          glfwCreateStandardCursor(shape == PointerShape::text ? GLFW_IBEAM_CURSOR : GLFW_HRESIZE_CURSOR);
    glfwSetCursor(window_.get(), cursor);
  }

  void fill_screen(bool fill) {
    if (fill == fills_screen_) return;
    fills_screen_ = fill;
    GLFWmonitor* const monitor = glfwGetPrimaryMonitor();
    const GLFWvidmode* const mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
    if (!mode) return;
    if (fill) {
      glfwGetWindowPos(window_.get(), &place_.x, &place_.y);
      glfwGetWindowSize(window_.get(), &extent_.x, &extent_.y);
      glfwSetWindowMonitor(window_.get(), monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
    } else {
      glfwSetWindowMonitor(window_.get(), nullptr, place_.x, place_.y, extent_.x, extent_.y, 0);
    }
    glfwSwapInterval(1);
  }

  Glfw glfw_;
  double by_lines_;
  WindowPointer window_;
  DragWatch drags_;
  bool dragged_over_ = false;
  GlContext gl_;
  std::vector<Input> inputs_;
  std::string title_;
  glm::ivec2 size_{0, 0}, place_{0, 0}, extent_{0, 0};
  double scale_ = 0;
  bool fills_screen_ = false;
  PointerShape shape_ = PointerShape::arrow;
  std::array<GLFWcursor*, 3> cursors_ = {};  ///< by shape; null is the arrow
  bool repeating_ = false;                   ///< the last key does
  char us_sign_ = 0;                         ///< of the last key
  Clock::time_point last_ = Clock::now();
};

}  // namespace

std::unique_ptr<Surface> open_window(int width, int height, const std::string& title) {
  return std::make_unique<Window>(width, height, title);
}

}  // namespace scanlens
