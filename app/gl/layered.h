// OpenGL's compute shaders apply depth of field by layers, with no other device's work in a frame.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "app/gl/context.h"
#include "app/gl/dof_shaders.h"
#include "app/gl/objects.h"
#include "app/gl/program.h"
#include "core/spread/field_tiles.h"
#include "filters/depth_of_field.h"
#include "filters/dof/fill_formula.h"
#include "filters/dof/frame_shapes.h"
#include "filters/dof/lamps.h"
#include "filters/dof/shapes.h"

namespace scanlens {

/// Makes what depth_of_field makes in a style that is no draft: the fields of the layers have the same bits
/// as the CPU's and CUDA's; the result is within one code of theirs. Floats are within 1e-5 of the light that
/// they show; numbers below 2^-126, light times alpha too, may count as 0. Sources: filters/dof/README.md.
class GlLayeredDof final : public DofShaders {
 public:
  /// Compiles the shaders that all pictures take. Throws Error when OpenGL does not take them.
  explicit GlLayeredDof(const GlContext& gl, const ShaderSources& sources = {});

  bool fits(const DofJob& job) const override;
  GlMemory memory(const DofJob& job) const override;
  void run(const Texture& color, const Texture& disparity, const DofJob& job, const Texture& result) override;
  using DofShaders::run;

  /// Returns the deposits that were made last, summed along the rows of each tile; the summed-area tables of
  /// the deposits are the fields. Word ((layer * (channels + 1) + plane) * height + y) * FieldElements::pitch
  /// + x, planes being the colours, alpha if there is one, and coverage. A tile that no deposit of a layer
  /// may lie in holds anything there.
  GLuint deposits() const { return buffers_[kFields].id(); }
  /// Returns a buffer that begins with a word per tile of the fields, row by row, and one for all tiles: bit
  /// l of either says that deposits of layer l may lie in the tile.
  GLuint tiles() const { return buffers_[kTiles].id(); }
  /// Returns the fill's table that was made last, in cells: word (plane * height + y) * fill_pitch(width) +
  /// x.
  GLuint fill() const { return buffers_[kFill].id(); }
  static std::int64_t fill_pitch(std::int64_t width) {
    return (fill_cells(static_cast<int>(width)) + 3) / 4 * 4;
  }

 private:
  /// The shaders number the buffers in this order, up to the groups, which take the place of the encoding
  /// while deposits are made. Where layers are cut, the cuts take that of the fields; later they are
  /// constants. While pixels are spread, lamps take the place of the fill, and their discs that of the
  /// groups.
  enum {
    kFields,
    kCircles,
    kDepths,
    kTiles,
    kShapes,
    kDecoding,
    kEncoding,
    kFill,
    kGroups,
    kCuts,
    kLamps,
    kDiscs,
    kBuffers
  };
  using Bytes = std::array<std::int64_t, kBuffers>;

  /// The steps that differ with the picture's format, the quality, or both.
  struct Steps {
    const GlProgram &cuts, &mark, &fill_terms, &groups, &deposits, &show, &lamps, &lamp_list, &lamp_discs;
  };

  struct Frame;

  static constexpr std::int64_t kWord = sizeof(std::uint32_t);
  static constexpr int kFloatBits = 32;  ///< fewer are codes'
  /// Words before those of blocks: how many cells have lamps, what all cost in the largest ones, and all
  /// costs.
  static constexpr std::int64_t kLampHead = 2 + kLampCosts;
  static int planes_of(int channels) { return channels + 1; }
  static int lamp_blocks(std::int64_t size) { return static_cast<int>((size + kLampBlock - 1) / kLampBlock); }
  static FieldElements elements_of(const DofJob& job);

  /// The shapes of a picture: those that are the same everywhere, or `frame`.
  struct Shapes {
    std::shared_ptr<const ShapeTable> plain;
    std::shared_ptr<const DiscTable> discs;
    std::shared_ptr<const FrameShapes> frame;

    /// Returns how many kinds of shaders come before those that spread to these.
    int kind() const;
    LampDiscs lamps(float widest) const { return frame ? frame_discs(frame->task, widest) : discs->discs; }
    bool operator==(const Shapes&) const = default;
  };
  static Shapes shapes_of(const DofJob& job);
  static Bytes buffer_bytes(const DofJob& job, const Shapes& shapes);
  void reserve(const Bytes& bytes);
  void upload_tables(int bits, const Shapes& shapes);
  /// Compiles what was not asked for before; the steps of lamps only where there may be some.
  Steps steps(const DofJob& job, int kind, bool lamps);

  const GlContext& gl_;
  ShaderSources sources_;
  GlProgram circles_, clear_, sum_, scan_, fill_rows_, fill_columns_;
  GlProgram cuts_[2], mark_[2][3];                              ///< [good or best][Shapes::kind]
  GlProgram fill_terms_[3][3], lamps_[3][3], lamp_list_[3][3];  ///< [8, 16 or 32 bits][1, 3 or 4 channels]
  GlProgram groups_[2][3][3][3], deposits_[2][3][3][3], lamp_discs_[2][3][3][3], show_[2][3][3];  ///< of all
  std::array<Buffer, kBuffers> buffers_;  ///< floats need no decoding and no encoding
  Bytes bytes_ = {};                      ///< of the buffers
  int decoded_bits_ = 0;                  ///< what the tables of codes are for
  Shapes shapes_;                         ///< what the buffers of shapes and of discs hold
};

}  // namespace scanlens
