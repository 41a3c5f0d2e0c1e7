// `scanlens dof` applies depth of field to a photo with a depth map.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "app/commands/apply_dof.h"
#include "app/commands/commands.h"
#include "app/io/format.h"
#include "app/session/photo_options.h"
#include "app/session/style_options.h"
#include "app/session/values.h"

namespace scanlens {
namespace {

enum class Renderer {
  compute,  ///< the scan library, where the context works
  gl        ///< the shader; the library where the picture is too large for OpenGL's textures and buffers
};

struct DofCommand {
  Session session;
  PhotoOptions options;
  StyleOptions look;
  std::filesystem::path output;
  Renderer renderer = Renderer::compute;
  WriteOptions write;

  /// OpenGL's shader makes drafts.
  void choose_quality(const CLI::App& command) {
    if (renderer == Renderer::gl) {
      if (look.chosen && *look.chosen != DofQuality::draft)
        throw Error(ErrorKind::usage,
                    fmt::format("--quality {} does not go with --renderer gl, which makes drafts",
                                quality_name(look.style.quality)));
      look.style.quality = DofQuality::draft;
    }
    require_heeded(command, look.style);
  }

  void run() const {
    check_output(output, options.input, write);
    if (!options.depth.empty()) check_output(output, options.depth, write);
    session.account.facts = {{"command", "dof"}, {"input", options.input.string()}};
    if (!options.depth.empty()) session.account.add_fact("depth", options.depth.string());
    session.account.add_fact("output", output.string());
    session.keep_stdout_for(output);
    Context context = session.open();
    std::optional<GlContext> gl;
    if (renderer == Renderer::gl) gl.emplace(open_opengl(context, session));
    Photo photo = load_photo(options, context, session);
    check_holds(output, photo.picture, write);

    const Picture result = session.staged("blur", [&] {
      return blur_photo(context, std::move(photo), look.style, gl ? &*gl : nullptr, input_name(options.input),
                        session);
    });
    session.staged("encode", [&] { write_picture(output, result, write, session.remarks_on(output)); });
    session.say(fmt::format("{}: written; the blur took {:.0f} ms", output_name(output),
                            session.account.ms_of("blur")));
    session.print_account();
  }
};

}  // namespace

void add_dof_command(CLI::App& program) {
  auto self = std::make_shared<DofCommand>();
  CLI::App& command = *program.add_subcommand("dof", "depth of field on a photo with a depth map");
  self->options.add_options(command);
  command.add_option("-o,--output", self->output, output_help())->required()->type_name("FILE");
  command
      .add_option("--renderer", self->renderer, "compute (CPU or CUDA, the default) or gl (OpenGL shader)")
      ->transform(named<Renderer>({{"compute", Renderer::compute}, {"gl", Renderer::gl}}))
      ->type_name("NAME");
  add_options(command, self->write);
  self->look.add_options(command, &self->write.quality);
  self->session.add_json_option(command);
  self->session.add_options(command);
  command.footer(
      "A JPEG (GDepth) or HEIC photo that carries its depth needs no --depth.\n"
      "\nExamples:\n"
      "  scanlens dof photo.jpg --depth midas.png -o blurred.jpg --focus 0.8 --blur 2%\n"
      "  scanlens dof kinect.png --depth kinect_depth.png -o blurred.png --focal-length 85 --f-number 1.4 "
      "--focus 1.2\n"
      "  scanlens dof photo.png --depth stereo.pfm --depth-kind disparity -o blurred.png --focus-at 420,310\n"
      "  scanlens dof portrait.heic -o blurred.jpg");
  command.callback([self, &command] {
    self->choose_quality(command);
    self->run();
  });
}

}  // namespace scanlens
