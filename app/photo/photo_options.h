// `dof` and `view` take a photo with its depth map and lens.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/depth/depth.h"
#include "app/depth/strokes/strokes.h"
#include "app/io/json.h"
#include "app/io/picture.h"
#include "app/photo/lens_options.h"
#include "app/photo/network_options.h"
#include "app/session/device_opening.h"
#include "app/session/session.h"
#include "filters/dof_formula.h"
#include "filters/lens.h"

namespace scanlens {

class Command;

/// The names of DepthKind and of DepthResample, as options take them, in the order of the values.
inline constexpr std::string_view kDepthKindNames[] = {"depth", "disparity", "inverse"};
inline constexpr std::string_view kDepthResampleNames[] = {"edges", "bilinear", "nearest"};

/// The EXIF orientations of --depth-orientation but for auto: none, and turned clockwise by 90, 180 and 270
/// degrees.
inline constexpr int kDepthOrientations[] = {1, 6, 3, 8};

/// The name of a map that asks for a guess. A file of this name is ./guess.
inline constexpr const char* kGuess = "guess";

struct PhotoOptions {
  std::filesystem::path input, depth;
  std::vector<std::string> strokes;   ///< of --stroke, in place of a map: as parse_stroke takes them
  std::filesystem::path strokes_out;  ///< where these are written as a file; empty for nowhere
  std::filesystem::path keep_sharp;   ///< a mask of what stays in focus (keep_sharp.h); empty for none
  NetworkOptions network;             ///< in place of a map; commands open it
  DepthOptions depth_options;
  LensOptions lens;
  bool autofocus = false;

  bool guesses() const { return depth == kGuess; }
  /// Returns true if depth is made of strokes; the option that says so.
  bool draws() const { return !strokes.empty() || guesses(); }
  const char* drawn_by() const { return guesses() ? "--depth guess" : "--stroke"; }
  /// Returns the strokes of the command line on a picture of this size.
  Strokes strokes_on(std::int64_t width, std::int64_t height) const;

  /// Adds IMAGE, --depth, how to understand it, --stroke, and the lens.
  void add_options(Command& command);
  /// Adds all but IMAGE and --stroke.
  void add_depth_options(Command& command);

 private:
  void add_stroke_options(Command& command);
};

/// Holds a picture, its depth at the same size, and what the lens makes of it.
struct Photo {
  Picture picture;
  Depth depth;
  Blur blur;
  DofStyle style = {};
  std::optional<Picture> uploaded = {};  ///< the picture's samples on the context's device, as depth may be
};

/// Adds how to understand a depth map.
void add_options(Command& command, DepthOptions& depth);

/// Brings a map to the size of the picture that it belongs to, and remarks how. A map that lies on its side
/// is turned as the photo's EXIF says, unless `options` give an orientation. Throws Error (retry) when that
/// would take more memory than it may.
Depth fitted(Depth depth, const PhotoRows& photo, const DepthOptions& options,
             const std::filesystem::path& file, const Settings& settings);

/// Does so on the context's device, with the same result. On CUDA's the map lies there then, and the photo
/// may (PhotoRows::on_device).
Depth fitted(Depth depth, const PhotoRows& photo, const DepthOptions& options,
             const std::filesystem::path& file, const Settings& settings, Context& context);

/// Returns true if that is CUDA's device, and has the memory for a photo and its map.
bool fits_on_device(const Context& context, const RowFormat& photo, const Settings& settings);

/// Holds a picture and, where there is one, its depth at the same size.
struct PictureAndDepth {
  Picture picture;
  std::optional<Depth> depth;
  std::filesystem::path depth_file;             ///< of a map that the photo does not carry itself
  std::filesystem::path depth_source;           ///< as people are told: a file, a network's, or --stroke
  Json::Object depth_facts = {};                ///< of the map, before it is brought to the picture's size
  std::shared_ptr<const Strokes> strokes = {};  ///< of --stroke, or guessed: depth is made of them
  std::vector<Remark> remarks = {};             ///< whole lines, in the order in which files were read
  std::optional<Picture> uploaded = {};  ///< the picture's samples on a device, where its depth lies, too
};

/// Error for a photo without depth, where depth is required.
class NoDepth : public Error {
 public:
  using Error::Error;
};

enum class DepthNeed {
  none,      ///< depth is not read
  if_there,  ///< depth is read if a map is named or the photo carries one
  required,  ///< a photo without depth is an error
};

/// Reads both files, and lets an open network guess the map where none is named. Without one it is the map
/// that the photo carries, else the one that lies beside it (app/io/depth_beside.h). Throws NoDepth (usage)
/// for a photo without the depth that is required. `decoded` is shown the picture before its depth is read.
/// `talk` says what was remarked, also of a photo whose loading fails then, and its account gets the depth.
/// Writes the strokes where that is asked for. Under --strict a warning is an Error, before anything is
/// written.
PictureAndDepth load_picture_and_depth(const PhotoOptions& options, DepthNeed need, const Limits& limits,
                                       Talk& talk,

                                       FloatSamples floats = FloatSamples::light,
                                       const std::function<void(const Picture&)>& decoded = {});

/// A blur, and the lens that makes it, if any.
struct LensBlur {
  Blur blur;
  std::optional<ThinLens> lens = {};
  std::vector<Remark> remarks = {};  ///< whole lines: what is in focus, and doubts
};

/// Spreads the strokes that the options draw, or a guess's, over a photo; `strokes` gets them.
Depth depth_of_strokes(const PhotoOptions& options, const PhotoRows& photo, const Settings& settings,
                       std::shared_ptr<const Strokes>& strokes);

/// Returns the blur of a lens that a photo's EXIF may tell.
LensBlur lens_blur(const LensOptions& lens, const ExifLens& exif, const Depth& depth, const std::string& name,
                   Context& context);

/// Returns the blur that the lens options ask for. An autofocus looks at the picture, on the context's
/// device.
LensBlur load_blur(const PhotoOptions& options, const Picture& picture, const Depth& depth, Context& context,
                   const Settings& settings, const RunStage& run_stage);

/// Says what is in focus, adds it to the account, and returns the blur.
Blur account_for(const LensBlur& found, bool metric, Talk& talk);

/// Loads a picture, its depth, and the blur of both; says what was remarked. Calls `begin`, once or more,
/// with the picture's format, as soon as that is known: it begins to open the device. Waits for the device
/// once both files are read. With `on_device` samples and depth may lie there then, for a blur there.
Photo load_photo(const PhotoOptions& options, DeviceOpening& device, bool on_device, Talk& talk,
                 const std::function<void(const RowFormat&)>& begin);

}  // namespace scanlens
