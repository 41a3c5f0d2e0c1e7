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
  bool autofocus = false;

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
/// what was assumed. An autofocus works on the context's device.
Photo load_photo(const PhotoOptions& options, Context& context, const Session& session);

/// Reads the depth map that the options name, or else the one that the photo carries.
Depth load_depth(const PhotoOptions& options, const Session& session);

/// Tells the session's person how the map was understood, and brings it to the size of its picture.
Depth introduced(Depth depth, const Picture& picture, const PhotoOptions& options, const Session& session);

/// Returns the blur that the lens options ask for, and says what is in focus. An autofocus looks at the picture.
Blur load_blur(const PhotoOptions& options, const Picture& picture, const Depth& depth, Context& context,
               const Session& session);

}  // namespace scanlens
