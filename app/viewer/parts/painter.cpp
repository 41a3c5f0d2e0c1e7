#include "app/viewer/parts/painter.h"

#include <cstddef>
#include <cstdint>

namespace scanlens {
namespace {

/// Sets what panels are drawn with, and OpenGL's defaults again at the end.
struct PaintingState {
  PaintingState() {
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glEnable(GL_SCISSOR_TEST);
  }
  ~PaintingState() {
    glDisable(GL_SCISSOR_TEST);
    glBlendFunc(GL_ONE, GL_ZERO);
    glDisable(GL_BLEND);
    glBindVertexArray(0);
    glUseProgram(0);
  }
  PaintingState(const PaintingState&) = delete;
  PaintingState& operator=(const PaintingState&) = delete;
};

Buffer filled(const void* data, std::size_t bytes) {
  Buffer buffer = Buffer::create();
  glNamedBufferStorage(buffer.id(), static_cast<GLsizeiptr>(bytes), data, 0);
  return buffer;
}

}  // namespace

Painter::Painter(const GlContext& gl, const ShaderSources& sources)
    : gl_(gl),
      program_(sources,
               {{GL_VERTEX_SHADER, "viewer/panels.vert"}, {GL_FRAGMENT_SHADER, "viewer/panels.frag"}}),
      layout_(VertexArray::create()) {
  const auto attribute = [&](GLuint index, int components, GLenum type, bool normalised, std::size_t offset) {
    glEnableVertexArrayAttrib(layout_.id(), index);
    glVertexArrayAttribFormat(layout_.id(), index, components, type, normalised, static_cast<GLuint>(offset));
    glVertexArrayAttribBinding(layout_.id(), index, 0);
  };
  attribute(0, 2, GL_FLOAT, false, offsetof(ImDrawVert, pos));
  attribute(1, 2, GL_FLOAT, false, offsetof(ImDrawVert, uv));
  attribute(2, 4, GL_UNSIGNED_BYTE, true, offsetof(ImDrawVert, col));
  make_fonts();
}

void Painter::make_fonts() {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  unsigned char* shares = nullptr;
  int width = 0, height = 0;
  atlas.GetTexDataAsAlpha8(&shares, &width, &height);
  fonts_ = Texture::image_2d(GL_R8, width, height);
  const GLint from_red[] = {GL_ONE, GL_ONE, GL_ONE, GL_RED};
  glTextureParameteriv(fonts_.id(), GL_TEXTURE_SWIZZLE_RGBA, from_red);
  glTextureParameteri(fonts_.id(), GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTextureParameteri(fonts_.id(), GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTextureSubImage2D(fonts_.id(), 0, 0, 0, width, height, GL_RED, GL_UNSIGNED_BYTE, shares);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  gl_.check("making the panels' letters");
}

void Painter::draw(const ImDrawData& data) {
  const auto width = static_cast<int>(data.DisplaySize.x), height = static_cast<int>(data.DisplaySize.y);
  if (width <= 0 || height <= 0) return;
  const PaintingState state;
  glViewport(0, 0, width, height);
  program_.use();
  program_.set("size", glm::vec2(data.DisplaySize.x, data.DisplaySize.y));
  glBindVertexArray(layout_.id());
  for (int i = 0; i < data.CmdListsCount; ++i) {
    const ImDrawList& list = *data.CmdLists[i];
    if (list.VtxBuffer.empty() || list.IdxBuffer.empty()) continue;
    const Buffer vertices =
        filled(list.VtxBuffer.Data, static_cast<std::size_t>(list.VtxBuffer.Size) * sizeof(ImDrawVert));
    const Buffer indices =
        filled(list.IdxBuffer.Data, static_cast<std::size_t>(list.IdxBuffer.Size) * sizeof(ImDrawIdx));
    glVertexArrayVertexBuffer(layout_.id(), 0, vertices.id(), 0, sizeof(ImDrawVert));
    glVertexArrayElementBuffer(layout_.id(), indices.id());
    for (const ImDrawCmd& command : list.CmdBuffer) {
      const ImVec4& clip = command.ClipRect;
      if (clip.z <= clip.x || clip.w <= clip.y) continue;
      const auto own = static_cast<GLuint>(reinterpret_cast<std::uintptr_t>(command.GetTexID()));
      glBindTextureUnit(0, own ? own : fonts_.id());
      glScissor(static_cast<int>(clip.x), static_cast<int>(data.DisplaySize.y - clip.w),
                static_cast<int>(clip.z) - static_cast<int>(clip.x),
                static_cast<int>(clip.w) - static_cast<int>(clip.y));
      glDrawElementsBaseVertex(GL_TRIANGLES, static_cast<int>(command.ElemCount),
                               sizeof(ImDrawIdx) == 2 ? GL_UNSIGNED_SHORT : GL_UNSIGNED_INT,
                               reinterpret_cast<const void*>(command.IdxOffset * sizeof(ImDrawIdx)),
                               static_cast<int>(command.VtxOffset));
    }
  }
  gl_.check("drawing the panels");
}

}  // namespace scanlens
