#include "app/filtering/filter_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/depth/depth.h"
#include "app/depth/guess.h"
#include "app/filtering/overlays.h"
#include "app/io/depth_beside.h"
#include "app/io/exif_lens.h"
#include "app/io/file.h"
#include "app/io/format.h"
#include "app/io/picture.h"
#include "app/photo/facts.h"
#include "app/photo/photo_options.h"
#include "app/stats/doubts.h"
#include "core/error.h"
#include "filters/bands.h"
#include "filters/statistics.h"
#include "filters/tones.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

template <class T>
Image<float> luma_shares(const Image<T>& image) {
  const float full = std::is_floating_point_v<T> ? 1.f : static_cast<float>(std::numeric_limits<T>::max());
  const int channels = image.channels();
  Image<float> values(image.width(), image.height());
  const T* in = image.view().data;
  for (float& value : std::span(values.view().data, static_cast<std::size_t>(values.view().extent()))) {
    const auto sample = [&](int c) { return static_cast<float>(in[c]); };
    const float grey = channels < 3 ? sample(0) : luma_of(sample(0), sample(1), sample(2));
    value = grey > 0 ? std::min(grey / full, 1.f) : 0.f;  // NaN is not
    in += channels;
  }
  return values;
}

/// Returns a mask as a map that is resampled as depth is.
Depth read_mask(const fs::path& file, const Limits& limits, Talk& talk) {
  const Picture picture = read_picture(file, limits);
  talk.report(file.string(), picture.remarks);
  Depth mask;
  mask.disparity = mask_of(picture);
  mask.most = 1;
  return mask;
}

/// Says what a depth map's file means.
Depth told(Depth depth, const fs::path& file, Talk& talk) {
  talk.assume(fmt::format("{}: {}", file.string(), depth.convention));
  talk.report(file.string(), std::exchange(depth.remarks, {}));
  add_depth(talk.account, file, facts_of(depth));
  return depth;
}

/// Returns true if files of this format carry depth, by the first bytes: pictures larger than memory are not
/// read for that.
bool may_carry_depth(const fs::path& picture) {
  const InputFile file(picture);
  std::array<std::byte, kMostMagic> magic;
  const std::span<std::byte> bytes = std::span(magic).first(std::min(magic.size(), file.size()));
  file.read(0, bytes);
  return may_carry_depth(sniff(bytes, picture));
}

/// Returns the file that holds a picture's depth where none is named: the picture's own, or one beside it;
/// nothing for a pipe, which is read once.
fs::path depth_file_of(const fs::path& picture, Talk& talk) {
  std::error_code error;
  if (is_standard_stream(picture) || (fs::exists(picture, error) && !fs::is_regular_file(picture, error)))
    return {};
  fs::path beside = depth_beside(picture);
  if (!goes_before_own_depth(beside) && may_carry_depth(picture) &&
      depth_meaning(picture, true, {}, talk.settings.limits()))
    return picture;
  if (!beside.empty())
    talk.assume(
        fmt::format("{}: its depth map is {}, which lies beside it", picture.string(), beside.string()));
  return beside;
}

/// Gives the rows of a picture, a few at a time, after `resizing`. All arguments must outlive the result.
PhotoRows rows_of(RowReader& picture, std::span<const FilterCall> resizing, Context& context) {
  return {output_of(resizing, picture.format()),
          [&picture, resizing, &context](const PhotoRows::Take& take) {
            constexpr std::int64_t kRows = 64;
            const RowFormat& format = picture.format();
            std::optional<BandStream> stream;
            if (!resizing.empty()) stream.emplace(context, resizing, format, std::min(kRows, format.height));
            const auto take_some = [&](Bytes rows) {
              if (!rows.empty()) take(rows);
            };
            const auto bytes_of = [&](std::int64_t rows) {
              return static_cast<std::size_t>(rows) * format.row_bytes();
            };
            const Memory memory(Backend::cpu, bytes_of(std::min(kRows, format.height)));
            for (std::int64_t y = 0; y < format.height; y += kRows) {
              const std::span rows(memory.data(), bytes_of(std::min(kRows, format.height - y)));
              picture.read(rows);
              take_some(stream ? stream->push(rows) : rows);
            }
            if (stream)
              for (Bytes rows; !(rows = stream->finish()).empty();) take(rows);
            picture.rewind();
          },
          picture.orientation(), true};
}

