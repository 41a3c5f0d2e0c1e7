// The maps that filters take: masks and depth, from files to the memory of a context.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/depth/depth.h"
#include "app/io/picture.h"
#include "app/io/stream.h"
#include "app/session/session.h"
#include "core/context.h"
#include "core/image.h"
#include "filters/filter.h"

namespace scanlens {

class DepthNetwork;

/// Returns the luma (Rec. 709) of a picture's values, as shares of white within 0..1.
Image<float> mask_of(const Picture& picture);

/// Returns a depth map with its values spread over 0..1.
Depth relative_depth(Depth depth);

/// Throws Error (usage) unless every filter that takes a mask is given a file, before any work is done.
void require_mask_files(std::span<const FilterCall> calls);

/// Throws Error (usage) where no filter takes depth that a network could guess.
void require_depth_filter(std::span<const FilterCall> calls);

/// Gives every filter that takes depth, and no file of it, that of the picture: the picture itself where it
/// carries depth, else the map that lies beside it. Says which. With a network it stays without a file.
/// Throws Error (usage) if no map is found.
void find_depth(std::span<FilterCall> calls, const std::filesystem::path& picture,
                const DepthNetwork* network, Talk& talk);

/// Returns the host's and the device's bytes that the maps of a picture take.
std::int64_t map_bytes(std::span<const FilterCall> calls, const RowFormat& format);

/// Returns the host's bytes, at most, that it takes to bring those maps to the picture's size.
std::int64_t map_fitting_bytes(std::span<const FilterCall> calls, const RowFormat& format);

/// Returns the host's bytes that decoding a map takes, and understanding it.
std::int64_t map_decoding_bytes(const RowFormat& map);

/// Reads the map of every call that takes one, brings it to the size that the picture has there and points
/// the call at it. Masks are mask_of() a picture. Depth is disparity between its least and its most,
/// so that 0 is farthest and 1 nearest whatever its unit; a map smaller than the picture follows its edges,
/// for which the picture is read once more, and resized as it is before the filter. It has not been read
/// from, and is at its first row again afterwards. Where filters before this one
/// move pixels, the map moves with them. A network guesses depth where no file is named. The maps
/// returned must outlive the calls' use. Says what was assumed. Throws Error "FILE:
/// cause".
std::vector<Image<float>> load_maps(std::span<FilterCall> calls, Context& context, RowReader& picture,
                                    const DepthNetwork* network, const Limits& limits, Talk& talk);

}  // namespace scanlens
