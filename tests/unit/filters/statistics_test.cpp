// Selections of pixels and their statistics against loops over the pixels.
#include "filters/statistics.h"

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "tests/unit/support/guarded.h"

namespace scanlens {
namespace {

using C = Compare<float>;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
const std::vector<double> kPercents = {0, 1, 5, 25, 33.3, 50, 75, 95, 99, 100};

class Statistics : public test::OnDevice {};

/// A picture with all that may lie beside it.
template <class T>
struct Scene {
  Image<T> image;
  Image<float> disparity, mask;
  Blur blur{30, 0.4f, 12};
  bool metric = true;

  Scene(std::int64_t width, std::int64_t height, int channels)
      : image(test::random_image<T>(width, height, channels)),
        disparity(test::random_image<float>(width, height)),
        mask(test::random_image<float>(width, height)) {}

  float share(T sample) const {
    if constexpr (std::is_floating_point_v<T>)
      return sample;
    else
      return static_cast<float>(sample) / static_cast<float>(std::numeric_limits<T>::max());
  }
  T luma(std::int64_t x, std::int64_t y) const {
    const View<const T> v = image.view();
    if (v.channels == 1) return v(x, y);
    if constexpr (std::is_floating_point_v<T>) {
      const float red = 0.2126f * v(x, y, 0), green = 0.7152f * v(x, y, 1), blue = 0.0722f * v(x, y, 2);
      const float two = red + green;
      return two + blue;
    } else {
      return static_cast<T>(
          std::floor((2126. * v(x, y, 0) + 7152. * v(x, y, 1) + 722. * v(x, y, 2)) / 10000 + 0.5));
    }
  }
  float depth(std::int64_t x, std::int64_t y) const {
    return metric ? 1 / disparity.view()(x, y) : disparity.view()(x, y);
  }
  float value(Quantity quantity, std::int64_t x, std::int64_t y) const {
    const int channel = static_cast<int>(quantity);
    if (channel < 4) return share(image.view()(x, y, channel));
    switch (quantity) {
      case Quantity::luma:
        return share(luma(x, y));
      case Quantity::x:
        return static_cast<float>(x);
      case Quantity::y:
        return static_cast<float>(y);
      case Quantity::depth:
        return depth(x, y);
      case Quantity::coc:
        return std::isnan(disparity.view()(x, y))
                   ? disparity.view()(x, y)
                   : std::min(blur.most, blur.scale * std::abs(disparity.view()(x, y) - blur.focus));
      default:
        return mask.view()(x, y);
    }
  }
};

/// A selection, and what it and its complement say of a pixel: where depth is unknown, both may say no.
struct Choice {
  using Says = std::function<bool(std::int64_t, std::int64_t)>;
  Selection selection;
  Says chooses, rejects;
};

bool stands(float a, int relation, float b) {
  if (a < b) return relation & C::less;
  if (a > b) return relation & C::greater;
  return a == b ? relation & C::equal : relation & C::unordered;
}

template <class T>
Choice random_comparison(const Scene<T>& scene) {
  static constexpr C::Relation kRelations[] = {C::less,          C::less_equal, C::equal,
                                               C::greater_equal, C::greater,    C::not_equal};
  std::vector<Quantity> all = {Quantity::luma,  Quantity::x,   Quantity::y,
                               Quantity::depth, Quantity::coc, Quantity::mask};
  if (scene.image.channels() >= 3) all.insert(all.end(), {Quantity::red, Quantity::green, Quantity::blue});
  if (scene.image.channels() == 4) all.push_back(Quantity::alpha);
  auto& random = test::generator();
  const auto quantity = [&] { return all[random() % all.size()]; };
  const Quantity left = quantity(), right = random() % 3 == 0 ? quantity() : Quantity::number;
  const C::Relation relation = kRelations[random() % 6];
  // A number that some pixel has, so that equality occurs.
  const auto x0 = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(scene.image.width()));
  const float number = scene.value(left, x0, 0);

