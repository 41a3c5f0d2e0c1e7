// The sizes of coded frames in HEIC and AVIF files, and what pictures in them are made of.
#pragma once

#include "app/io/codecs/codecs.h"

namespace scanlens {

/// Throws Error "NAME: cause" when the file holds a HEVC or AV1 frame of more than `most_pixels`, as its own
/// header says: decoders allocate by that, whatever the file around it says. Refuses as well a picture that
/// is made of itself, which libheif 1.15 decodes for ever.
void check_heif_frames(const Source& source, std::int64_t most_pixels);

}  // namespace scanlens
