#include "tests/bench/strokes/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <utility>

#include "app/depth/strokes/spread.h"
#include "app/io/picture.h"
#include "app/scene/scenes.h"
#include "core/error.h"
#include "filters/depth_of_field.h"
#include "tests/bench/quality/metrics.h"
#include "tests/bench/quality/references.h"
#include "tests/bench/strokes/person.h"

namespace scanlens::bench {
namespace {

constexpr Shape kScene = {640, 427}, kLarge = {1732, 1155};
constexpr int kCounts[] = {6, 12, 20};
constexpr double kFocus[] = {10, 50, 90};  // per cent of nearness
constexpr double kBlur = 0.025;            // largest radius, of the width

struct StrokeCase {
  std::string name;
  Image<std::uint8_t> photo;
  StrokeTruth truth;
};

StrokeCase scene_case(References& references, const SceneTraits& traits, Shape shape) {
  const SharpScene scene = references.sharp(traits, shape);
  return {traits.name, stroke_photo(rows_of(scene.picture), shape.width * shape.height),
          stroke_truth(scene.disparity.view())};
}

StrokeCase photo_case(const std::filesystem::path& photo, const std::filesystem::path& disparity) {
  const Picture picture = read_picture(photo, {});
  DepthOptions options;
  options.kind = DepthKind::disparity;
  options.scale = 1;
  options.is_measured = true;
  Depth truth = read_depth(disparity, options, {});
  unfill(truth);
  if (truth.disparity.width() != picture.width() || truth.disparity.height() != picture.height())
    throw Error(fmt::format("{}: it must have the size of {}", disparity.string(), photo.string()));
  return {photo.stem().string(), stroke_photo(rows_of(picture), picture.width() * picture.height()),
          stroke_truth(std::as_const(truth.disparity).view())};
}

std::vector<std::filesystem::path> photos_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> photos;
  if (folder.empty()) return photos;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".png") photos.push_back(entry.path());
  std::sort(photos.begin(), photos.end());
  return photos;
}

/// A map as a file of 16 bits has it.
float rounded(float nearness) {
  return std::round(std::clamp(nearness, 0.f, 1.f) * 65535) / 65535;
}

/// The photo blurred as `dof --depth-kind inverse --focus F --blur 2.5%` does it on the CPU, in 0 .. 1.
Image<float> blurred(Context& cpu, const Image<std::uint8_t>& photo, View<const float> nearness,
                     double focus) {
  Image<float> depth(nearness.width, nearness.height);
  double reach = 0;
  for (std::int64_t i = 0; i < nearness.extent(); ++i) {
    depth.view().data[i] = rounded(nearness.data[i]);
    reach = std::max(reach, std::abs(depth.view().data[i] - focus));
  }
  const double circle = kBlur * static_cast<double>(photo.width());
  const Blur blur = {static_cast<float>(circle / reach), static_cast<float>(focus),
                     static_cast<float>(circle)};
  Image<std::uint8_t> out(photo.width(), photo.height(), photo.channels());
  depth_of_field<std::uint8_t>(cpu, photo.view(), std::as_const(depth).view(), blur, out.view(), {},
                               {.quality = DofQuality::good});
  Image<float> codes(photo.width(), photo.height(), photo.channels());
  for (std::int64_t i = 0; i < codes.view().extent(); ++i)
    codes.view().data[i] = static_cast<float>(out.view().data[i]) / 255;
  return codes;
}

class Measuring {
 public:
  Measuring(Context& context, const StrokeSettings& settings)
      : context_(context), settings_(settings), cpu_(Context::open("cpu")) {}

