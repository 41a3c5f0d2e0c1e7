// OpenGL makes summed-area tables alone, with no other device's work between two steps of its own.
#pragma once

#include <array>
#include <cstdint>

#include "app/gl/context.h"
#include "app/gl/objects.h"
#include "app/gl/program.h"

namespace scanlens {

/// Belongs to the OpenGL context, which must be current for every call. Keeps its buffers from picture to
/// picture.
///
/// Sums the first three channels of a GL_RGBA8 texture, decoded from sRGB as dof_terms<std::uint8_t> does,
/// modulo 2^32: the entries that summed_area_table makes, in another order.
class GlTable {
 public:
  /// Compiles the shaders. Throws Error when OpenGL does not take them.
  explicit GlTable(const GlContext& gl, const ShaderSources& sources = {});

  /// Returns true if the shaders exchange sums as subgroups do, several times faster than otherwise. They
  /// take 32 consecutive invocations for a subgroup's lanes, which is so on NVIDIA's GPUs, and no rule.
  static bool has_subgroups(const GlContext& gl);

  /// Makes the table of `color`; on return the work may still be under way. The next shaders run after it.
  /// `color` has pixels, and bytes() of its size is at most gl.max_ssbo_bytes(). Throws Error when memory is
  /// short (retry).
  void make(const Texture& color);

  /// Returns the table that was made last. Word (y + 1) * pitch + block(x) + 32 * c is the entry of channel
  /// c at (x, y); row -1 and column -1 are zero.
  GLuint table() const { return buffers_[kTable].id(); }
  static std::int64_t pitch(std::int64_t width) { return kBlock * (1 + 4 * tiles(width, kTileWidth)); }
  static std::int64_t block(std::int64_t x) { return kBlock * ((x + 32) / 32) + (x + 32) % 32; }
  static std::int64_t bytes(std::int64_t width, std::int64_t height) {
    return 4 * pitch(width) * (height + 1);
  }
  /// Returns the bytes of all buffers that make() takes.
  static std::int64_t memory(std::int64_t width, std::int64_t height);

 private:
  static constexpr int kTileWidth = 128, kTileHeight = 64, kStrips = 8, kBlock = 96;
  /// The shaders number the buffers in this order.
  enum { kTable, kCodes, kDecoding, kRows, kColumns, kBands, kTotals, kBuffers };

  static std::int64_t tiles(std::int64_t pixels, int side) { return (pixels + side - 1) / side; }
  static std::array<std::int64_t, kBuffers> buffer_bytes(std::int64_t width, std::int64_t height);
  void reserve(int width, int height);

  const GlContext& gl_;
  GlProgram sums_, write_;
  std::array<Buffer, kBuffers> buffers_;
  int width_ = 0, height_ = 0;  ///< the picture's that the buffers are for
};

}  // namespace scanlens
