#include "app/filtering/filter_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

#include "app/depth/depth.h"
#include "app/depth/guess.h"
#include "app/io/depth_beside.h"
#include "app/io/file.h"
#include "app/io/format.h"
#include "app/io/picture.h"
#include "app/photo/facts.h"
#include "app/photo/photo_options.h"
#include "core/error.h"
#include "filters/bands.h"
#include "filters/statistics.h"

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

/// Returns the map as the filters leave it.
Image<float> moved(Context& context, std::span<const FilterCall> calls, Image<float> map) {
  if (calls.empty()) return map;
  const RowFormat made = output_of(calls, {map.width(), map.height(), 1, sizeof(float)});
  Image<float> result(context, made.width, made.height);
  run_filters<float>(context, calls, std::as_const(map).view(), result.view());
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
  for (const FilterCall& call : calls)
    if (call.filter->map == MapKind::mask && call.map_file.empty())
      throw Error(ErrorKind::usage, fmt::format("--filter {0}: takes a {1}, write {0}:...:{1}=FILE",
                                                call.filter->name, name_of(call.filter->map)));
}

void require_depth_filter(std::span<const FilterCall> calls) {
  if (std::none_of(calls.begin(), calls.end(), [](const FilterCall& call) {
        return call.filter->map == MapKind::depth && call.map_file.empty();
      }))
    throw Error(ErrorKind::usage, "--depth-network: none of the filters takes depth; add --filter dof");
}

void find_depth(std::span<FilterCall> calls, const fs::path& picture, const DepthNetwork* network,
                Talk& talk) {
  if (network) return;
  fs::path found;
  for (FilterCall& call : calls) {
    if (call.filter->map != MapKind::depth || !call.map_file.empty()) continue;
    if (found.empty()) found = depth_file_of(picture, talk);
    if (found.empty())
      throw Error(
          ErrorKind::usage,
          fmt::format("{}: {} needs depth, but this picture carries none, and no map lies beside it ({}); "
                      "name a map: {}:...:depth=FILE (in batch: --depth-pattern)",
                      input_name(picture), call.filter->name, depth_names_beside(), call.filter->name));
    call.map_file = found.string();
  }
}

std::int64_t map_bytes(std::span<const FilterCall> calls, const RowFormat& format) {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < calls.size(); ++i)
    if (calls[i].filter->map != MapKind::none) bytes += plane_bytes(output_of(calls.first(i), format));
  return bytes;
}

std::int64_t map_fitting_bytes(std::span<const FilterCall> calls, const RowFormat& format) {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < calls.size(); ++i)
    if (calls[i].filter->map == MapKind::depth) {
      const WayOfMap way(calls.first(i));
      const PhotoRows photo{.format = output_of(way.scaling, format), .in_parts = true};
      const std::int64_t resized = kPlanesAlongEdges * plane_bytes(photo.format) + photo.bytes_together();
      bytes = std::max({bytes, resized, moving_bytes(photo), moved_bytes(way.moving, photo.format)});
    }
  return bytes;
}

std::int64_t map_decoding_bytes(const RowFormat& map) {
  // The samples and the file, hardly larger; then values, and those in another unit.
  return map.height * static_cast<std::int64_t>(map.row_bytes()) * 2 + 2 * plane_bytes(map);
}

std::vector<Image<float>> load_maps(std::span<FilterCall> calls, Context& context, RowReader& picture,
                                    const DepthNetwork* network, const Limits& limits, Talk& talk) {
  DepthOptions smooth;
  smooth.resample = DepthResample::bilinear;
  std::vector<Image<float>> maps;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    FilterCall& call = calls[i];
    if (call.filter->map == MapKind::none) continue;
    const WayOfMap way(calls.first(i));
    const PhotoRows photo = rows_of(picture, way.scaling, context);
    const bool guesses = call.map_file.empty() && network;
    const fs::path file = guesses ? network->file() : fs::path(call.map_file);
    const auto depth = [&] {
      return guesses ? guessed_depth(*network, photo, std::nullopt, {}) : read_depth(file, {}, limits, photo);
    };
    const bool is_mask = call.filter->map == MapKind::mask;
    Depth map = is_mask ? read_mask(file, limits, talk) : relative_depth(told(depth(), file, talk));
    map = fitted(std::move(map), photo, is_mask ? smooth : DepthOptions(), file, talk.settings);
    talk.report(input_name(file), map.remarks);
    maps.push_back(moved(context, way.moving, upload(context, std::move(map.disparity))));
    call.map = maps.back().view();
  }
  return maps;
}

}  // namespace scanlens
