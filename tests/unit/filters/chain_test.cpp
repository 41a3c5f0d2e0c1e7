// Filters one after the other: whole, and in bands.
#include <fmt/ranges.h>
#include <malloc.h>
#include <tbb/task_arena.h>

#include "filters/registry.h"
#include "tests/unit/support/filters.h"

namespace scanlens {
namespace {

/// Returns what the filters make one by one.
template <class T>
Image<T> one_by_one(Context& context, const std::vector<FilterCall>& calls, View<const T> image) {
  Image<T> out = test::filtered<T>(context, calls.front(), image);
  for (std::size_t i = 1; i < calls.size(); ++i)
    out = test::filtered<T>(context, calls[i], View<const T>(out.view()));
  return out;
}

class Chain : public test::OnDevice {};

/// Rings, windows whose chunks are higher than bands, filters that reach nothing, farther than a band, than
/// the picture.
TEST_P(Chain, BandsMakeWhatTheFiltersMakeOneByOne) {
  const std::vector<std::vector<std::string>> chains = {
      {"box:radius=3", "box:radius=5"},
      {"box:radius=0", "unsharp:radius=0", "box:radius=1"},
      {"unsharp:radius=20:amount=2", "box:radius=2"},
      {"box:radius=9", "unsharp:radius=11", "unsharp:radius=1", "box:radius=30"},
      {"box:radius=1000", "unsharp:radius=7", "box:radius=1000"}};
  for (const auto& texts : chains) {
    const std::vector<FilterCall> calls = parse_filters(texts);
    for (const auto& [width, height] : {std::pair{1, 1}, {5, 2}, {33, 31}, {17, 100}, {3, 211}}) {
      const Image<std::uint8_t> image = test::random_image<std::uint8_t>(width, height, 3);
      const Image<std::uint8_t> expected = one_by_one<std::uint8_t>(*context, calls, image.view());
      for (const std::int64_t band : {1, 2, 7, 16, 33, 1000}) {
        SCOPED_TRACE(testing::Message() << fmt::format("{}", fmt::join(texts, " ")) << ", " << width << " x "
                                        << height << " in bands of " << band);
        test::expect_equal<std::uint8_t>(
            test::streamed<std::uint8_t>(*context, calls, image.view(), band).view(), expected.view(),
            "bands");
      }
      test::GuardedArray<std::uint8_t> from(*context, image.view()), whole(*context, image.view());
      run_filters<std::uint8_t>(*context, calls, from.view(), whole.view());
      test::expect_equal<std::uint8_t>(whole.image().view(), expected.view(), "whole");
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Chain, NoFilterCopies) {
  const Image<std::uint8_t> image = test::random_image<std::uint8_t>(31, 7, 4);
  Image<std::uint8_t> out(31, 7, 4);
  Context cpu = Context::open("cpu");
  run_filters<std::uint8_t>(cpu, {}, image.view(), out.view());
  test::expect_equal<std::uint8_t>(out.view(), image.view(), "copied");
}

SCANLENS_ON_EVERY_DEVICE(Chain);

// Filters one after the other share their scratch memory, and no more is declared than they take.
TEST(ChainInBands, TakesTheMemoryThatItDeclares) {
  if (test::is_set("SCANLENS_SANITIZED"))
    GTEST_SKIP() << "a sanitizer's allocator does not count for mallinfo2";
  const std::vector<std::string> few = {"denoise:radius=9",  "gaussian:sigma=2", "guided",
                                        "resize:percent=99", "box:radius=3",     "unsharp"};
  std::vector<FilterCall> calls;
  for (int i = 0; i < 5; ++i)
    for (const std::string& text : few) calls.push_back(parse_filter(text));
  const RowFormat format{1000, 400, 3, 1};
  const auto taken = [] {
    const struct mallinfo2 info = mallinfo2();
    return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
  };
  const std::vector<std::byte> band(16 * format.row_bytes());
  const std::int64_t declared = band_stream_bytes(calls, format, 16), before = taken();
  std::int64_t most = 0;
  Context context = Context::open("cpu");
  BandStream stream(context, calls, format, 16);
  for (std::int64_t y = 0; y < format.height; y += 16) {
    const std::int64_t rows = std::min<std::int64_t>(16, format.height - y);
    stream.push(std::span(band).first(static_cast<std::size_t>(rows) * format.row_bytes()));
    most = std::max(most, taken() - before);
  }
  EXPECT_LE(most, declared + (std::int64_t{2} << 20));
  EXPECT_LE(declared, most * 5 / 4);
}

/// Threads share the work on a band's rows, and each holds little memory of its own.
TEST(BandStream, ManyThreadsTakeLittleMore) {
  for (const Filter* filter : all_filters()) {
    if (filter->name == "dof") continue;  // its whole pictures are laid out by threads
    FilterCall call = parse_filter(std::string(filter->name) +
                                   (filter->example.empty() ? "" : ":" + std::string(filter->example)));
    for (const int sample_bytes : {1, 2, 4})
      for (const std::int64_t rows : {16, 128}) {
        const auto bytes = [&](int threads) {
          std::int64_t taken = 0;
          tbb::task_arena(threads).execute([&] {
            taken = band_stream_bytes(call, {4000, 3000, 3, sample_bytes}, rows);
          });
          return taken;
        };
        EXPECT_LE(bytes(64), 2 * bytes(4)) << filter->name << ", " << sample_bytes << " bytes, " << rows;
      }
  }
}

}  // namespace
}  // namespace scanlens
