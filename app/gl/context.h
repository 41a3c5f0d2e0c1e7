// Opens OpenGL without a window.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace scanlens {

/// Counts the bytes that work with OpenGL takes.
struct GlMemory {
  std::int64_t host = 0;
  std::int64_t device = 0;  ///< the computing context's, where that is a GPU
  std::int64_t opengl = 0;  ///< wherever OpenGL has its textures and buffers
};

/// Returns true if contexts are to be debug contexts, which report more errors: the environment's
/// SCANLENS_GL_DEBUG is 1. Tests set it.
bool wants_debug_context();

/// Owns an OpenGL 4.5 core context made by EGL, with no window, no surface and no display server. It is
/// current on the thread that opened it and usable only there; `make_current` moves it to the calling
/// thread, once no other thread has it current. Objects made in it must be destroyed before it. Several
/// contexts may exist side by side.
class GlContext {
 public:
  /// With `cuda_ordinal` >= 0 the EGL device that is that CUDA device is preferred. Then, in this order:
  /// every other device that EGL lists and that is not a software renderer, Mesa's surfaceless platform, and
  /// what else EGL lists. Throws Error that says what was tried when none yields a context.
  static GlContext open(int cuda_ordinal = -1);

  /// Takes note of the context that is current on this thread (a window's, say) so that code written for
  /// GlContext runs in it. Owns nothing; the window's context has to outlive the result. `load` finds an
  /// OpenGL function by name, as glfwGetProcAddress does. Throws Error when the context is older than 4.5.
  static GlContext adopt(void (*(*load)(const char*))());

  GlContext(GlContext&&) noexcept;
  GlContext& operator=(GlContext&&) noexcept;
  ~GlContext();

  const std::string& vendor() const;
  const std::string& renderer() const;
  const std::string& version() const;
  /// Returns the CUDA device that the context lives on; -1 for another device, or if it is not known.
  int cuda_ordinal() const;
  bool software() const;                ///< the CPU does the work
  int max_texture_size() const;         ///< texels in a side
  std::int64_t max_ssbo_bytes() const;  ///< largest shader storage block

  void make_current() const;

  /// Throws Error when OpenGL has reported an error since the last check: `retry` when memory was short, else
  /// `failed`. `what` says what was being done. A debug message of an error, of undefined behaviour or of
  /// high severity counts as an error.
  void check(const char* what) const;

 private:
  struct State;
  explicit GlContext(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace scanlens
