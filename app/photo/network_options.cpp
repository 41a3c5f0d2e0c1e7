#include "app/photo/network_options.h"

#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "app/io/exif_lens.h"
#include "app/io/text.h"
#include "app/options/values.h"

namespace scanlens {
namespace {

/// Takes SIDE or WIDTHxHEIGHT.
std::string take_size(const std::string& text, std::optional<std::pair<int, int>>& size) {
  constexpr std::int64_t kMost = 8192;
  const std::size_t cross = std::min(text.find('x'), text.size());
  const std::optional<std::int64_t> width = parse_whole(text.substr(0, cross));
  const std::optional<std::int64_t> height =
      cross == text.size() ? width : parse_whole(text.substr(cross + 1));
  const auto fits = [](std::optional<std::int64_t> side) { return side && *side >= 1 && *side <= kMost; };
  if (!fits(width) || !fits(height))
    return fmt::format("takes a side or WIDTHxHEIGHT in pixels, as in 518 or 640x480, not '{}'", text);
  size = {static_cast<int>(*width), static_cast<int>(*height)};
  return "";
}

/// Returns the GPU that --device names, nothing for the CPU.
std::optional<int> gpu_of(const std::string& device) {
  constexpr std::string_view kCuda = "cuda", kNumbered = "cuda:";
  if (device == kCuda) return 0;
  if (!device.starts_with(kNumbered)) return std::nullopt;
  const std::optional<std::int64_t> number = parse_whole(device.substr(kNumbered.size()));
  return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

}  // namespace

Option& NetworkOptions::add_options(Command& command, Group part) {
  const OptionGroup group(command, part);
  Option& model = group.add(
      "--depth-network MODEL", &choice.model,
      "no map: a network guesses depth from the photo; an ONNX file that you have (Depth Anything, MiDaS,\n"
      "DPT, ZoeDepth, Metric3D, Depth Pro), run by ONNX Runtime");
  model.keeps();
  group
      .add(
          "--onnxruntime FILE", &choice.runtime,
          "its library, libonnxruntime.so.*, or the folder of Python's package onnxruntime; by default what\n"
          "SCANLENS_ONNXRUNTIME names, else what the system has, else python3's (pip install onnxruntime)")
      .keeps()
      .needs(model);
  std::optional<std::pair<int, int>>& size = choice.convention.size;
  const auto take = [&size](const std::string& text) { return take_size(text, size); };
  const auto give = [&size] { return size ? fmt::format("{}x{}", size->first, size->second) : ""; };
  group
      .add(
          "--network-size SIZE", Target(take, give),
          R"(the image that the network gets, a side or WIDTHxHEIGHT, where the model leaves it open; this and
what follows goes before what is known of the model)")
      .needs(model);
  group.add("--network-multiple N", &choice.convention.multiple, "its sides are multiples of N")
      .check(whole_within(1, 1024))
      .needs(model);
  group
      .add(
          "--network-pixels NAME", scanlens::choice(choice.convention.pixels, kUsualPixelNames),
          R"(its numbers: imagenet (mean and deviation of ImageNet's photos), half (-1 .. 1), unit (0 .. 1) or
bytes (0 .. 255))")
      .needs(model);
  group
      .add("--network-output NAME", scanlens::choice(choice.convention.output, kNetworkOutputNames),
           "what it gives: inverse (larger is nearer, no unit), distance (no unit), metres or per-metre")
      .needs(model);
  return model;
}

void NetworkOptions::open(Talk& talk) {
  if (!asked() || network) return;
  choice.gpu = gpu_of(talk.settings.device);
  choice.threads =
      static_cast<int>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
  const std::string name = choice.model.string();
  network = talk.staged("network", [&] {
    return std::make_shared<const DepthNetwork>(
        choice, [&](std::int64_t bytes) { talk.settings.require_host_memory(name, bytes); });
  });
  talk.report(name, network->remarks());
}

void NetworkOptions::take_room(Settings& settings) const {
  if (!network) return;
  const std::uint64_t limit = settings.limits().max_bytes,
                      taken = static_cast<std::uint64_t>(network->bytes());
  settings.max_memory = limit > taken ? limit - taken : 1;
}

std::vector<std::string> NetworkOptions::words() const {
  return words_of(*this, [](NetworkOptions& held, Command& to) { held.add_options(to, Group::depth); });
}

std::filesystem::path found_network() {
  namespace fs = std::filesystem;
  const auto named = [](const char* variable) {
    const char* const value = std::getenv(variable);
    return fs::path(value ? value : "");
  };
  std::error_code error;
  if (const fs::path file = named("SCANLENS_DEPTH_NETWORK"); !file.empty())
    return fs::is_regular_file(file, error) ? file : fs::path();
  fs::path data = named("XDG_DATA_HOME");
  if (data.empty()) data = named("HOME") / ".local/share";
  fs::path first;
  for (fs::directory_iterator at(data / "scanlens", error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".onnx" && (first.empty() || at->path() < first)) first = at->path();
  return first;
}

std::optional<double> focal_length_of(const Picture& picture) {
  const ExifLens lens = exif_lens(picture);
  if (!lens.focal_length_mm || !lens.sensor_width_mm) return std::nullopt;
  return *lens.focal_length_mm / *lens.sensor_width_mm;
}

}  // namespace scanlens
