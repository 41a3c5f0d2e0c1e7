// Files of strokes, the words of the command line, and what strokes cover.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/depth/strokes/spread.h"
#include "core/error.h"

namespace scanlens {
namespace {

std::string file_of(const std::string& strokes, const std::string& rest = "") {
  return R"({ "scanlens": "depth strokes", "version": 1, "size": [400, 300])" + rest + R"(, "strokes": [)" +
         strokes + "] }";
}

std::string complaint_about(const std::string& text) {
  try {
    parse_strokes(text, "a.json");
    return "none";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(StrokeFile, IsReadAsItWasWritten) {
  const double inf = std::numeric_limits<double>::infinity();
  const Strokes relative = {400, 300, false, {{{{1.5, 2}, {3, -4}}, 7, 0.95, 0.06}, {{{5, 6}}, 0, 0.5, 0.5}}};
  const Strokes metric = {400, 300, true, {{{{1, 2}, {3, 4}}, 0, 2.5, inf}, {{{5, 6}}, 1, inf, inf}}};
  for (const Strokes& strokes : {relative, metric}) EXPECT_EQ(parse_strokes(text_of(strokes), "a"), strokes);
}

TEST(StrokeFile, HasTheFormThatTheManualShows) {
  const Strokes strokes =
      parse_strokes(file_of(R"({ "points": [[20, 30], [19, 14]], "radius": 10, "from": 0.95, "to": 0.06 },
                 { "points": [[88, 121]], "nearness": 0.72 })",
                            R"(, "unit": "nearness")"),
                    "a");
  ASSERT_EQ(strokes.strokes.size(), 2u);
  EXPECT_EQ(strokes.strokes[0], (Stroke{{{20, 30}, {19, 14}}, 10, 0.95, 0.06}));
  EXPECT_EQ(strokes.strokes[1], (Stroke{{{88, 121}}, 0, 0.72, 0.72}));
  EXPECT_EQ(strokes.usual_radius(), 2);
}

TEST(StrokeFile, NamesTheStrokeAndTheKeyThatAreWrong) {
  const std::string good = R"({"points": [[1, 2]], "nearness": 0.5})";
  const struct {
    std::string text, complaint;
  } cases[] = {
      {"{", "a.json: the text is damaged: not a JSON object"},
      {"[]", "a.json: the text is damaged: not a JSON object"},
      {std::string(100000, '['), "a.json: the text is damaged: not a JSON object"},
      {file_of(""), "a.json: 'strokes' must hold at least one stroke"},
      {file_of(good, R"(, "colour": 1)"),
       "a.json: unknown key 'colour'; known are scanlens, version, size, unit, map, strokes"},
      {file_of(good, R"(, "unit": "feet")"), "a.json: 'unit' must be \"nearness\" or \"metre\""},
      {R"({"scanlens": "depth strokes", "version": 2})",
       "a.json: 'version' must be 1; a newer scanlens may read the file"},
      {R"({"scanlens": "depth strokes", "version": 1, "size": [0, 3]})",
       "a.json: 'size' must be the photo's width and height, whole and 1 to 1048576"},
      {file_of(good + ", 7"), "a.json: stroke 2: it must be an object with \"points\""},
      {file_of(R"({"nearness": 0.5})"), "a.json: stroke 1: 'points' must hold at least one [x, y]"},
      {file_of(R"({"points": [[1]], "nearness": 0.5})"), "a.json: stroke 1: 'points' must hold pairs [x, y]"},
      {file_of(R"({"points": [[1, 1e300]], "nearness": 0.5})"),
       "a.json: stroke 1: 'points' must be numbers up to 1e+07"},
      {file_of(R"({"points": [[1, 2]], "nearness": 1.5})"),
       "a.json: stroke 1: 'nearness' must be 0 (infinitely far) to 1 (nearest)"},
      {file_of(R"({"points": [[1, 2]], "nearness": 0.5, "to": 1})"),
       "a.json: stroke 1: it takes either 'nearness', or 'from' and 'to'"},
      {file_of(R"({"points": [[1, 2]], "from": 0.5})"),
       "a.json: stroke 1: it takes either 'nearness', or 'from' and 'to'"},
      {file_of(R"({"points": [[1, 2], [1, 2]], "from": 0.5, "to": 1})"),
       "a.json: stroke 1: a slope must end at another point than it begins; give it one depth instead"},
      {file_of(R"({"points": [[1, 2]], "nearness": 0.5, "radius": 0})"),
       "a.json: stroke 1: 'radius' must be 0.5 to an eighth of the photo's longer side, 50"},
      {file_of(R"({"points": [[1, 2]], "distance": 0})", R"(, "unit": "metre")"),
       "a.json: stroke 1: 'distance' must be metres, 0.0001 and more, or \"inf\""},
  };
  for (const auto& [text, complaint] : cases) EXPECT_EQ(complaint_about(text), complaint);
  std::string many = good;
  for (int i = 0; i < 1000; ++i) many += ", " + good;
  EXPECT_EQ(complaint_about(file_of(many)), "a.json: 1001 strokes; at most 1000");
}

TEST(StrokeFile, IsKnownByItsMark) {
  const auto known = [](const std::string& text) { return are_strokes(std::as_bytes(std::span(text))); };
  EXPECT_TRUE(known(" \n" + file_of("")));
  EXPECT_FALSE(known(R"({"scanlens": "something else"})"));
  EXPECT_FALSE(known(R"(["depth strokes"])"));
  EXPECT_FALSE(known(""));
}

TEST(StrokeWords, AreNearnessAndPoints) {
  Stroke stroke;
  EXPECT_EQ(parse_stroke("0.95,0.06:2010,3000:1990,1420", 400, 300, stroke), "");
  EXPECT_EQ(stroke, (Stroke{{{2010, 3000}, {1990, 1420}}, 0, 0.95, 0.06}));
  EXPECT_EQ(parse_stroke("0:7,8.5", 400, 300, stroke), "");
  EXPECT_EQ(stroke, (Stroke{{{7, 8.5}}, 0, 0, 0}));
  EXPECT_EQ(parse_stroke("0.5:50%,0%:100%,2", 400, 300, stroke), "");
  EXPECT_EQ(stroke, (Stroke{{{199.5, -0.5}, {399.5, 2}}, 0, 0.5, 0.5}));
  for (const char* text : {"", "0.5", "0.5:", "1.5:1,2", "0.5:1", "0.5:1,2,3", "0.1,0.2,0.3:1,2",
                           "0.1,0.2:1,2", "x:1,2", "0.5:1,2:", "nan:1,2", "0.5:1,1e99", "0.5:%,1", "5%:1,2"})
    EXPECT_TRUE(parse_stroke(text, 400, 300, stroke).starts_with("takes nearness")) << text;
}

std::int64_t covered(const StrokeRaster& raster, std::int16_t number) {
  const auto view = raster.numbers.view();
  return std::count(view.data, view.data + view.extent(), number);
}

TEST(StrokeRaster, CoversPixelsWithinTheRadius) {
  const Strokes dot = {40, 30, false, {{{{20, 15}}, 3, 0.5, 0.5}}};
  const StrokeRaster raster = rasterised(dot, 40, 30, "a");
  std::int64_t within = 0;
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 40; ++x) {
      const bool inside = std::hypot(x - 20, y - 15) <= 3.5;
      within += inside;
      EXPECT_EQ(raster.numbers.view()(x, y), inside ? 0 : -1) << x << ", " << y;
    }
  EXPECT_EQ(covered(raster, 0), within);
  const Strokes line = {40, 30, false, {{{{5, 5}, {35, 25}}, 2, 0.5, 0.5}}};
  const StrokeRaster slanted = rasterised(line, 40, 30, "a");
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 40; ++x) {
      const double t = std::clamp(((x - 5) * 30. + (y - 5) * 20.) / 1300, 0., 1.);
      const double distance = std::hypot(x - 5 - 30 * t, y - 5 - 20 * t);
      if (std::abs(distance - 2.5) > 1e-9)
        EXPECT_EQ(slanted.numbers.view()(x, y) == 0, distance < 2.5) << x << ", " << y;
    }
}

TEST(StrokeRaster, ScalesAndLaysLaterStrokesOnTop) {
  const Strokes strokes = {
      400, 300, false, {{{{0, 150}, {399, 150}}, 4, 0.2, 0.8}, {{{200, 150}}, 4, 0.5, 0.5}}};
  const StrokeRaster raster = rasterised(strokes, 40, 30, "a");
  EXPECT_EQ(raster.numbers.view()(20, 15), 1);
  EXPECT_EQ(raster.numbers.view()(3, 15), 0);
  EXPECT_NEAR(raster.planes[0].at(0, 3), 0.2, 0.01);
  EXPECT_NEAR(raster.planes[0].at(39, 28), 0.8, 0.01);
  EXPECT_EQ(raster.planes[1].at(7, 7), 0.5f);
}

TEST(StrokeRaster, RefusesStrokesBesideThePhoto) {
  const Strokes strokes = {40, 30, false, {{{{20, 15}}, 3, 0.5, 0.5}, {{{200, 15}}, 3, 0.5, 0.5}}};
  try {
    rasterised(strokes, 40, 30, "a.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "a.json: stroke 2 covers no pixel of the photo (40 x 30)");
  }
}

TEST(StrokeRaster, SharesPlanesWhereThereAreTooMany) {
  Strokes strokes = {400, 300, false, {}};
  for (int i = 0; i < 200; ++i)
    strokes.strokes.push_back({{{static_cast<double>(2 * i), 100}}, 1, i / 200., i / 200.});
  strokes.strokes.push_back({{{0, 0}, {100, 0}}, 1, 0, 1});
  const StrokeRaster raster = rasterised(strokes, 400, 300, "a");
  EXPECT_LE(raster.planes.size(), static_cast<std::size_t>(kMostStrokePlanes));
  const int number = raster.numbers.view()(300, 100);
  EXPECT_NEAR(raster.planes[static_cast<std::size_t>(number)].at(0, 0), 150 / 200., 0.02);
  EXPECT_NEAR(raster.planes[static_cast<std::size_t>(raster.numbers.view()(50, 0))].at(50, 0), 0.5, 1e-3);
}

TEST(StrokeRaster, OfMetresSpansTheirRange) {
  const double inf = std::numeric_limits<double>::infinity();
  const Strokes strokes = {
      40, 30, true, {{{{5, 5}}, 1, 2, 2}, {{{20, 20}}, 1, 4, 4}, {{{30, 20}}, 1, inf, inf}}};
  const StrokeRaster raster = rasterised(strokes, 40, 30, "a");
  EXPECT_EQ(raster.farthest, 0);
  EXPECT_EQ(raster.nearest, 0.5);
  EXPECT_EQ(raster.planes[0].at(0, 0), 1);
  EXPECT_EQ(raster.planes[1].at(0, 0), 0.5);
  EXPECT_EQ(raster.planes[2].at(0, 0), 0);
}

TEST(StrokePhoto, IsTheMeanOverAreas) {
  Image<std::uint8_t> image(6, 3);
  for (int i = 0; i < 18; ++i) image.view().data[i] = static_cast<std::uint8_t>(10 * i);
  const Picture picture = {std::move(image)};
  const Image<std::uint8_t> same = stroke_photo(rows_of(picture), 18),
                            half = stroke_photo(rows_of(picture), 2);
  ASSERT_EQ(same.channels(), 3);
  for (int i = 0; i < 54; ++i) EXPECT_EQ(same.view().data[i], 10 * (i / 3));
  ASSERT_EQ(half.width(), 2);
  ASSERT_EQ(half.height(), 1);
  EXPECT_EQ(half.view()(0, 0), 70);  // the mean of 0 10 20, 60 70 80, 120 130 140
  EXPECT_EQ(half.view()(1, 0, 2), 100);
}

/// A photo of `size` pixels a side, dark on the left and light on the right, and a map of it.
struct Repair {
  explicit Repair(std::int64_t size, float nearness = 0.5f) {
    Image<std::uint8_t> samples(size, size, 3);
    map.disparity = Image<float>(size, size);
    for (std::int64_t y = 0; y < size; ++y)
      for (std::int64_t x = 0; x < size; ++x) {
        for (int c = 0; c < 3; ++c) samples.view()(x, y, c) = x < size / 2 ? 40 : 200;
        map.disparity.view()(x, y) = nearness + 0.001f * static_cast<float>(y % 7);
      }
    find_extremes(map);
    photo.samples = std::move(samples);
  }
  Picture photo;
  Depth map;
};

TEST(StrokeRepair, ChangesTheMapAroundAStrokeUpToThePhotosEdge) {
  const Repair repair(200);
  const Strokes strokes = {200, 200, false, {{{{80, 60}, {80, 140}}, 2, 0.9, 0.9}}, "map.png"};
  const Depth depth = spread(strokes, rows_of(repair.photo), repair.map, "a");
  const auto at = [&](int x, int y) { return depth.disparity.view()(x, y); };
  const auto before = [&](int x, int y) { return repair.map.disparity.view()(x, y); };
  EXPECT_NEAR(at(80, 100), 0.9, 0.01);
  EXPECT_NEAR(at(92, 100), 0.9, 0.05) << "beside the stroke";
  EXPECT_NEAR(at(97, 100), 0.9, 0.1) << "up to the edge";
  EXPECT_NEAR(at(103, 100), before(103, 100), 0.02) << "and not beyond it";
  for (const auto& [x, y] : {std::pair(20, 100), {150, 100}, {80, 190}, {199, 0}})
    EXPECT_EQ(at(x, y), before(x, y)) << "to the bit, beyond its reach";
  EXPECT_TRUE(depth.exact);
}

TEST(StrokeRepair, KeepsTheUnitOfTheMap) {
  Repair repair(120, 0.2f);  // 5 m
  repair.map.metric = true;
  const Strokes metres = {120, 120, true, {{{{30, 40}, {30, 80}}, 2, 2, 2}}, "map.png"};
  const Depth depth = spread(metres, rows_of(repair.photo), repair.map, "a");
  EXPECT_TRUE(depth.metric);
  EXPECT_NEAR(depth.disparity.view()(30, 60), 0.5, 0.01);
  EXPECT_EQ(depth.disparity.view()(110, 60), repair.map.disparity.view()(110, 60));
  repair.map.metric = false;
  EXPECT_THROW(spread(metres, rows_of(repair.photo), repair.map, "a"), Error);
}

TEST(StrokeRepair, IsTheSameOnALargerPhotoThatIsWorkedOnSmaller) {
  const Repair repair(1600);  // 2.56 million pixels
  const Strokes strokes = {1600, 1600, false, {{{{640, 480}, {640, 1120}}, 16, 0.9, 0.9}}, "map.png"};
  const Depth depth = spread(strokes, rows_of(repair.photo), repair.map, "a");
  ASSERT_EQ(depth.disparity.width(), 1600);
  EXPECT_NEAR(depth.disparity.view()(640, 800), 0.9, 0.01);
  EXPECT_NEAR(depth.disparity.view()(790, 800), 0.9, 0.1);
  EXPECT_NEAR(depth.disparity.view()(810, 800), 0.5, 0.03);
  EXPECT_EQ(depth.disparity.view()(1500, 800), repair.map.disparity.view()(1500, 800));
}

}  // namespace
}  // namespace scanlens
