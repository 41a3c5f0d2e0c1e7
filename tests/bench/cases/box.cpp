// Measures the box filter, with packed and with plain tables.
#include "filters/box.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/sat_box_formula.h"
#include "tests/bench/bench.h"
#include "tests/bench/peers/npp.h"
#include "tests/bench/verify.h"

namespace scanlens::bench {
namespace {

constexpr int kRgb = 3;
constexpr int kMostOf32Bits = 2047;  // the largest radius whose sums are sure to fit

/// Checks some hundred pixels, their boxes added up sample by sample.
std::string check(const Shape& shape, int radius, View<const std::uint8_t> out) {
  FirstWrong wrong;
  for_some_pixels(shape.width, shape.height, [&](int x, int y) {
    const Box box = clipped_box(x, y, radius, static_cast<int>(shape.width), static_cast<int>(shape.height));
    const std::int64_t count = std::int64_t{box.x1 - box.x0 + 1} * (box.y1 - box.y0 + 1);
    for (int c = 0; c < kRgb; ++c) {
      std::int64_t sum = 0;
      for (std::int64_t j = box.y0; j <= box.y1; ++j)
        for (std::int64_t i = box.x0; i <= box.x1; ++i)
          sum +=
              Input::random().at<std::uint8_t>(static_cast<std::uint64_t>((j * shape.width + i) * kRgb + c));
      if (out(x, y, c) != (sum + count / 2) / count) wrong.note(y * shape.width + x);
    }
  });
  return wrong.text("pixel");
}

/// NPP and OpenCV make up pixels beyond the borders, so their results differ there.
std::vector<Peer> peers(Bench& bench, View<const std::uint8_t> image, int radius, View<std::uint8_t> out) {
  if (bench.on_cuda()) {
    const std::optional<Peer> npp = npp_box_filter(bench.context(), image, radius, out);
    return npp ? std::vector<Peer>{*npp} : std::vector<Peer>{};
  }
  const auto mat = [](const auto& view) {
    return cv::Mat(static_cast<int>(view.height), static_cast<int>(view.width), CV_8UC(kRgb),
                   const_cast<std::uint8_t*>(view.data));
  };
  return {{"cv::blur",
           [=] {
             cv::Mat to = mat(out);
             cv::blur(mat(image), to, {2 * radius + 1, 2 * radius + 1}, {-1, -1}, cv::BORDER_REPLICATE);
           },
           false}};
}

void filter(Bench& bench, const Shape& shape, int radius) {
  const std::int64_t pixels = shape.width * shape.height, samples = pixels * kRgb;
  Case one;
  one.primitive = "box";
  one.variant = fmt::format("RGB, radius {}", radius);
  one.type = "u8";
  one.size = shape_name(shape);
  one.elements = samples;
  one.bytes_read = samples;
  one.bytes_written = samples;
  bench.attempt("box " + one.variant + " " + one.size, [&] {
    if (std::max(shape.width, shape.height) >= INT32_MAX / kRgb)
      throw Error(ErrorKind::retry, "more pixels per side than the filter takes");
    const std::int64_t table_bytes = samples * (radius > kMostOf32Bits ? 8 : 4);
    bench.reserve(one.bytes_read, one.bytes_written + table_bytes);
    Context& context = bench.context();
    const auto in = bench.filled<std::uint8_t>(samples, Input::random());
    const auto to = bench.target<std::uint8_t>(samples);
    const View<const std::uint8_t> image(in.data(), shape.width, shape.height, kRgb);
    const View<std::uint8_t> out(to.data(), shape.width, shape.height, kRgb);
    one.ours = [=, &context] { box_filter<std::uint8_t>(context, image, radius, out); };
    one.peers = peers(bench, image, radius, out);
    one.verify = [=, &bench] {
      return check(shape, radius,
                   View<const std::uint8_t>(bench.host(to).data(), shape.width, shape.height, kRgb));
    };
    bench.run(one);
  });
}

}  // namespace

void bench_box(Bench& bench) {
  for (const Shape& shape : bench.settings().sizes.shapes_or({{1920, 1080}, {3840, 2160}}))
    for (const int radius : {8, 44, 100}) filter(bench, shape, radius);
}

}  // namespace scanlens::bench
