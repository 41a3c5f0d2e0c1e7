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
#include "filters/where.h"

namespace scanlens {

struct PhotoOptions;

/// Returns the luma (Rec. 709) of a picture's values, as shares of white within 0..1.
Image<float> mask_of(const Picture& picture);

/// Returns a depth map with its values spread over 0..1.
Depth relative_depth(Depth depth);

/// Throws Error (usage) unless every filter that takes a mask or an overlay is given one, before any work is
/// done; and where an expression asks for a mask, which belongs to `stats` and `mask`.
void require_mask_files(std::span<const FilterCall> calls);

/// Returns the place for the name of the file of a call's depth; null for a call that asks for none.
std::string* depth_file_in(FilterCall& call);
const std::string* depth_file_in(const FilterCall& call);

/// Returns true if a call takes depth, and names no file of it.
bool lacks_depth(const FilterCall& call);

/// Throws Error (usage) where an option says where depth comes from, but no call lacks it.
void require_depth_filter(std::span<const FilterCall> calls, const char* option);

/// Returns true if an expression asks for the circle of confusion, which follows from depth and lens.
bool asks_for_coc(std::span<const FilterCall> calls);

/// Gives every call that lacks depth its file: the one that the options name, else that of the picture. That
/// is the picture itself where it carries depth, else the map that lies beside it. Says which. It stays
/// without a file where strokes or a network take its place. Throws Error (usage) if no map is found.
void find_depth(std::span<FilterCall> calls, const std::filesystem::path& picture,
                const PhotoOptions& options, Talk& talk);

/// Returns the host's and the device's bytes that the maps of a picture take.
std::int64_t map_bytes(std::span<const FilterCall> calls, const RowFormat& format);

/// Returns the host's bytes, at most, that it takes to bring those maps to the picture's size, and to weigh
/// the picture.
std::int64_t map_fitting_bytes(std::span<const FilterCall> calls, const RowFormat& format);

/// Returns the host's bytes that decoding a map takes, and understanding it.
std::int64_t map_decoding_bytes(const RowFormat& map);

/// The planes of calls, in a context's memory. They must outlive the calls' use.
struct FilterMaps {
  std::vector<Image<float>> maps;
  std::vector<Image<std::uint16_t>> weights;
};

/// Reads the depth that a call takes, brings it to the size that the picture has there, and points the call
/// at it; then the weights of its part, for which rows of the picture follow. Masks are mask_of() a picture.
/// Depth is disparity, between its least and its most for MapKind::depth,
/// so that 0 is farthest and 1 nearest whatever its unit; a map smaller than the picture follows its edges,
/// for which the picture is read once more, and resized as it is before the filter. By that picture the part
/// is chosen that a call changes, whatever filters before it change. It has not been read
/// from, and is at its first row again afterwards. Where filters before this one
/// move pixels, map and weights move with them. Where no file is named strokes or a network give depth.
/// Says what was assumed. Throws Error "FILE: cause".
FilterMaps load_maps(std::span<FilterCall> calls, Context& context, RowReader& picture,
                     const std::filesystem::path& file, const PhotoOptions& options, const Limits& limits,
                     Talk& talk);

/// Points a call at planes made of the depth that it asks for, and of the picture of its size; `name` is the
/// picture's, and `blur` what coc stands for. Masks are no part of it.
void add_maps(Context& context, FilterCall& call, const PhotoRows& photo, const Depth* depth,
              const Blur& blur, const std::string& name, Talk& talk, FilterMaps& made);

/// Returns the weights of a picture whose rows are read, in the context's memory. `depth` may be null where
/// the expression asks for none.
Image<std::uint16_t> weights_of(Context& context, const Where& where, const PhotoRows& photo,
                                const Depth* depth, const Blur& blur, const Image<float>& mask = {});

}  // namespace scanlens
