#include "app/viewer/window.h"

#include <glad/gl.h>
// GLFW must find OpenGL's functions already declared.
#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/gl/context.h"
#include "app/gl/objects.h"
#include "app/gl/program.h"
#include "app/io/picture.h"
#include "core/error.h"

namespace scanlens {
namespace {

std::string glfw_cause() {
  const char* text = nullptr;
  glfwGetError(&text);
  return text ? text : "GLFW does not say why";
}

/// Brackets GLFW, from its first call to its last.
class Glfw {
 public:
  Glfw() {
    if (!glfwInit()) throw Error("no window can be opened: " + glfw_cause());
  }
  ~Glfw() { glfwTerminate(); }
  Glfw(const Glfw&) = delete;
  Glfw& operator=(const Glfw&) = delete;
};

struct CloseWindow {
  void operator()(GLFWwindow* window) const { glfwDestroyWindow(window); }
};
using WindowPointer = std::unique_ptr<GLFWwindow, CloseWindow>;

/// Opens a window as large as the picture, and no larger than nine tenths of the screen.
WindowPointer open_window(std::int64_t width, std::int64_t height, const std::string& title,
                          bool fit_to_screen) {
  double scale = 1;
  GLFWmonitor* const monitor = glfwGetPrimaryMonitor();
  if (const GLFWvidmode* screen = monitor && fit_to_screen ? glfwGetVideoMode(monitor) : nullptr)
    scale = std::min({1.0, 0.9 * screen->width / static_cast<double>(width),
                      0.9 * screen->height / static_cast<double>(height)});
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 5);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  WindowPointer window(glfwCreateWindow(std::max(1, static_cast<int>(static_cast<double>(width) * scale)),
                                        std::max(1, static_cast<int>(static_cast<double>(height) * scale)),
                                        title.c_str(), nullptr, nullptr));
  if (!window) throw Error("no window with OpenGL 4.5 can be opened: " + glfw_cause());
  glfwMakeContextCurrent(window.get());
  glfwSwapInterval(1);
  glfwSetKeyCallback(window.get(), [](GLFWwindow* which, int key, int, int action, int) {
    if (action == GLFW_PRESS && (key == GLFW_KEY_ESCAPE || key == GLFW_KEY_Q))
      glfwSetWindowShouldClose(which, GLFW_TRUE);
  });
  return window;
}

}  // namespace

void show_picture(View<const std::uint8_t> rgb, const std::string& name,
                  const std::filesystem::path& screenshot, const WriteOptions& write) {
  const Glfw glfw;
  const WindowPointer window = open_window(rgb.width, rgb.height, "scanlens: " + name, screenshot.empty());
  const GlContext gl = GlContext::adopt(glfwGetProcAddress);
  if (rgb.width > gl.max_texture_size() || rgb.height > gl.max_texture_size())
    throw Error(fmt::format("{}: {} x {} is more than the {} pixels per side of this OpenGL's textures", name,
                            rgb.width, rgb.height, gl.max_texture_size()));

  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  const Texture texture =
      Texture::image_2d(GL_RGB8, static_cast<int>(rgb.width), static_cast<int>(rgb.height));
  glTextureParameteri(texture.id(), GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTextureSubImage2D(texture.id(), 0, 0, 0, texture.width(), texture.height(), GL_RGB, GL_UNSIGNED_BYTE,
                      rgb.data);
  const GlProgram program(ShaderSources(),
                          {{GL_VERTEX_SHADER, "show.vert"}, {GL_FRAGMENT_SHADER, "show.frag"}});
  const VertexArray nothing = VertexArray::create();
  gl.check("preparing the window");

  const double aspect = static_cast<double>(rgb.width) / static_cast<double>(rgb.height);
  while (!glfwWindowShouldClose(window.get())) {
    int width = 0, height = 0;
    glfwGetFramebufferSize(window.get(), &width, &height);
    const int fitted_width = std::min(width, static_cast<int>(height * aspect + 0.5));
    const int fitted_height = std::min(height, static_cast<int>(width / aspect + 0.5));
    glViewport(0, 0, width, height);
    glClearColor(0.1f, 0.1f, 0.1f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glViewport((width - fitted_width) / 2, (height - fitted_height) / 2, fitted_width, fitted_height);
    program.use();
    glBindTextureUnit(0, texture.id());
    glBindVertexArray(nothing.id());
    glDrawArrays(GL_TRIANGLES, 0, 3);
    gl.check("drawing the picture");

    if (!screenshot.empty()) {
      Image<std::uint8_t> shown(width, height, 3), upright(width, height, 3);
      glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, shown.view().data);
      for (int y = 0; y < height; ++y)  // OpenGL's rows begin at the bottom
        std::copy_n(shown.view().row(height - 1 - y), shown.view().row_samples(), upright.view().row(y));
      write_picture(screenshot, Picture{std::move(upright)}, write);
      return;
    }
    glfwSwapBuffers(window.get());
    glfwWaitEvents();
  }
}

}  // namespace scanlens
