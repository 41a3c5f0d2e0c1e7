#include <fmt/format.h>

#include <algorithm>

#include "app/io/codecs/codecs.h"
#include "app/io/text.h"
#include "core/error.h"

namespace scanlens {
namespace {

// A smaller picture is no bomb, however small its file.
constexpr std::size_t kLeastBombBytes = std::size_t{64} << 20;

// A file may hold this much beside its pixels: colour profiles, thumbnails, maker notes.
constexpr std::size_t kMostMetadata = std::size_t{64} << 20;

}  // namespace

std::size_t most_file_bytes(const Limits& limits) {
  // RGBA of float takes sixteen bytes for a pixel; more than that is hardly a picture's.
  const auto pixels = static_cast<std::size_t>(std::max<std::int64_t>(limits.max_pixels, 0));
  const std::size_t data = std::min(pixels > SIZE_MAX / 16 ? SIZE_MAX : pixels * 16, limits.max_bytes);
  return data > SIZE_MAX - kMostMetadata ? SIZE_MAX : data + kMostMetadata;
}

void check_gate(const std::string& name, std::size_t file_bytes, const Limits& limits, std::int64_t width,
                std::int64_t height, int channels, int sample_bytes, std::size_t most_expansion) {
  std::int64_t pixels = 0;
  if (width <= 0 || height <= 0 || __builtin_mul_overflow(width, height, &pixels))
    throw Error(fmt::format("{}: the header announces {} x {} pixels", name, width, height));
  if (pixels > limits.max_pixels)
    throw Error(fmt::format("{}: {} x {} is {}, more than the limit of {} (--max-pixels)", name, width,
                            height, with_prefix(static_cast<double>(pixels), "px"),
                            with_prefix(static_cast<double>(limits.max_pixels), "px")));
  std::size_t decoded = 0;
  if (__builtin_mul_overflow(static_cast<std::size_t>(pixels),
                             static_cast<std::size_t>(channels * sample_bytes), &decoded))
    decoded = SIZE_MAX;
  if (decoded > limits.max_bytes || decoded == SIZE_MAX)
    throw Error(
        ErrorKind::retry,
        fmt::format("{}: {} x {} takes {} decoded, more than the limit of {} (--max-memory, or what is free)",
                    name, width, height, bytes_text(decoded), bytes_text(limits.max_bytes)));
  const std::size_t ratio = decoded / file_bytes;
  if (decoded > kLeastBombBytes && ratio > most_expansion)
    throw Error(
        fmt::format("{}: would grow from {} to {}, {} times, which only a decompression bomb does (limit {})",
                    name, bytes_text(file_bytes), bytes_text(decoded), ratio, most_expansion));
  if (limits.admit) limits.admit({width, height, channels, sample_bytes});
}

void check_gate(const Source& source, std::int64_t width, std::int64_t height, int channels, int sample_bytes,
                std::size_t most_expansion) {
  check_gate(source.name, source.bytes.size(), source.limits, width, height, channels, sample_bytes,
             most_expansion);
}

}  // namespace scanlens
