#include "core/sat/checks.h"

#include <string>
#include <type_traits>

#include "core/runtime/checks.h"

namespace scanlens {
namespace {

/// The tables' places within `table`, whose channels are planes of `rows` rows each if it is planar.
template <class S>
TablePlaces<S> places(const View<S>& table, int channels, std::int64_t rows, bool first_column,
                      bool first_row) {
  const bool planar = table.channels != channels;
  TablePlaces<S> places;
  places.pitch = table.pitch;
  places.plane = planar ? rows * table.pitch : 1;
  places.step = planar ? 1 : channels;
  places.image = (planar ? channels : 1) * rows * table.pitch;
  places.origin = table.data + (first_row ? table.pitch : 0) + (first_column ? places.step : 0);
  return places;
}

/// Channels of tables of `rows` rows that `table` holds for `images` images; 0 if it fits none.
template <class T, class S>
int channels_of(const View<const T>& image, const View<S>& table, bool packed, std::int64_t images,
                std::int64_t rows) {
  if (packed) return table.channels == 1 && table.height == images * rows ? 1 : 0;
  for (const int channels : {image.channels, image.channels == 3 ? 4 : image.channels}) {
    if (table.channels == channels && table.height == images * rows) return channels;
    if (table.channels == 1 && table.height == images * rows * channels) return channels;
  }
  return 0;
}

std::string text_of(int list) {
  std::string text;
  for (const char channels : std::to_string(list))
    text += fmt::format("{}{} into {}", text.empty() ? "" : ", ", channels, channels);
  return list == 0 ? "none" : text;
}

/// Requires that `list`, the channels that the library holds of `kind`, has those of a call.
void require_listed(const char* call, const char* kind, int list, int image_channels, int table_channels) {
  SCANLENS_REQUIRE(
      image_channels == table_channels && lists(list, image_channels),
      fmt::format("{}: the library holds no {} from {} into {} channels of these types (it holds "
                  "{}); core/sat_with.h makes them",
                  call, kind, image_channels, table_channels, text_of(list)));
}

}  // namespace

template <class T, class S>
SatTask<T, S> sat_task(const char* call, const View<const T>& image, const View<S>& table,
                       const View<SquareSum<S>>* squares, const Terms& terms, std::int64_t images,
                       bool continued) {
  require_valid(image, call, "image");
  require_valid(table, call, "table");
  SCANLENS_REQUIRE(image.channels == 1 || image.channels == 3 || image.channels == 4,
                   fmt::format("{}: images of {} channels are not supported", call, image.channels));
  SCANLENS_REQUIRE(images >= 1 && image.height % images == 0,
                   fmt::format("{}: {} rows are not {} images of equal height", call, image.height, images));

  SatTask<T, S> task;
  task.image = image;
  task.images = images;
  task.height = image.height / images;
  task.zeros_left = table.width == image.width + 1;
  task.above = continued ? Above::sums : task.zeros_left ? Above::zeros : Above::nothing;
  task.terms = terms;
  const std::int64_t rows = task.height + (task.above == Above::nothing ? 0 : 1);
  task.channels = channels_of(image, table, terms.packed, images, rows);
  SCANLENS_REQUIRE(
      (task.zeros_left || table.width == image.width) && task.channels > 0,
      fmt::format("{}: a table of {} does not fit the image of {}{}", call, shape(table), shape(image),
                  images > 1 ? fmt::format(", {} images of {} rows", images, task.height) : std::string()));
  task.table = places(table, task.channels, rows, task.zeros_left, task.above != Above::nothing);

  constexpr bool kFloating = std::is_floating_point_v<S>;
  constexpr bool kWeighable = !kFloating && (sizeof(S) == 8 || sizeof(T) == 1);
  SCANLENS_REQUIRE(!terms.weigh_by_alpha || (image.channels == 4 && kWeighable),
                   fmt::format("{}: weighing by alpha takes four channels and a table of uint64_t, or of "
                               "uint32_t for samples of uint8_t",
                               call));
  SCANLENS_REQUIRE(
      !terms.packed || (std::is_same_v<T, std::uint8_t> && std::is_same_v<S, std::uint64_t> &&
                        image.channels == 3 && !terms.lut && !squares),
      fmt::format("{}: packed terms take three channels of uint8_t, a table of uint64_t, no look-up table "
                  "and no squares",
                  call));
  SCANLENS_REQUIRE(
      !std::is_floating_point_v<T> || (terms.scale >= 0 && terms.most >= 0 && terms.most < 4294967296.f),
      fmt::format("{}: terms of scale {} and at most {} are not within 32 bits", call, terms.scale,
                  terms.most));
  SCANLENS_REQUIRE(!kFloating || (terms.scale == 1 && terms.most == Terms{}.most),
                   fmt::format("{}: terms of a table of doubles are the samples themselves", call));
  bool in_place = false;
  if constexpr (std::is_same_v<T, S>)
    in_place = image.data == table.data && image.pitch == table.pitch && image.channels == table.channels &&
               image.width == table.width && !continued;
  SCANLENS_REQUIRE(in_place || !overlap(image, table), fmt::format("{}: `image` and `table` overlap", call));
  SCANLENS_REQUIRE(!terms.lut || sizeof(T) <= 2,
                   fmt::format("{}: only samples of 8 and 16 bits take a look-up table", call));
  if (squares) {
    require_valid(*squares, call, "squares");
    SCANLENS_REQUIRE(
        same_size(table, *squares) && table.channels == squares->channels,
        fmt::format("{}: `table` is {} but `squares` is {}", call, shape(table), shape(*squares)));
    SCANLENS_REQUIRE(!overlap(image, *squares) && !overlap(table, *squares),
                     fmt::format("{}: `squares` overlaps another view", call));
    task.squares = places(*squares, task.channels, rows, task.zeros_left, task.above != Above::nothing);
  }
  return task;
}

template <class T, class S>
void require_held(const char* call, const SatTask<T, S>& task) {
  if (task.terms.packed) return;
  constexpr TablesHeld kHeld = kTablesHeld<T, S>;
  const int in = task.image.channels, out = task.channels;
  if (looks_up<T, S>(task.terms))
    require_listed(call, "tables of samples that are looked up or weighed,", kHeld.looked_up, in, out);
  else
    require_listed(call, "tables", kHeld.summed, in, out);
  if (!task.squares.origin) return;
  require_listed(call, "tables of squares", task.terms.lut ? 0 : kTablesHeld<T, SquareSum<S>>.squared, in,
                 out);
}

void require_compiled_for(const char* call, int image_channels, int table_channels, int in, int out) {
  SCANLENS_REQUIRE(image_channels == in && table_channels == out,
                   fmt::format("{}: the call is compiled for {} into {} channels, not for {} into {}", call,
                               in, out, image_channels, table_channels));
}

#define SCANLENS_INSTANTIATE(T, S, ...)                                              \
  template SatTask<T, S> sat_task(const char*, const View<const T>&, const View<S>&, \
                                  const View<SquareSum<S>>*, const Terms&, std::int64_t, bool);
SCANLENS_FOR_EACH_TABLE(SCANLENS_INSTANTIATE)
SCANLENS_INSTANTIATE(float, std::uint32_t)
#undef SCANLENS_INSTANTIATE
#define SCANLENS_INSTANTIATE(T, S, ...) template void require_held(const char*, const SatTask<T, S>&);
SCANLENS_FOR_EACH_TABLE(SCANLENS_INSTANTIATE)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens
