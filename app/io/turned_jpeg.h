// JPEG pictures turned and mirrored without loss.
#pragma once

#include <filesystem>
#include <memory>

#include "app/io/stream.h"

namespace scanlens {

/// Returns true if JPEG files are written under this path as options ask, whose blocks may come from another.
bool takes_blocks(const std::filesystem::path& output, const WriteOptions& options);

/// Returns what writes the JPEG of a reader (RowReader::encoded) anew with its blocks turned: no pixel is
/// decoded, so that nothing is lost. The picture becomes upright by what `orientation` asks for, as EXIF has
/// it. `metadata` and `size` are the upright picture's. Returns nothing where pixels have to be encoded:
/// where there is no such file, or colours are converted; and where the picture's edge cuts a block, which
/// `say` is told.
std::unique_ptr<RowWriter> turn_jpeg(const RowReader& input, int orientation,
                                     const std::filesystem::path& output, const RowFormat& size,
                                     const WriteOptions& options, const Metadata& metadata,
                                     const Remarks& say);

}  // namespace scanlens
