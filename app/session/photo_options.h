// `dof` and `view` take a photo with its depth map and lens.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <variant>

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
Depth fitted(Depth depth, std::int64_t width, std::int64_t height, DepthResample resample,
             const std::filesystem::path& file, const Session& session);

/// Reads both files, or one photo that carries its depth where no map is named, and tells the session's
/// person what was assumed. A photo without depth comes alone.
std::variant<Photo, Picture> load_photo_or_picture(const PhotoOptions& options, const Session& session);

/// Does the same. Throws Error (usage) for a photo without depth.
Photo load_photo(const PhotoOptions& options, const Session& session);

}  // namespace scanlens
