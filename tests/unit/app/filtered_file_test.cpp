// Pictures from file to file through filters: sizes, metadata that tell them, and profiles.
#include "app/filtering/filtered_file.h"

#include <algorithm>
#include <optional>

#include "app/color/profile.h"
#include "filters/registry.h"
#include "tests/unit/support/peak_memory.h"
#include "tests/unit/support/pictures.h"

namespace scanlens::test {
namespace {

Picture filtered(const TemporaryFolder& folder, const Picture& picture,
                 const std::vector<std::string>& filters) {
  write_picture(folder / "in.png", picture);
  Settings settings;
  Talk talk(settings, Talk::Kind::collects);
  Context context = Context::open("cpu");
  Filtering filtering;
  filtering.calls = parse_filters(filters);
  FilteredFile file(filtering, folder / "in.png", folder / "out.png", false, talk);
  file.open([](const auto&) {});
  file.filter(context, [](double) {});
  file.commit();
  return read_picture(folder / "out.png", kLimits);
}

Picture black_and_white() {
  Image<std::uint8_t> image(2, 1, 3);
  std::fill_n(image.view().data, 3, std::uint8_t{0});
  std::fill_n(image.view().data + 3, 3, std::uint8_t{255});
  return {std::move(image)};
}

/// Half the light is another code by another curve; the profile is kept.
TEST(FilteredFile, ResizesInTheLightOfTheProfile) {
  const TemporaryFolder folder;
  Picture picture = black_and_white();
  EXPECT_EQ(samples<std::uint8_t>(filtered(folder, picture, {"resize:width=1"})), (Bytes8{188, 188, 188}));
  const ProfileBytes icc = icc_from_chromaticities(kSrgbPrimaries, ToneCurve::gamma22);
  picture.metadata.icc = icc;
  const Picture made = filtered(folder, picture, {"resize:width=1"});
  EXPECT_EQ(samples<std::uint8_t>(made), (Bytes8{186, 186, 186}));
  EXPECT_EQ(made.metadata.icc, icc);
}

TEST(FilteredFile, WithoutFiltersIsACopyOfTheSamples) {
  const TemporaryFolder folder;
  const Picture picture = random_picture<std::uint16_t>(33, 21, 4);
  EXPECT_EQ(samples<std::uint16_t>(filtered(folder, picture, {})), samples<std::uint16_t>(picture));
}

/// EXIF and XMP that tell the size of the file tell that of the result.
TEST(FilteredFile, MetadataTellTheNewSize) {
  const TemporaryFolder folder;
  Picture picture = smooth_picture(80, 60, 3);
  const auto bytes = [](std::string_view text) {
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    return std::vector<std::byte>(first, first + text.size());
  };
  // One entry, the EXIF directory at 26: PixelXDimension 80 and PixelYDimension 60, as LONG.
  using namespace std::string_view_literals;
  picture.metadata.exif = bytes(
      "MM\0*\0\0\0\x08\0\x01\x87\x69\0\x04\0\0\0\x01\0\0\0\x1a\0\0\0\0"
      "\0\x02\xa0\x02\0\x04\0\0\0\x01\0\0\0\x50\xa0\x03\0\x04\0\0\0\x01\0\0\0\x3c\0\0\0\0"sv);
  picture.metadata.xmp = bytes(
      "<?xpacket begin=\"\xef\xbb\xbf\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?><x:xmpmeta "
      "xmlns:x=\"adobe:ns:meta/\">"
      "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"><rdf:Description rdf:about=\"\" "
      "xmlns:exif=\"http://ns.adobe.com/exif/1.0/\" exif:PixelXDimension=\"80\" exif:PixelYDimension=\"60\"/>"
      "</rdf:RDF></x:xmpmeta><?xpacket end=\"w\"?>"sv);
  const auto text = [](const std::vector<std::byte>& of) {
    return std::string(reinterpret_cast<const char*>(of.data()), of.size());
  };
  const Picture same = filtered(folder, picture, {"resize:long=100"});
  EXPECT_EQ(text(same.metadata.xmp), text(picture.metadata.xmp)) << "a size that stays changes nothing";
  const Picture made = filtered(folder, picture, {"resize:long=20"});
  EXPECT_EQ(made.width(), 20);
  EXPECT_NE(text(made.metadata.xmp).find("PixelXDimension=\"20\""), std::string::npos)
      << text(made.metadata.xmp);
  EXPECT_NE(text(made.metadata.xmp).find("PixelYDimension=\"15\""), std::string::npos);
  // Little endian, as it is written.
  EXPECT_NE(text(made.metadata.exif).find("\x02\xa0\x04\0\x01\0\0\0\x14\0\0\0"sv), std::string::npos);
  EXPECT_NE(text(made.metadata.exif).find("\x03\xa0\x04\0\x01\0\0\0\x0f\0\0\0"sv), std::string::npos);
}

/// Pictures that are read and written by rows and whole, in bands, with a map and all at once.
TEST(FilteredFile, TakesTheMemoryItPromises) {
  const TemporaryFolder folder;
  const Picture picture = smooth_picture(2400, 1600, 3);
  for (const char* name : {"in.ppm", "in.jpg"}) write_picture(folder / name, picture);
  write_picture(folder / "map.pgm", smooth_picture(1200, 800, 1));
  const std::string dof = "dof:blur=20:depth=" + (folder / "map.pgm").string();
  Context context = Context::open("cpu");
  struct Case {
    const char *input, *output;
    std::vector<std::string> filters;
  };
  for (const Case& of :
       {Case{"in.ppm", "out.ppm", {"box:radius=9"}}, Case{"in.ppm", "out.jpg", {"gaussian:sigma=40"}},
        Case{"in.jpg", "out.ppm", {"unsharp", "resize:width=800"}}, Case{"in.jpg", "out.jpg", {dof}}}) {
    SCOPED_TRACE(of.filters.front());
    Filtering filtering;
    filtering.calls = parse_filters(of.filters);
    std::int64_t promised = 0;
    const auto work = [&] {
      Settings settings;
      Talk talk(settings, Talk::Kind::collects);
      FilteredFile file(filtering, folder / of.input, folder / of.output, false, talk);
      file.open([&](const FilteredFile::HostMemory& memory) { promised = std::max(promised, memory.most); });
      file.filter(context, [](double) {});
      file.commit();
    };
    work();  // all has begun
    context.trim();
    promised = 0;
    const std::optional<std::int64_t> taken = peak_bytes(work);
    if (!taken) GTEST_SKIP() << kUncounted;
    EXPECT_LE(*taken, promised + kUncertain);
  }
}

}  // namespace
}  // namespace scanlens::test
