// `scanlens render` shows the teapot scene through a lens.
#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <optional>

#include "app/commands/apply_dof.h"
#include "app/commands/commands.h"
#include "app/depth/depth.h"
#include "app/io/format.h"
#include "app/io/picture.h"
#include "app/scene/teapot.h"
#include "app/session/lens_options.h"
#include "app/session/progress.h"
#include "app/session/session.h"
#include "app/session/style_options.h"
#include "app/session/values.h"

namespace scanlens {
namespace {

/// The host holds disparity and result as downloaded, the result without alpha, and as a file.
constexpr std::int64_t kHostBytesPerPixel = 4 + 4 + 2 * 3;

Depth depth_of(const GlContext& gl, const RenderedScene& scene) {
  Depth depth;
  depth.disparity = download_texture<float>(gl, scene.disparity, 1);
  depth.metric = true;
  find_extremes(depth);
  return depth;
}

struct RenderCommand {
  Session session;
  LensOptions lens;
  StyleOptions look;
  Camera camera;
  std::string scene;
  std::pair<int, int> size{1280, 800};
  std::filesystem::path output, sharp_output, depth_output;
  std::optional<int> reference_samples;
  WriteOptions write;

  void run() {
    check_outputs();
    const int width = size.first, height = size.second;
    const std::int64_t pixels = std::int64_t{width} * height;
    if (pixels > session.max_pixels)
      throw Error(ErrorKind::usage,
                  fmt::format("{} is more than --max-pixels {}", size_text(), session.max_pixels));

    session.account.facts = {{"command", "render"}, {"input", scene}, {"output", output.string()}};
    if (!sharp_output.empty()) session.account.add_fact("sharp_out", sharp_output.string());
    if (!depth_output.empty()) session.account.add_fact("depth_out", depth_output.string());
    Context context = session.open();
    const GlContext gl = open_opengl(context, session);
    session.require_memory(context, gl, size_text(),
                           {pixels * kHostBytesPerPixel, 0, pixels * texture_bytes_per_pixel()});
    std::optional<TeapotScene> teapots;
    std::optional<RenderedScene> rendered;
    Depth depth;
    const ThinLens sharp = lens_for(lens, kSceneLens);
    session.staged("render", [&] {
      teapots.emplace(gl);
      rendered = teapots->render(width, height, camera, sharp);
      depth = depth_of(gl, *rendered);
    });
    if (!lens.focus && lens.focus_at.empty()) lens.focus = kSceneLens.focus_m;
    std::string account;
    const Blur blur = blur_for(lens, depth, account, kSceneLens);
    session.assume(account);

    if (!sharp_output.empty()) save(sharp_output, download_opaque(gl, rendered->color));
    if (!depth_output.empty()) {
      session.staged("encode", [&] {
        write_depth(depth_output, depth.disparity.view(), true, {.overwrite = write.overwrite});
      });
      session.say(depth_output.string() + ": written");
    }
    const Picture blurred = session.timed("blur", [&] {
      return reference_samples
                 ? reference(gl, *teapots, blur, sharp)
                 : blur_scene(context, gl, *rendered, std::move(depth.disparity), blur, look.style, size_text(),
                              session);
    });
    save(output, blurred);
    session.print_account();
  }

  std::string size_text() const { return fmt::format("--size {}x{}", size.first, size.second); }

  /// Counts colour, disparity and the result; a reference has colour and disparity again.
  std::int64_t texture_bytes_per_pixel() const { return reference_samples ? 4 * 4 : 3 * 4; }

  void check_outputs() const {
    constexpr int kRgb = 3;
    check_output(output, {}, write, kRgb);
    if (!sharp_output.empty()) check_output(sharp_output, {}, write, kRgb);
    if (!depth_output.empty()) {
      require_name("--depth-out", depth_output);
      check_depth_output(depth_output, {}, {.overwrite = write.overwrite});
    }
    for (const std::filesystem::path& path : {output, sharp_output}) session.keep_stdout_for(path);
    if (is_same_file(output, sharp_output) || is_same_file(output, depth_output) ||
        is_same_file(sharp_output, depth_output))
      throw Error(ErrorKind::usage, "-o, --sharp-out and --depth-out must be different files");
  }

