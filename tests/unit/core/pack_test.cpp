// Strided arrays made dense, against loops.
#include <algorithm>
#include <numeric>

#include "core/strided.h"
#include "tests/unit/support/arrays.h"

namespace scanlens {
namespace {

using test::GuardedArray;

class Pack : public test::OnDevice {};

std::int64_t below(std::int64_t limit) {
  return static_cast<std::int64_t>(test::generator()() % static_cast<std::uint64_t>(limit));
}

/// A pixel of four floats: any type of its size will do.
struct Pixel {
  float samples[4];
};

template <class T>
std::vector<T> any_bytes(std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  const std::vector<std::uint8_t> bytes =
      test::random_values<std::uint8_t>(count * static_cast<std::int64_t>(sizeof(T)));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::uint8_t*>(values.data()));
  return values;
}

/// Packs the array, whose `data` counts from the first of `elements`, and compares.
template <class T>
void check(Context& context, const Strided<T>& shape, const std::vector<T>& elements, std::int64_t first,
           const std::string& what) {
  std::vector<T> expected(1, elements[static_cast<std::size_t>(first)]);
  std::vector<std::int64_t> places(1, first);
  for (int k = 0; k < shape.axes; ++k) {
    std::vector<std::int64_t> more;
    for (const std::int64_t place : places)
      for (std::int64_t i = 0; i < shape.extents[k]; ++i) more.push_back(place + i * shape.strides[k]);
    places = std::move(more);
  }
  expected.clear();
  for (const std::int64_t place : places) expected.push_back(elements[static_cast<std::size_t>(place)]);

  GuardedArray<T> from(context, elements, below(5));
  GuardedArray<T> to(context, any_bytes<T>(std::ssize(expected)), below(5));
  Strided<const T> array{from.data() + first, shape.axes, shape.extents, shape.strides};
  pack(context, array, to.span());
  const std::vector<T> packed = to.contents(what);
  for (std::size_t i = 0; i < packed.size(); ++i)
    ASSERT_EQ(std::memcmp(&packed[i], &expected[i], sizeof(T)), 0)
        << what << ": element " << i << " of " << packed.size();
}

/// Axes in any order, with steps, from either end, and some that repeat one element.
template <class T>
void check_random(Context& context, int most_axes, std::int64_t most_elements) {
  Strided<T> shape;
  shape.axes = static_cast<int>(below(most_axes + 1));
  std::array<int, Strided<T>::kMostAxes> order;
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.begin() + shape.axes, test::generator());
  std::int64_t extent_of_all = 1, first = 0, elements = 1;
  std::string what = std::to_string(sizeof(T)) + " bytes:";
  for (int i = 0; i < shape.axes; ++i) {
    const int k = order[static_cast<std::size_t>(i)];
    const std::int64_t most =
        std::max<std::int64_t>(1, std::min<std::int64_t>(100, most_elements / elements));
    shape.extents[k] = 1 + below(most);
    elements *= shape.extents[k];
    const std::int64_t step = below(4) == 0 ? 1 + below(3) : 1;
    shape.strides[k] = extent_of_all * step;
    extent_of_all *= shape.extents[k] * step;
    if (below(4) == 0) {
      first += (shape.extents[k] - 1) * shape.strides[k];
      shape.strides[k] *= -1;
    } else if (below(6) == 0) {
      shape.strides[k] = 0;
    }
    if (extent_of_all > 4000000) return;
  }
  for (int k = 0; k < shape.axes; ++k)
    what += " " + std::to_string(shape.extents[k]) + " by " + std::to_string(shape.strides[k]);
  check(context, shape, any_bytes<T>(extent_of_all), first, what);
}

template <class T>
void check_type(Context& context) {
  for (int i = 0; i < 60; ++i) {
    check_random<T>(context, 4, 30000);
    check_random<T>(context, 8, 30000);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_P(Pack, TakesAnyStrides) {
  check_type<std::uint8_t>(*context);
  check_type<std::int16_t>(*context);
  check_type<float>(*context);
  check_type<double>(*context);
  check_type<Pixel>(*context);
}

TEST_P(Pack, TransposesLargePlanes) {
  for (const auto& [height, width] :
       {std::pair<std::int64_t, std::int64_t>{1000, 1003}, {3, 70001}, {70001, 3}})
    for (const std::int64_t channels : {1, 3, 8}) {
      Strided<std::uint8_t> planar;  // channels last, of an array that has them first
      planar.axes = 3;
      planar.extents = {height, width, channels};
      planar.strides = {width, 1, height * width};
      check(*context, planar, any_bytes<std::uint8_t>(height * width * channels), 0, "planes");
      Strided<float> turned;
      turned.axes = 2;
      turned.extents = {width, height};
      turned.strides = {1, width};
      check(*context, turned, any_bytes<float>(height * width), 0, "turned");
      if (HasFatalFailure()) return;
    }
}

TEST_P(Pack, OfNothingAndOfOneIsFine) {
  GuardedArray<float> array(*context, {7.0f, 8.0f});
  Strided<const float> none{array.data(), 2, {0, 5}, {5, 1}};
  EXPECT_NO_THROW(pack(*context, none, std::span<float>()));
  Strided<const float> one{array.data(), 0, {}, {}};
  pack(*context, one, array.span().subspan(1));
  EXPECT_EQ(array.contents(), (std::vector<float>{7, 7}));
}

TEST_P(Pack, RefusesWrongArrays) {
  GuardedArray<float> array(*context, std::vector<float>(100)), to(*context, std::vector<float>(100));
  const auto refused = [&](const Strided<const float>& from, std::span<float> out,
                           const std::string& argument) {
    test::expect_usage_error([&] { pack(*context, from, out); }, "pack", argument);
  };
  refused({array.data(), 9, {}, {}}, to, "from");
  refused({array.data(), 1, {-1}, {1}}, to, "from");
  refused({array.data(), 1, {99}, {1}}, to, "to");
  refused({nullptr, 1, {100}, {1}}, to, "from");
  refused({array.data(), 1, {50}, {2}}, array.span().first(50), "to");
  refused({array.data() + 60, 1, {50}, {-1}}, array.span().first(50), "to");
}

struct FourFloats {
  float value[4];
};

TEST_P(Pack, AsksForTheBoundaryOfASize) {
  GuardedArray<float> array(*context, std::vector<float>(16)), to(*context, std::vector<float>(16));
  const auto aligned = [](const float* data) { return reinterpret_cast<std::uintptr_t>(data) % 16 == 0; };
  float* out = to.data();
  while (!aligned(out)) ++out;
  for (const float* data = array.data(); data < array.data() + 4; ++data) {
    const Strided<const FourFloats> from{reinterpret_cast<const FourFloats*>(data), 1, {2}, {1}};
    const auto packs = [&] { pack(*context, from, std::span(reinterpret_cast<FourFloats*>(out), 2)); };
    if (aligned(data))
      packs();
    else
      test::expect_usage_error(packs, "pack", "from");
  }
}

SCANLENS_ON_EVERY_DEVICE(Pack);

}  // namespace
}  // namespace scanlens
