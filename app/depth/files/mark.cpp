#include "app/depth/files/mark.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string>

#include "app/io/codecs/png.h"
#include "app/io/png_chunks.h"

namespace scanlens {
namespace {

constexpr std::string_view kMillimetres = "metric: millimetres, 0 is unknown";
constexpr std::string_view kInverse = "relative: inverse, 0 is farthest";

/// Returns the content of the chunk that says so.
std::string text_of(DepthKind kind) {
  return std::string("scanlens:depth") + '\0' +
         std::string(kind == DepthKind::depth ? kMillimetres : kInverse);
}

}  // namespace

bool is_marked_pfm(const Source& source) {
  const std::string_view header(reinterpret_cast<const char*>(source.bytes.data()),
                                parse_netpbm_header(source).length - 1);
  return header.ends_with(kScaleOfMetres) && header[header.size() - kScaleOfMetres.size() - 1] == '\n';
}

std::string npy_of_metres(std::int64_t width, std::int64_t height) {
  return fmt::format("{{'shape': ({}, {}), 'fortran_order': False, 'descr': '<f4', }}", height, width);
}

bool is_marked_npy(Bytes file, std::int64_t width, std::int64_t height) {
  constexpr std::size_t kDictionary = 10;  // behind magic, version and length
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  return text.size() > kDictionary && text.substr(kDictionary).starts_with(npy_of_metres(width, height));
}

std::vector<std::byte> marked_png(Bytes png, DepthKind kind) {
  std::vector<std::byte> marked;
  const PngSink append = [&](Bytes bytes) { marked.insert(marked.end(), bytes.begin(), bytes.end()); };
  append(png.first(kPngHeaderEnd));
  const std::string text = text_of(kind);
  write_png_chunk(append, "depth", "tEXt", std::array{std::as_bytes(std::span(text))});
  append(png.subspan(kPngHeaderEnd));
  return marked;
}

std::optional<DepthKind> kind_marked_in_png(Bytes png) {
  std::optional<DepthKind> kind;
  find_png_chunk(png, [&](const PngChunk& chunk) {
    const std::string_view text(reinterpret_cast<const char*>(chunk.data.data()), chunk.data.size());
    for (const DepthKind each : {DepthKind::depth, DepthKind::inverse})
      if (chunk.kind == "tEXt" && text == text_of(each)) kind = each;
    return kind || chunk.kind == "IDAT";
  });
  return kind;
}

}  // namespace scanlens
