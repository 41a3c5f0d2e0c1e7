// `scanlens dof` applies depth of field to a photo with a depth map.
#include <fmt/format.h>

#include <chrono>
#include <map>
#include <memory>

#include "app/commands/apply_dof.h"
#include "app/commands/commands.h"
#include "app/commands/photo_options.h"

namespace scanlens {
namespace {

struct DofCommand {
  Session session;
  PhotoOptions options;
  std::filesystem::path output;
  Renderer renderer = Renderer::compute;
  WriteOptions write;

  void run() const {
    check_output(output, options.input, write);
    check_output(output, options.depth, write);
    Context context = session.open();
    Photo photo = load_photo(options, session);
    check_output(output, options.input, write, photo.picture.channels());

    const auto start = std::chrono::steady_clock::now();
    const Picture result = blur_photo(context, std::move(photo), renderer, options.input, session);
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    write_picture(output, result, write, session.remarks_on(output));
    session.say(fmt::format("{}: written; the blur took {:.0f} ms", output_name(output), elapsed.count()));
  }
};

}  // namespace

void add_dof_command(CLI::App& program) {
  auto self = std::make_shared<DofCommand>();
  CLI::App& command = *program.add_subcommand("dof", "depth of field on a photo with a depth map");
  self->options.add_options(command, true);
  command.add_option("-o,--output", self->output, output_help())
      ->required()
      ->type_name("FILE");
  const std::map<std::string, Renderer> renderers = {{"compute", Renderer::compute}, {"gl", Renderer::gl}};
  command
      .add_option("--renderer", self->renderer, "compute (CPU or CUDA, the default) or gl (OpenGL shader)")
      ->transform(CLI::CheckedTransformer(renderers).description(""))
      ->type_name("NAME");
  add_options(command, self->write);
  self->session.add_options(command);
  command.footer(
      "Examples:\n"
      "  scanlens dof photo.jpg --depth midas.png -o blurred.jpg --focus 0.8 --blur 24\n"
      "  scanlens dof kinect.png --depth kinect_depth.png -o blurred.png --focal-length 85 --f-number 1.4 "
      "--focus 1.2\n"
      "  scanlens dof photo.png --depth stereo.pfm --depth-kind disparity -o blurred.png --focus-at 420,310");
  command.callback([self] { self->run(); });
}

}  // namespace scanlens
