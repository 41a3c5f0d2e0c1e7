// Compiles and links programs from shader files.
#pragma once

#include <glad/gl.h>

#include <cstdint>
#include <glm/glm.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/gl/context.h"
#include "app/gl/shader_sources.h"

namespace scanlens {

struct ShaderStage {
  GLenum type;       ///< GL_VERTEX_SHADER, …
  std::string file;  ///< a file of shaders/
};

/// Belongs to the OpenGL context that was current when it was made. Moves, does not copy.
class GlProgram {
 public:
  GlProgram() = default;  ///< no program, id() is 0
  /// Throws Error with the compiler's or linker's log in one line, places named as file:line.
  GlProgram(const ShaderSources& sources, std::vector<ShaderStage> stages, ShaderDefines defines = {});
  GlProgram(GlProgram&& other) noexcept;
  GlProgram& operator=(GlProgram&& other) noexcept;
  ~GlProgram();

  /// Compiles again from `sources`. When that throws, the program is what it was before. Uniforms keep no
  /// values.
  void reload(const ShaderSources& sources);

  GLuint id() const { return id_; }
  void use() const { glUseProgram(id_); }

  /// Sets a uniform. A name that the compiler has dropped, because nothing reads it, is passed over.
  void set(const char* name, int value) const { glProgramUniform1i(id_, at(name), value); }
  void set(const char* name, unsigned value) const { glProgramUniform1ui(id_, at(name), value); }
  void set(const char* name, float value) const { glProgramUniform1f(id_, at(name), value); }
  void set(const char* name, glm::vec2 v) const { glProgramUniform2f(id_, at(name), v.x, v.y); }
  void set(const char* name, glm::ivec2 v) const { glProgramUniform2i(id_, at(name), v.x, v.y); }
  void set(const char* name, glm::vec3 v) const { glProgramUniform3f(id_, at(name), v.x, v.y, v.z); }
  void set(const char* name, glm::vec4 v) const { glProgramUniform4f(id_, at(name), v.x, v.y, v.z, v.w); }
  template <int kCount>
  void set(const char* name, const float (&values)[kCount]) const {
    glProgramUniform1fv(id_, at(name), kCount, values);
  }
  void set(const char* name, const glm::mat4& m) const {
    glProgramUniformMatrix4fv(id_, at(name), 1, GL_FALSE, &m[0][0]);
  }

 private:
  GLint at(const char* name) const { return glGetUniformLocation(id_, name); }

  std::vector<ShaderStage> stages_;
  ShaderDefines defines_;
  GLuint id_ = 0;
};

/// Starts as many of the current compute shader's work groups of `width` x `height` threads as cover
/// columns x rows.
inline void dispatch(std::int64_t columns, std::int64_t rows, int width, int height) {
  glDispatchCompute(static_cast<GLuint>((columns + width - 1) / width),
                    static_cast<GLuint>((rows + height - 1) / height), 1);
}

}  // namespace scanlens
