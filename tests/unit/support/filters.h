// Filters whole and band by band, and calls of every filter that there is.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "filters/bands.h"
#include "filters/registry.h"
#include "filters/where.h"
#include "tests/unit/support/combinations.h"
#include "tests/unit/support/guarded.h"

namespace scanlens::test {

/// A value of 0..1 for every pixel, both ends among them.
inline float map_value(std::int64_t x, std::int64_t y) {
  return static_cast<float>((x * 7 + y * 13) % 41) / 40.f;
}

/// A second input of a filter: one value for each pixel of a picture of this size, or an overlay. It has
/// pixels that do not cover, cover a part, and cover all.
inline Image<float> map_for(const Filter& filter, std::int64_t width, std::int64_t height) {
  Image<float> map = is_overlay(filter.map) ? Image<float>(9, 7, filter.map == MapKind::words ? 1 : 4)
                                            : Image<float>(width, height);
  const View<float> view = map.view();
  for (std::int64_t y = 0; y < view.height; ++y)
    for (std::int64_t x = 0; x < view.width * view.channels; ++x) view.row(y)[x] = map_value(x, y);
  return map;
}

/// A weight for every pixel: none and full ones in runs, and others between.
inline std::uint16_t weight_value(std::int64_t x, std::int64_t y) {
  const std::int64_t at = (x / 3 + y / 2) % 4;
  return static_cast<std::uint16_t>(at == 0 ? 0 : at == 1 ? 65535 : (x * 9973 + y * 20011) % 65536);
}

inline Image<std::uint16_t> weights(std::int64_t width, std::int64_t height) {
  Image<std::uint16_t> made(width, height);
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x) made.view()(x, y) = weight_value(x, y);
  return made;
}

/// Gives maps to calls whose filters take one and that have no map, and weights to those with a part.
class WithMaps {
 public:
  WithMaps(Context& context, std::span<const FilterCall> calls, std::int64_t width, std::int64_t height)
      : calls_(calls.begin(), calls.end()) {
    for (FilterCall& call : calls_) {
      const std::int64_t wide = width, high = height;
      const RowFormat made = output_of(call, {width, height});
      width = made.width;
      height = made.height;
      if (call.where) {
        weights_.push_back(upload(context, weights(wide, high)));
        call.weights = weights_.back().view();
      }
      if (call.filter->map == MapKind::none || !call.map.empty()) continue;
      maps_.push_back(upload(context, map_for(*call.filter, wide, high)));
      call.map = maps_.back().view();
    }
  }

  std::span<const FilterCall> calls() const { return calls_; }
  const FilterCall& one() const { return calls_.front(); }

 private:
  std::vector<FilterCall> calls_;
  std::vector<Image<float>> maps_;
  std::vector<Image<std::uint16_t>> weights_;
};

/// Filters between views with pitches of their own. Nothing beside the output may be written.
template <class T>
Image<T> filtered(Context& context, const FilterCall& call, View<const T> image) {
  const RowFormat made = output_of(call, {image.width, image.height, image.channels, sizeof(T)});
  Image<T> before(made.width, made.height, made.channels);
  std::fill_n(before.view().data, before.view().extent(), T(7));
  GuardedArray<T> from(context, image), to(context, View<const T>(before.view()));
  const WithMaps with(context, std::span(&call, 1), image.width, image.height);
  run_filter<T>(context, with.one(), View<const T>(from.view()), to.view());
  return to.image();
}

template <class T>
Image<T> filtered_in_place(Context& context, const FilterCall& call, View<const T> image) {
  GuardedArray<T> work(context, image);
  const WithMaps with(context, std::span(&call, 1), image.width, image.height);
  run_filter<T>(context, with.one(), View<const T>(work.view()), work.view());
  return work.image();
}