std::int64_t plane_bytes(const RowFormat& format) {
  return format.width * format.height * static_cast<std::int64_t>(sizeof(float));
}

/// Parts the filters that a map goes through: the first of them scale the picture that the map is fitted to,
/// all others work on the map itself.
struct WayOfMap {
  explicit WayOfMap(std::span<const FilterCall> calls) {
    for (const FilterCall& call : calls) {
      if (!changes_geometry(*call.filter)) continue;
      (moving.empty() && !call.filter->first_row ? scaling : moving).push_back(call);
    }
    for (FilterCall& call : moving)
      for (const Param& param : call.filter->params)
        if (param.measure == Measure::colour) param.in(call.params) = kEdgeColour;
  }

  std::vector<FilterCall> scaling, moving;
};

/// Returns the bytes of a map of this format while it is moved.
std::int64_t moved_bytes(std::span<const FilterCall> calls, RowFormat format) {
  std::int64_t bytes = plane_bytes(format);
  for (const FilterCall& call : calls) bytes += 2 * plane_bytes(format = output_of(call, format));
  return bytes;
}

/// Tones of codes that are shares, not light by sRGB.
std::shared_ptr<const Tones> linear_tones() {
  std::vector<float> shares(65536);
  for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = static_cast<float>(i) / 65535;
  return std::make_shared<const Tones>(make_tones(std::span(&shares, 1), 2));
}

/// Returns the map as the filters leave it.
template <class T>
Image<T> moved(Context& context, std::span<const FilterCall> way, Image<T> map) {
  if (way.empty()) return map;
  std::vector<FilterCall> calls(way.begin(), way.end());
  if constexpr (std::is_integral_v<T>) {
    const auto tones = linear_tones();
    for (FilterCall& call : calls) call.tones = tones;
  }
  const RowFormat made = output_of(calls, {map.width(), map.height(), 1, sizeof(T)});
  Image<T> result(context, made.width, made.height);
  run_filters<T>(context, calls, std::as_const(map).view(), result.view());
  context.synchronize();  // before `map` goes
  return result;
}

}  // namespace

Image<float> mask_of(const Picture& picture) {
  return std::visit([](const auto& image) { return luma_shares(image); }, picture.samples);
}

Depth relative_depth(Depth depth) {
  if (!depth.metric) return depth;
  const float least = depth.least, range = depth.most - depth.least;
  for (float& value :
       std::span(depth.disparity.view().data, static_cast<std::size_t>(depth.disparity.view().extent())))
    value = range > 0 ? std::clamp((value - least) / range, 0.f, 1.f) : 0.f;
  depth.metric = false;
  depth.least = 0;
  depth.most = 1;
  return depth;
}

void require_mask_files(std::span<const FilterCall> calls) {
  for (const FilterCall& call : calls) {
    const MapKind map = call.filter->map;
    if (map != MapKind::none && !is_depth(map) && call.map_file.empty())
      throw Error(ErrorKind::usage,
                  fmt::format("--filter {0}: takes {1}, write {0}:...:{2}={3}", call.filter->name,
                              map == MapKind::words ? "words" : fmt::format("a {}", name_of(map)),
                              name_of(map), map == MapKind::words ? "WORDS" : "FILE"));
    if (call.where && call.where->selection.asks_for(Quantity::mask))
      throw Error(ErrorKind::usage,
                  fmt::format("--filter {}: where asks for mask, which only `scanlens stats` and `scanlens "
                              "mask` take; compare colours, depth, coc, x or y",
                              call.filter->name));
  }
}

