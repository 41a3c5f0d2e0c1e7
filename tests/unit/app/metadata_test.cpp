// Profile, EXIF and XMP from file to file.
#include "app/io/metadata/metadata.h"

#include <fmt/format.h>

#include <array>

#include "app/color/profile.h"
#include "app/io/codecs/codec.h"
#include "app/io/exif_lens.h"
#include "app/io/metadata/containers.h"
#include "app/io/metadata/xml_tags.h"
#include "app/io/metadata/xmp_values.h"
#include "app/io/stream.h"
#include "filters/nesting.h"
#include "tests/unit/support/pictures.h"

namespace scanlens::test {
namespace {

constexpr Primaries kP3 = {0.680f, 0.320f, 0.265f, 0.690f, 0.150f, 0.060f, 0.3127f, 0.3290f};

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::byte> bytes_in(const std::string& text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

std::string xmp_packet(const std::string& properties) {
  return "<?xpacket begin=\"\xef\xbb\xbf\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?><x:xmpmeta "
         "xmlns:x=\"adobe:ns:meta/\">"
         "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"><rdf:Description rdf:about=\"\" "
         "xmlns:tiff=\"http://ns.adobe.com/tiff/1.0/\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" "
         "xmlns:GDepth=\"http://ns.google.com/photos/1.0/depthmap/\" " +
         properties + "/></rdf:RDF></x:xmpmeta><?xpacket end=\"w\"?>";
}

/// Orientation 6 and a camera's name.
std::string exif_with_make() {
  const std::string make = "Lens&Co";
  return std::string("MM\0*\0\0\0\x08\0\x02", 10) + bytes_of(0x01, 0x0f, 0, 2, 0, 0, 0, 8, 0, 0, 0, 38) +
         bytes_of(0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0) + big_endian(0) + make + std::string(1, '\0');
}

std::string segment(int marker, const std::string& data) {
  const std::size_t length = data.size() + 2;
  return bytes_of(0xff, marker, length >> 8, length & 255) + data;
}

std::string with_segments(const std::string& jpeg, const std::string& segments) {
  return jpeg.substr(0, 2) + segments + jpeg.substr(2);
}

std::string said(const std::vector<Remark>& remarks, bool warnings) {
  std::string all;
  for (const Remark& remark : remarks)
    if (remark.warning == warnings) all += remark.text + "\n";
  return all;
}

std::span<const std::byte> rows_of(const Picture& picture) {
  const View<const std::uint8_t> view = std::get<Image<std::uint8_t>>(picture.samples).view();
  return std::as_bytes(std::span(view.data, static_cast<std::size_t>(view.extent())));
}

/// Names a file of each format that holds profile, EXIF and XMP.
std::vector<std::string> names_with_extras() {
  std::vector<std::string> names;
  for (const FormatTraits& traits : formats())
    if (traits.writes && (traits.extras & kAnyExtras) == kAnyExtras)
      names.push_back("a" + std::string(traits.extensions.substr(0, traits.extensions.find(' '))));
  return names;
}

TEST(Metadata, GoesFromFormatToFormat) {
  const TemporaryFolder folder;
  const ProfileBytes icc = icc_from_chromaticities(kP3, ToneCurve::srgb);
  const std::string xmp = xmp_packet("tiff:Orientation=\"1\" dc:source=\"a shoebox\"");
  const std::string plain = saved_bytes(folder, "plain.jpg", smooth_picture(60, 40, 3));
  save(folder / "0.jpg",
       with_segments(plain, segment(0xe1, std::string("Exif\0\0", 6) + exif_with_make()) +
                                segment(0xe1, std::string("http://ns.adobe.com/xap/1.0/\0", 29) + xmp) +
                                segment(0xe2, std::string("ICC_PROFILE\0\1\1", 14) + text_of(icc))));
  Picture picture = read_picture(folder / "0.jpg", kLimits);
  EXPECT_EQ(picture.width(), 40) << "it lay on its side";
  std::vector<std::string> names = {"1.png", "2.tif", "3.webp", "4.jpg", "5.png"};
  if (traits_of(Format::jxl).writes) names.emplace_back("6.jxl");
  for (const std::string& name : names) {
    EXPECT_EQ(picture.metadata.icc, icc) << name;
    EXPECT_NE(text_of(picture.metadata.xmp).find("a shoebox"), std::string::npos) << name;
    if (fs::path(name).extension() == ".png" || fs::path(name).extension() == ".tif") {
      // These got it from a JPEG, which leaves the packet as it is; Exiv2 writes those of TIFF anew.
      EXPECT_EQ(text_of(picture.metadata.xmp) == xmp, name != "5.png") << name;
    }
    EXPECT_NE(text_of(picture.metadata.exif).find("Lens&Co"), std::string::npos) << name;
    EXPECT_EQ(orientation_of(picture.metadata.exif), 1) << name;
    write_picture(folder / name, picture);
    const std::vector<std::uint8_t> before = samples<std::uint8_t>(picture);
    picture = read_picture(folder / name, kLimits);
    EXPECT_EQ(picture.width(), 40) << name;
    if (traits_of(format_by_name(name)).quality == QualityOption::none) {
      EXPECT_EQ(samples<std::uint8_t>(picture), before) << name;
    }
  }
  const auto writer = create_rows(folder / "rows.png", {40, 60, 3, 1}, {}, picture.metadata);
  writer->write(rows_of(picture));
  writer->commit();
  const auto reader = open_rows(folder / "rows.png", kLimits, kLimits);
  EXPECT_EQ(reader->metadata().icc, icc);
  EXPECT_EQ(reader->metadata().xmp, picture.metadata.xmp);
  EXPECT_EQ(reader->metadata().exif, picture.metadata.exif);
}

/// A focal length and an f-number as rationals, and a whole focal length by 35 mm film.
std::string exif_with_lens(std::array<unsigned, 2> focal_length, std::array<unsigned, 2> f_number,
                           unsigned on_film) {
  const auto rational = [](const std::array<unsigned, 2>& value) {
    return big_endian(value[0]) + big_endian(value[1]);
  };
  return std::string("MM\0*\0\0\0\x08\0\x01", 10) + bytes_of(0x87, 0x69, 0, 4, 0, 0, 0, 1, 0, 0, 0, 26) +
         big_endian(0) + bytes_of(0, 3) + bytes_of(0x82, 0x9d, 0, 5, 0, 0, 0, 1, 0, 0, 0, 68) +
         bytes_of(0x92, 0x0a, 0, 5, 0, 0, 0, 1, 0, 0, 0, 76) +
         bytes_of(0xa4, 0x05, 0, 3, 0, 0, 0, 1, on_film >> 8, on_film & 255, 0, 0) + big_endian(0) +
         rational(f_number) + rational(focal_length);
}

TEST(Metadata, TellsOfTheLens) {
  const auto lens_of = [](std::array<unsigned, 2> focal_length, std::array<unsigned, 2> f_number,
                          unsigned on_film, std::int64_t width, std::int64_t height) {
    Picture picture = smooth_picture(width, height, 3);
    picture.metadata.exif = bytes_in(exif_with_lens(focal_length, f_number, on_film));
    return exif_lens(picture);
  };
  using Value = std::optional<double>;
  const auto expect_lens = [](const ExifLens& lens, Value focal_length, Value f_number, Value sensor) {
    EXPECT_EQ(lens.focal_length_mm, focal_length);
    EXPECT_EQ(lens.f_number, f_number);
    ASSERT_EQ(lens.sensor_width_mm.has_value(), sensor.has_value());
    if (sensor) {
      EXPECT_NEAR(*lens.sensor_width_mm, *sensor, 1e-9);
    }
  };
  expect_lens(lens_of({85, 1}, {14, 10}, 85, 60, 40), 85, 1.4, 36);
  expect_lens(lens_of({560, 100}, {18, 10}, 28, 60, 40), 5.6, 1.8, 7.2);
  expect_lens(lens_of({560, 100}, {18, 10}, 28, 30, 40), 5.6, 1.8, 5.4);  // upright: the sensor's short side
  expect_lens(lens_of({85, 1}, {14, 10}, 0, 60, 40), 85, 1.4, {});
  expect_lens(lens_of({0, 1}, {0, 1}, 85, 60, 40), {}, {}, {});
  expect_lens(lens_of({85, 0}, {0, 0}, 85, 60, 40), {}, {}, {});
  expect_lens(lens_of({85, 1}, {129, 1}, 85, 60, 40), 85, {}, 36);
  expect_lens(lens_of({85, 1}, {128, 1}, 3, 60, 40), 85, 128, {});  // a sensor of 1020 mm
  expect_lens(lens_of({0xffffffff, 1}, {0xffffffff, 0xffffffff}, 85, 60, 40), {}, 1, {});

  Picture picture = smooth_picture(60, 40, 3);
  expect_lens(exif_lens(picture), {}, {}, {});
  const std::string exif = exif_with_lens({85, 1}, {14, 10}, 85);
  for (std::size_t length = 0; length < exif.size(); ++length) {
    picture.metadata.exif = bytes_in(exif.substr(0, length));
    exif_lens(picture);
  }
  picture.metadata.exif = bytes_in(exif);
  const TemporaryFolder folder;
  for (const std::string& name : names_with_extras()) {
    SCOPED_TRACE(name);
    write_picture(folder / name, picture);
    expect_lens(exif_lens(read_picture(folder / name, kLimits)), 85, 1.4, 36);
  }
}

TEST(Metadata, ExifOfWebpMayBeginAsInJpeg) {
  const TemporaryFolder folder;
  Picture picture = smooth_picture(60, 40, 3);
  for (const std::string& start : {std::string(), std::string("Exif\0\0", 6)}) {
    picture.metadata.exif = bytes_in(start + exif_with_make());
    write_picture(folder / "a.webp", picture);
    const Picture back = read_picture(folder / "a.webp", kLimits);
    EXPECT_EQ(back.width(), 40) << "it lay on its side";
    EXPECT_NE(text_of(back.metadata.exif).find("Lens&Co"), std::string::npos);
  }
}

TEST(Metadata, WhatIsNoLongerTrueGoes) {
  const Described picture = {60, 40, 3, false};
  Metadata metadata;
  metadata.exif = bytes_in(exif_with_make());
  metadata.xmp =
      bytes_in(xmp_packet("tiff:Orientation=\"6\" dc:source=\"a shoebox\" GDepth:Format=\"RangeLinear\""));
  std::vector<Remark> remarks;
  complete_metadata({}, picture, metadata, remarks);
  EXPECT_EQ(orientation_of(metadata.exif), 1);
  const std::string xmp = text_of(metadata.xmp);
  EXPECT_EQ(xmp.find("RangeLinear"), std::string::npos);
  EXPECT_EQ(xmp.find("Orientation=\"6\""), std::string::npos);
  EXPECT_NE(xmp.find("a shoebox"), std::string::npos);
  EXPECT_NE(said(remarks, false).find("depth map"), std::string::npos);
}

TEST(Metadata, StripLeavesColoursAlone) {
  const TemporaryFolder folder;
  Picture picture = smooth_picture(60, 40, 3);
  picture.metadata.icc = icc_from_chromaticities(kP3, ToneCurve::srgb);
  picture.metadata.exif = bytes_in(exif_with_make());
  std::vector<Remark> remarks;
  const Remarks say = [&](const Remark& remark) { remarks.push_back(remark); };
  write_picture(folder / "a.png", picture, {.strip = true}, say);
  const Picture stripped = read_picture(folder / "a.png", kLimits);
  EXPECT_TRUE(stripped.metadata.icc.empty());
  EXPECT_TRUE(stripped.metadata.exif.empty());
  EXPECT_NE(said(remarks, false).find("sRGB"), std::string::npos);
  std::vector<std::uint8_t> expected(60 * 40 * 3);
  ToSrgb(Profile(picture.metadata.icc, 3), 3, 1, false)
      .convert(samples<std::uint8_t>(picture).data(), expected.data(), 60 * 40);
  EXPECT_EQ(samples<std::uint8_t>(stripped), expected);
  write_picture(folder / "a.ppm", picture, {}, say);  // which holds no profile
  EXPECT_EQ(samples<std::uint8_t>(read_picture(folder / "a.ppm", kLimits)), expected);
  const auto writer = create_rows(folder / "rows.ppm", {60, 40, 3, 1}, {}, picture.metadata);
  writer->write(rows_of(picture));
  writer->commit();
  EXPECT_EQ(load(folder / "rows.ppm"), load(folder / "a.ppm"));
}

TEST(Metadata, OpenExrKeepsPrimaries) {
  const TemporaryFolder folder;
  Picture picture = smooth_picture(60, 40, 3);
  picture.metadata.icc = icc_from_chromaticities(kP3, ToneCurve::srgb);
  write_picture(folder / "a.exr", picture);
  const Picture light = read_picture(folder / "a.exr", kLimits);
  ASSERT_FALSE(light.metadata.icc.empty());
  const Primaries found = Profile(light.metadata.icc, 3).primaries();
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(found[i], kP3[i], 1e-3);
  write_picture(folder / "b.png", light);
  const Picture back = read_picture(folder / "b.png", kLimits);
  EXPECT_TRUE(Profile(back.metadata.icc, 3).has_srgb_curves());
  for (std::size_t i = 0; i < 60 * 40 * 3; ++i)
    ASSERT_NEAR(samples<std::uint16_t>(back)[i] / 257.0, samples<std::uint8_t>(picture)[i], 0.15);
}

TEST(Metadata, AProfileThatCannotBeUsedIsWarnedOf) {
  const TemporaryFolder folder;
  const auto warning = [&](const std::string& profile_chunk) {
    const Picture picture =
        read_bytes(folder, "a.png", png_file({1, 1, 8, 2, "abc", png_chunk("iCCP", profile_chunk)}));
    EXPECT_TRUE(picture.metadata.icc.empty());
    return said(picture.remarks, true);
  };
  EXPECT_NE(
      warning(std::string("x\0\0", 3) + zlib_stored(std::string(300, 'x'))).find("not a colour profile"),
      std::string::npos);
  EXPECT_NE(warning(std::string("x\0\0", 3) + zlib_stored(text_of(icc_of_grey(ToneCurve::srgb))))
                .find("not for RGB"),
            std::string::npos);
  EXPECT_NE(warning(std::string("x\0\0", 3) + "not deflated").find("broken"), std::string::npos);
  const Picture plain = read_bytes(folder, "a.png", png_file({1, 1, 8, 2, "abc", ""}));
  EXPECT_EQ(said(plain.remarks, false), "no colour profile, taken for sRGB\n");
}

TEST(Metadata, OfAnySizeDoesNotBreakAFile) {
  const TemporaryFolder folder;
  Picture picture = smooth_picture(60, 40, 3);
  picture.metadata.exif = std::vector<std::byte>(70000);
  picture.metadata.xmp = bytes_in(xmp_packet("dc:source=\"" + std::string(70000, 'x') + "\""));
  std::vector<Remark> remarks;
  write_picture(folder / "a.jpg", picture, {}, [&](const Remark& remark) { remarks.push_back(remark); });
  EXPECT_NE(said(remarks, true).find("EXIF"), std::string::npos);
  const Picture back = read_picture(folder / "a.jpg", kLimits);
  EXPECT_NE(text_of(back.metadata.xmp).find(std::string(70000, 'x')), std::string::npos)
      << "it goes on in further segments";

  // Every byte of what stands before the pixels, broken.
  picture.metadata = {};
  picture.metadata.icc = icc_from_chromaticities(kP3, ToneCurve::srgb);
  picture.metadata.exif = bytes_in(exif_with_make());
  picture.metadata.xmp = bytes_in(xmp_packet("dc:source=\"a shoebox\""));
  for (const std::string& name : names_with_extras()) {
    const std::string whole = saved_bytes(folder, name, picture);
    const Format format = format_by_name(name);
    for (std::size_t i = 0; i < std::min<std::size_t>(whole.size(), 3000); i += 11) {
      std::string broken = whole;
      broken[i] = static_cast<char>(~broken[i]);
      Metadata found;
      std::vector<Remark> ignored;
      for (const auto bytes : {std::as_bytes(std::span(broken)), std::as_bytes(std::span(whole)).first(i)})
        complete_metadata(read_extras(bytes, format), {60, 40, 3, false}, found, ignored);
    }
  }
}

/// Returns the packet that is kept, and warnings.
std::string kept_xmp(const std::string& packet, std::string& said_of_it) {
  Metadata metadata;
  metadata.xmp = bytes_in(packet);
  std::vector<Remark> remarks;
  complete_metadata({}, {1, 1, 3, false}, metadata, remarks);
  said_of_it = said(remarks, true);
  return {reinterpret_cast<const char*>(metadata.xmp.data()), metadata.xmp.size()};
}

/// A packet of elements in each other. `hides` stands before each.
std::string nested_packet(int levels, const std::string& hides = "", const std::string& attributes = "") {
  std::string packet;
  for (int i = 0; i < levels; ++i) packet += hides + "<a" + attributes + ">";
  packet += "b";
  for (int i = 0; i < levels; ++i) packet += "</a>";
  return packet;
}

TEST(Xmp, NestedTooDeepIsRefusedHoweverItHides) {
  EXPECT_FALSE(is_too_much(nested_packet(kMostNesting)));
  EXPECT_TRUE(is_too_much(nested_packet(kMostNesting + 1)));
  constexpr int kHostile = 200000;  // a parser that calls itself for each comes to the end of its stack
  for (const std::string& packet :
       {nested_packet(kHostile), nested_packet(kHostile, "<!-- </a> -->"),
        nested_packet(kHostile, "<? </a> ?>"), nested_packet(kHostile, "<![CDATA[ > </a> ]]>"),
        nested_packet(kHostile, "", " b='/>'"), nested_packet(kHostile, "", " b=\"'\" c=\"</a>\"")}) {
    std::string said_of_it;
    EXPECT_EQ(kept_xmp(packet, said_of_it), "");
    EXPECT_NE(said_of_it.find("too many"), std::string::npos) << said_of_it;
  }
  std::string wide;
  for (const char c : nested_packet(kMostNesting + 1)) wide += {c, '\0'};
  EXPECT_TRUE(is_too_much(wide)) << "UTF-16";
  EXPECT_FALSE(is_too_much(nested_packet(kMostNesting) + std::string(100, '\0'))) << "zero bytes behind";
}

TEST(Xmp, SiblingsAreNoLevels) {
  std::string items;
  for (int i = 0; i < 3000; ++i) items += "<rdf:li>1</rdf:li><!-- <a> -->";
  EXPECT_FALSE(is_too_much("<rdf:Bag>" + items + "</rdf:Bag>"));
}

TEST(Xmp, MoreNamesThanExivComparesSoonAreRefused) {
  std::string properties;
  for (int i = 0; i < 300; ++i) properties += fmt::format("dc:a{}='1' ", i);
  std::string said_of_it;
  EXPECT_EQ(kept_xmp(xmp_packet(properties), said_of_it), xmp_packet(properties)) << said_of_it;
  for (int i = 300; i < 200000; ++i) properties += fmt::format("dc:a{}='1' ", i);
  EXPECT_EQ(kept_xmp(xmp_packet(properties), said_of_it), "");
  EXPECT_NE(said_of_it.find("too many elements"), std::string::npos) << said_of_it;
}

TEST(Xmp, TagsThatDoNotEndTakeLinearTime) {
  std::string text;
  for (int i = 0; i < 3'000'000; ++i) text += "<a</a";  // a search for the end of each would take minutes
  std::string said_of_it;
  EXPECT_EQ(kept_xmp(text, said_of_it), "");
  EXPECT_TRUE(xmp_structures(text, "http://ns.adobe.com/xmp/note").empty());
}

}  // namespace
}  // namespace scanlens::test