/// Filters a packed image band by band.
template <class T>
Image<T> streamed(Context& context, std::span<const FilterCall> calls, View<const T> image,
                  std::int64_t band) {
  const RowFormat format{image.width, image.height, image.channels, sizeof(T)};
  const WithMaps with(context, calls, image.width, image.height);
  BandStream stream(context, with.calls(), format, band);
  const RowFormat made = output_of(calls, format);
  Image<T> out(made.width, made.height, made.channels);
  std::size_t done = 0;
  const auto keep = [&](std::span<const std::byte> rows) {
    if (made.height <= format.height) {
      const std::int64_t most = made.height < format.height ? band + 2 : band;
      ASSERT_LE(rows.size(), static_cast<std::size_t>(most) * made.row_bytes());
    }
    ASSERT_LE(done + rows.size(), out.bytes());
    if (!rows.empty())
      std::memcpy(reinterpret_cast<std::byte*>(out.view().data) + done, rows.data(), rows.size());
    done += rows.size();
  };
  for (std::int64_t y = 0; y < image.height; y += band) {
    const View<const T> rows = image.region(0, y, image.width, std::min(band, image.height - y));
    keep(stream.push(std::as_bytes(std::span(rows.data, static_cast<std::size_t>(rows.extent())))));
  }
  for (std::span<const std::byte> rows; !(rows = stream.finish()).empty();) keep(rows);
  EXPECT_EQ(done, out.bytes());
  return out;
}

template <class T>
Image<T> streamed(Context& context, const FilterCall& call, View<const T> image, std::int64_t band) {
  return streamed<T>(context, std::span(&call, 1), image, band);
}

struct NamedCall {
  std::string name;  ///< as the command line takes it
  FilterCall call;
};

/// Values that a parameter may have: its bounds, its default, and some between; of choices all.
inline std::vector<double> values_of(const Param& param) {
  std::vector<double> values = {param.least, param.value, param.most};
  for (const double beyond : {1.0, 3.0, 40.0}) values.push_back(std::min(param.least + beyond, param.most));
  if (!param.whole) values.push_back(param.least + 0.3 * std::min(param.most - param.least, 1.0));
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// Returns a filter with its defaults, and with a first parameter of 40 if they make no call.
inline FilterCall usual(const Filter& filter) {
  FilterCall call{&filter, filter.defaults()};
  if (!filter.problem(call.params).empty()) filter.params.front().in(call.params) = 40;
  return call;
}

/// A filter with every value of each of its parameters in turn, while all others have their defaults.
inline std::vector<NamedCall> calls_of(const Filter& filter) {
  std::vector<NamedCall> calls = {{std::string(filter.name), usual(filter)}};
  for (const Param& param : filter.params)
    for (const double value : values_of(param)) {
      NamedCall named = calls.front();
      param.in(named.call.params) = value;
      named.name = fmt::format("{}:{}={}", filter.name, param.name, value_text(param, value));
      if (filter.problem(named.call.params).empty()) calls.push_back(std::move(named));
    }
  return calls;
}

/// Every call of every filter.
inline std::vector<NamedCall> every_call() {
  std::vector<NamedCall> calls;
  for (const Filter* filter : all_filters())
    for (NamedCall& named : calls_of(*filter)) calls.push_back(std::move(named));
  return calls;
}

/// body(call) for every call of every filter, until a check has failed fatally.
template <class Body>
void for_every_call(Body body) {
  for (const NamedCall& named : every_call()) {
    SCOPED_TRACE(named.name);
    body(named.call);
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// body(call, T{}, choice): every call on samples of type T with indices into lists of these lengths, in
/// combinations.
template <class Body>
void for_calls_combined_with(const std::vector<std::size_t>& lengths, Body body) {
  const std::vector<NamedCall> calls = every_call();
  std::vector<std::size_t> all = lengths;
  all.insert(all.end(), {calls.size(), 3});
  for (const Choice& choice : combinations(all)) {
    const NamedCall& named = calls[choice[lengths.size()]];
    SCOPED_TRACE(named.name);
    switch (choice.back()) {
      case 0:
        body(named.call, std::uint8_t{}, choice);
        break;
      case 1:
        body(named.call, std::uint16_t{}, choice);
        break;
      default:
        body(named.call, float{}, choice);
    }
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace scanlens::test
