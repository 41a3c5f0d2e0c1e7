#include "app/depth/network/network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/io/file.h"
#include "app/io/text.h"
#include "core/error.h"

namespace scanlens {
namespace {

constexpr std::int64_t kMostSide = 8192;  ///< of a network's image
constexpr double kTolerance = 0.03;       ///< between proportions

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::vector<std::string> sides;
  for (const std::int64_t side : shape) sides.push_back(side > 0 ? std::to_string(side) : "any");
  return fmt::format("{}", fmt::join(sides, " x "));
}

bool is_floating(int type) {
  return type == onnx::kFloat || type == onnx::kFloat16;
}

ModelFacts facts_of(const std::filesystem::path& path) {
  const InputFile file(path);
  return model_facts(ProtoFile(file.name(), file.size(),
                               [&](std::size_t at, std::span<std::byte> bytes) { file.read(at, bytes); }));
}

/// Returns the part of a map that shows the photo, of the network's image of this size.
Image<float> shown_part(const OnnxOutput& map, std::int64_t map_width, std::int64_t map_height,
                        const NetworkImage& image, std::int64_t width, std::int64_t height) {
  const auto scaled = [](std::int64_t at, std::int64_t side, std::int64_t map_side) {
    return at * map_side / side;
  };
  const std::int64_t left = scaled(image.left, width, map_width), top = scaled(image.top, height, map_height);
  const std::int64_t right = std::max(left + 1, scaled(image.left + image.width, width, map_width));
  const std::int64_t bottom = std::max(top + 1, scaled(image.top + image.height, height, map_height));
  Image<float> result(right - left, bottom - top);
  for (std::int64_t y = top; y < bottom; ++y)
    std::copy_n(map.values.data() + y * map_width + left, right - left, result.view().row(y - top));
  return result;
}

}  // namespace

DepthNetwork::DepthNetwork(const NetworkChoice& choice, const Require& require)
    : file_(choice.model), facts_(facts_of(choice.model)) {
  constexpr std::int64_t kCopies = 2;
  weights_ = kCopies * static_cast<std::int64_t>(model_bytes(file_, facts_));
  require(weights_);
  session_ = std::make_unique<OnnxSession>(std::make_shared<OnnxRuntime>(choice.runtime), file_,
                                           choice.threads, choice.gpu);
  check_input();
  const OnnxPort& input = session_->inputs()[0];
  fixed_width_ = input.shape[place_of_width()];
  fixed_height_ = input.shape[place_of_width() - 1];
  std::vector<std::string> names;
  for (const OnnxPort& output : session_->outputs()) names.push_back(output.name);
  convention_ = convention_of({file_, facts_, names}, choice.convention);
  if (input.type == onnx::kByte) {
    const PixelNumbers plain = numbers_of(UsualPixels::bytes);
    if (choice.convention.pixels && convention_.pixels != plain)
      throw Error(ErrorKind::usage,
                  fmt::format("--network-pixels: {} takes bytes, 0 .. 255, alone", file_.string()));
    convention_.pixels = plain;
  }
  if (const auto& size = choice.convention.size;
      size && ((fixed_width_ > 0 && fixed_width_ != size->first) ||
               (fixed_height_ > 0 && fixed_height_ != size->second)))
    throw Error(ErrorKind::usage, fmt::format("--network-size: {} takes images of {} (width x height) alone",
                                              file_.string(), shape_text({fixed_width_, fixed_height_})));
  depth_ = depth_output();
  sky_ = output_named({"sky"});
  field_of_view_ = output_named({"field_of_view", "fov_deg"});
  constexpr std::int64_t kOpenSizes = 2;  // size_for allows this many times the usual size
  const bool open = fixed_width_ == 0 || fixed_height_ == 0;
  pixels_bytes_ = kBytesPerPixel *
                  (open ? kOpenSizes * convention_.width * convention_.height : fixed_width_ * fixed_height_);
  require(bytes());
  remarks_.push_back(session_->place());
  remarks_.insert(remarks_.end(), convention_.remarks.begin(), convention_.remarks.end());
}

