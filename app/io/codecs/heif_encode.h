// HEIC and AVIF from pictures. Inside scanlens_files.
#pragma once

#include <string>

#include "app/io/encoded.h"
#include "app/io/prepare.h"

namespace scanlens {

enum class HeifCoding { hevc, av1 };

/// Encodes a picture of 8 bits and three or four channels.
Encoded encode_heif(const Prepared& picture, int quality, HeifCoding coding, const std::string& name);

}  // namespace scanlens
