// `scanlens depth` says what it understands of a depth map, and writes it anew.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/depth/depth.h"
#include "app/session/photo_options.h"
#include "app/session/session.h"

namespace scanlens {
namespace {

using Json = nlohmann::ordered_json;

const char* name_of(DepthKind kind) {
  return kind == DepthKind::depth ? "depth" : kind == DepthKind::disparity ? "disparity" : "inverse";
}

/// A distance in metres, null at infinity.
Json distance_of(float disparity) {
  return disparity > 0 ? Json(1.0 / static_cast<double>(disparity)) : Json(nullptr);
}

std::string distance_text(float disparity) {
  return disparity > 0 ? fmt::format("{:.4g} m", 1 / static_cast<double>(disparity)) : "infinity";
}

struct DepthCommand {
  Session session;
  DepthOptions options;
  std::filesystem::path input, output, photo, preview;
  WriteOptions write;

  void run() const {
    check_depth_output(output, input, write.overwrite);
    if (!preview.empty()) check_output(preview, input, write);
    if (!preview.empty() && std::filesystem::weakly_canonical(preview) == std::filesystem::weakly_canonical(output))
      throw Error(ErrorKind::usage, preview.string() + ": the preview needs another name than the map");
    if (!photo.empty()) {
      check_depth_output(output, photo, write.overwrite);
      if (!preview.empty()) check_output(preview, photo, write);
    }

    Depth depth = session.timed("decode", [&] { return read_depth(input, options, session.limits()); });
    const double unknown_share =
        static_cast<double>(depth.unknown) / static_cast<double>(depth.disparity.view().extent());
    session.account.facts = facts_of(depth, unknown_share);
    session.assume(fmt::format("{}: {}", input.string(), depth.convention));
    session.say(fmt::format("{}: {}; {:.3g} % unknown", input.string(), range_text(depth), 100 * unknown_share));
    session.report(input.string(), depth.remarks);
    if (!photo.empty()) {
      const Picture picture = read_picture(photo, session.limits());
      session.report(photo.string(), picture.remarks);
      depth = fitted(std::move(depth), picture.width(), picture.height(), input, session);
    }

    session.timed("encode",
                  [&] { write_depth(output, depth.disparity.view(), depth.metric, write.overwrite); });
    session.say(fmt::format("{}: written, {}{}", output.string(),
                            depth.metric ? "distance" : "relative inverse depth",
                            unknown_share > 0 ? ", what was unknown filled from its surroundings" : ""));
    if (!preview.empty()) {
      write_picture(preview, depth_preview(depth), write);
      session.say(preview.string() + ": written, red is nearest");
    }
    session.print_account();
  }

  static std::string range_text(const Depth& depth) {
    return depth.metric ? fmt::format("from {} to {}", distance_text(depth.most), distance_text(depth.least))
                        : fmt::format("from {:.4g} to {:.4g} of 0 (farthest) .. 1 (nearest)", depth.least, depth.most);
  }

  std::vector<std::pair<std::string, Json>> facts_of(const Depth& depth, double unknown_share) const {
    std::vector<std::pair<std::string, Json>> facts = {
        {"command", "depth"},
        {"input", input.string()},
        {"kind", name_of(depth.kind)},
        {"unit", depth.metric ? Json("m") : Json(nullptr)},
        {"range", depth.metric ? Json{distance_of(depth.most), distance_of(depth.least)}
                               : Json{depth.least, depth.most}},
        {"unknown_share", unknown_share},
        {"decided_by", depth.decided_by},
        {"output", output.string()}};
    if (!preview.empty()) facts.emplace_back("preview", preview.string());
    return facts;
  }
};

}  // namespace

void add_depth_command(CLI::App& program) {
  auto self = std::make_shared<DepthCommand>();
  CLI::App& command =
      *program.add_subcommand("depth", "say what is understood of a depth map, and write it in another format");
  command
      .add_option("DEPTH", self->input,
                  "PNG, PFM, EXR, NPY, NPZ, a grey picture, or a JPEG (GDepth) or HEIC photo that carries its depth")
      ->required()
      ->type_name("");
  command
      .add_option("-o,--output", self->output,
                  "where to write: .png (16 bit: millimetres, or 0..65535 without a unit), .pfm, .exr or .npy")
      ->required()
      ->type_name("FILE");
  command.add_option("--of", self->photo, "bring the map to the size of this photo")->type_name("PHOTO");
  command.add_option("--preview", self->preview, "also write it in colours, red is nearest: .png or .jpg")
      ->type_name("FILE");
  add_options(command, self->options);
  add_options(command, self->write.overwrite);
  self->session.add_json_option(command);
  self->session.add_options(command);
  command.remove_option(command.get_option("--device"));  // it is all the host's work
  command.footer(
      "Examples:\n"
      "  scanlens depth midas.npy -o depth.png --preview depth_colours.png\n"
      "  scanlens depth portrait.heic -o depth.exr --json\n"
      "  scanlens depth stereo.pfm --depth-kind disparity --depth-scale 0.0052 -o metres.pfm --of photo.png");
  command.callback([self] { self->run(); });
}

}  // namespace scanlens