void DepthNetwork::check_input() const {
  const std::vector<OnnxPort>& inputs = session_->inputs();
  const auto refuse = [&](const std::string& why) {
    throw Error(fmt::format("{}: {}", file_.string(), why));
  };
  if (inputs.size() != 1) {
    std::vector<std::string> names;
    for (const OnnxPort& input : inputs) names.push_back(printable(input.name));
    constexpr std::size_t kShown = 6;
    const bool more = names.size() > kShown;
    if (more) names.resize(kShown);
    refuse(fmt::format("the model takes {} inputs ({}{}); a network is needed that takes one image",
                       inputs.size(), fmt::join(names, ", "), more ? ", ..." : ""));
  }
  const OnnxPort& input = inputs[0];
  constexpr std::size_t kLeast = 4, kMost = 5;  // with a number of views
  const std::size_t sides = input.shape.size();
  const bool has_type = is_floating(input.type) || input.type == onnx::kByte;
  const bool is_image =
      has_type && sides >= kLeast && sides <= kMost &&
      (input.shape[sides - 3] == 3 || input.shape[sides - 3] == 0 || has_colours_last()) &&
      std::all_of(input.shape.begin(), input.shape.end() - 3, [](std::int64_t side) { return side <= 1; });
  if (!is_image)
    refuse(fmt::format(
        "its input {} ({}{}) is no image of one photo: 1 x 3 x height x width or 1 x height x "
        "width x 3 floats or bytes are needed",
        printable(input.name), has_type ? "" : "neither floats nor bytes, ", shape_text(input.shape)));
  if (std::max(input.shape[place_of_width()], input.shape[place_of_width() - 1]) > kMostSide)
    refuse(fmt::format("its input takes images of {} pixels, more than {} a side", shape_text(input.shape),
                       kMostSide));
}

bool DepthNetwork::has_colours_last() const {
  const std::vector<std::int64_t>& shape = session_->inputs()[0].shape;
  return shape.back() == 3 && shape[shape.size() - 3] != 3;
}

std::size_t DepthNetwork::place_of_width() const {
  return session_->inputs()[0].shape.size() - (has_colours_last() ? 2 : 1);
}

std::optional<std::size_t> DepthNetwork::output_named(std::initializer_list<std::string_view> names) const {
  const std::vector<OnnxPort>& outputs = session_->outputs();
  for (const std::string_view name : names)
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].name == name && is_floating(outputs[i].type)) return i;
  return std::nullopt;
}

std::size_t DepthNetwork::depth_output() const {
  const auto named = output_named({"predicted_depth", "metric_depth", "pred_depth", "depth", "disparity",
                                   "inverse_depth", "canonical_inverse_depth", "output"});
  if (named) return *named;
  const std::vector<OnnxPort>& outputs = session_->outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (is_floating(outputs[i].type) && outputs[i].shape.size() != 1) return i;
  throw Error(fmt::format("{}: none of its {} outputs is a map of floats", file_.string(), outputs.size()));
}

/// Returns the size of the image that stands for a photo: sides that the model fixes, and else at least the
/// usual ones in the photo's proportions, but at most twice their pixels.
DepthNetwork::Size DepthNetwork::size_for(const RowFormat& photo) const {
  constexpr double kMostTimes = 2;
  const double width = static_cast<double>(photo.width), height = static_cast<double>(photo.height);
  const double usual_width = static_cast<double>(convention_.width),
               usual_height = static_cast<double>(convention_.height);
  double across = usual_width, down = usual_height;
  if (convention_.keeps_shape) {
    const double most = std::sqrt(kMostTimes * usual_width * usual_height / (width * height));
    const double scale = std::min(std::max(usual_width / width, usual_height / height), most);
    across = scale * width;
    down = scale * height;
  }
  const auto multiple = [&](double side) {
    const std::int64_t of = convention_.multiple;
    return of * std::max<std::int64_t>(1, std::llround(side / static_cast<double>(of)));
  };
  return {fixed_width_ > 0 ? fixed_width_ : multiple(across),
          fixed_height_ > 0 ? fixed_height_ : multiple(down)};
}

