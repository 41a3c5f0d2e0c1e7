// OpenGL's compute shader applies depth of field: it gathers from a table that OpenGL itself or the scan
// library makes.
#pragma once

#include <cstdint>
#include <optional>

#include "app/gl/context.h"
#include "app/gl/dof_shaders.h"
#include "app/gl/interop.h"
#include "app/gl/objects.h"
#include "app/gl/program.h"
#include "app/gl/table.h"
#include "core/context.h"

namespace scanlens {

/// Makes drafts of codes. Belongs to the computing context, too, which must not be moved.
///
/// The table lives in a shader storage buffer. OpenGL makes it itself, by GlTable, where it can: of 8 bits
/// without alpha, as long as 32 bits hold the sums. Other tables the scan library makes. On a GPU that CUDA
/// and OpenGL share, CUDA reads the picture and writes the table, without a copy or a wait on the host;
/// elsewhere, and once CUDA has refused a buffer, both pass through host memory.
class GlDepthOfField final : public DofShaders {
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

  bool fits(const DofJob& job) const override;
  GlMemory memory(const DofJob& job) const override;
  void run(const Texture& color, const Texture& disparity, const DofJob& job, const Texture& result) override;
  using DofShaders::run;

  bool shares_buffers() const { return shares_buffers_; }
  /// Returns whether OpenGL makes the tables that it can make.
  bool makes_tables() const { return gl_table_.has_value(); }

 private:
  struct SharedStorage {
    Buffer buffer;
    SharedBuffer shared;  ///< declared after `buffer`, so that it lets go first
    std::int64_t bytes = 0;
  };

  enum Table { kWords, kWordPairs, kBlocks, kTables };  ///< as dof.comp has them

  static int sum_bytes(const DofJob& job);
  void reserve(SharedStorage& storage, std::int64_t bytes);
  template <class T, class Sum>
  void fill_table(const Texture& color, bool alpha);
  void pack_samples(const Texture& color, int bits, std::int64_t pitch);
  bool made_by_opengl(const DofJob& job) const;
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
