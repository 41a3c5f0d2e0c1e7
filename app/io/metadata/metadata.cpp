#include "app/io/metadata/metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <mutex>
#include <string_view>

#include "app/color/profile.h"
#include "app/io/metadata/containers.h"
#include "app/io/metadata/photoshop.h"
#include "app/io/metadata/png_colours.h"
#include "app/io/metadata/tidy.h"
#include "app/io/metadata/xml_tags.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Adds the profile of colours that are known by numbers.
void name_colours(const Described& picture, Metadata& metadata, std::vector<Remark>& remarks) {
  if (metadata.icc.empty() && metadata.cicp) {
    bool known = true;
    metadata.icc = icc_from_cicp(metadata.cicp->primaries, metadata.cicp->transfer, picture.channels, known);
    if (!known)
      remarks.push_back(
          {true, fmt::format("its colours (primaries {}, transfer {} of H.273) cannot be converted; "
                             "taken for sRGB",
                             metadata.cicp->primaries, metadata.cicp->transfer)});
  }
  const bool points =
      metadata.icc.empty() && metadata.chromaticities && picture.floats && picture.channels != 1;
  if (points && !are_srgb_primaries(*metadata.chromaticities)) {
    metadata.icc = icc_from_chromaticities(*metadata.chromaticities, ToneCurve::linear);
    if (metadata.icc.empty())
      remarks.push_back({true, "its chromaticities make no colours; taken for those of sRGB"});
  }
}

/// True if red, green and blue are equal in every pixel.
bool copies_grey(const decltype(Picture::samples)& samples) {
  return std::visit(
      [](const auto& image) {
        const auto view = image.view();
        for (std::int64_t i = 0; i + 2 < view.extent(); i += view.channels)
          if (view.data[i] != view.data[i + 1] || view.data[i] != view.data[i + 2]) return false;
        return true;
      },
      samples);
}

/// Turns a profile of grey into one of RGB if the colours are copies of one grey. Turns one of RGB into one
/// of grey if the picture is grey.
void fit_profile(int channels, const auto& copies_grey, Metadata& metadata) {
  if (metadata.icc.empty() || is_grey(metadata.icc) == (channels == 1) || (channels != 1 && !copies_grey()))
    return;
  ProfileBytes fitting = icc_for_channels(metadata.icc, channels);
  if (!fitting.empty()) metadata.icc = std::move(fitting);
}

/// Keeps a profile that can be used, and says how the colours are understood.
void check_colours(const Described& picture, bool incomplete, bool says_srgb, Metadata& metadata,
                   std::vector<Remark>& remarks) {
  if (incomplete) {
    remarks.push_back({true, fmt::format("its colour profile is incomplete or broken{}",
                                         metadata.icc.empty() ? "; taken for sRGB" : "")});
    if (metadata.icc.empty()) return;
  }
  if (metadata.icc.empty()) {
    if (!says_srgb && !picture.floats && !metadata.cicp)
      remarks.push_back({false, "no colour profile, taken for sRGB", true});
    return;
  }
  try {
    const Profile profile(metadata.icc, picture.channels);
    if (picture.floats && !profile.has_curves()) throw Error("it has no primaries");
    remarks.push_back(
        {false, fmt::format("colour profile {}", profile.name().empty() ? "without a name" : profile.name()),
         true});
  } catch (const Error& error) {
    remarks.push_back(
        {true, fmt::format("its colour profile cannot be used ({}); taken for sRGB", error.what())});
    metadata.icc.clear();
  }
}

/// Takes what the decoder has not taken.
void take(Metadata&& carried, Metadata& metadata) {
  const auto take_one = [](auto& from, auto& to) {
    if (to.empty()) to = std::move(from);
  };
  take_one(carried.icc, metadata.icc);
  take_one(carried.exif, metadata.exif);
  take_one(carried.xmp, metadata.xmp);
  take_one(carried.photoshop, metadata.photoshop);
  take_one(carried.texts, metadata.texts);
  if (!metadata.resolution) metadata.resolution = carried.resolution;
  metadata.lost.insert(metadata.lost.end(), carried.lost.begin(), carried.lost.end());
}