const std::string* depth_file_in(const FilterCall& call) {
  if (is_depth(call.filter->map)) return &call.map_file;
  return call.where && call.where->selection.asks_for_depth() ? &call.depth_file : nullptr;
}

std::string* depth_file_in(FilterCall& call) {
  return const_cast<std::string*>(depth_file_in(std::as_const(call)));
}

bool lacks_depth(const FilterCall& call) {
  const std::string* const file = depth_file_in(call);
  return file && file->empty();
}

void require_depth_filter(std::span<const FilterCall> calls, const char* option) {
  if (std::none_of(calls.begin(), calls.end(), lacks_depth))
    throw Error(ErrorKind::usage,
                fmt::format("{}: no filter takes depth; add --filter dof, or where=depth>2", option));
}

bool asks_for_coc(std::span<const FilterCall> calls) {
  return std::any_of(calls.begin(), calls.end(), [](const FilterCall& call) {
    return call.where && call.where->selection.asks_for(Quantity::coc);
  });
}

void find_depth(std::span<FilterCall> calls, const fs::path& picture, const PhotoOptions& options,
                Talk& talk) {
  if (options.network.asked() || options.draws()) return;
  fs::path found = options.depth;
  for (FilterCall& call : calls) {
    if (!lacks_depth(call)) continue;
    if (found.empty()) found = depth_file_of(picture, talk);
    if (found.empty())
      throw Error(
          ErrorKind::usage,
          fmt::format("{}: {} needs depth, but this picture carries none, and no map lies beside it ({}); "
                      "name a map: --depth FILE (in batch: --depth-pattern)",
                      input_name(picture), call.filter->name, depth_names_beside()));
    *depth_file_in(call) = found.string();
  }
}

std::int64_t map_bytes(std::span<const FilterCall> calls, const RowFormat& format) {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const RowFormat made = output_of(calls.first(i), format);
    const std::int64_t plane = plane_bytes(made);
    if (is_overlay(calls[i].filter->map))
      bytes += overlay_bytes(calls[i], made);
    else if (calls[i].filter->map != MapKind::none)
      bytes += plane;
    if (calls[i].where) bytes += plane / 2;
  }
  return bytes;
}

std::int64_t map_fitting_bytes(std::span<const FilterCall> calls, const RowFormat& format) {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const WayOfMap way(calls.first(i));
    const PhotoRows photo{.format = output_of(way.scaling, format), .in_parts = true};
    const std::int64_t plane = plane_bytes(photo.format);
    FilterCall call = calls[i];
    if (depth_file_in(call))
      // The depth of the call before is kept meanwhile, for one that asks for the same.
      bytes =
          std::max({bytes, (kPlanesAlongEdges + 1) * plane + photo.bytes_together(), moving_bytes(photo)});
    if (depth_file_in(call) || call.filter->map == MapKind::mask || call.where)
      bytes = std::max(bytes, moved_bytes(way.moving, photo.format));
    if (call.where)
      bytes =
          std::max(bytes, 3 * plane + feathering_bytes(*call.where, photo.format.width, photo.format.height));
  }
  return bytes;
}

std::int64_t map_decoding_bytes(const RowFormat& map) {
  // The samples and the file, hardly larger; then values, and those in another unit.
  return map.height * static_cast<std::int64_t>(map.row_bytes()) * 2 + 2 * plane_bytes(map);
}

namespace {

/// The depth of a picture at the sizes that it has before filters; the last one is kept.
class DepthOfCalls {
 public:
  DepthOfCalls(const fs::path& picture, const Metadata& metadata, const PhotoOptions& options,
               const Limits& limits, Talk& talk)
      : picture_(picture), metadata_(metadata), options_(options), limits_(limits), talk_(talk) {}

