#include "app/commands/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <system_error>

#include "app/io/file.h"
#include "app/io/format.h"
#include "app/io/text.h"
#include "app/options/options.h"
#include "filters/registry.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

/// Says where Python keeps the library that runs networks.
constexpr const char* kRuntime = "\"$(python3 -c 'import onnxruntime as o; print(o.__path__[0])')\"";

std::string command(const std::vector<std::string>& words) {
  return "      " + shell_text(words, true);
}

}  // namespace

std::vector<std::string> depth_advice(const fs::path& photo, const fs::path& output) {
  const std::string in = is_standard_stream(photo) ? "photo.jpg" : file_word(photo),
                    out = is_standard_stream(output) ? "blurred.jpg" : file_word(output);
  const std::string map = printable(fs::path(in).stem().string() + "_depth.png");
  return {
      "Depth of field needs to know how far away each pixel is. Where that comes from:",
      "  A few strokes of yours, 0 (infinitely far) to 1 (nearest): here ground, something on it, sky.",
      command({"scanlens", "dof", in, "--stroke", "0.9,0.1:50%,98%:50%,40%", "--stroke",
               "0.6:40%,60%:50%,65%", "--stroke", "0:10%,5%:90%,5%", "-o", out}),
      "  A first guess from the photo alone, often wrong; strokes correct it.",
      command({"scanlens", "dof", in, "--depth", "guess", "-o", out}),
      "  A phone's portrait (JPEG, HEIC) carries its depth. Copy the original: messengers and editors lose "
      "it.",
      command({"scanlens", "dof", "IMG_0001.HEIC", "-o", out}),
      "  A renderer writes it as Z into OpenEXR (Blender's Z pass, V-Ray's ZDepth, Nuke's depth.Z), beside "
      "the",
      "  colours or alone.",
      command({"scanlens", "dof", "render.exr", "-o", out}),
      command({"scanlens", "dof", in, "--depth", "z.exr", "-o", out}),
      "  A network of yours, an ONNX file (Depth Anything, MiDaS, ZoeDepth, Metric3D, Depth Pro), guesses "
      "it.",
      command({"pip", "install", "onnxruntime", "huggingface_hub"}),
      command({"hf", "download", "onnx-community/depth-anything-v2-small", "onnx/model.onnx", "config.json",
               "preprocessor_config.json", "--local-dir", "depth-anything"}),
      command({"scanlens", "dof", in, "--depth-network", "depth-anything/onnx/model.onnx", "-o", out}) +
          " --onnxruntime " + kRuntime,
      "  A depth camera writes millimetres (16-bit PNG), stereo disparity (PFM). " + map +
          " is found by name.",
      command({"scanlens", "dof", in, "-o", out}),
      command({"scanlens", "dof", in, "--depth", "disparity.pfm", "--depth-kind", "disparity", "-o", out}),
      "  This program knows the depth of the scenes that it renders.",
      command({"scanlens", "render", "teapot", "--f-number", "inf", "-o", "teapot.png", "--depth-out",
               "teapot_depth.png"}),
      command({"scanlens", "dof", "teapot.png", "-o", out}),
      "  Without any depth, a band across the picture stays sharp:",
      command({"scanlens", "filter", in, "--filter", "tilt_shift", "-o", out}),
  };
}

std::string batch_like(const Command& command, const std::vector<std::string>& inputs) {
  std::vector<std::string> words{"scanlens", "batch"};
  for (const std::string& input : inputs) words.push_back(file_word(input));
  if (command.name == "stats") {
    words.emplace_back("--stats");
    return shell_text(words, true);
  }
  std::vector<std::string> filters;
  if (command.name == "dof")
    filters = {"dof"};
  else if (command.name == "filter")
    filters = command.find("--filter")->results;
  else
    return "";
  words.emplace_back("OUT");
  if (filters.empty()) return shell_text(words, true) + " --format jpg";
  for (const std::string& filter : filters) {
    words.emplace_back("--filter");
    words.push_back(filter);
  }
  return shell_text(words, true);
}

void refuse_options_of_pictures(const Command& command) {
  for (const char* name :
       {"--format", "--max-bytes", "--compression", "--background", "--strip", "--band", "--strokes-out"})
    if (command.given(name))
      throw Error(
          ErrorKind::usage,
          fmt::format("{} is for pictures; a clip takes --video-codec, --crf and --pixel-format", name));
}

void refuse_folder_of_pictures(const Command& command, ErrorKind kind) {
  const Option* picture = command.find("IMAGE");
  if (!picture || picture->results.empty()) return;
  const std::string& input = picture->results.front();
  std::error_code error;
  if (!fs::is_directory(input, error)) return;
  const std::string batch = batch_like(command, {input});
  if (!batch.empty())
    throw Error(kind, fmt::format("{}: is a directory, and {} takes one picture; for a directory: {}", input,
                                  command.name, batch));
}

std::vector<std::string> commands_meant_by(const std::string& word) {
  struct Meaning {
    std::initializer_list<std::string_view> words;
    const char* command;
  };
  static const Meaning kMeanings[] = {
      {{"blur", "bokeh", "defocus", "focus", "portrait", "refocus", "lensblur", "depthoffield"}, "dof"},
      {{"open", "show", "display", "viewer", "gui", "window", "edit"}, "view"},
      {{"convert", "process", "apply", "effect"}, "filter"},
      {{"mogrify", "folder", "all", "bulk"}, "batch"},
      {{"histogram", "statistics", "identify", "inspect", "measure", "mean", "percentiles"}, "stats"},
      {{"scene", "teapot", "lights", "raytrace", "draw", "animate", "generate"}, "render"},
      {{"depthmap", "disparity", "preview", "map"}, "depth"},
      {{"benchmark", "speed", "perf", "time"}, "bench"},
      {{"devices", "gpu", "gpus", "cuda", "opengl", "system", "about"}, "info"}};
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::vector<std::string> found;
  for (const Meaning& meaning : kMeanings)
    if (std::find(meaning.words.begin(), meaning.words.end(), lower) != meaning.words.end())
      found.push_back(fmt::format("scanlens {}", meaning.command));
  std::vector<std::string> filters = filters_meant_by(lower);
  for (const Filter* filter : all_filters())
    if (filter->name == lower) filters = {lower};
  if (!filters.empty() && filters.front() != "dof")
    found.push_back(fmt::format("scanlens filter IMAGE -o FILE --filter {}", filters.front()));
  return found;
}

bool names_a_picture(const std::string& word) {
  std::error_code error;
  return is_standard_stream(word) || fs::exists(word, error) || format_by_name(word) != Format::unknown;
}

}  // namespace scanlens