  /// Averages what a lens with this blur would see from many points of it.
  Picture reference(const GlContext& gl, TeapotScene& teapots, const Blur& blur, ThinLens through) {
    through.focus_m = 1.0 / blur.focus;
    through.f_number = 1;
    through.f_number = thin_lens_blur(through, size.first).scale / blur.scale;
    session.say(fmt::format("averaging {} points of the lens", *reference_samples));
    Progress progress(session, "render");
    int views = 0;
    const auto drawn = [&](double share) {
      // OpenGL works behind the calls: without waiting now and then, all would be asked for at once.
      constexpr int kMostAhead = 16;
      if (!progress.wanted() || (++views % kMostAhead != 0 && !progress.due())) return;
      glFinish();
      progress.show(share);
    };
    const RenderedScene scene =
        teapots.render_reference(size.first, size.second, camera, through, *reference_samples, drawn);
    return download_opaque(gl, scene.color);
  }

  void save(const std::filesystem::path& path, const Picture& picture) const {
    session.staged("encode", [&] { write_picture(path, picture, write, session.remarks_on(path)); });
    session.say(output_name(path) + ": written");
  }
};

std::pair<int, int> parse_size(const std::string& text) {
  int width = 0, height = 0;
  const char* const last = text.data() + text.size();
  const auto [cross, bad_width] = std::from_chars(text.data(), last, width);
  const bool crossed = bad_width == std::errc{} && cross != last && *cross == 'x';
  const auto [end, bad_height] = std::from_chars(crossed ? cross + 1 : last, last, height);
  if (!crossed || bad_height != std::errc{} || end != last || width < 1 || height < 1)
    throw CLI::ValidationError("--size", "takes WIDTHxHEIGHT in pixels, like 1280x800, not '" + text + "'");
  return {width, height};
}

}  // namespace

void add_render_command(CLI::App& program) {
  auto self = std::make_shared<RenderCommand>();
  CLI::App& command = *program.add_subcommand("render", "render a scene with depth of field");
  command.add_option("SCENE", self->scene, "teapot")->required()->check(one_of({"teapot"}))->type_name("");
  command.add_option("-o,--output", self->output, output_help())->required()->type_name("FILE");
  command.add_option("--sharp-out", self->sharp_output, "also write the picture before the blur")
      ->type_name("FILE");
  command
      .add_option("--depth-out", self->depth_output,
                  "also write its depth: .png (16 bit, millimetres), or .pfm, .exr or .npy (metres)")
      ->type_name("FILE");
  command
      .add_option_function<std::string>(
          "--size", [self](const std::string& text) { self->size = parse_size(text); },
          "of the picture in pixels")
      ->type_name("WxH")
      ->default_str("1280x800");
  command
      .add_option("--reference", self->reference_samples,
                  "no table: average this many views through points of the lens")
      ->check(whole_within(1, 100000))
      ->type_name("SAMPLES");
  const char* group = "Camera";
  command.add_option("--azimuth", self->camera.azimuth_deg, "around the scene")
      ->check(within(-360.0, 360.0))
      ->type_name("DEGREES")
      ->group(group)
      ->capture_default_str();
  command.add_option("--elevation", self->camera.elevation_deg, "above the horizon, 1 to 89")
      ->check(within(1.0, 89.0))
      ->type_name("DEGREES")
      ->group(group)
      ->capture_default_str();
  command.add_option("--distance", self->camera.distance_m, "from the middle of the scene, 0.3 to 100")
      ->check(within(0.3, 100.0))
      ->type_name("METRES")
      ->group(group)
      ->capture_default_str();
  self->lens.add_options(command, kSceneLens, true);
  add_options(command, self->write);
  self->look.add_options(command, &self->write.quality);
  self->session.add_json_option(command);
  self->session.add_options(command);
  command.footer(
      "Examples:\n"
      "  scanlens render teapot -o teapot.png\n"
      "  scanlens render teapot -o near.png --size 1920x1080 --focus 0.8 --f-number 2 --depth-out "
      "near_depth.png\n"
      "  scanlens render teapot -o truth.png --reference 256");
  command.callback([self, &command] {
    require_heeded(command, self->look.style);
    self->run();
  });
}

}  // namespace scanlens
