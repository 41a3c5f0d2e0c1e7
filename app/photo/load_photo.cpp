// Loads a photo with its depth and its blur.
#include <fmt/format.h>

#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "app/depth/guess.h"
#include "app/depth/strokes/guessed.h"
#include "app/depth/strokes/spread.h"
#include "app/depth/strokes/strokes.h"
#include "app/io/depth_beside.h"
#include "app/io/exif_lens.h"
#include "app/io/format.h"
#include "app/photo/autofocus.h"
#include "app/photo/facts.h"
#include "app/photo/keep_sharp.h"
#include "app/photo/lens_doubts.h"
#include "app/photo/photo_options.h"

namespace scanlens {
namespace {

void assume(std::vector<Remark>& remarks, std::string text) {
  remarks.push_back({false, std::move(text)});
}

void warn(std::vector<Remark>& remarks, std::string text) {
  remarks.push_back({true, std::move(text)});
}

/// Moves what was remarked about a file to whole lines.
void append(std::vector<Remark>& lines, const std::string& name, std::vector<Remark>& remarks) {
  for (Remark& remark : remarks) lines.push_back({remark.warning, name + ": " + remark.text, remark.usual});
  remarks.clear();
}

/// Does the work of a stage, and returns its result.
template <class Work>
auto staged(const RunStage& run_stage, const std::string& stage, const Work& work) {
  std::optional<decltype(work())> result;
  run_stage(stage, [&] { result.emplace(work()); });
  return std::move(*result);
}

/// Says what an EXIF orientation does to the stored pixels.
const char* words_of_turn(int orientation) {
  constexpr const char* kWords[] = {"",
                                    "mirrored",
                                    "by 180 degrees",
                                    "upside down",
                                    "and mirrored along a diagonal",
                                    "by 90 degrees clockwise",
                                    "and mirrored along the other diagonal",
                                    "by 270 degrees clockwise"};
  return kWords[orientation - 1];
}

/// Turns a map that lies on its side as the photo's EXIF says, and warns of one that fits in no way.
Depth upright(Depth depth, const PhotoRows& photo, const DepthOptions& options) {
  if (const int turn = turn_of(depth.disparity, photo, options); turn != 1) {
    assume(depth.remarks,
           fmt::format("the map lies on its side; turned {}, as the photo's EXIF says of the photo",
                       words_of_turn(turn)));
    return turned(std::move(depth), turn);
  }
  const MapFit fit = fit_of(depth.disparity, photo.format);
  if (fit == MapFit::on_its_side)
    warn(depth.remarks,
         "the map seems to lie on its side, and is stretched; turn it by --depth-orientation 90 or 270");
  if (fit == MapFit::other)
    warn(depth.remarks, "the proportions of map and picture differ, so the map is stretched");
  return depth;
}

const char* words_for(DepthResample resample, bool grows) {
  if (resample == DepthResample::nearest) return "each pixel the nearest";
  if (!grows) return "averaged";
  return resample == DepthResample::edges ? "along the photo's edges" : "bilinear";
}

/// Moves the jumps of a map to the photo's edges, and says so.
Depth moved(Depth depth, const PhotoRows& photo, const DepthOptions& options, const std::string& name,
            const Settings& settings, Context& context) {
  if (!moves_jumps(depth, options)) return depth;
  if (!context.on_cuda()) settings.require_host_memory(name, moving_bytes(photo));
  const std::int64_t pixels = move_jumps(depth, photo, context);
  if (pixels > 0)
    assume(depth.remarks,
           fmt::format("its jumps of depth moved to the picture's edges, {:.2g} % of its pixels",
                       100. * static_cast<double>(pixels) /
                           static_cast<double>(photo.format.width * photo.format.height)));
  return depth;
}

[[noreturn]] void refuse_without_depth(const PhotoFile& file, const std::filesystem::path& input) {
  const std::string form = file.unread_form();
  throw NoDepth(
      ErrorKind::usage,
      fmt::format("{}: this photo carries {}, and no map lies beside it ({}); name one with --depth FILE (in "
                  "batch: --depth-pattern)",
                  input_name(input),
                  form.empty() ? "no depth map" : "its depth map as " + form + ", which is not read",
                  depth_names_beside()));
}

/// Returns true if a file can be read as a depth map.
bool is_depth_map(const std::filesystem::path& file, const Limits& limits) {
  try {
    read_depth(file, {}, limits);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Reads a map that is named. Where it is no map, but the picture is one, the two were probably swapped.
Depth read_named_depth(const PhotoOptions& options, const Picture& picture, const Limits& limits) {
  try {
    return read_depth(options.depth, options.depth_options, limits, rows_of(picture));
  } catch (const Error& error) {
    std::error_code gone;
    const bool swapped = error.kind() != ErrorKind::retry && !is_standard_stream(options.input) &&
                         std::filesystem::exists(options.depth, gone) && is_depth_map(options.input, limits);
    if (!swapped) throw;
    throw Error(ErrorKind::usage, fmt::format("{}; {} could be a map: did you swap them?", error.what(),
                                              options.input.string()));
  }
}

/// Returns the depth that a photo carries. Where a map lies `beside` it, damage to its own is a warning, and
/// a channel may be meant of that map.
std::optional<Depth> depth_inside(const PhotoFile& file, const DepthOptions& options, bool beside,
                                  std::vector<Remark>& remarks) {
  try {
    return file.depth(options);
  } catch (const Error& error) {
    if (!beside || error.kind() == ErrorKind::retry) throw;
    if (options.channel.empty()) {
      if (error.kind() == ErrorKind::usage) throw;
      warn(remarks, error.what());
    }
    return std::nullopt;
  }
}

/// Reads a map that lies beside its photo. One that is not `required` may be no map.
std::optional<Depth> read_depth_beside(const std::filesystem::path& map, const PhotoOptions& options,
                                       const Picture& picture, bool required, const Limits& limits,
                                       std::vector<Remark>& remarks) {
  try {
    Depth depth = read_depth(map, options.depth_options, limits, rows_of(picture));
    assume(remarks, fmt::format("{}: its depth map is {}, which lies beside it", input_name(options.input),
                                map.string()));
    return depth;
  } catch (const Error& error) {
    const std::string line =
        fmt::format("{} (taken for the depth map of {} by its name)", error.what(), options.input.string());
    if (required || error.kind() == ErrorKind::retry) throw Error(error.kind(), line);
    warn(remarks, line);
    return std::nullopt;
  }
}

/// Copies a picture's samples to the context's device.
Picture copy_on_device(Context& context, const Picture& picture) {
  return std::visit(
      [&]<class T>(const Image<T>& host) {
        Image<T> device(context, host.width(), host.height(), host.channels());
        copy(context, host.view(), device.view());
        return Picture{std::move(device)};
      },
      picture.samples);
}

/// Loads into `loaded`, which keeps what was remarked until an Error.
void load(const PhotoOptions& options, DepthNeed need, const Settings& settings, const Limits& limits,
          const RunStage& run_stage, FloatSamples floats, const std::function<void(const Picture&)>& decoded,
          DeviceOpening* device, PictureAndDepth& loaded) {
  std::optional<Depth>& depth = loaded.depth;
  std::filesystem::path& map = loaded.depth_file;
  if (need != DepthNeed::none) map = options.depth;
  const bool drawn = need != DepthNeed::none && options.draws();
  if (drawn) {
    map.clear();
    loaded.depth_source = options.drawn_by();
  } else if (!options.strokes_out.empty()) {
    throw Error(ErrorKind::usage, "--strokes-out writes strokes; add --stroke, or --depth guess");
  }
  const DepthNetwork* const network =
      need != DepthNeed::none && map.empty() && !drawn ? options.network.network.get() : nullptr;
  const bool named = !map.empty() || drawn || network, required = need == DepthNeed::required;
  {
    const PhotoFile file = staged(run_stage, "decode", [&] { return PhotoFile(options.input, limits); });
    if (!named && need != DepthNeed::none) {
      map = depth_beside(options.input);
      if (!goes_before_own_depth(map))
        depth = staged(run_stage, "depth", [&] {
          return depth_inside(file, options.depth_options, !map.empty(), loaded.remarks);
        });
      if (depth) map.clear();
      if (!depth && map.empty() && required) refuse_without_depth(file, options.input);
    }
    loaded.picture = staged(run_stage, "decode", [&] { return file.picture(floats); });
    append(loaded.remarks, input_name(options.input), loaded.picture.remarks);
  }
  if (decoded) decoded(loaded.picture);
  const auto read = [&]() -> std::optional<Depth> {
    if (drawn) {
      if (!options.strokes_out.empty()) check_target(options.strokes_out, options.input);
      return depth_of_strokes(options, rows_of(loaded.picture), settings, loaded.strokes);
    }
    if (network)
      return guessed_depth(*network, rows_of(loaded.picture), focal_length_of(loaded.picture),
                           options.depth_options);
    if (named) return read_named_depth(options, loaded.picture, limits);
    return read_depth_beside(map, options, loaded.picture, required, limits, loaded.remarks);
  };
  if (named || !map.empty()) depth = staged(run_stage, network ? "network" : "depth", read);
  if (!depth) return map.clear();
  if (!drawn) loaded.depth_source = network ? network->file() : map.empty() ? options.input : map;
  const std::string source = input_name(loaded.depth_source);
  assume(loaded.remarks, fmt::format("{}: {}", source, depth->convention));
  append(loaded.remarks, source, depth->remarks);
  loaded.depth_facts = facts_of(*depth);
  Context* const there = device ? &device->context() : nullptr;
  depth = staged(run_stage, "depth", [&] {
    PhotoRows photo = rows_of(loaded.picture);
    if (!there || !fits_on_device(*there, photo.format, settings))
      return fitted(std::move(*depth), photo, options.depth_options, loaded.depth_source, settings);
    loaded.uploaded = copy_on_device(*there, loaded.picture);
    std::visit([&](const auto& image) { photo.on_device = image.view().data; }, loaded.uploaded->samples);
    return fitted(std::move(*depth), photo, options.depth_options, loaded.depth_source, settings, *there);
  });
  append(loaded.remarks, source, depth->remarks);
}

/// Says what was remarked about a loaded photo, writes its strokes where they are asked for, and adds its
/// depth to the account.
void account_for(const PhotoOptions& options, const PictureAndDepth& loaded, Talk& talk) {
  talk.say(fmt::format("{}: {}", input_name(options.input), loaded.picture.description()));
  talk.report(loaded.remarks);
  if (!loaded.depth) return;
  if (loaded.strokes && !options.strokes_out.empty()) {
    const std::string text = text_of(*loaded.strokes);
    write_file(options.strokes_out, std::as_bytes(std::span(text)));
    talk.say(fmt::format("{}: written, --depth takes it", options.strokes_out.string()));
  }
  add_depth(talk.account, loaded.depth_source, loaded.depth_facts);
}

}  // namespace

Depth fitted(Depth depth, const PhotoRows& photo, const DepthOptions& options,
             const std::filesystem::path& file, const Settings& settings) {
  Context context = Context::open("cpu");
  return fitted(std::move(depth), photo, options, file, settings, context);
}

Depth fitted(Depth depth, const PhotoRows& photo, const DepthOptions& options,
             const std::filesystem::path& file, const Settings& settings, Context& context) {
  const std::string name = input_name(file);
  const DepthResample resample = options.resample;
  if (!depth.covers_photo) depth = upright(std::move(depth), photo, options);
  const std::int64_t map_width = depth.disparity.width(), map_height = depth.disparity.height();
  const std::int64_t width = photo.format.width, height = photo.format.height;
  const bool grows = map_width < width || map_height < height;
  if (map_width == width && map_height == height)
    return moved(std::move(depth), photo, options, name, settings, context);
  assume(depth.remarks, fmt::format("resampled from {} x {} to the picture's {} x {}, {}", map_width,
                                    map_height, width, height, words_for(resample, grows)));
  if (!context.on_cuda()) settings.require_host_memory(name, resizing_bytes(depth, photo, resample));
  depth = about(name, [&] { return resized(std::move(depth), photo, resample, context); });
  return moved(std::move(depth), photo, options, name, settings, context);
}

bool fits_on_device(const Context& context, const RowFormat& photo, const Settings& settings) {
  if (!context.on_cuda()) return false;
  const std::int64_t samples = static_cast<std::int64_t>(photo.row_bytes()) * photo.height;
  try {
    settings.require_memory(context, "depth", 0, samples + fitting_device_bytes(photo));
  } catch (const Error&) {
    return false;
  }
  return true;
}

Depth depth_of_strokes(const PhotoOptions& options, const PhotoRows& photo, const Settings& settings,
                       std::shared_ptr<const Strokes>& strokes) {
  const std::string name = options.drawn_by();
  strokes = std::make_shared<const Strokes>(
      options.guesses() ? guessed_strokes(photo)
                        : options.strokes_on(photo.format.width, photo.format.height));
  settings.require_host_memory(name, spreading_bytes(photo.format, strokes->strokes.size()));
  Depth depth = spread(*strokes, photo, name);
  if (options.guesses())
    depth.convention = "a guess from the photo alone, often wrong; strokes correct it: " + depth.convention;
  return depth;
}

LensBlur load_blur(const PhotoOptions& options, const Picture& picture, const Depth& depth, Context& context,
                   const Settings& settings, const RunStage& run_stage) {
  const std::string name = input_name(options.input);
  LensOptions lens = options.lens;
  if (options.autofocus)
    lens.found = staged(run_stage, "autofocus", [&] {
      return FoundFocus{autofocus(context, picture, depth.disparity, name, settings), "the sharpest region"};
    });
  return lens_blur(lens, exif_lens(picture), depth, name, context);
}

LensBlur lens_blur(const LensOptions& lens, const ExifLens& exif, const Depth& depth, const std::string& name,
                   Context& context) {
  LensBlur found;
  std::string account;
  ThinLens otherwise;
  if (takes_lens(lens, depth)) {
    otherwise = photo_lens(lens, exif, account);
    if (!account.empty()) assume(found.remarks, fmt::format("{}: {}", name, account));
  }
  found.blur = blur_for(lens, depth, account, otherwise, &context);
  assume(found.remarks, account);
  const ThinLens taken = lens_for(lens, otherwise);
  if (takes_lens(lens, depth)) found.lens = taken;
  for (const std::string& doubt : lens_doubts(lens, taken, depth, found.blur))
    warn(found.remarks, fmt::format("{}: {}", name, doubt));
  return found;
}

Blur account_for(const LensBlur& found, bool metric, Talk& talk) {
  talk.report(found.remarks);
  add_blur(talk.account, found.blur, metric, found.lens);
  return found.blur;
}

namespace {

PictureAndDepth load_and_report(const PhotoOptions& options, DepthNeed need, const Limits& limits, Talk& talk,
                                FloatSamples floats, const std::function<void(const Picture&)>& decoded,
                                DeviceOpening* device) {
  PictureAndDepth loaded;
  try {
    load(options, need, talk.settings, limits, talk.run_stage(), floats, decoded, device, loaded);
  } catch (const Error&) {
    talk.report(loaded.remarks);
    throw;
  }
  account_for(options, loaded, talk);
  return loaded;
}

}  // namespace

PictureAndDepth load_picture_and_depth(const PhotoOptions& options, DepthNeed need, const Limits& limits,
                                       Talk& talk, FloatSamples floats,
                                       const std::function<void(const Picture&)>& decoded) {
  return load_and_report(options, need, limits, talk, floats, decoded, nullptr);
}

Photo load_photo(const PhotoOptions& options, DeviceOpening& device, bool on_device, Talk& talk,
                 const std::function<void(const RowFormat&)>& begin) {
  Limits limits = talk.settings.limits();
  limits.admit = [&](const RowFormat& format) {
    if (format.channels > 1) begin(format);  // maps inside the photo have one channel
  };
  const auto decoded = [&](const Picture& picture) { begin(rows_of(picture).format); };
  const bool keeps = !options.keep_sharp.empty();
  PictureAndDepth loaded = load_and_report(options, DepthNeed::required, limits, talk, FloatSamples::light,
                                           decoded, on_device && !keeps ? &device : nullptr);
  Context& context = device.context();
  const Blur blur =
      account_for(load_blur(options, loaded.picture, *loaded.depth, context, talk.settings, talk.run_stage()),
                  loaded.depth->metric, talk);
  if (keeps) keep_sharp(*loaded.depth, blur, options.keep_sharp, loaded.picture, talk.settings);
  context.trim();  // the blur need not take the same memory as this
  const DofStyle style = options.lens.style(loaded.picture.width());
  return {std::move(loaded.picture), std::move(*loaded.depth), blur, style, std::move(loaded.uploaded)};
}

}  // namespace scanlens
