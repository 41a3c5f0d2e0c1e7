// Measures transposes of elements of 1, 4 and 16 bytes.
#include "core/transpose.h"

#include <tbb/parallel_for.h>

#include <opencv2/core.hpp>

#include "tests/bench/bench.h"
#include "tests/bench/verify.h"

namespace scanlens::bench {
namespace {

/// Returns element k of the input: an array of 16-byte elements was filled as one of uint64_t.
template <class T>
T element(std::int64_t k) {
  if constexpr (std::is_same_v<T, Bytes16>)
    return {{element<std::uint64_t>(2 * k), element<std::uint64_t>(2 * k + 1)}};
  else
    return Input::random().at<T>(static_cast<std::uint64_t>(k));
}

bool equal(const Bytes16& a, const Bytes16& b) {
  return a.words[0] == b.words[0] && a.words[1] == b.words[1];
}
template <class T>
bool equal(T a, T b) {
  return a == b;
}

template <class T>
std::string check(View<const T> out) {
  FirstWrong wrong;
  tbb::parallel_for(std::int64_t{0}, out.height, [&](std::int64_t y) {
    for (std::int64_t x = 0; x < out.width; ++x)
      if (!equal(out(x, y), element<T>(x * out.height + y))) return wrong.note(y * out.width + x);
  });
  return wrong.text();
}

/// OpenCV transposes on the CPU, on one thread.
template <class T>
std::vector<Peer> peers(const Bench& bench, View<const T> in, View<T> out) {
  if (bench.on_cuda() || in.width > INT32_MAX || in.height > INT32_MAX) return {};
  const int type = sizeof(T) == 1 ? CV_8U : sizeof(T) == 4 ? CV_32S : CV_32SC4;
  const cv::Mat from(static_cast<int>(in.height), static_cast<int>(in.width), type, const_cast<T*>(in.data));
  const cv::Mat to(static_cast<int>(out.height), static_cast<int>(out.width), type, out.data);
  return {{"cv::transpose", [=] { cv::transpose(from, to); }}};
}

template <class T>
void transposed(Bench& bench, const Shape& shape) {
  using Filled = std::conditional_t<std::is_same_v<T, Bytes16>, std::uint64_t, T>;
  Case one;
  one.primitive = "transpose";
  one.variant = std::to_string(sizeof(T)) + (sizeof(T) == 1 ? " byte" : " bytes");
  one.type = "u" + std::to_string(8 * sizeof(T));
  one.size = shape_name(shape);
  one.elements = shape.width * shape.height;
  one.bytes_read = one.bytes_written = one.elements * static_cast<std::int64_t>(sizeof(T));
  bench.attempt("transpose " + one.type + " " + one.size, [&] {
    bench.reserve(one.bytes_read, one.bytes_written);
    Context& context = bench.context();
    const auto samples =
        bench.filled<Filled>(one.bytes_read / static_cast<std::int64_t>(sizeof(Filled)), Input::random());
    const auto result = bench.target<T>(one.elements);
    const View<const T> in(reinterpret_cast<const T*>(samples.data()), shape.width, shape.height);
    const View<T> out(result.data(), shape.height, shape.width);
    one.ours = [=, &context] { transpose<T>(context, in, out); };
    one.peers = peers(bench, in, out);
    one.verify = [=, &bench] {
      return check(View<const T>(bench.host(result).data(), shape.height, shape.width));
    };
    bench.run(one);
  });
}

}  // namespace

void bench_transpose(Bench& bench) {
  const std::vector<Shape> own = bench.on_cuda() ? std::vector<Shape>{{16384, 16384}, {16383, 16381}}
                                                 : std::vector<Shape>{{4096, 4096}, {4095, 4093}};
  for (const Shape& shape : bench.settings().sizes.shapes_or(own)) {
    transposed<std::uint8_t>(bench, shape);
    transposed<std::uint32_t>(bench, shape);
    transposed<Bytes16>(bench, shape);
  }
}

}  // namespace scanlens::bench