  const auto is_depth = [](Quantity q) { return q == Quantity::depth || q == Quantity::coc; };
  const int possible =
      C::less | C::equal | C::greater | (is_depth(left) || is_depth(right) ? 0 : C::unordered);
  const auto says = [=, &scene](int relations) {
    return [=, &scene](auto x, auto y) {
      return stands(scene.value(left, x, y), relations & possible,
                    right == Quantity::number ? number : scene.value(right, x, y));
    };
  };
  return {right == Quantity::number ? compare(left, relation, number) : compare(left, relation, right),
          says(relation), says(~relation)};
}

template <class T>
Choice random_choice(const Scene<T>& scene, int comparisons) {
  Choice choice;
  if (comparisons == 1) {
    choice = random_comparison(scene);
  } else {
    const int first = 1 + static_cast<int>(test::generator()() % static_cast<std::uint64_t>(comparisons - 1));
    const Choice a = random_choice(scene, first), b = random_choice(scene, comparisons - first);
    const auto both_say = [](Choice::Says p, Choice::Says q) {
      return [=](auto x, auto y) { return p(x, y) && q(x, y); };
    };
    const auto one_says = [](Choice::Says p, Choice::Says q) {
      return [=](auto x, auto y) { return p(x, y) || q(x, y); };
    };
    if (test::generator()() % 2)
      choice = {both(a.selection, b.selection), both_say(a.chooses, b.chooses),
                one_says(a.rejects, b.rejects)};
    else
      choice = {either(a.selection, b.selection), one_says(a.chooses, b.chooses),
                both_say(a.rejects, b.rejects)};
  }
  if (test::generator()() % 3 == 0) choice = {complement(choice.selection), choice.rejects, choice.chooses};
  return choice;
}

/// The documented default of numpy.percentile, in the simplest form.
double percentile(const std::vector<double>& sorted, double percent) {
  const double place = (static_cast<double>(sorted.size()) - 1) * percent / 100;
  const auto low = static_cast<std::size_t>(std::floor(place));
  const double high = sorted[std::min(low + 1, sorted.size() - 1)];
  return sorted[low] + (high - sorted[low]) * (place - static_cast<double>(low));
}

struct Expected {
  double mean = 0, deviation = 0;
  std::vector<double> sorted;

