// Accounts of the host's memory, held against what the work takes.
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "app/depth/depth.h"
#include "app/depth/strokes/spread.h"
#include "app/io/format.h"
#include "app/io/stream.h"
#include "core/image.h"
#include "tests/unit/support/files.h"
#include "tests/unit/support/peak_memory.h"

namespace scanlens {
namespace {

/// The work takes what is promised, and no less than a `share` of that: too large an account refuses work for
/// nothing.
template <class Work>
void expect_within(std::int64_t promised, double share, const Work& work) {
  const std::optional<std::int64_t> taken = test::peak_bytes(work);
  if (!taken) GTEST_SKIP() << test::kUncounted;
  EXPECT_LE(*taken, promised + test::kUncertain);
  EXPECT_GE(static_cast<double>(*taken), share * static_cast<double>(promised));
}

/// A picture with something in every pixel.
template <class T>
Picture picture_of(std::int64_t width, std::int64_t height, int channels) {
  Image<T> image(width, height, channels);
  constexpr double kMost =
      std::is_floating_point_v<T> ? 1 : static_cast<double>(std::numeric_limits<T>::max());
  std::uint32_t random = 1;
  std::int64_t i = 0;
  for (T& sample : std::span(image.view().data, static_cast<std::size_t>(image.view().extent()))) {
    random = random * 1664525u + 1013904223u;
    const double slope = static_cast<double>(i++ / channels % width) / static_cast<double>(width);
    sample = static_cast<T>(kMost * (0.9 * slope + 0.1 * (random >> 8) * 0x1p-24));
  }
  return Picture{std::move(image)};
}

/// Near squares before a slope.
Depth depth_of(std::int64_t width, std::int64_t height) {
  Depth depth;
  depth.disparity = Image<float>(width, height);
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x)
      depth.disparity.view()(x, y) =
          (x / 64 + y / 64) % 2 ? 0.9f : 0.2f * static_cast<float>(y) / static_cast<float>(height);
  depth.least = 0;
  depth.most = 1;
  return depth;
}

TEST(Memory, MovingJumpsTakesWhatItsAccountSays) {
  const Picture photo = picture_of<std::uint16_t>(2400, 1800, 3);
  const PhotoRows rows = rows_of(photo);
  Depth small = depth_of(128, 128);
  move_jumps(small, rows_of(picture_of<std::uint8_t>(128, 128, 3)));  // threads have begun
  tbb::task_arena(2).execute([&] {  // the account has a band for each thread
    expect_within(moving_bytes(rows), 0.3, [&] {
      Depth depth = depth_of(2400, 1800);
      move_jumps(depth, rows);
    });
  });
}

TEST(Memory, ResizingTakesWhatItsAccountSays) {
  const Picture photo = picture_of<std::uint8_t>(3000, 2000, 3);
  const PhotoRows rows = rows_of(photo);
  for (const DepthResample how : {DepthResample::edges, DepthResample::bilinear, DepthResample::nearest})
    for (const auto& [width, height] : {std::pair{1500, 1000}, {2900, 1900}, {3600, 2400}, {6000, 200}}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(how) << ", " << width << " x " << height);
      Depth depth = depth_of(width, height);
      // The account has the map, which is there already.
      const std::int64_t promised = resizing_bytes(depth, rows, how);
      expect_within(promised - static_cast<std::int64_t>(depth.disparity.bytes()), 0.5,
                    [&] { resized(std::move(depth), rows, how); });
    }
}

TEST(Memory, SpreadingStrokesTakesWhatItsAccountSays) {
  const Picture photo = picture_of<std::uint8_t>(1200, 800, 3);
  const PhotoRows rows = rows_of(photo);
  for (const std::size_t count : {2, 16}) {
    Strokes strokes{1200, 800, false, {}};
    for (std::size_t i = 0; i < count; ++i) {
      const double at = static_cast<double>(i) / static_cast<double>(count);
      strokes.strokes.push_back({{{1200 * at + 10, 100}, {1200 * at + 20, 700}}, 0, at, at});
    }
    expect_within(spreading_bytes(rows.format, count), 0.1, [&] { spread(strokes, rows, "strokes"); });
  }
}

void write(const std::filesystem::path& path, const Picture& picture, const WriteOptions& options) {
  const RowFormat format = rows_of(picture).format;
  const std::unique_ptr<RowWriter> writer = create_rows(path, format, options);
  rows_of(picture).read([&](Bytes rows) {
    for (const std::size_t some = 50 * format.row_bytes(); !rows.empty();
         rows = rows.subspan(std::min(some, rows.size())))
      writer->write(rows.first(std::min(some, rows.size())));
  });
  writer->commit();
}

/// All formats that hold samples of T, with and without loss, write them within their account.
template <class T>
void expect_writers_within(unsigned holds) {
  const test::TemporaryFolder folder;
  const Picture small = picture_of<T>(64, 48, 3), picture = picture_of<T>(1600, 1000, 3);
  std::set<std::pair<Format, int>> seen;
  for (const std::string& extension : writable_names()) {
    const std::filesystem::path path = folder / ("out." + extension);
    const Format format = format_by_name(path);
    const FormatTraits& traits = traits_of(format);
    if (!(traits.channels & kHoldsRgb) || !(traits.samples & holds)) continue;
    const int lossless = traits.quality == QualityOption::lossless_at_100 ? 100 : 90;
    for (WriteOptions options; const int quality : {90, lossless}) {
      if (!seen.insert({format, quality}).second) continue;
      SCOPED_TRACE(testing::Message() << extension << ", " << sizeof(T) << " bytes a sample, " << quality);
      options.quality = quality;
      write(path, small, options);  // its library is loaded, and has its tables
      const std::int64_t promised = row_writer_bytes(path, rows_of(picture).format, options);
      expect_within(promised, 0, [&] { write(path, picture, options); });
    }
  }
}

TEST(Memory, WritersTakeWhatTheirAccountSays) {
  expect_writers_within<std::uint8_t>(kHolds8);
  expect_writers_within<std::uint16_t>(kHolds16);
  expect_writers_within<float>(kHoldsFloat);
}

}  // namespace
}  // namespace scanlens
