// NumPy's arrays: no pictures are read from them. app/depth/files reads them as depth maps.
#include "app/io/codecs/codec.h"

namespace scanlens {

constinit const Codec codecs::npy = {
    .traits = {.name = "NPY", .extensions = ".npy", .read = "depth maps", .map_rank = 2},
    .recognises = [](std::string_view text, const auto&) { return begins(text, "\x93NUMPY"); }};

constinit const Codec codecs::npz = {
    .traits = {.name = "NPZ", .extensions = ".npz", .read = "depth maps", .map_rank = 3},
    .recognises = [](std::string_view text, const auto&) { return begins(text, "PK\3\4"); }};

}  // namespace scanlens
