// Pictures and words that filters lay over a picture, from files to the memory of a context.
#pragma once

#include <cstdint>
#include <span>

#include "app/session/session.h"
#include "core/context.h"
#include "core/image.h"
#include "filters/filter.h"

namespace scanlens {

/// Returns the overlay of a call whose filter takes one, for a picture of this format and profile. Light of a
/// watermark is that of the picture's primaries. Throws Error "FILE: cause".
Image<float> load_overlay(const FilterCall& call, Context& context, const RowFormat& picture,
                          std::span<const std::byte> icc, const Limits& limits, Talk& talk);

/// Returns the bytes that the overlay takes at most on a picture of this format.
std::int64_t overlay_bytes(const FilterCall& call, const RowFormat& picture);

}  // namespace scanlens
