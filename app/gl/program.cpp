#include "app/gl/program.h"

#include <fmt/format.h>

#include <string_view>

#include "core/error.h"

namespace scanlens {
namespace {

/// Deletes its shader or program unless the id was taken away.
struct Shader {
  explicit Shader(GLenum type) : id(glCreateShader(type)) {}
  Shader(Shader&& other) noexcept : id(std::exchange(other.id, 0)) {}
  Shader& operator=(Shader&&) = delete;
  ~Shader() { glDeleteShader(id); }
  GLuint id;
};
struct Program {
  Program() : id(glCreateProgram()) {}
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { glDeleteProgram(id); }
  GLuint id;
};

/// Returns the log in one line: an Error's message has no line breaks.
std::string in_one_line(std::string_view log) {
  std::string line;
  for (const char c : log) {
    if (c == '\0') continue;
    if (c != '\n') {
      line += c;
    } else if (!line.empty() && !line.ends_with("; ")) {
      line += "; ";
    }
  }
  while (line.ends_with(' ') || line.ends_with(';')) line.pop_back();
  return line;
}

Shader compile(const ShaderSources& sources, const ShaderStage& stage, const ShaderDefines& defines) {
  const ShaderText source = sources.load(stage.file, defines);
  Shader shader(stage.type);
  const GLchar* text = source.text.c_str();
  const auto length = static_cast<GLint>(source.text.size());
  glShaderSource(shader.id, 1, &text, &length);
  glCompileShader(shader.id);
  GLint compiled = GL_FALSE, log_length = 0;
  glGetShaderiv(shader.id, GL_COMPILE_STATUS, &compiled);
  if (compiled) return shader;
  glGetShaderiv(shader.id, GL_INFO_LOG_LENGTH, &log_length);
  std::string log(static_cast<std::size_t>(log_length), '\0');
  glGetShaderInfoLog(shader.id, log_length, nullptr, log.data());
  throw Error(fmt::format("shader {} does not compile: {}", stage.file, in_one_line(source.explain(log))));
}

GLuint link(const ShaderSources& sources, const std::vector<ShaderStage>& stages,
            const ShaderDefines& defines) {
  Program program;
  std::string files;
  for (const ShaderStage& stage : stages) {
    const Shader shader = compile(sources, stage, defines);
    glAttachShader(program.id, shader.id);
    files += (files.empty() ? "" : " + ") + stage.file;
  }
  glLinkProgram(program.id);
  GLint linked = GL_FALSE, log_length = 0;
  glGetProgramiv(program.id, GL_LINK_STATUS, &linked);
  if (linked) return std::exchange(program.id, 0);
  glGetProgramiv(program.id, GL_INFO_LOG_LENGTH, &log_length);
  std::string log(static_cast<std::size_t>(log_length), '\0');
  glGetProgramInfoLog(program.id, log_length, nullptr, log.data());
  throw Error(fmt::format("shaders {} do not link: {}", files, in_one_line(log)));
}

}  // namespace

GlProgram::GlProgram(const ShaderSources& sources, std::vector<ShaderStage> stages, ShaderDefines defines)
    : stages_(std::move(stages)), defines_(std::move(defines)), id_(link(sources, stages_, defines_)) {}

GlProgram::GlProgram(GlProgram&& other) noexcept
    : stages_(std::move(other.stages_)),
      defines_(std::move(other.defines_)),
      id_(std::exchange(other.id_, 0)) {}

GlProgram& GlProgram::operator=(GlProgram&& other) noexcept {
  std::swap(stages_, other.stages_);
  std::swap(defines_, other.defines_);
  std::swap(id_, other.id_);
  return *this;
}

GlProgram::~GlProgram() {
  if (id_) glDeleteProgram(id_);
}

void GlProgram::reload(const ShaderSources& sources) {
  const GLuint fresh = link(sources, stages_, defines_);
  glDeleteProgram(id_);
  id_ = fresh;
}

}  // namespace scanlens
