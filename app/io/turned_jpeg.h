// JPEG pictures turned and mirrored without loss.
#pragma once

#include <filesystem>
#include <memory>

#include "app/io/stream.h"

namespace scanlens {

/// Returns what writes a JPEG anew with its blocks turned: no pixel is decoded, so that nothing is lost. The
/// picture becomes upright by what `orientation` asks for, as EXIF has it. `metadata` and `size` are the
/// upright picture's. Returns nothing where pixels have to be encoded: where input or output is no JPEG,
/// colours are converted, or a quality is asked for. So it does of inks, of gain maps, and where the
/// picture's edge cuts a block, which `say` is told.
std::unique_ptr<RowWriter> turn_jpeg(const std::filesystem::path& input, int orientation,
                                     const std::filesystem::path& output, const RowFormat& size,
                                     const WriteOptions& options, const Metadata& metadata,
                                     const Remarks& say);

}  // namespace scanlens
