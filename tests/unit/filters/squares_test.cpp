// Means over squares whose rows begin on boundaries of four samples: the same bits as the CPU's.
#include "tests/unit/support/filters.h"

namespace scanlens {
namespace {

class Squares : public test::OnDevice {
 protected:
  /// Filters a dense image.
  template <class T>
  static Image<T> made(Context& context, const FilterCall& call, View<const T> image) {
    Image<T> copy(image.width, image.height, image.channels);
    std::copy_n(image.data, image.extent(), copy.view().data);
    const Image<T> from = upload(context, std::move(copy));
    Image<T> to(context, image.width, image.height, image.channels);
    run_filter<T>(context, call, from.view(), to.view());
    return download(context, std::move(to));
  }

  template <class T>
  void check(std::int64_t width, std::int64_t height, std::int64_t radius) {
    Context cpu = Context::open("cpu");
    for (const int channels : {1, 3}) {
      const Image<T> image = test::random_image<T>(width, height, channels);
      for (const std::string text : {"unsharp:amount=1.5:radius=", "flatten:radius="}) {
        const FilterCall call = parse_filter(text + std::to_string(radius));
        test::expect_equal<T>(
            made<T>(*context, call, image.view()).view(), made<T>(cpu, call, image.view()).view(),
            fmt::format("{}{}, {} x {} x {}, {} bytes", text, radius, width, height, channels, sizeof(T)));
      }
    }
  }
};

// One strip and several, bands of one row and of many, boxes that leave the picture on all sides.
TEST_P(Squares, AreTheCpus) {
  for (const auto& [width, height] : {std::pair<std::int64_t, std::int64_t>{4, 1},
                                      {64, 48},
                                      {20, 700},
                                      {1020, 9},
                                      {1024, 30},
                                      {1500, 97},
                                      {4004, 12},
                                      {6400, 5}})
    for (const std::int64_t radius : {1, 2, 9, 40, 128, 340, 9000}) {
      check<std::uint8_t>(width, height, radius);
      check<std::uint16_t>(width, height, radius);
      if (HasFatalFailure()) return;
    }
}

// The brightest columns, of more rows than 16 bits can sum.
TEST_P(Squares, OfWhiteAreWhite) {
  for (const std::int64_t radius : {127, 128, 129, 600}) {
    Image<std::uint8_t> image(64, 1300, 3);
    std::fill_n(image.view().data, image.view().extent(), std::uint8_t{255});
    const FilterCall call = parse_filter("unsharp:amount=10:radius=" + std::to_string(radius));
    test::expect_equal<std::uint8_t>(made<std::uint8_t>(*context, call, image.view()).view(), image.view(),
                                     "radius " + std::to_string(radius));
  }
}

SCANLENS_ON_EVERY_DEVICE(Squares);

}  // namespace
}  // namespace scanlens
