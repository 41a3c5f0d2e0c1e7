// `dof` and `view` take a photo with its depth map and lens.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>

#include "app/commands/lens_options.h"
#include "app/commands/session.h"
#include "app/depth/depth.h"
#include "app/io/picture.h"
#include "filters/dof_formula.h"

namespace scanlens {

struct PhotoOptions {
  std::filesystem::path input, depth;
  DepthOptions depth_options;
  LensOptions lens;

  /// Adds IMAGE, --depth, how to understand it, and the lens.
  void add_options(CLI::App& command, bool depth_required);
};

/// Holds a picture, its depth at the same size, and the blur that the lens makes of it.
struct Photo {
  Picture picture;
  Depth depth;
  Blur blur;
};

/// Reads both files and tells the session's person what was assumed.
Photo load_photo(const PhotoOptions& options, const Session& session);

}  // namespace scanlens
