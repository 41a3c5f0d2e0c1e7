// JPEG pictures turned and mirrored without loss.
#pragma once

#include <filesystem>
#include <memory>

#include "app/io/stream.h"

namespace scanlens {

/// Returns what writes a JPEG anew with its blocks turned: no pixel is decoded, so that nothing is lost. The
/// picture becomes upright by what `orientation` asks for, as EXIF has it. `metadata` and `size` are the
/// upright picture's. Returns nothing where pixels have to be encoded: input or output is no JPEG, the
/// picture's edge cuts a block (which `say` is told), its colours are converted, it has a gain map or inks, or
/// a quality is asked for.
std::unique_ptr<RowWriter> turn_jpeg(const std::filesystem::path& input, int orientation,
                                     const std::filesystem::path& output, const RowFormat& size,
                                     const WriteOptions& options, const Metadata& metadata,
                                     const Remarks& say);

}  // namespace scanlens
