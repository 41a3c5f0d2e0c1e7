// The meaning of a PNG's colours, from its chunks. Inside scanlens_files.
#pragma once

#include <vector>

#include "app/io/metadata/containers.h"
#include "app/io/picture.h"

namespace scanlens {

/// Turns the chunks that count into `metadata`: cICP, else the profile of iCCP that is there, else sRGB, else
/// gAMA and cHRM (PNG, third edition, 4.3). Remarks on those that make no sense. Returns true if one says
/// what the colours are.
bool name_png_colours(const PngColours& chunks, int channels, Metadata& metadata,
                      std::vector<Remark>& remarks);

}  // namespace scanlens
