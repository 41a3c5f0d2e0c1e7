// OpenGL's compute shader applies depth of field: it gathers from a table that OpenGL itself or the scan
// library makes.
#pragma once

#include <cstdint>
#include <optional>

#include "app/gl/context.h"
#include "app/gl/interop.h"
#include "app/gl/objects.h"
#include "app/gl/program.h"
#include "app/gl/table.h"
#include "core/context.h"
#include "filters/dof_formula.h"

namespace scanlens {

/// Belongs to the OpenGL context, which must be current for every call, and to the computing context, which
/// must not be moved. Keeps its buffers from frame to frame.
///
/// The table lives in a shader storage buffer. OpenGL makes it itself, by GlTable, where it can: of 8 bits
/// without alpha, as long as 32 bits hold the sums. Other tables the scan library makes. On a GPU that CUDA
/// and OpenGL share, CUDA reads the picture and writes the table, without a copy or a wait on the host;
/// elsewhere, and once CUDA has refused a buffer, both pass through host memory.
class GlDepthOfField {
 public:
  enum class TableBy {
    fastest,  ///< OpenGL where it has subgroups and takes the shaders, else the library
    opengl,   ///< the constructor throws what GlTable's does
    library
  };

  /// Hands a buffer to the computing context; throws Error when it refuses.
  using Share = SharedBuffer (*)(Context& compute, GLuint buffer);
  static SharedBuffer share(Context& compute, GLuint buffer) { return {compute, buffer}; }

  GlDepthOfField(const GlContext& gl, Context& compute, const ShaderSources& sources = {},
                 TableBy table_by = TableBy::fastest, Share share = GlDepthOfField::share);

  /// Returns true if such a picture fits a texture of this OpenGL, and its table the largest storage
  /// buffer.
  bool fits(std::int64_t width, std::int64_t height, int bits, bool alpha, const Blur& blur) const;

  /// Returns what `run` takes for such a picture, beside the textures.
  GlMemory memory(std::int64_t width, std::int64_t height, int bits, bool alpha, const Blur& blur) const;

  /// `color` is GL_RGBA8 (bits = 8) or GL_RGBA16 (16), sRGB-encoded; `disparity` GL_R32F of the same size.
  /// With `alpha` colours are weighed by it, without it is copied. `result`, neither of the two, has the size
  /// and format of `color`; on return the work may still be under way, a download waits for it. Throws Error
  /// when the table does not fit (failed) or memory is short (retry). No call allocates anything that the one
  /// before, of the same shape, has not.
  void run(const Texture& color, const Texture& disparity, int bits, bool alpha, const Blur& blur,
           const Texture& result);
  /// Blurs into a texture of its own.
  Texture run(const Texture& color, const Texture& disparity, int bits, bool alpha, const Blur& blur);

  bool shares_buffers() const { return shares_buffers_; }
  /// Returns true if OpenGL makes the tables that it can make.
  bool makes_tables() const { return gl_table_.has_value(); }

 private:
  struct SharedStorage {
    Buffer buffer;
    SharedBuffer shared;  ///< declared after `buffer`, so that it lets go first
    std::int64_t bytes = 0;
  };

  enum Table { kWords, kWordPairs, kBlocks, kTables };  ///< as dof.comp has them

  static int sum_bytes(int bits, bool alpha, const Blur& blur);
  void reserve(SharedStorage& storage, std::int64_t bytes);
  template <class T, class Sum>
  void fill_table(const Texture& color, bool alpha);
  void pack_samples(const Texture& color, int bits, std::int64_t pitch);
  bool made_by_opengl(int bits, bool alpha, const Blur& blur) const;
  const GlProgram& program(Table table, bool alpha);

  const GlContext& gl_;
  Context& compute_;
  bool shares_buffers_;
  Share share_;
  ShaderSources sources_;
  std::optional<GlTable> gl_table_;
  GlProgram programs_[kTables][2];  ///< [][weighed by alpha], made when first used
  GlProgram samples_program_[2];    ///< [16 bits], made when first used
  SharedStorage samples_, table_;
};

}  // namespace scanlens
