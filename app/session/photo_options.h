// `dof` and `view` take a photo with its depth map and lens.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>

#include "app/depth/depth.h"
#include "app/io/picture.h"
#include "app/session/lens_options.h"
#include "app/session/session.h"
#include "filters/dof_formula.h"

namespace scanlens {

struct PhotoOptions {
  std::filesystem::path input, depth;
  DepthOptions depth_options;
  LensOptions lens;

  /// Adds IMAGE, --depth, how to understand it, and the lens.
  void add_options(CLI::App& command);
};

/// Holds a picture, its depth at the same size, and the blur that the lens makes of it.
struct Photo {
  Picture picture;
  Depth depth;
  Blur blur;
};

/// Adds how to understand a depth map.
void add_options(CLI::App& command, DepthOptions& depth);

/// Brings a map to the size of the picture that it belongs to, and tells the session's person so.
Depth fitted(Depth depth, std::int64_t width, std::int64_t height, const std::filesystem::path& file,
             const Session& session);

/// Reads both files, or the depth that the photo carries where no other is named, and tells the session's person
/// what was assumed.
Photo load_photo(const PhotoOptions& options, const Session& session);

}  // namespace scanlens
