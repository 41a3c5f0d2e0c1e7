// `scanlens view` shows a picture, with depth of field when it has depth, in a window.
#include <fmt/format.h>

#include <memory>

#include "app/commands/apply_dof.h"
#include "app/commands/commands.h"
#include "app/io/format.h"
#include "app/session/photo_options.h"
#include "app/session/style_options.h"
#include "app/viewer/window.h"

namespace scanlens {
namespace {

struct ViewCommand {
  Session session;
  PhotoOptions options;
  StyleOptions look;
  std::filesystem::path screenshot;
  WriteOptions write;

  std::string lens_option;  ///< that is given, if any; says nothing without depth

  void run() const {
    if (!screenshot.empty()) {
      require_name("--screenshot", screenshot);
      check_output(screenshot, options.input, write);
      if (!options.depth.empty()) check_output(screenshot, options.depth, write);
    }
    const Image<std::uint8_t> rgb = to_rgb8(picture());
    show_picture(rgb.view(), options.input.filename().string(), screenshot, write);
    if (!screenshot.empty()) session.say(screenshot.string() + ": written");
  }

  /// Returns the photo blurred, or as it is where it has no depth.
  Picture picture() const {
    PictureAndDepth loaded = load_picture_and_depth(options, DepthNeed::if_there, session, session.limits());
    if (loaded.depth) {
      Context context = session.open();
      const Blur blur = load_blur(options, loaded.picture, *loaded.depth, context, session);
      return blur_photo(context, {std::move(loaded.picture), std::move(*loaded.depth), blur}, look.style,
                        nullptr, input_name(options.input), session);
    }
    if (!lens_option.empty())
      throw Error(ErrorKind::usage,
                  fmt::format("{}: {} says nothing without depth, and this photo carries none; name "
                              "a map with --depth FILE",
                              input_name(options.input), lens_option));
    return std::move(loaded.picture);
  }
};

}  // namespace

void add_view_command(CLI::App& program) {
  auto self = std::make_shared<ViewCommand>();
  CLI::App& command =
      *program.add_subcommand("view", "show a picture, with depth of field when it has depth, in a window");
  self->options.add_options(command);
  self->look.add_options(command, nullptr);
  command
      .add_option("--screenshot", self->screenshot,
                  "write what the window shows and close it: " + writable_extensions())
      ->type_name("FILE");
  add_options(command, self->write.overwrite);
  self->session.add_options(command);
  command.footer(
      "Escape or Q closes the window.\n"
      "\nExample:\n"
      "  scanlens view photo.jpg --depth depth.png --focus-at 420,310");
  command.callback([self, &command] {
    require_heeded(command, self->look.style);
    for (const CLI::Option* option : command.get_options())
      if (option->count() &&
          (option->get_group() == "Lens" || option->get_group() == "Depth" || option->get_group() == "Look"))
        self->lens_option = option->get_name();
    self->run();
  });
}

}  // namespace scanlens