  /// Has a person draw, prints a line for each count, and returns the strokes.
  Strokes measure(const StrokeCase& one) {
    std::vector<float> known;
    for (std::int64_t i = 0; i < one.truth.known.view().extent(); ++i)
      if (one.truth.known.view().data[i]) known.push_back(one.truth.nearness.view().data[i]);
    std::sort(known.begin(), known.end());
    if (known.empty()) throw Error(one.name + ": no disparity is known");
    std::vector<double> focus;
    std::vector<Image<float>> truth;
    for (const double percent : kFocus) {
      const double place = percent / 100 * static_cast<double>(known.size() - 1);
      focus.push_back(std::round(static_cast<double>(known[static_cast<std::size_t>(place)]) * 1e4) / 1e4);
      truth.push_back(blurred(cpu_, one.photo, one.truth.nearness.view(), focus.back()));
    }
    StrokeField field(context_, uploaded(one.photo).view());
    const int most = settings_.quick ? kCounts[0] : kCounts[2];
    return drawn_by_person(
        one.truth, most, [&](const Strokes& strokes) { return answer(field, strokes, one.photo); },
        [&](int count, const Image<float>& map) {
          if (settings_.progress) settings_.progress(fmt::format("{}: {} strokes", one.name, count));
          if (std::find(std::begin(kCounts), std::end(kCounts), count) == std::end(kCounts)) return;
          double decibels = 0, squares = 0;
          for (std::size_t i = 0; i < focus.size(); ++i)
            decibels += psnr(blurred(cpu_, one.photo, map.view(), focus[i]).view(), truth[i].view(),
                             one.truth.known.view()) /
                        static_cast<double>(focus.size());
          std::int64_t wrong = 0;
          for (std::int64_t i = 0; i < map.view().extent(); ++i) {
            const double error = map.view().data[i] - one.truth.nearness.view().data[i];
            if (!one.truth.known.view().data[i]) continue;
            squares += error * error;
            wrong += std::abs(error) > 0.05;
          }
          const auto pixels = static_cast<double>(known.size());
          const StrokeWork work = field.work();
          say("| {} | {} x {} | {} | {:.2f} | {:.3f} | {:.0f} % | {} / {} |", one.name, one.photo.width(),
              one.photo.height(), count, decibels, std::sqrt(squares / pixels),
              100 * static_cast<double>(wrong) / pixels, work.shares.iterations, work.edges.iterations);
        });
  }

  /// Prints how long strokes take on a picture of at most `pixels` pixels.
  void time(const StrokeCase& one, const Strokes& strokes, std::int64_t pixels) {
    const Image<std::uint8_t> photo = stroke_photo(rows_of(Picture{copied(one.photo)}), pixels);
    const std::int64_t width = photo.width(), height = photo.height();
    const Image<std::uint8_t> device = uploaded(photo);
    const auto ready = [&](const Strokes& some) {
      StrokeRaster raster = rasterised(some, width, height, one.name);
      raster.numbers = upload(context_, std::move(raster.numbers));
      return raster;
    };
    Strokes fewer = strokes;
    fewer.strokes.pop_back();
    const StrokeRaster all = ready(strokes), before = ready(fewer);
    std::optional<StrokeField> field;
    Image<float> map(context_, width, height);
    const auto spread_all = [&](bool warm) {
      field->spread(all.planes, all.numbers.view(), map.view(), warm);
    };
    const std::string once = median([&] {}, [&] { field.emplace(context_, device.view()); });
    const std::string cold = median([&] {}, [&] { spread_all(false); });
    const StrokeWork work = field->work();
    const std::string warm = median([&] { field->spread(before.planes, before.numbers.view(), map.view()); },
                                    [&] { spread_all(true); });
    const StrokeWork again = field->work();
    say("| {} | {} x {} | {} | {}, {} | {} | {}, {} / {} | {}, {} / {} | {:.1f} |", one.name, width, height,
        strokes.strokes.size(), work.vertices, work.values, once, cold, work.shares.iterations,
        work.edges.iterations, warm, again.shares.iterations, again.edges.iterations,
        megabytes(work, all.planes.size(), width * height));
  }

  template <class... Values>
  void say(fmt::format_string<Values...> text, Values&&... values) const {
    if (settings_.line) settings_.line(fmt::format(text, std::forward<Values>(values)...));
  }

 private:
  static constexpr int kRuns = 5;

