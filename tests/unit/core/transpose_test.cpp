// transpose against its definition.
#include "core/transpose.h"

#include "core/graph.h"
#include "tests/unit/support/guarded.h"

namespace scanlens {
namespace {

using test::GuardedArray;

class Transpose : public test::OnDevice {};

template <class T>
void expect_transposed(GuardedArray<T>& in, GuardedArray<T>& out) {
  const View<T> from = in.expected(), to = out.expected();
  for (std::int64_t y = 0; y < from.height; ++y)
    for (std::int64_t x = 0; x < from.width; ++x) to(y, x) = from(x, y);
}

std::int64_t below(std::int64_t limit) {
  return static_cast<std::int64_t>(test::generator()() % static_cast<std::uint64_t>(limit));
}

/// Random positions, or ones that keep small elements on words.
template <class T>
void check(Context& context, std::int64_t width, std::int64_t height, bool on_words = false) {
  const auto gap = [&](std::int64_t n) { return on_words ? (16 - n % 16) % 16 : below(6); };
  const auto offset = [&] { return on_words ? 0 : below(9); };
  GuardedArray<T> in(context, width, height, offset(), gap(width));
  GuardedArray<T> out(context, height, width, offset(), gap(height));
  expect_transposed(in, out);
  transpose<T>(context, in.view(), out.view());
  const std::string what = std::to_string(sizeof(T)) + " bytes" + (on_words ? " on words" : "");
  out.check(what);
  in.check(what + ", the input afterwards");
}

template <class T>
void check_in_place(Context& context, std::int64_t side, bool on_words) {
  GuardedArray<T> square(context, side, side, on_words ? 0 : below(9),
                         on_words ? (16 - side % 16) % 16 : below(6));
  const View<T> all = square.expected();
  for (std::int64_t y = 0; y < side; ++y)
    for (std::int64_t x = 0; x < y; ++x) std::swap(all(x, y), all(y, x));
  transpose<T>(context, square.view(), square.view());
  square.check(std::to_string(sizeof(T)) + " bytes in place" + (on_words ? " on words" : ""));
}

#define FOR_EVERY_ELEMENT(call)    \
  do {                             \
    using Element = std::uint8_t;  \
    call;                          \
  } while (false);                 \
  do {                             \
    using Element = std::uint16_t; \
    call;                          \
  } while (false);                 \
  do {                             \
    using Element = std::uint32_t; \
    call;                          \
  } while (false);                 \
  do {                             \
    using Element = std::uint64_t; \
    call;                          \
  } while (false);                 \
  do {                             \
    using Element = Bytes16;       \
    call;                          \
  } while (false)

TEST_P(Transpose, EqualsTheDefinition) {
  for (const auto& [width, height] : test::sizes()) {
    FOR_EVERY_ELEMENT(check<Element>(*context, width, height));
    if (HasFatalFailure()) return;
  }
}

TEST_P(Transpose, HoldsAroundTheSidesOfTiles) {
  for (const std::int64_t side : {2,   3,   4,   5,   30,  61,  62,  63,  65,  66,  121, 123, 124,
                                  125, 126, 127, 128, 129, 245, 247, 248, 249, 251, 253, 257}) {
    FOR_EVERY_ELEMENT(check<Element>(*context, side, 130 + below(260)));
    FOR_EVERY_ELEMENT(check<Element>(*context, 130 + below(260), side));
    FOR_EVERY_ELEMENT(check<Element>(*context, side, 130 + below(260), true));
    FOR_EVERY_ELEMENT(check<Element>(*context, 130 + below(260), side, true));
    if (HasFatalFailure()) return;
  }
}

TEST_P(Transpose, OfPackedArraysHolds) {
  const auto check_packed = [this](std::int64_t width, std::int64_t height) {
    GuardedArray<std::uint8_t> in(*context, width, height), out(*context, height, width);
    expect_transposed(in, out);
    transpose<std::uint8_t>(*context, in.view(), out.view());
    out.check("packed");
  };
  for (const auto& [width, height] : test::sizes()) {
    check_packed(width, height);
    if (HasFatalFailure()) return;
  }
  for (std::int64_t width = 737; width < 737 + 16; ++width) {  // every pitch modulo 16
    check_packed(width, 419 + width % 5);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Transpose, InPlaceHolds) {
  for (const std::int64_t side :
       {1, 2, 3, 31, 32, 33, 63, 64, 65, 123, 124, 125, 127, 128, 129, 247, 248, 249, 300, 511}) {
    FOR_EVERY_ELEMENT(check_in_place<Element>(*context, side, false));
    FOR_EVERY_ELEMENT(check_in_place<Element>(*context, side, true));
    if (HasFatalFailure()) return;
  }
}

TEST_P(Transpose, OfLongThinArraysHolds) {
  check<std::uint32_t>(*context, 1, 65535 * 32 + 33);
  check<std::uint8_t>(*context, 65535 * 32 + 33, 1);
  check<std::uint8_t>(*context, 2, 65535 * 32 + 33);
}

TEST_P(Transpose, TakesOtherTypesBySize) {
  Image<float> in(5, 3), out(*context, 3, 5);
  for (int i = 0; i < 15; ++i) in.view().data[i] = static_cast<float>(i) / 2;
  in = upload(*context, std::move(in));
  transpose_any<float>(*context, in.view(), out.view());
  out = download(*context, std::move(out));
  for (int i = 0; i < 15; ++i) EXPECT_EQ(out.view()(i / 5, i % 5), static_cast<float>(i) / 2);
}

TEST_P(Transpose, ReplaysWithOtherInput) {
  GuardedArray<std::uint8_t> in(*context, 301, 517), out(*context, 517, 301, 1, 2);
  GuardedArray<std::uint32_t> square(*context, 200, 200);
  Graph graph(*context, [&] {
    transpose<std::uint8_t>(*context, in.view(), out.view());
    transpose<std::uint32_t>(*context, square.view(), square.view());
  });
  square.upload();
  for (int i = 0; i < 4; ++i) {
    for (std::int64_t y = 0; y < 517; ++y) in.expected()(y % 301, y) = static_cast<std::uint8_t>(i * y);
    in.upload();
    expect_transposed(in, out);
    graph.replay();
    out.check("replay");
    for (std::int64_t y = 0; y < 200; ++y)
      for (std::int64_t x = 0; x < y; ++x) std::swap(square.expected()(x, y), square.expected()(y, x));
    square.check("replay in place");
    if (HasFatalFailure()) return;
  }
}

TEST_P(Transpose, OfNothingIsFine) {
  Image<std::uint32_t> in(*context, 0, 5), out(*context, 5, 0);
  EXPECT_NO_THROW(transpose<std::uint32_t>(*context, in.view(), out.view()));
}

TEST_P(Transpose, RefusesWrongViews) {
  Image<std::uint32_t> a(*context, 8, 5), b(*context, 8, 5), rgb(*context, 8, 8, 3);
  EXPECT_THROW(transpose<std::uint32_t>(*context, a.view(), b.view()), Error);
  EXPECT_THROW(transpose<std::uint32_t>(*context, rgb.view(), rgb.view()), Error);
  const View<std::uint32_t> one(a.view().data, 8, 5), other(a.view().data, 5, 8);
  EXPECT_THROW(transpose<std::uint32_t>(*context, one, other), Error);  // the same memory, but no square
  Image<std::uint32_t> square(*context, 9, 9);
  const View<std::uint32_t> all = square.view();
  EXPECT_THROW(transpose<std::uint32_t>(*context, all.region(0, 0, 8, 8), all.region(1, 0, 8, 8)), Error);
  EXPECT_THROW(transpose<std::uint32_t>(*context, View<std::uint32_t>(nullptr, 3, 3), all.region(0, 0, 3, 3)),
               Error);
  for (const std::int64_t huge : {INT64_MAX / 2, INT64_MAX}) {  // of a side, or of the pitch
    const View<std::uint32_t> wide(all.data, huge, 1), tall(all.data, 1, huge),
        apart(all.data, 2, 2, 1, huge);
    EXPECT_THROW(transpose<std::uint32_t>(*context, wide, tall), Error);
    EXPECT_THROW(transpose<std::uint32_t>(*context, tall, wide), Error);
    EXPECT_THROW(transpose<std::uint32_t>(*context, apart, square.view().region(4, 4, 2, 2)), Error);
  }
}

TEST_P(Transpose, HoldsBeyond2To31Elements) {
  SCANLENS_NEEDS_A_LARGE_MACHINE();
  const auto value = [](std::int64_t i) {
    return static_cast<std::uint8_t>((static_cast<std::uint64_t>(i) * 2654435761) >> 24);
  };
  const std::int64_t width = 50021, height = 86011;  // beyond 2^32, and odd
  Image<std::uint8_t> in(width, height), out(*context, height, width);
  for (std::int64_t i = 0; i < width * height; ++i) in.view().data[i] = value(i);
  in = upload(*context, std::move(in));
  transpose<std::uint8_t>(*context, in.view(), out.view());
  out = download(*context, std::move(out));
  std::int64_t wrong = 0;
  for (std::int64_t x = 0; x < width; ++x)
    for (std::int64_t y = 0; y < height; ++y) wrong += out.view()(y, x) != value(y * width + x);
  EXPECT_EQ(wrong, 0);
}

SCANLENS_ON_EVERY_DEVICE(Transpose);

}  // namespace
}  // namespace scanlens
