#include "app/viewer/drag_watch.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstring>
#include <utility>

namespace scanlens {
namespace {

/// Makes an event of what the X server has sent: 32 bytes, as X11's protocol has them. Xlib's extensions put
/// theirs in place of others' by XESetWireToEvent.
using WireToEvent = int (*)(void* display, void* event, const std::uint8_t* wire);

constexpr int kClientMessage = 33, kAtSerialNumber = 8;

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
  std::memcpy(&kind, wire + kAtSerialNumber, sizeof kind);
  if (kind == watched.position) watched.inside = true;
  if (kind == watched.leave || kind == watched.drop) watched.inside = false;
  if (kind == watched.drop) watched.dropped = true;
  return watched.next(display, event, wire);
}

/// Returns a function of a library that GLFW has loaded; null where it has not.
template <class Function>
Function* loaded(const char* library, const char* name) {
  void* const handle = library ? dlopen(library, RTLD_LAZY | RTLD_NOLOAD) : RTLD_DEFAULT;
  return handle ? reinterpret_cast<Function*>(dlsym(handle, name)) : nullptr;
}

constexpr const char* kXlib = "libX11.so.6";
using SetWireToEvent = WireToEvent(void* display, int event, WireToEvent);

}  // namespace

DragWatch::DragWatch() {
  auto* const display_of_glfw = loaded<void*()>(nullptr, "glfwGetX11Display");
  auto* const set = loaded<SetWireToEvent>(kXlib, "XESetWireToEvent");
  auto* const atom = loaded<unsigned long(void*, const char*, int)>(kXlib, "XInternAtom");
  void* const display = display_of_glfw ? display_of_glfw() : nullptr;
  if (!display || !set || !atom) return;
  const auto number = [&](const char* name) { return static_cast<std::uint32_t>(atom(display, name, 0)); };
  watched = {display, nullptr, number("XdndPosition"), number("XdndLeave"), number("XdndDrop")};
  watched.next = set(display, kClientMessage, note_drag);
}

DragWatch::~DragWatch() {
  if (watched.next)
    loaded<SetWireToEvent>(kXlib, "XESetWireToEvent")(watched.display, kClientMessage, watched.next);
  watched = {};
}

bool DragWatch::is_dragged_over() const {
  return watched.inside;
}

bool DragWatch::take_dropped() {
  return std::exchange(watched.dropped, false);
}

}  // namespace scanlens