  /// The least bytes of a cold call: 12 vectors and the matrix in each iteration.
  static double megabytes(const StrokeWork& work, std::size_t planes, std::int64_t pixels) {
    const double grid = static_cast<double>(work.values) * 8 +
                        static_cast<double>(work.vertices) * 4 * 12 * static_cast<double>(planes);
    return (work.shares.iterations * grid + work.edges.iterations * static_cast<double>(pixels) * 4 * 15) /
           1e6;
  }

  /// Returns the median time and that of the processor's threads in it, which others on the machine do not
  /// lengthen: "95.8 (81.2)".
  template <class Before, class Work>
  std::string median(const Before& before, const Work& work) {
    std::vector<double> times, busy;
    for (int run = 0; run < kRuns; ++run) {
      before();
      context_.synchronize();
      const std::clock_t start = std::clock();
      times.push_back(context_.time(work));
      busy.push_back(1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    for (std::vector<double>* values : {&times, &busy}) std::sort(values->begin(), values->end());
    return fmt::format("{:.1f} ({:.1f})", times[kRuns / 2], busy[kRuns / 2]);
  }

  static Image<std::uint8_t> copied(const Image<std::uint8_t>& image) {
    Image<std::uint8_t> result(image.width(), image.height(), image.channels());
    std::copy_n(image.view().data, image.view().extent(), result.view().data);
    return result;
  }
  Image<std::uint8_t> uploaded(const Image<std::uint8_t>& image) { return upload(context_, copied(image)); }

  Image<float> answer(StrokeField& field, const Strokes& strokes, const Image<std::uint8_t>& photo) {
    StrokeRaster raster = rasterised(strokes, photo.width(), photo.height(), "strokes");
    const Image<std::int16_t> numbers = upload(context_, std::move(raster.numbers));
    Image<float> map(context_, photo.width(), photo.height());
    field.spread(raster.planes, numbers.view(), map.view());
    Image<float> found = download(context_, std::move(map));
    for (std::int64_t i = 0; i < found.view().extent(); ++i)
      found.view().data[i] = rounded(found.view().data[i]);
    return found;
  }

  Context& context_;
  const StrokeSettings& settings_;
  Context cpu_;
};

}  // namespace

void measure_strokes(Context& context, const StrokeSettings& settings) {
  if (!settings.pictures.empty()) make_folder(settings.pictures);
  Measuring measuring(context, settings);
  References references({}, context.cuda_ordinal(), settings.progress);
  measuring.say(
      "| scene | size | strokes | blurred, dB | RMS of nearness | off by 0.05 | iterations of grid / edges "
      "|");
  measuring.say("| --- | --- | --- | --- | --- | --- | --- |");
  std::vector<std::pair<StrokeCase, Strokes>> measured;
  const auto measure = [&](StrokeCase one) {
    Strokes strokes = measuring.measure(one);
    measured.emplace_back(std::move(one), strokes);
    if (settings.pictures.empty()) return;
    const std::string text = text_of(strokes);
    write_file(settings.pictures / (measured.back().first.name + "_strokes.json"),
               std::as_bytes(std::span(text)));
  };
  for (const SceneTraits& traits : scenes()) measure(scene_case(references, traits, kScene));
  for (const std::filesystem::path& photo : photos_in(settings.photos))
    measure(photo_case(photo,
                       std::filesystem::path(photo).replace_filename(photo.stem().string() + "_disp.pfm")));
  if (settings.quick) return;

  measuring.say(
      "\n| scene | size | strokes | vertices, values | once a photo, ms (of all threads) | cold: ms, "
      "iterations | "
      "one more, warm: ms, "
      "iterations | MB cold |");
  measuring.say("| --- | --- | --- | --- | --- | --- | --- | --- |");
  for (const auto& [one, strokes] : measured) measuring.time(one, strokes, kStrokePreviewPixels);
  for (std::size_t i = 0; i < scenes().size(); ++i)
    measuring.time(scene_case(references, scenes()[i], kLarge), measured[i].second, kStrokePixels);
}

}  // namespace scanlens::bench
