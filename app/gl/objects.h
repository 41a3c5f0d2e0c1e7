// These classes own OpenGL objects. Each belongs to the context that was current when it was made, and has
// to be destroyed while that context is current. Copies are deleted: an object has one owner.
#pragma once

#include <glad/gl.h>

#include <utility>

namespace scanlens {

/// `Kind` supplies `static GLuint create()` and `static void destroy(GLuint)`.
template <class Kind>
class GlObject {
 public:
  GlObject() = default;  ///< owns nothing, id() is 0
  static GlObject create() {
    GlObject object;
    object.id_ = Kind::create();
    return object;
  }
  GlObject(GlObject&& other) noexcept : id_(std::exchange(other.id_, 0)) {}
  GlObject& operator=(GlObject&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~GlObject() {
    if (id_) Kind::destroy(id_);
  }

  GLuint id() const { return id_; }
  explicit operator bool() const { return id_ != 0; }

 private:
  GLuint id_ = 0;
};

/// The kind of objects that a pair of OpenGL's functions creates and deletes, several at a time.
template <auto& kCreate, auto& kDelete>
struct PairedKind {
  static GLuint create() {
    GLuint id = 0;
    kCreate(1, &id);
    return id;
  }
  static void destroy(GLuint id) { kDelete(1, &id); }
};
using Buffer = GlObject<PairedKind<glCreateBuffers, glDeleteBuffers>>;
using Framebuffer = GlObject<PairedKind<glCreateFramebuffers, glDeleteFramebuffers>>;
using VertexArray = GlObject<PairedKind<glCreateVertexArrays, glDeleteVertexArrays>>;
using Sampler = GlObject<PairedKind<glCreateSamplers, glDeleteSamplers>>;

/// Asks for a point in time (GL_TIMESTAMP).
struct QueryKind {
  static GLuint create() {
    GLuint id = 0;
    glCreateQueries(GL_TIMESTAMP, 1, &id);
    return id;
  }
  static void destroy(GLuint id) { glDeleteQueries(1, &id); }
};
using Query = GlObject<QueryKind>;

/// The format of textures of codes of 8 or 16 bits, or of floats, which have 32.
inline GLenum rgba_format(int bits) {
  return bits == 32 ? GL_RGBA32F : bits == 16 ? GL_RGBA16 : GL_RGBA8;
}

/// Owns a texture of fixed size and format; nearest filtering and clamped edges until told otherwise.
/// Contents are indeterminate. When memory is short, the next GlContext::check throws.
class Texture {
 public:
  Texture() = default;

  static Texture image_2d(GLenum format, int width, int height) {
    Texture texture(GL_TEXTURE_2D, width, height);
    glTextureStorage2D(texture.id_, 1, format, width, height);
    texture.set_plain_sampling();
    return texture;
  }
  static Texture array_2d(GLenum format, int width, int height, int layers, int levels = 1) {
    Texture texture(GL_TEXTURE_2D_ARRAY, width, height);
    glTextureStorage3D(texture.id_, levels, format, width, height, layers);
    texture.set_plain_sampling();
    return texture;
  }
  static Texture multisampled(GLenum format, int samples, int width, int height) {
    Texture texture(GL_TEXTURE_2D_MULTISAMPLE, width, height);
    glTextureStorage2DMultisample(texture.id_, samples, format, width, height, GL_TRUE);
    return texture;
  }

  Texture(Texture&& other) noexcept
      : id_(std::exchange(other.id_, 0)), width_(other.width_), height_(other.height_) {}
  Texture& operator=(Texture&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(width_, other.width_);
    std::swap(height_, other.height_);
    return *this;
  }
  ~Texture() {
    if (id_) glDeleteTextures(1, &id_);
  }

  GLuint id() const { return id_; }
  int width() const { return width_; }
  int height() const { return height_; }
  explicit operator bool() const { return id_ != 0; }

 private:
  Texture(GLenum target, int width, int height) : width_(width), height_(height) {
    glCreateTextures(target, 1, &id_);
  }
  void set_plain_sampling() {
    glTextureParameteri(id_, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTextureParameteri(id_, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTextureParameteri(id_, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTextureParameteri(id_, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  }

  GLuint id_ = 0;
  int width_ = 0;
  int height_ = 0;
};

}  // namespace scanlens