  const Depth& at(const std::string& file, const PhotoRows& photo) {
    if (file == file_ && depth_.disparity.width() == photo.format.width &&
        depth_.disparity.height() == photo.format.height)
      return depth_;
    depth_ = {};
    const DepthNetwork* const network = options_.network.network.get();
    const fs::path source = !file.empty() ? fs::path(file)
                            : network     ? network->file()
                                          : fs::path(options_.drawn_by());
    std::shared_ptr<const Strokes> strokes;
    Depth depth = !file.empty() ? read_depth(file, options_.depth_options, limits_, photo)
                  : network     ? guessed_depth(*network, photo, std::nullopt, options_.depth_options)
                                : depth_of_strokes(options_, photo, talk_.settings, strokes);
    depth_ =
        fitted(told(std::move(depth), source, talk_), photo, options_.depth_options, source, talk_.settings);
    talk_.report(input_name(source), depth_.remarks);
    file_ = file;
    return depth_;
  }

  /// Returns the blur of the lens on the depth that `at` has given.
  Blur blur(const RowFormat& format) {
    const ExifLens exif = exif_lens(metadata_, format.width, format.height);
    Context host = Context::open("cpu");
    return account_for(lens_blur(options_.lens, exif, depth_, input_name(picture_), host), depth_.metric,
                       talk_);
  }

 private:
  const fs::path& picture_;
  const Metadata& metadata_;
  const PhotoOptions& options_;
  const Limits& limits_;
  Talk& talk_;
  Depth depth_;
  std::string file_;
};

}  // namespace

void add_maps(Context& context, FilterCall& call, const PhotoRows& photo, const Depth* depth,
              const Blur& blur, const std::string& name, Talk& talk, FilterMaps& made) {
  if (is_depth(call.filter->map)) {
    call.metric = depth->metric && call.filter->map == MapKind::any_depth;
    Depth map = copy_of(*depth);
    if (!call.metric) map = relative_depth(std::move(map));
    made.maps.push_back(upload(context, std::move(map.disparity)));
    call.map = made.maps.back().view();
  }
  if (!call.where) return;
  if (depth) check_depth_numbers(call.where->selection, call.where->depth_unit, *depth, name, talk);
  made.weights.push_back(weights_of(context, *call.where, photo, depth, blur));
  call.weights = made.weights.back().view();
}

FilterMaps load_maps(std::span<FilterCall> calls, Context& context, RowReader& picture, const fs::path& file,
                     const PhotoOptions& options, const Limits& limits, Talk& talk) {
  DepthOptions smooth;
  smooth.resample = DepthResample::bilinear;
  DepthOfCalls depths(file, picture.metadata(), options, limits, talk);
  FilterMaps made;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    FilterCall& call = calls[i];
    if (is_overlay(call.filter->map)) {
      made.maps.push_back(load_overlay(call, context, output_of(calls.first(i), picture.format()),
                                       picture.metadata().icc, limits, talk));
      call.map = made.maps.back().view();
    }
    if ((call.filter->map == MapKind::none || is_overlay(call.filter->map)) && !call.where) continue;
    const WayOfMap way(calls.first(i));
    const PhotoRows photo = rows_of(picture, way.scaling, context);
    if (call.filter->map == MapKind::mask) {
      Depth mask =
          fitted(read_mask(call.map_file, limits, talk), photo, smooth, call.map_file, talk.settings);
      talk.report(input_name(call.map_file), mask.remarks);
      made.maps.push_back(upload(context, std::move(mask.disparity)));
    }
    const std::string* const depth_file = depth_file_in(call);
    const Depth* const depth = depth_file ? &depths.at(*depth_file, photo) : nullptr;
    const Blur blur = asks_for_coc(std::span(&call, 1)) ? depths.blur(photo.format) : Blur();
    add_maps(context, call, photo, depth, blur, input_name(file), talk, made);
    const auto move = [&](auto& planes, auto& view) {
      planes.back() = moved(context, way.moving, std::move(planes.back()));
      view = std::as_const(planes.back()).view();
    };
    if (call.filter->map == MapKind::mask || is_depth(call.filter->map)) move(made.maps, call.map);
    if (call.where) move(made.weights, call.weights);
  }
  return made;
}

}  // namespace scanlens