void say_frames(const FileExtras& extras, bool has_gain, std::vector<Remark>& remarks) {
  if (extras.frames > 1 && extras.shows_first_frame)
    remarks.push_back({true, fmt::format("the first of its {} frames is read", extras.frames)});
  if (extras.frames > 0 && !extras.shows_first_frame)
    remarks.push_back({true, fmt::format("its still picture is read, not its animation of {} frame{}",
                                         extras.frames, extras.frames == 1 ? "" : "s")});
  if (extras.pictures > (has_gain ? 2u : 1u))
    remarks.push_back(
        {extras.has_views, fmt::format("it holds {} pictures; the first is read", extras.pictures)});
}

/// Puts XMP in order. Returns false where it makes no sense.
bool tidy_xmp(Bytes more, Metadata& metadata, std::vector<Remark>& remarks) {
  const auto text_in = [](Bytes bytes) {
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  if (is_too_much(text_in(metadata.xmp)) || is_too_much(text_in(more))) {
    metadata.xmp.clear();
    remarks.push_back({true, "its XMP has too many elements, or too many in each other, and is not kept"});
    return false;
  }
  if (metadata.xmp.empty()) return true;
  // Exiv2 does not take the structures in which cameras write it.
  const bool dynamic_depth = describes_dynamic_depth(text_in(metadata.xmp));
  const auto lock = lock_exiv2();
  try {
    TidyXmp xmp = tidied_xmp(std::move(metadata.xmp), more);
    metadata.xmp = std::move(xmp.bytes);
    if (xmp.had_depth)
      remarks.push_back({false, "data embedded in its XMP, such as a depth map, is not kept"});
    return true;
  } catch (const std::exception&) {
    metadata.xmp.clear();
    remarks.push_back({!dynamic_depth, dynamic_depth ? "its XMP describes its depth map and is not kept"
                                                     : "its XMP makes no sense and is not kept"});
    return false;
  }
}

/// Puts EXIF in order.
TidyExif tidy_exif(Bytes tiff, const Described& picture, Metadata& metadata, std::vector<Remark>& remarks) {
  TidyExif exif;
  const auto lock = lock_exiv2();
  try {
    if (!metadata.exif.empty())
      exif = tidied_exif(tiff_in(metadata.exif), picture.width, picture.height);
    else if (!tiff.empty())
      exif = tidied_exif_of_tiff(tiff, picture.width, picture.height, metadata.photoshop);
  } catch (const std::exception&) {
    remarks.push_back({true, "its EXIF makes no sense and is not kept"});
  }
  metadata.exif = std::move(exif.bytes);
  if (!metadata.resolution) metadata.resolution = exif.resolution;
  // The second directory of a TIFF is a page.
  if (exif.had_thumbnail && tiff.empty()) remarks.push_back({false, "its thumbnail is not kept", true});
  return exif;
}

}  // namespace

Described described(const Picture& picture) {
  const bool floats = std::holds_alternative<Image<float>>(picture.samples);
  return {picture.width(), picture.height(), picture.channels(), floats, &picture.samples};
}

void complete_metadata(FileExtras extras, const Described& picture, Metadata& metadata,
                       std::vector<Remark>& remarks) {
  metadata.width = picture.width;
  metadata.height = picture.height;
  if (metadata.icc.empty()) metadata.icc = std::move(extras.carried.icc);
  const bool by_chunks = extras.png && name_png_colours(*extras.png, picture.channels, metadata, remarks);
  const bool had_inks = is_cmyk(metadata.icc);  // their profile has done its work, or could not
  if (had_inks) metadata.icc.clear();
  take(std::move(extras.carried), metadata);
  metadata.photoshop = without_thumbnails(metadata.photoshop);
  say_frames(extras, metadata.gain != nullptr, remarks);

  const bool sound = tidy_xmp(extras.more_xmp, metadata, remarks);
  const TidyExif exif = tidy_exif(sound ? extras.tiff : Bytes{}, picture, metadata, remarks);

  name_colours(picture, metadata, remarks);
  if (metadata.icc.empty() && exif.says_adobe_rgb && picture.channels != 1 && !picture.floats)
    metadata.icc = icc_from_chromaticities({0.64f, 0.33f, 0.21f, 0.71f, 0.15f, 0.06f, 0.3127f, 0.3290f},
                                           ToneCurve::gamma22);
  fit_profile(
      picture.channels,
      [&] { return extras.is_grey ? *extras.is_grey : picture.samples && copies_grey(*picture.samples); },
      metadata);
  check_colours(picture, extras.icc_incomplete && !metadata.cicp, had_inks || by_chunks || exif.says_srgb,
                metadata, remarks);
}

}  // namespace scanlens