OnnxOutput DepthNetwork::ran(const std::vector<float>& image, Size size, OnnxOutput& sky,
                             OnnxOutput& field_of_view) const {
  std::vector<std::int64_t> shape(session_->inputs()[0].shape.size(), 1);
  shape[has_colours_last() ? shape.size() - 1 : shape.size() - 3] = 3;
  shape[place_of_width() - 1] = size.height;
  shape[place_of_width()] = size.width;
  std::vector<std::size_t> wanted = {depth_};
  if (sky_) wanted.push_back(*sky_);
  if (field_of_view_) wanted.push_back(*field_of_view_);
  std::vector<OnnxOutput> made;
  {
    const std::lock_guard lock(running_);
    made = session_->run(image, shape, wanted);
  }
  if (sky_) sky = std::move(made[1]);
  if (field_of_view_) field_of_view = std::move(made.back());
  return std::move(made[0]);
}

RawDepth DepthNetwork::map_of(const PhotoRows& photo, std::optional<double> focal_length) const {
  const Size size = size_for(photo.format);
  const bool is_fixed = fixed_width_ > 0 && fixed_height_ > 0;
  const NetworkImage image = network_image(
      photo, {size.width, size.height, convention_.pads && is_fixed, has_colours_last()}, convention_.pixels);
  OnnxOutput sky, field_of_view;
  const OnnxOutput map = ran(image.numbers, size, sky, field_of_view);
  std::vector<std::int64_t> sides = map.shape;
  std::erase(sides, 1);
  if (sides.size() != 2 || sides[0] < 2 || sides[1] < 2)
    throw Error(fmt::format("{}: its output {} is {}; a map is needed, one value for each pixel",
                            file_.string(), printable(session_->outputs()[depth_].name),
                            shape_text(map.shape)));
  const std::int64_t width = sides[1], height = sides[0];
  RawDepth raw;
  const double proportion = static_cast<double>(width) / static_cast<double>(height),
               asked = static_cast<double>(size.width) / static_cast<double>(size.height);
  if (std::abs(proportion / asked - 1) > kTolerance)
    raw.remarks.push_back(
        {true,
         fmt::format("the model makes a map of {} x {} from an image of {} x {}, which it seems to stretch; "
                     "--network-size {}x{} may help",
                     width, height, size.width, size.height, width, height)});
  raw.values = shown_part(map, width, height, image, size.width, size.height);

  const View<float> values = raw.values.view();
  const bool is_distance =
      convention_.output != NetworkOutput::inverse && convention_.output != NetworkOutput::per_metre;
  if (is_distance)
    for (std::int64_t i = 0; i < values.extent(); ++i)
      if (!(values.data[i] > 0)) values.data[i] = std::numeric_limits<float>::quiet_NaN();
  if (sky_ && sky.values.size() == map.values.size() && is_distance) {
    constexpr float kSky = 0.3f;
    const Image<float> shown = shown_part(sky, width, height, image, size.width, size.height);
    for (std::int64_t i = 0; i < values.extent(); ++i)
      if (shown.view().data[i] >= kSky) values.data[i] = std::numeric_limits<float>::infinity();
  }
  // The mean of the focal lengths along both sides, of the photo as it lies in the image.
  const double pixels_a_width = (static_cast<double>(image.width) +
                                 static_cast<double>(image.height) * static_cast<double>(photo.format.width) /
                                     static_cast<double>(photo.format.height)) /
                                2;
  if (convention_.output == NetworkOutput::canonical && !focal_length)
    raw.remarks.push_back({false, "its metres need the photo's focal length, which is missing in EXIF"});
  raw.stated = meaning_of(std::as_const(raw.values).view(),
                          unit_of(focal_length.value_or(0) * pixels_a_width, field_of_view));
  raw.stated->by = convention_.decided_by;
  raw.format =
      fmt::format("{} map of {} x {}", convention_.family.empty() ? "a network's" : convention_.family,
                  values.width, values.height);
  return raw;
}

}  // namespace scanlens