  explicit Expected(std::vector<double> values) : sorted(std::move(values)) {
    std::sort(sorted.begin(), sorted.end());
    long double sum = 0, squares = 0;
    for (const double x : sorted) sum += x;
    const long double middle = sum / std::max<std::size_t>(sorted.size(), 1);
    for (const double x : sorted) squares += (x - middle) * (x - middle);
    mean = static_cast<double>(middle);
    deviation = static_cast<double>(std::sqrt(squares / std::max<std::size_t>(sorted.size(), 1)));
  }
  double near() const {
    return sorted.empty() ? 0 : 1e-12 * std::max(std::abs(sorted.front()), std::abs(sorted.back()));
  }
};

void expect_equal(const CodeCounts& counts, const std::vector<double>& values) {
  const Expected expected(values);
  ASSERT_EQ(counts.total(), values.size());
  std::vector<std::uint64_t> bins(counts.counts().size());
  for (const double value : values) ++bins[static_cast<std::size_t>(value)];
  ASSERT_TRUE(std::equal(bins.begin(), bins.end(), counts.counts().begin()));
  if (values.empty()) return;
  EXPECT_EQ(counts.least(), expected.sorted.front());
  EXPECT_EQ(counts.greatest(), expected.sorted.back());
  EXPECT_DOUBLE_EQ(counts.mean(), expected.mean);
  EXPECT_DOUBLE_EQ(counts.deviation(), expected.deviation);
  for (const double percent : kPercents)
    EXPECT_NEAR(counts.percentile(percent), percentile(expected.sorted, percent), expected.near()) << percent;
}

void expect_equal(const FloatStatistics& statistics, const std::vector<double>& values) {
  std::vector<double> finite;
  std::uint64_t nan = 0, infinite = 0, negative_infinite = 0;
  for (const double x : values)
    if (std::isnan(x))
      ++nan;
    else if (std::isinf(x))
      ++(x > 0 ? infinite : negative_infinite);
    else
      finite.push_back(x);
  EXPECT_EQ(statistics.nan, nan);
  EXPECT_EQ(statistics.infinite, infinite);
  EXPECT_EQ(statistics.negative_infinite, negative_infinite);
  EXPECT_EQ(statistics.total(), values.size());
  ASSERT_EQ(statistics.moments.count, finite.size());
  ASSERT_EQ(statistics.bins.size(), static_cast<std::size_t>(kFloatBins));
  EXPECT_EQ(std::reduce(statistics.bins.begin(), statistics.bins.end()), finite.size());
  ASSERT_EQ(statistics.percentiles.size(), finite.empty() ? 0 : kPercents.size());
  if (finite.empty()) return;
  const Expected expected(finite);
  EXPECT_EQ(statistics.moments.least, expected.sorted.front());
  EXPECT_EQ(statistics.moments.greatest, expected.sorted.back());
  EXPECT_NEAR(statistics.moments.mean, expected.mean, expected.near());
  EXPECT_NEAR(std::sqrt(statistics.moments.variance()), expected.deviation, expected.near());
  for (std::size_t i = 0; i < kPercents.size(); ++i)
    EXPECT_NEAR(statistics.percentiles[i], percentile(expected.sorted, kPercents[i]), expected.near())
        << kPercents[i];
}

/// The samples of a channel at the chosen pixels.
template <class T>
std::vector<double> chosen_samples(const Scene<T>& scene, const Choice& choice, Quantity channel) {
  std::vector<double> samples;
  for (std::int64_t y = 0; y < scene.image.height(); ++y)
    for (std::int64_t x = 0; x < scene.image.width(); ++x) {
      if (!choice.chooses(x, y)) continue;
      const int c = static_cast<int>(channel);
      samples.push_back(channel == Quantity::depth  ? scene.depth(x, y)
                        : channel == Quantity::luma ? scene.luma(x, y)
                                                    : scene.image.view()(x, y, c));
    }
  return samples;
}

template <class T>
void check(Context& context, const Scene<T>& scene, const Choice& choice) {
  test::GuardedArray<T> image(context, scene.image.view());
  test::GuardedArray<float> disparity(context, scene.disparity.view()), mask(context, scene.mask.view());
  const PixelSources<T> sources{image.view(), disparity.view(), mask.view(), scene.metric, scene.blur};
  const auto all = pixel_statistics(context, sources, choice.selection, kPercents);
  ASSERT_EQ(all.size(),
            scene.image.channels() == 1 ? 2u : static_cast<std::size_t>(scene.image.channels() + 2));
  for (const ChannelStatistics& channel : all) {
    SCOPED_TRACE(testing::Message() << scene.image.width() << " x " << scene.image.height() << " x "
                                    << scene.image.channels() << ", channel "
                                    << static_cast<int>(channel.channel));
    const std::vector<double> samples = chosen_samples(scene, choice, channel.channel);
    std::visit([&](const auto& values) { expect_equal(values, samples); }, channel.values);
  }
  image.check("the image");
}

const Choice kAll{{}, [](auto, auto) { return true; }, {}};
const Choice kNone{compare(Quantity::x, C::less, 0), [](auto, auto) { return false; }, {}};

template <class T>
void check_type(Context& context) {
  for (const int channels : {1, 3, 4})
    for (const auto& [width, height] : test::sizes()) {
      if (width * height > 40000) continue;
      Scene<T> scene(width, height, channels);
      scene.metric = height % 2;
      if constexpr (std::is_floating_point_v<T>) {
        for (int i = 0; i < 20; ++i)
          scene.image.view()
              .data[test::generator()() % static_cast<std::uint64_t>(scene.image.view().extent())] =
              std::array{kNan, -kNan, kInfinity, -kInfinity, -0.f}[static_cast<std::size_t>(i % 5)];
      }
      scene.disparity.view().data[0] = 0;
      if (height % 4 == 1)
        for (std::int64_t i = 1; i < width * height; i += 7) scene.disparity.view().data[i] = kNan;
      check(context, scene, kAll);
      check(context, scene, kNone);
      for (const int comparisons : {1, 2, 5, 32}) check(context, scene, random_choice(scene, comparisons));
      if (testing::Test::HasFailure()) return;
    }
}

TEST_P(Statistics, OfBytes) {
  check_type<std::uint8_t>(*context);
}
TEST_P(Statistics, OfUint16) {
  check_type<std::uint16_t>(*context);
}
TEST_P(Statistics, OfFloats) {
  check_type<float>(*context);
}

TEST_P(Statistics, OfOneToneAndOfNothing) {
  const std::vector<double> half = {50};
  for (const float tone : {0.f, 1.f, 1e-45f, -3e38f}) {
    Image<float> image(9, 7);
    std::fill_n(image.view().data, 63, tone);
    image = upload(*context, std::move(image));
    const auto all = pixel_statistics<float>(*context, {image.view(), {}, {}}, {}, half);
    const auto& values = std::get<FloatStatistics>(all.at(0).values);
    EXPECT_EQ(values.percentiles.at(0), tone);
    EXPECT_EQ(values.moments.variance(), 0);
    EXPECT_EQ(values.bins[0], 63u);
  }
  const auto none = pixel_statistics<std::uint8_t>(*context, {}, {}, half);
  EXPECT_EQ(std::get<CodeCounts>(none.at(0).values).total(), 0u);
}

TEST_P(Statistics, TheWidestRangeOfFloatsIsCounted) {
  Image<float> image(3, 1);
  std::copy_n(std::array{-3.4e38f, 0.f, 3.4e38f}.data(), 3, image.view().data);
  image = upload(*context, std::move(image));
  const auto all = pixel_statistics<float>(*context, {image.view(), {}, {}}, {}, kPercents);
  const auto& bins = std::get<FloatStatistics>(all.at(0).values).bins;
  EXPECT_EQ(std::reduce(bins.begin(), bins.end()), 3u);
  EXPECT_EQ(bins.front(), 1u);
  EXPECT_EQ(bins.back(), 1u);
}

/// Numbers at, between and beyond codes, in every relation that there is, against a picture that has each
/// code once.
template <class T>
void check_numbers(Context& context) {
  constexpr std::int64_t kCodes = std::int64_t{1} << 8 * sizeof(T), kWidth = 256;
  Image<T> image(kWidth, kCodes / kWidth);
  std::vector<float> shares;
  for (std::int64_t code = 0; code < kCodes; ++code) {
    image.view().data[code] = static_cast<T>(code);
    shares.push_back(static_cast<float>(code) / static_cast<float>(kCodes - 1));
  }
  image = upload(context, std::move(image));
  const float share = shares[static_cast<std::size_t>(kCodes / 3)];
  for (const float number : {kNan, -kInfinity, -1.f, -0.f, 1e-45f, share, std::nextafter(share, 0.f),
                             std::nextafter(share, 1.f), 0.5f, 1.f, std::nextafter(1.f, 2.f), kInfinity})
    for (int relation = 0; relation < 16; ++relation) {
      const Selection selection = compare(Quantity::luma, static_cast<C::Relation>(relation), number);
      const auto all = pixel_statistics<T>(context, {image.view(), {}, {}}, selection, {});
      const auto counts = std::get<CodeCounts>(all.at(0).values).counts();
      for (std::size_t code = 0; code < shares.size(); ++code)
        ASSERT_EQ(counts[code], stands(shares[code], relation, number) ? 1u : 0u)
            << "code " << code << ", relation " << relation << ", number " << number;
    }
}

TEST_P(Statistics, NumbersAtAndBetweenCodes) {
  check_numbers<std::uint8_t>(*context);
  check_numbers<std::uint16_t>(*context);
}

/// Counts of more pixels than a grid takes at once, from any address, against a loop.
template <class T, class SampleAt>
void check_many(Context& context, int channels, std::int64_t offset, const SampleAt& sample_at) {
  constexpr std::int64_t kWidth = 1201, kHeight = 1013, kFirstRow = 3;
  constexpr float kBound = 0.7f;
  std::vector<T> samples(static_cast<std::size_t>(kWidth * kHeight * channels));
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<T>(sample_at(i));
  const test::GuardedArray<T> array(context, samples, offset);
  const View<const T> there(array.data(), kWidth, kHeight, channels),
      here(samples.data(), kWidth, kHeight, channels);
  const auto all = pixel_statistics<T>(
      context, {there, {}, {}},
      both(compare(Quantity::luma, C::less_equal, kBound), compare(Quantity::y, C::greater_equal, kFirstRow)),
      kPercents);
  const std::size_t planes = all.size();
  ASSERT_EQ(planes, channels == 1 ? 1u : static_cast<std::size_t>(channels + 1));
  std::vector<std::vector<std::uint64_t>> expected(
      planes, std::vector<std::uint64_t>(std::size_t{1} << 8 * sizeof(T)));
  for (std::int64_t y = kFirstRow; y < kHeight; ++y)
    for (std::int64_t x = 0; x < kWidth; ++x) {
      const T luma = luma_of(here, x, y);
      if (!(static_cast<float>(luma) / static_cast<float>(std::numeric_limits<T>::max()) <= kBound)) continue;
      for (int c = 0; channels > 1 && c < channels; ++c)
        ++expected[static_cast<std::size_t>(c)][here(x, y, c)];
      ++expected.back()[luma];
    }
  for (std::size_t plane = 0; plane < planes; ++plane) {
    const auto counts = std::get<CodeCounts>(all[plane].values).counts();
    ASSERT_TRUE(std::equal(expected[plane].begin(), expected[plane].end(), counts.begin(), counts.end()))
        << channels << " channels of " << sizeof(T) << " bytes, plane " << plane << ", offset " << offset;
  }
  array.check("the image");
}

TEST_P(Statistics, OfMorePixelsThanAGridTakesAtOnce) {
  const auto random = [](std::size_t) { return test::generator()(); };
  const auto one_tone = [](std::size_t) { return 200; };
  const auto ramp = [](std::size_t i) { return i / 64; };
  for (const int channels : {1, 3, 4}) {
    check_many<std::uint8_t>(*context, channels, 0, random);
    check_many<std::uint8_t>(*context, channels, 1, ramp);
    check_many<std::uint8_t>(*context, channels, 8, one_tone);
    check_many<std::uint16_t>(*context, channels, channels, random);
    check_many<std::uint16_t>(*context, channels, 0, one_tone);
  }
}

TEST_P(Statistics, RefusesWhatThereIsNot) {
  Image<std::uint8_t> image(*context, 8, 8);
  Image<float> other(*context, 7, 8);
  const auto refused = [&](const PixelSources<std::uint8_t>& sources, const Selection& selection,
                           double percent) {
    const std::vector<double> percents = {percent};
    EXPECT_THROW(pixel_statistics(*context, sources, selection, percents), Error);
  };
  refused({image.view(), {}, {}}, compare(Quantity::red, C::less, 1), 50);
  refused({image.view(), {}, {}}, compare(Quantity::depth, C::less, 1), 50);
  refused({image.view(), {}, {}}, compare(Quantity::coc, C::less, 1), 50);
  refused({image.view(), {}, {}}, compare(Quantity::x, C::less, Quantity::mask), 50);
  refused({image.view(), other.view(), {}}, {}, 50);
  refused({image.view(), {}, other.view()}, {}, 50);
  refused({image.view(), {}, {}}, {}, -1);
  refused({image.view(), {}, {}}, {}, 101);
  refused({image.view(), {}, {}}, {}, kNan);
}

SCANLENS_ON_EVERY_DEVICE(Statistics);

}  // namespace
}  // namespace scanlens
