// Properties of every filter of the registry, with every value of its parameters. So a new filter is tested
// as soon as it has a line there. Its results are checked in a test of its own.
#include "tests/unit/support/filters.h"

#include <malloc.h>

#include <cmath>
#include <limits>

namespace scanlens {
namespace {

constexpr int kChannels[] = {1, 3, 4};

/// True if a pixel's place in the picture counts, so that mirror images differ: by what the filter does, or
/// by a code where layers round by place. In another geometry there is no such place.
bool is_placed(const FilterCall& call) {
  return changes_geometry(*call.filter) || call.filter->name == "tilt_shift" ||
         call.filter->name == "vignette" || is_overlay(call.filter->map) ||
         call.filter->reach(call.params) >= kReachesAll;
}

/// body(T{}) for every type of samples.
template <class Body>
void for_every_type(Body body) {
  body(std::uint8_t{});
  body(std::uint16_t{});
  body(float{});
}

/// Tolerance of floats from 0 to 1, for rounding.
constexpr double kRounding = 2e-5;

/// Integers are equal, or off by `tolerance` codes; floats, of samples from 0 to 1, up to `rounding`, and
/// larger ones in proportion.
template <class T>
void expect_alike(View<const T> actual, View<const T> expected, const std::string& what, int tolerance = 0,
                  double rounding = kRounding) {
  if (!std::is_floating_point_v<T> && tolerance == 0) return test::expect_equal<T>(actual, expected, what);
  ASSERT_TRUE(same_size(actual, expected) && actual.channels == expected.channels) << what;
  for (std::int64_t y = 0; y < expected.height; ++y)
    for (std::int64_t x = 0; x < expected.width; ++x)
      for (int c = 0; c < expected.channels; ++c) {
        const double off = static_cast<double>(actual(x, y, c)) - static_cast<double>(expected(x, y, c));
        const double most = std::is_floating_point_v<T>
                                ? rounding * std::max(1.0, std::abs(static_cast<double>(expected(x, y, c))))
                                : tolerance;
        if (std::abs(off) <= most) continue;  // an assertion for each sample of a large picture takes seconds
        ASSERT_NEAR(actual(x, y, c), expected(x, y, c), most)
            << what << " at (" << x << ", " << y << ") channel " << c;
      }
}

template <class T>
Image<T> constant_image(std::int64_t width, std::int64_t height, int channels, T value) {
  Image<T> image(width, height, channels);
  std::fill_n(image.view().data, image.view().extent(), value);
  return image;
}

/// The picture turned over: left and right, or top and bottom.
template <class T>
Image<T> mirrored(View<const T> image, bool columns) {
  Image<T> out(image.width, image.height, image.channels);
  for (std::int64_t y = 0; y < image.height; ++y)
    for (std::int64_t x = 0; x < image.width; ++x)
      for (int c = 0; c < image.channels; ++c)
        out.view()(columns ? image.width - 1 - x : x, columns ? y : image.height - 1 - y, c) = image(x, y, c);
  return out;
}

/// Random samples. An alpha of floats is at least 0.1: less is lost in the rounding of large sums, and with
/// it the mean colour of what can hardly be seen.
template <class T>
Image<T> random_picture(std::int64_t width, std::int64_t height, int channels) {
  Image<T> image = test::random_image<T>(width, height, channels);
  if constexpr (std::is_floating_point_v<T>)
    if (channels == 4)
      for (std::int64_t i = 3; i < image.view().extent(); i += 4)
        image.view().data[i] = 0.1f + 0.9f * image.view().data[i];
  return image;
}

/// A call with a map of one value, where its filter takes one.
struct ConstantMap {
  ConstantMap(Context& context, const FilterCall& from, std::int64_t width, std::int64_t height)
      : call(from) {
    if (call.filter->map == MapKind::none) return;
    map = upload(context, is_overlay(call.filter->map) ? test::map_for(*call.filter, width, height)
                                                       : constant_image<float>(width, height, 1, 0.7f));
    call.map = map.view();
  }
  FilterCall call;
  Image<float> map;
};

class EveryFilter : public test::OnDevice {};

using Size = std::pair<std::int64_t, std::int64_t>;

TEST_P(EveryFilter, BandsMakeWhatTheWholeMakes) {
  constexpr Size kSizes[] = {{1, 1}, {31, 1}, {1, 33}, {33, 100}};
  constexpr std::int64_t kBands[] = {1, 2, 7, 32, 1000};
  test::for_calls_combined_with(
      {std::size(kChannels), std::size(kSizes), std::size(kBands)},
      [&]<class T>(const FilterCall& call, T, const test::Choice& choice) {
        const auto [width, height] = kSizes[choice[1]];
        const std::int64_t band = kBands[choice[2]];
        const Image<T> image = random_picture<T>(width, height, kChannels[choice[0]]);
        expect_alike<T>(test::streamed<T>(*context, call, image.view(), band).view(),
                        test::filtered<T>(*context, call, image.view()).view(),
                        "bands of " + std::to_string(band));
      });
}

TEST_P(EveryFilter, WorksInPlaceAtEverySize) {
  constexpr Size kSizes[] = {{1, 1}, {1, 31}, {32, 1}, {31, 33}, {32, 32}, {257, 65}};
  test::for_calls_combined_with(
      {std::size(kChannels), std::size(kSizes)},
      [&]<class T>(const FilterCall& call, T, const test::Choice& choice) {
        if (call.filter->output) return;
        const auto [width, height] = kSizes[choice[1]];
        const Image<T> image = random_picture<T>(width, height, kChannels[choice[0]]);
        expect_alike<T>(test::filtered_in_place<T>(*context, call, image.view()).view(),
                        test::filtered<T>(*context, call, image.view()).view(), "in place");
      });
}

/// True if a constant picture may become another one: black or white, or of another brightness.
bool changes_constants(const FilterCall& call) {
  constexpr std::string_view kNames[] = {"adaptive_threshold", "flatten", "sepia", "tones"};
  if (std::find(std::begin(kNames), std::end(kNames), call.filter->name) != std::end(kNames)) return true;
  std::any params = call.params;
  return std::any_of(call.filter->params.begin(), call.filter->params.end(),
                     [&](const Param& param) { return param.name == "brightness" && param.in(params) != 0; });
}

/// The most that a constant picture may drift; 8 bits never do.
struct Drift {
  int codes16 = 0;
  double light = kRounding;
};

/// Layers of depth are sums of whole numbers, rounded by chance. The limits are no derived bounds but what
/// was measured on the CPU, and some room: 4 codes and 0.00028 for radii up to 40; 48 codes and 0.0024 for
/// 2000, where a pixel's share of a circle is hardly a step.
Drift drift_of(const FilterCall& call) {
  if (call.filter->reach(call.params) < kReachesAll) return {};
  std::any params = call.params;
  double radius = 0, factor = 1;
  for (const Param& param : call.filter->params) {
    if (param.name == "blur" || param.name == "radius") radius = param.in(params);
    if (param.name == "near" || param.name == "far") factor = std::max(factor, param.in(params));
  }
  if (radius * factor > 40) return {64, 4e-3};
  return {8, 5e-4};
}

/// True if the call puts a colour beside the picture.
bool adds_colour(const FilterCall& call) {
  std::any params = call.params;
  return changes_geometry(*call.filter) &&
         std::any_of(call.filter->params.begin(), call.filter->params.end(), [&](const Param& param) {
           return param.measure == Measure::colour && param.in(params) != kEdgeColour;
         });
}

TEST_P(EveryFilter, LeavesAConstantPictureAsItIs) {
  constexpr double kShares[] = {0, 0.3, 1};
  test::for_calls_combined_with(
      {std::size(kChannels), std::size(kShares)},
      [&]<class T>(const FilterCall& call, T, const test::Choice& choice) {
        if (adds_colour(call) || call.filter->name == "vignette" || call.filter->name == "fog" ||
            is_overlay(call.filter->map))
          return;
        const Drift drift = drift_of(call);
        const int codes = sizeof(T) == 2 ? drift.codes16 : 0;
        const double most =
            std::is_floating_point_v<T> ? 1 : static_cast<double>(std::numeric_limits<T>::max());
        const int channels = kChannels[choice[0]];
        const Image<T> image = constant_image<T>(70, 90, channels, static_cast<T>(kShares[choice[1]] * most));
        const Image<T> out = test::filtered<T>(*context, call, image.view());
        Image<T> expected = constant_image<T>(out.width(), out.height(), channels, image.view()(0, 0));
        if (changes_constants(call))
          for (std::int64_t i = 0; i < expected.view().extent(); ++i)
            expected.view().data[i] = out.view()(0, 0, static_cast<int>(i % channels));
        expect_alike<T>(out.view(), expected.view(), "whole", codes, drift.light);
        expect_alike<T>(test::streamed<T>(*context, call, image.view(), 16).view(), expected.view(), "bands",
                        codes, drift.light);
      });
}

// One bright pixel changes pixels within the filter's reach only, and as much on one side as on the other.
// Beside it they change as much as above it, up to rounding, which may be done in between. With alpha, only
// pixels that are not fully opaque show how colours are weighed.
TEST_P(EveryFilter, AnImpulseReachesAsFarAsDeclaredAndIsSymmetric) {
  test::for_every_call([&](const FilterCall& call) {
    const std::int64_t reach = call.filter->reach(call.params);
    if (reach > 40 || is_placed(call)) return;
    const std::int64_t side = 2 * (reach + 3) + 1, middle = side / 2;
    for_every_type([&]<class T>(T) {
      for (const int channels : kChannels) {
        const T dark = std::is_floating_point_v<T> ? T(0.25) : T(80), bright = static_cast<T>(dark * 3);
        Image<T> image = constant_image<T>(side, side, channels, dark);
        for (int c = 0; c < channels; ++c) image.view()(middle, middle, c) = bright;
        const ConstantMap constant(*context, call, side, side);
        const Image<T> plain = constant_image<T>(side, side, channels, dark);
        const Image<T> out = test::filtered<T>(*context, constant.call, image.view());
        const Image<T> without = test::filtered<T>(*context, constant.call, plain.view());
        for (std::int64_t y = 0; y < side; ++y)
          for (std::int64_t x = 0; x < side; ++x)
            for (int c = 0; c < channels; ++c) {
              const T value = out.view()(x, y, c);
              if (std::max(std::abs(x - middle), std::abs(y - middle)) > reach) {
                ASSERT_NEAR(value, without.view()(x, y, c), 1e-5)
                    << x << ", " << y << " is out of reach of " << middle;
              }
              for (const T other : {out.view()(side - 1 - x, y, c), out.view()(x, side - 1 - y, c)})
                ASSERT_NEAR(value, other, 1e-5) << x << ", " << y << " differs from its mirror image";
              ASSERT_NEAR(value, out.view()(y, x, c), std::is_floating_point_v<T> ? 1e-5 : 1)
                  << x << ", " << y << " differs from " << y << ", " << x;
            }
      }
    });
  });
}

TEST_P(EveryFilter, CommutesWithMirrors) {
  test::for_every_call([&](const FilterCall& call) {
    if (is_placed(call)) return;
    for_every_type([&]<class T>(T) {
      for (const bool columns : {false, true}) {
        const Image<T> image = random_picture<T>(63, 50, 4);
        const Image<T> mirror = mirrored<T>(image.view(), columns);
        const ConstantMap constant(*context, call, 63, 50);
        const Image<T> out = test::filtered<T>(*context, constant.call, image.view());
        expect_alike<T>(test::filtered<T>(*context, constant.call, mirror.view()).view(),
                        mirrored<T>(out.view(), columns).view(), "mirrored");
      }
    });
  });
}

TEST_P(EveryFilter, ThereMayBeNoPixels) {
  for (const Filter* filter : all_filters())
    for (const auto& [width, height] : {std::pair{0, 5}, {5, 0}, {0, 0}}) {
      const FilterCall call = test::usual(*filter);
      Image<std::uint8_t> image(*context, width, height);
      const ConstantMap constant(*context, call, width, height);
      run_filter<std::uint8_t>(*context, constant.call, image.view(), image.view());
      BandStream stream(*context, constant.call, {width, height, 1, 1}, 8);
      EXPECT_TRUE(stream.push({}).empty());
      EXPECT_TRUE(stream.finish().empty());
    }
}

TEST_P(EveryFilter, RefusesWhatDoesNotFit) {
  const auto refused = [](const auto& work) {
    try {
      work();
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
    }
  };
  for (const Filter* filter : all_filters()) {
    SCOPED_TRACE(filter->name);
    const ConstantMap constant(*context, test::usual(*filter), 8, 9);
    const FilterCall& call = constant.call;
    Image<std::uint8_t> image(*context, 8, 9, 3), small(*context, 8, 8, 3), two(*context, 8, 9, 2);
    const auto run = [&](const FilterCall& some, View<const std::uint8_t> from, View<std::uint8_t> to) {
      refused([&] { run_filter<std::uint8_t>(*context, some, from, to); });
    };
    run(call, image.view(), small.view());
    run(call, image.view(), two.view());
    run(call, two.view(), two.view());
    run(call, image.view().region(0, 0, 8, 8), image.view().region(0, 1, 8, 8));
    const RowFormat format{8, 9, 3, 1};
    const auto open = [&](const FilterCall& some, const RowFormat& other, std::int64_t band) {
      refused([&] { BandStream(*context, some, other, band); });
    };
    open(call, format, 0);
    open(call, {8, 9, 2, 1}, 4);
    open(call, {8, 9, 3, 3}, 4);
    open(call, {-1, 9, 3, 1}, 4);
    open(call, {kMostFilterSide + 1, 9, 3, 1}, 4);
    FilterCall other_map = call;
    Image<float> narrow(*context, 7, 9, is_overlay(filter->map) ? 3 : 1);
    other_map.map = narrow.view();
    run(other_map, image.view(), image.view());
    open(other_map, format, 4);
    for (const Param& param : filter->params)
      for (const double value : {param.least - 1, param.most + 1, std::nan(""), param.least + 0.5}) {
        if (value == param.least + 0.5 && !param.whole) continue;
        FilterCall wrong = call;
        param.in(wrong.params) = value;
        run(wrong, image.view(), image.view());
        open(wrong, format, 4);
      }
    const std::vector<std::byte> rows(9 * format.row_bytes());
    BandStream stream(*context, call, format, 4);
    refused([&] { stream.push(std::span(rows).first(3 * format.row_bytes())); });
    stream.push(std::span(rows).first(4 * format.row_bytes()));
    refused([&] { stream.finish(); });
  }
}

SCANLENS_ON_EVERY_DEVICE(EveryFilter);

TEST(EveryFilterOnCuda, MakesWhatTheCpuMakes) {
  if (const std::string cause = test::why_not("cuda"); !cause.empty()) SCANLENS_SKIP_OR_FAIL(cause);
  Context cpu = Context::open("cpu"), cuda = Context::open("cuda");
  const auto check = [&]<class T>(const FilterCall& call, T, Size size, int channels) {
    const Image<T> image = random_picture<T>(size.first, size.second, channels);
    expect_alike<T>(test::filtered<T>(cuda, call, image.view()).view(),
                    test::filtered<T>(cpu, call, image.view()).view(), "on CUDA",
                    call.filter->same_everywhere ? 0 : 1);
  };
  constexpr Size kSizes[] = {{1, 1}, {31, 33}, {32, 32}, {257, 97}};
  test::for_calls_combined_with({std::size(kChannels), std::size(kSizes)},
                                [&]<class T>(const FilterCall& call, T zero, const test::Choice& choice) {
                                  check(call, zero, kSizes[choice[1]], kChannels[choice[0]]);
                                });
  // Three channels have kernels of their own for large pictures, but in filters of the whole picture.
  test::for_calls_combined_with({}, [&]<class T>(const FilterCall& call, T zero, const test::Choice&) {
    if (call.filter->reach(call.params) < kReachesAll) check(call, zero, {1601, 1000}, 3);
  });
}

// A picture 100 times as high takes no more memory, but where all of it is needed at once; and what is
// declared is enough.
TEST(EveryFilterInBands, TakesTheMemoryThatItDeclares) {
  if (test::is_set("SCANLENS_SANITIZED"))
    GTEST_SKIP() << "a sanitizer's allocator does not count for mallinfo2";
  SCANLENS_TAKES_SECONDS();
  constexpr std::int64_t kWidth = 3000, kRows = 600;
  for (const Filter* filter : all_filters())
    for (const int channels : kChannels)
      for (const int sample_bytes : {1, 2, 4}) {
        SCOPED_TRACE(testing::Message() << filter->name << ", " << channels << " x " << sample_bytes);
        FilterCall call = test::usual(*filter);
        const RowFormat format{kWidth, kRows, channels, sample_bytes};
        RowFormat high = format;
        high.height *= 100;
        const std::int64_t declared = band_stream_bytes(call, format, 16);
        if (filter->reach(call.params) < kReachesAll) {
          EXPECT_EQ(declared, band_stream_bytes(call, high, 16));
        }
        EXPECT_LT(declared, band_stream_bytes(call, high, 64));

        const auto taken = [] {
          const struct mallinfo2 info = mallinfo2();
          return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
        };
        const std::vector<std::byte> band(16 * format.row_bytes());
        const Image<float> map = test::map_for(*filter, kWidth, kRows);
        if (filter->map != MapKind::none) call.map = map.view();
        const std::int64_t before = taken();
        std::int64_t most = 0;
        Context context = Context::open("cpu");
        BandStream stream(context, call, format, 16);
        const std::size_t reserved = context.kept_bytes();
        for (std::int64_t y = 0; y < kRows; y += 16) {
          stream.push(std::span(band).first(static_cast<std::size_t>(std::min<std::int64_t>(16, kRows - y)) *
                                            format.row_bytes()));
          most = std::max(most, taken() - before);
        }
        EXPECT_LE(most, declared + (std::int64_t{2} << 20));  // a context takes little by itself
        EXPECT_EQ(context.kept_bytes(), reserved) << "a run takes more than it counts";
      }
}

}  // namespace
}  // namespace scanlens
