#include "app/viewer/parts/drag_watch.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstring>
#include <utility>

/// GLFW's display; the function is null where GLFW knows Wayland alone.
extern "C" __attribute__((weak)) void* glfwGetX11Display();

namespace scanlens {
namespace {

/// Makes an event of what the X server has sent: 32 bytes, as X11's protocol has them. Xlib's extensions put
/// theirs in place of others' by XESetWireToEvent.
using WireToEvent = int (*)(void* display, void* event, const std::uint8_t* wire);

constexpr int kClientMessage = 33, kAtType = 8;  ///< where its type stands

/// The X server's numbers of XDND's messages, and what they have said. There is one display, and one thread
/// that reads its events.
struct Watched {
  void* display = nullptr;
  WireToEvent next = nullptr;
  std::uint32_t position = 0, leave = 0, drop = 0;
  bool inside = false, dropped = false;
} watched;

/// Notes the messages of a drag, and hands all on. Xlib is locked here: none of its functions may be called.
int note_drag(void* display, void* event, const std::uint8_t* wire) {
  std::uint32_t kind = 0;
  std::memcpy(&kind, wire + kAtType, sizeof kind);
  if (kind == watched.position) watched.inside = true;
  if (kind == watched.leave || kind == watched.drop) watched.inside = false;
  if (kind == watched.drop) watched.dropped = true;
  return watched.next(display, event, wire);
}

/// Returns a function of the Xlib that GLFW has loaded; null where it has not.
template <class Function>
Function* of_xlib(const char* name) {
  void* const xlib = dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
  return xlib ? reinterpret_cast<Function*>(dlsym(xlib, name)) : nullptr;
}

using SetWireToEvent = WireToEvent(void* display, int event, WireToEvent);

}  // namespace

DragWatch::DragWatch() {
  void* const display = glfwGetX11Display ? glfwGetX11Display() : nullptr;
  auto* const set = of_xlib<SetWireToEvent>("XESetWireToEvent");
  auto* const atom = of_xlib<unsigned long(void*, const char*, int)>("XInternAtom");
  if (!display || !set || !atom) return;
  const auto number = [&](const char* name) { return static_cast<std::uint32_t>(atom(display, name, 0)); };
  watched = {display, nullptr, number("XdndPosition"), number("XdndLeave"), number("XdndDrop")};
  watched.next = set(display, kClientMessage, note_drag);
}

DragWatch::~DragWatch() {
  if (watched.next)
    of_xlib<SetWireToEvent>("XESetWireToEvent")(watched.display, kClientMessage, watched.next);
  watched = {};
}

bool DragWatch::is_dragged_over() const {
  return watched.inside;
}

bool DragWatch::take_dropped() {
  return std::exchange(watched.dropped, false);
}

}  // namespace scanlens
