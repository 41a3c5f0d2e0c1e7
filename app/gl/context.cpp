#include "app/gl/context.h"

#include <fmt/format.h>
#include <glad/egl.h>
#include <glad/gl.h>

#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"

namespace scanlens {

bool wants_debug_context() {
  const char* const wanted = std::getenv("SCANLENS_GL_DEBUG");
  return wanted && std::string_view(wanted) == "1";
}

struct GlContext::State {
  EGLDisplay display = EGL_NO_DISPLAY;
  EGLContext context = EGL_NO_CONTEXT;  ///< stays EGL_NO_CONTEXT when the context was adopted
  bool adopted = false;
  std::string vendor, renderer, version;
  int cuda_ordinal = -1;
  bool software = false;
  int max_texture_size = 0;
  std::int64_t max_ssbo_bytes = 0;
  std::string message;  ///< the first debug message that counts as an error since the last check

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (adopted) glDebugMessageCallback(nullptr, nullptr);
    if (context == EGL_NO_CONTEXT) return;
    if (eglGetCurrentContext() == context)
      eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display, context);
    // The display is not terminated: EGL hands out one per device and process, and another context may live
    // on it.
  }
};

namespace {

/// Names a place where a context may be opened.
struct Place {
  std::string name;
  EGLenum platform;
  void* native;
  int cuda_ordinal;
};

bool lists(const char* extensions, std::string_view name) {
  for (std::string_view rest = extensions ? extensions : ""; !rest.empty();) {
    const std::size_t space = rest.find(' ');
    if (rest.substr(0, space) == name) return true;
    if (space == std::string_view::npos) break;
    rest.remove_prefix(space + 1);
  }
  return false;
}

std::vector<Place> places_to_try(int wanted_ordinal) {
  const char* client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  std::vector<Place> wanted, hardware, software;
  if (lists(client, "EGL_EXT_platform_device") && eglQueryDevicesEXT && eglQueryDeviceStringEXT) {
    EGLint count = 0;
    eglQueryDevicesEXT(0, nullptr, &count);
    std::vector<EGLDeviceEXT> devices(static_cast<std::size_t>(count));
    eglQueryDevicesEXT(count, devices.data(), &count);
    for (int i = 0; i < count; ++i) {
      EGLDeviceEXT device = devices[static_cast<std::size_t>(i)];
      const char* extensions = eglQueryDeviceStringEXT(device, EGL_EXTENSIONS);
      EGLAttrib ordinal = -1;
      if (lists(extensions, "EGL_NV_device_cuda") &&
          !eglQueryDeviceAttribEXT(device, EGL_CUDA_DEVICE_NV, &ordinal))
        ordinal = -1;
      Place place{fmt::format("EGL device {}", i), EGL_PLATFORM_DEVICE_EXT, device,
                  static_cast<int>(ordinal)};
      const bool asked_for = wanted_ordinal >= 0 && ordinal == wanted_ordinal;
      const bool is_software = lists(extensions, "EGL_MESA_device_software");
      (asked_for ? wanted : is_software ? software : hardware).push_back(std::move(place));
    }
  }
  std::vector<Place> places = std::move(wanted);
  places.insert(places.end(), hardware.begin(), hardware.end());
  if (lists(client, "EGL_MESA_platform_surfaceless"))
    places.push_back({"Mesa surfaceless", EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, -1});
  places.insert(places.end(), software.begin(), software.end());
  return places;
}

EGLContext create_context(EGLDisplay display) {
  EGLConfig config = EGL_NO_CONFIG_KHR;
  if (!lists(eglQueryString(display, EGL_EXTENSIONS), "EGL_KHR_no_config_context")) {
    const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                             EGL_NONE};
    EGLint count = 0;
    if (!eglChooseConfig(display, wanted, &config, 1, &count) || count == 0) return EGL_NO_CONTEXT;
  }
  // EGL before 1.5 does not know the attribute of debug contexts: where none is wanted, the list ends before
  // it.
  const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                               4,
                               EGL_CONTEXT_MINOR_VERSION,
                               5,
                               EGL_CONTEXT_OPENGL_PROFILE_MASK,
                               EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                               wants_debug_context() ? EGL_CONTEXT_OPENGL_DEBUG : EGL_NONE,
                               EGL_TRUE,
                               EGL_NONE};
  return eglCreateContext(display, config, EGL_NO_CONTEXT, attributes);
}

std::string text_of(GLenum name) {
  const GLubyte* text = glGetString(name);
  return text ? reinterpret_cast<const char*>(text) : "";
}

const char* name_of(GLenum error) {
  switch (error) {
    case GL_INVALID_ENUM:
      return "GL_INVALID_ENUM";
    case GL_INVALID_VALUE:
      return "GL_INVALID_VALUE";
    case GL_INVALID_OPERATION:
      return "GL_INVALID_OPERATION";
    case GL_INVALID_FRAMEBUFFER_OPERATION:
      return "GL_INVALID_FRAMEBUFFER_OPERATION";
    case GL_OUT_OF_MEMORY:
      return "GL_OUT_OF_MEMORY";
    case GL_CONTEXT_LOST:
      return "GL_CONTEXT_LOST";
    default:
      return "an unknown error";
  }
}

/// Compilers' messages are left out: GlProgram reads the log itself, and a shader that fails to reload is no
/// fault of the context.
void GLAD_API_PTR record_message(GLenum source, GLenum type, GLuint, GLenum severity, GLsizei length,
                                 const GLchar* text, const void* user) {
  auto& message = *static_cast<std::string*>(const_cast<void*>(user));
  const bool counts = severity == GL_DEBUG_SEVERITY_HIGH || type == GL_DEBUG_TYPE_ERROR ||
                      type == GL_DEBUG_TYPE_UNDEFINED_BEHAVIOR;
  if (!counts || source == GL_DEBUG_SOURCE_SHADER_COMPILER || !message.empty()) return;
  message = length < 0 ? std::string(text) : std::string(text, static_cast<std::size_t>(length));
  for (char& c : message)
    if (c == '\n') c = ' ';
}

