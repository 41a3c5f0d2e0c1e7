#include "app/commands/compare_tables.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "core/devices.h"
#include "core/error.h"
#include "core/sat.h"
#include "core/sat_classic.h"

namespace scanlens {
namespace {

/// Runs at least five times and at least for a fifth of a second, so that a median means something for
/// small pictures.
double median_ms(Context& context, const std::function<void()>& work) {
  constexpr std::size_t kLeastRuns = 5;
  constexpr double kLeastTotal = 200;
  std::vector<double> runs;
  work();  // warms caches and workspaces
  context.synchronize();
  for (double total = 0; runs.size() < kLeastRuns || total < kLeastTotal; total += runs.back())
    runs.push_back(context.time(work));
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2);
  std::nth_element(runs.begin(), middle, runs.end());
  return *middle;
}

/// Reference is what OpenCV's table holds: int32_t wraps to the same bits as Sum, double is exact to 2^53.
template <class Sum, class Reference, class T>
Comparison compare(const Image<T>& image, int image_depth, int table_depth, std::vector<Context>& contexts) {
  Comparison comparison;
  Context host = Context::open("cpu");
  const cv::Mat input(static_cast<int>(image.height()), static_cast<int>(image.width()),
                      CV_MAKETYPE(image_depth, image.channels()), const_cast<T*>(image.view().data));
  cv::Mat integral;
  comparison.opencv_ms = median_ms(host, [&] { cv::integral(input, integral, table_depth); });
  const View<const Reference> reference(integral.ptr<Reference>(), integral.cols, integral.rows,
                                        image.channels(), static_cast<std::int64_t>(integral.step1()));
  comparison.difference = Image<std::uint64_t>(reference.width, reference.height);
  std::fill_n(comparison.difference.view().data, comparison.difference.view().extent(), 0);

  for (Context& context : contexts) {
    Image<T> on_device(context, image.width(), image.height(), image.channels());
    copy(context, image.view(), on_device.view());
    const auto add = [&](const char* name, const auto& make) {
      Image<Sum> table(context, reference.width, reference.height, image.channels());
      TableResult result;
      result.name = name;
      result.device = context.device().id;
      result.ms = median_ms(context, [&] { make(std::as_const(on_device).view(), table.view()); });
      result.speedup = comparison.opencv_ms / result.ms;
      table = download(context, std::move(table));
      note_differences<Sum, Reference>(table.view(), reference, comparison.difference.view(), result);
      comparison.implementations.push_back(std::move(result));
    };
    add("fused", [&](View<const T> from, View<Sum> to) { summed_area_table<T, Sum>(context, from, to); });
    add("classic",
        [&](View<const T> from, View<Sum> to) { classic_summed_area_table<T, Sum>(context, from, to); });
  }
  return comparison;
}

}  // namespace

Comparison compare_tables(const Picture& picture, std::vector<Context>& contexts) {
  try {
    if (const auto* bytes = std::get_if<Image<std::uint8_t>>(&picture.samples))
      return compare<std::uint32_t, std::int32_t>(*bytes, CV_8U, CV_32S, contexts);
    if (const auto* words = std::get_if<Image<std::uint16_t>>(&picture.samples))
      return compare<std::uint64_t, double>(*words, CV_16U, CV_64F, contexts);
  } catch (const cv::Exception& error) {
    throw Error(error.code == cv::Error::StsNoMem ? ErrorKind::retry : ErrorKind::failed,
                "cv::integral failed: " + error.err);
  }
  throw Error(ErrorKind::usage, "compare takes 8- and 16-bit pictures, whose sums are exact integers");
}

std::int64_t compare_device_bytes(const Picture& picture) {
  const int sum_bytes = std::holds_alternative<Image<std::uint8_t>>(picture.samples) ? 4 : 8;
  const std::int64_t entries = (picture.width() + 1) * (picture.height() + 1) * picture.channels();
  return static_cast<std::int64_t>(picture.bytes()) + entries * sum_bytes +
         classic_summed_area_table_workspace(picture.width(), picture.height(), picture.channels(),
                                             sum_bytes);
}

std::int64_t compare_host_bytes(const Picture& picture) {
  const std::int64_t entries = (picture.width() + 1) * (picture.height() + 1);
  const int sum_bytes = std::holds_alternative<Image<std::uint8_t>>(picture.samples) ? 4 : 8;
  // The host holds OpenCV's table, a downloaded one, and the difference.
  return entries * (2 * picture.channels() * sum_bytes + static_cast<std::int64_t>(sizeof(std::uint64_t)));
}

Picture heatmap(const Comparison& comparison) {
  const View<const std::uint64_t> difference = comparison.difference.view();
  const std::uint64_t most =
      std::max<std::uint64_t>(*std::max_element(difference.data, difference.data + difference.extent()), 1);
  const double scale = 1 / std::log2(1.0 + static_cast<double>(most));
  Image<std::uint8_t> picture(difference.width - 1, difference.height - 1, 3);
  for (std::int64_t y = 0; y < picture.height(); ++y)
    for (std::int64_t x = 0; x < picture.width(); ++x) {
      const std::uint64_t off = difference(x + 1, y + 1);
      const double heat =
          std::log2(1.0 + static_cast<double>(off)) * scale;  // 0..1, small differences visible
      const bool equal = off == 0;
      picture.view()(x, y, 0) = equal ? 16 : 255;
      picture.view()(x, y, 1) = equal ? 24 : static_cast<std::uint8_t>(230 * (1 - heat));
      picture.view()(x, y, 2) = equal ? 64 : 0;
    }
  return Picture{std::move(picture)};
}

}  // namespace scanlens
