// `scanlens depth` says what it understands of a depth map, and writes it anew.
#include "app/depth/depth.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/depth/guess.h"
#include "app/io/format.h"
#include "app/io/json.h"
#include "app/options/options.h"
#include "app/photo/facts.h"
#include "app/photo/network_options.h"
#include "app/photo/photo_options.h"
#include "app/session/session.h"

namespace scanlens {
namespace {

std::string distance_text(float disparity) {
  return disparity > 0 ? fmt::format("{:.4g} m", 1 / static_cast<double>(disparity)) : "infinity";
}

std::string range_text(const Depth& depth) {
  return depth.metric
             ? fmt::format("from {} to {}", distance_text(depth.most), distance_text(depth.least))
             : fmt::format("from {:.4g} to {:.4g} of 0 (farthest) .. 1 (nearest)", depth.least, depth.most);
}

struct DepthCommand {
  Settings settings;
  Talk talk{settings};
  NetworkOptions network;
  DepthOptions options;
  std::filesystem::path input, output, photo, preview;
  DepthWriteOptions write;

  void run() {
    check_outputs();
    network.open(talk);
    if (network.network) photo = input;
    Picture picture;
    if (!photo.empty()) {
      picture = talk.staged("decode", [&] { return read_picture(photo, settings.limits()); });
      talk.report(input_name(photo), picture.remarks);
    }
    Depth depth = talk.staged(network.network ? "network" : "decode", [&] {
      if (network.network)
        return guessed_depth(*network.network, rows_of(picture), focal_length_of(picture), options);
      return photo.empty() ? read_depth(input, options, settings.limits())
                           : read_depth(input, options, settings.limits(), rows_of(picture));
    });
    account_for(depth);
    if (!photo.empty()) {
      depth = talk.staged("resample", [&] {
        return fitted(std::move(depth), rows_of(picture), options, source(), settings);
      });
      talk.report(input_name(source()), depth.remarks);
      talk.account.add_fact("output_width", picture.width());
      talk.account.add_fact("output_height", picture.height());
    }
    if (!output.empty()) {
      talk.staged("encode", [&] {
        write_depth(output, depth.disparity.view(), depth.metric, write, talk.remarks_on(output));
      });
      talk.say(fmt::format("{}: written, {}{}", output_name(output),
                           depth.metric ? "distance" : "relative inverse depth",
                           depth.unknown > 0 ? ", unknown pixels filled from their surroundings" : ""));
    }
    if (!preview.empty()) {
      talk.staged("encode", [&] {
        write_picture(preview, depth_preview(depth), {.overwrite = write.overwrite},
                      talk.remarks_on(preview));
      });
      talk.say(preview.string() + ": written, red is nearest");
    }
    talk.print_account();
  }

  void check_outputs() const {
    if (is_same_file(preview, output))
      throw Error(ErrorKind::usage, preview.string() + ": the preview needs another name than the map");
    for (const std::filesystem::path& from : {input, photo}) {
      if (!output.empty()) check_depth_output(output, from, write);
      if (preview.empty()) continue;
      require_name("--preview", preview);
      check_output(preview, from, {.overwrite = write.overwrite});
    }
    talk.keep_stdout_for(output);
  }

  /// Returns what the values come from.
  const std::filesystem::path& source() const { return network.asked() ? network.choice.model : input; }

  /// Says what was understood, and notes it for --json.
  void account_for(Depth& depth) {
    const Json map = facts_of(depth);
    Json facts = {{"command", "depth"}, {"input", input.string()}};
    for (const auto& [name, value] : map.members()) facts[name] = value;
    if (!output.empty()) facts["output"] = output.string();
    if (!preview.empty()) facts["preview"] = preview.string();
    talk.account.set_facts(facts);
    const std::string name = input_name(source());
    talk.assume(fmt::format("{}: {}", name, depth.convention));
    talk.say(fmt::format("{}: {} x {}, {}; {:.3g} % unknown", name, depth.disparity.width(),
                         depth.disparity.height(), range_text(depth),
                         100 * map["unknown_share"].number().value_or(0)));
    talk.report(name, std::exchange(depth.remarks, {}));
  }
};

}  // namespace

void add_depth_command(Program& program) {
  auto self = std::make_shared<DepthCommand>();
  Command& command = program.add_command("depth", "explain a depth map; convert it, and show it in colours");
  command
      .add(
          "DEPTH", &self->input,
          R"(PNG, PFM, EXR, NPY, NPZ, TIFF, a grey picture, a file of strokes (with --of), or a phone's JPEG or
HEIC that carries its depth; a photo where --depth-network says so; - for standard input)")
      .required();
  command.add(
      "-o,--output FILE", &self->output,
      "where to write, - for standard output: .png (16 bit: millimetres, or 0..65535 without a unit),\n"
      ".pfm, .exr or .npy; without it no file is written");
  const Option& of =
      command.add("--of PHOTO", &self->photo,
                  "bring the map to the size of this photo, along its edges (--depth-resample)");
  command.add("--preview FILE", &self->preview,
              "also write it in colours, red is nearest: " + writable_extensions());
  const Option& asks = self->network.add_options(command, Group::depth).excludes(of);
  add_options(command, self->options);
  add_format_option(command, self->write.format, depth_format_names(), "png, pfm, exr or npy");
  add_options(command, self->write.overwrite);
  add_json_option(command, self->settings);
  add_options(command, self->settings);
  command.at("--device").needs(asks);  // all else is the host's work
  command.often = {"DEPTH",         "--output", "--preview",       "--of",     "--depth-kind",
                   "--depth-scale", "--invert", "--depth-network", "--format", "--json"};
  command.footer =
      R"(Examples:
  scanlens depth midas.npy -o depth.png --preview depth_colours.png
  scanlens depth kinect.png
  scanlens depth portrait.heic -o depth.exr --json
  scanlens depth stereo.pfm --depth-kind disparity --depth-scale 0.0052 -o metres.pfm --of photo.png
  scanlens depth strokes.json --of photo.jpg -o depth.png
  scanlens depth photo.jpg --depth-network depth_anything_v2_vits.onnx -o depth.png
  scanlens depth small.png --of photo.jpg -o depth.png --preview depth_colours.png)";
  command.run = [self] { return self->run(), 0; };
}

}  // namespace scanlens