/// Reads what the current context is and listens to its messages.
template <class State>
void describe(State& state) {
  state.vendor = text_of(GL_VENDOR);
  state.renderer = text_of(GL_RENDERER);
  state.version = text_of(GL_VERSION);
  for (const char* name : {"llvmpipe", "softpipe", "SWR", "swrast", "SwiftShader"})
    state.software |= state.renderer.find(name) != std::string::npos;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &state.max_texture_size);
  GLint64 bytes = 0;
  glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &bytes);
  state.max_ssbo_bytes = bytes;
  // Messages come synchronously, so that each is written on this thread and belongs to the call just made.
  glEnable(GL_DEBUG_OUTPUT);
  glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
  glDebugMessageCallback(record_message, &state.message);
}

}  // namespace

GlContext::GlContext(std::unique_ptr<State> state) : state_(std::move(state)) {}
GlContext::GlContext(GlContext&&) noexcept = default;
GlContext& GlContext::operator=(GlContext&&) noexcept = default;
GlContext::~GlContext() = default;

GlContext GlContext::open(int cuda_ordinal) {
  constexpr const char* kAdvice =
      "install libegl1 and libgl1-mesa-dri, or libegl1 and the OpenGL part of NVIDIA's driver";
  if (!gladLoaderLoadEGL(EGL_NO_DISPLAY))
    throw Error(fmt::format("no OpenGL without a window: libEGL.so.1 cannot be loaded; {}", kAdvice));
  if (!eglGetPlatformDisplayEXT)
    throw Error(fmt::format("no OpenGL without a window: EGL has no EGL_EXT_platform_base; {}", kAdvice));
  std::string tried;
  for (const Place& place : places_to_try(cuda_ordinal)) {
    const auto failed = [&](std::string_view step) {
      tried += fmt::format("{}{}: {} failed (EGL error {:#06x})", tried.empty() ? "" : "; ", place.name, step,
                           eglGetError());
    };
    EGLDisplay display = eglGetPlatformDisplayEXT(place.platform, place.native, nullptr);
    EGLint major = 0, minor = 0;
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, &major, &minor)) {
      failed("eglInitialize");
      continue;
    }
    // Without a display glad cannot know the version and leaves out most of EGL.
    gladLoaderLoadEGL(display);
    auto state = std::make_unique<State>();
    state->display = display;
    state->cuda_ordinal = place.cuda_ordinal;
    if (!eglBindAPI || !eglBindAPI(EGL_OPENGL_API)) {
      failed("eglBindAPI");
      continue;
    }
    state->context = create_context(display);
    if (state->context == EGL_NO_CONTEXT) {
      failed("an OpenGL 4.5 core context");
      continue;
    }
    if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, state->context)) {
      failed("eglMakeCurrent without a surface");
      continue;
    }
    if (!gladLoadGL(reinterpret_cast<GLADloadfunc>(eglGetProcAddress))) {
      failed("loading OpenGL's functions");
      continue;
    }
    describe(*state);
    return GlContext(std::move(state));
  }
  throw Error(fmt::format("no OpenGL 4.5 without a window: {}; {}",
                          tried.empty() ? "EGL lists no device and no surfaceless platform" : tried,
                          kAdvice));
}

GlContext GlContext::adopt(void (*(*load)(const char*))()) {
  const int version = gladLoadGL(load);
  if (version < GLAD_MAKE_VERSION(4, 5))
    throw Error(fmt::format("the window's OpenGL is {}.{}, but 4.5 is needed: update the graphics driver",
                            GLAD_VERSION_MAJOR(version), GLAD_VERSION_MINOR(version)));
  auto state = std::make_unique<State>();
  state->adopted = true;
  describe(*state);
  return GlContext(std::move(state));
}

const std::string& GlContext::vendor() const {
  return state_->vendor;
}
const std::string& GlContext::renderer() const {
  return state_->renderer;
}
const std::string& GlContext::version() const {
  return state_->version;
}
int GlContext::cuda_ordinal() const {
  return state_->cuda_ordinal;
}
bool GlContext::software() const {
  return state_->software;
}
int GlContext::max_texture_size() const {
  return state_->max_texture_size;
}
std::int64_t GlContext::max_ssbo_bytes() const {
  return state_->max_ssbo_bytes;
}

void GlContext::make_current() const {
  if (state_->context == EGL_NO_CONTEXT) return;
  if (!eglMakeCurrent(state_->display, EGL_NO_SURFACE, EGL_NO_SURFACE, state_->context))
    throw Error(
        fmt::format("the OpenGL context cannot be made current (EGL error {:#06x}): another thread holds it",
                    eglGetError()));
}

void GlContext::check(const char* what) const {
  const GLenum error = glGetError();
  // Some drivers keep several flags; a lost context reports its loss without end.
  for (int i = 0; i < 16 && glGetError() != GL_NO_ERROR; ++i) {
  }
  const std::string message = std::exchange(state_->message, {});
  if (error == GL_NO_ERROR && message.empty()) return;
  const bool later = error == GL_OUT_OF_MEMORY || error == GL_CONTEXT_LOST;
  throw Error(later ? ErrorKind::retry : ErrorKind::failed,
              fmt::format("{}: OpenGL reports {}{}{}{}", what, error ? name_of(error) : "a fault",
                          message.empty() ? "" : ": ", message,
                          error == GL_OUT_OF_MEMORY ? "; try a smaller picture" : ""));
}

}  // namespace scanlens
