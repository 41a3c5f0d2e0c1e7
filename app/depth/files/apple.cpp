// Reads the depth map of Apple's portraits in JPEG: further pictures of a multi-picture file, each with XMP
// of its own.
#include "app/depth/files/apple.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "app/depth/files/matte.h"
#include "app/io/metadata/jpeg_parts.h"
#include "app/io/metadata/xmp_values.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Returns all values of a namespace as one structure.
XmpStructure properties(std::string_view packet, std::string_view space) {
  XmpStructure all;
  for (XmpStructure& part : xmp_structures(packet, space))
    all.fields.insert(all.fields.end(), part.fields.begin(), part.fields.end());
  return all;
}

XmpStructure pixel_data(std::string_view packet) {
  return properties(packet, "http://ns.apple.com/pixeldatainfo/1.0");
}

/// Returns a finite number, or NaN.
double number_in(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
  return whole ? value : std::nan("");
}

Picture decoded(const Source& photo, Bytes jpeg, const char* what) {
  const std::size_t length = jpeg_length(jpeg);
  const Source source{fmt::format("{}, {} inside", photo.name, what), length > 0 ? jpeg.first(length) : jpeg,
                      photo.limits};
  return upright(decode_jpeg(source), exif_orientation(photo.bytes));
}

}  // namespace

AppleImage apple_image(std::string_view packet) {
  const XmpStructure data = pixel_data(packet);
  const std::string type = data["AuxiliaryImageType"], kind = data["AuxiliaryImageSubType"];
  for (const std::string& name : {type, kind})
    if (name.ends_with("portraiteffectsmatte")) return AppleImage::portrait_matte;
  const bool is_depth = type == "disparity" || type == "depth";
  return is_depth && kind.empty() ? AppleImage::depth : AppleImage::other;
}

std::optional<Stated> stated_by_apple(std::string_view packet, double full) {
  const XmpStructure data = pixel_data(packet);
  const auto number = [&](const char* name, double otherwise) {
    const std::string text = data[name];
    return text.empty() ? otherwise : number_in(text);
  };
  constexpr double kMostCode = 255;  // of format L008, the one that is stored
  const double least = number("FloatMinValue", std::nan("")), most = number("FloatMaxValue", std::nan(""));
  const double first = number("IntMinValue", 0), last = number("IntMaxValue", kMostCode);
  const bool distances = data["AuxiliaryImageType"] == "depth";
  if (!(most > least) || !(last > first) || !(distances ? least > 0 : least >= 0)) return std::nullopt;

  const std::string accuracy = properties(packet, "http://ns.apple.com/depthData/1.0")["Accuracy"];
  const double step = (most - least) / (last - first);
  Stated stated;
  stated.metric = accuracy != "relative";
  stated.kind = distances ? DepthKind::depth : DepthKind::disparity;
  stated.at_zero = least - first * step;
  stated.step = step * kMostCode / full;
  stated.farthest = distances ? 1 / most : least;
  stated.nearest = distances ? 1 / least : most;
  const char* const unit = distances ? "m" : "1/m";
  stated.words = fmt::format("{} from {:.4g} to {:.4g} {}", distances ? "distance" : "disparity", least, most,
                             stated.metric ? unit : "of no unit (its accuracy is relative)");
  return stated;
}

void take_without_range(RawDepth& raw, std::string_view names) {
  raw.kind = DepthKind::inverse;
  raw.reason = "the file does not state the range of its values";
  raw.remarks.push_back(
      {true,
       fmt::format("the depth image comes without a usable range ({}), so its values have no unit", names)});
}

std::optional<RawDepth> read_apple(const Source& source) {
  Bytes map, matte;
  std::string_view packet;
  for (const Bytes picture : further_jpegs(source.bytes)) {
    const std::string_view own = xmp_of_jpeg(picture).packet;
    const AppleImage image = apple_image(own);
    if (image == AppleImage::depth && map.empty()) {
      map = picture;
      packet = own;
    }
    if (image == AppleImage::portrait_matte && matte.empty()) matte = picture;
  }
  if (map.empty()) return std::nullopt;

  RawDepth raw = grey_values(decoded(source, map, "depth map"), source.name + ", depth map inside", "JPEG",
                             kLossyTolerance);
  raw.format = fmt::format("the depth map inside the photo (Apple, {})", raw.format);
  raw.stated = stated_by_apple(packet, raw.full);
  if (!raw.stated) take_without_range(raw, "FloatMinValue and FloatMaxValue");
  if (!matte.empty())
    sharpen_by_matte(raw, [&] {
      return grey_values(decoded(source, matte, "matte"), source.name + ", matte inside", "JPEG",
                         kLossyTolerance);
    });
  return raw;
}

}  // namespace scanlens
