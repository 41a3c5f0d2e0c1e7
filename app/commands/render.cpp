// `scanlens render` shows a scene through a lens.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "app/commands/commands.h"
#include "app/depth/depth.h"
#include "app/frames/frame_writer.h"
#include "app/io/format.h"
#include "app/io/picture.h"
#include "app/options/values.h"
#include "app/photo/blur_photo.h"
#include "app/photo/camera_options.h"
#include "app/photo/facts.h"
#include "app/photo/lens_doubts.h"
#include "app/photo/lens_options.h"
#include "app/photo/pulled.h"
#include "app/scene/scenes.h"
#include "app/session/progress.h"
#include "app/session/session.h"
#include "app/video/clip_writer.h"
#include "app/video/frame_files.h"

namespace scanlens {
namespace {

Depth depth_of(const GlContext& gl, const RenderedScene& scene) {
  Depth depth;
  depth.disparity = download_texture<float>(gl, scene.disparity, 1);
  depth.metric = true;
  find_extremes(depth);
  return depth;
}

struct RenderCommand {
  Settings settings;
  Talk talk{settings};
  LensOptions lens;
  std::string scene;
  CameraOptions camera;
  double seconds = 0;
  std::pair<int, int> size{1280, 800};
  std::filesystem::path output, sharp_output, depth_output;
  std::optional<int> reference_samples;
  std::optional<int> frames;
  double frames_per_second = 30;
  LensPull pull;
  WriteOptions write;

  void run() {
    check_outputs();
    const std::int64_t pixels = std::int64_t{size.first} * size.second;
    if (pixels > settings.max_pixels)
      throw Error(ErrorKind::usage,
                  fmt::format("{} is more than --max-pixels {}", size_text(), settings.max_pixels));

    talk.account.set_facts({{"command", "render"}, {"input", scene}, {"output", output.string()}});
    if (!sharp_output.empty()) talk.account.add_fact("sharp_out", sharp_output.string());
    if (!depth_output.empty()) talk.account.add_fact("depth_out", depth_output.string());
    talk.account.add_fact("width", size.first);
    talk.account.add_fact("height", size.second);
    if (reference_samples) talk.account.add_fact("reference", *reference_samples);
    Context context = open_device(talk);
    const GlContext gl = open_opengl(context, talk);
    require_memory(talk.settings, context, gl, size_text(),
                   {pixels * host_bytes_per_pixel(), 0, pixels * texture_bytes_per_pixel()});
    frames ? render_frames(context, gl) : render_picture(context, gl);
    talk.print_account();
  }

  void render_picture(Context& context, const GlContext& gl) {
    std::unique_ptr<Scene> opened;
    std::optional<RenderedScene> rendered;
    Depth depth;
    const ThinLens sharp = lens_for(lens, kSceneLens);
    talk.staged("render", [&] {
      opened = traits().open(gl, {});
      opened->set_time(seconds);
      rendered = opened->render(size.first, size.second, camera.of(traits()), sharp);
      depth = depth_of(gl, *rendered);
    });
    std::string account;
    const Blur blur = blur_of(lens, depth, account);
    talk.assume(account);
    note_blur(blur, lens);
    for (const std::string& doubt : lens_doubts(lens, sharp, depth, blur))
      talk.warn(fmt::format("{}: {}", scene, doubt));

    if (!sharp_output.empty()) save(sharp_output, download_opaque(gl, *rendered));
    if (!depth_output.empty()) {
      talk.staged("encode", [&] {
        write_depth(depth_output, depth.disparity.view(), true, {.overwrite = write.overwrite},
                    talk.remarks_on(depth_output));
      });
      talk.say(depth_output.string() + ": written");
    }
    const Picture blurred = reference_samples
                                ? talk.timed("blur", [&] { return reference(gl, *opened, blur, sharp); })
                                : talk.staged("blur", [&] {
                                    return blurred_by_table(context, gl, *rendered, std::move(depth), blur,
                                                            lens.style(size.first));
                                  });
    save(output, blurred);
  }

  /// Renders one frame after the other by the same scene, shaders and memory.
  void render_frames(Context& context, const GlContext& gl) {
    const std::unique_ptr<Scene> opened = traits().open(gl, {});
    pull.require_frames("render");
    for (const std::string& line : pull.account()) talk.assume(line);
    FrameWriter files(output, frames_per_second, write);
    const RowFormat rows{size.first, size.second, 3, 1};
    const Clip clip = clip_of_frames(rows, frames_per_second);
    std::optional<ClipWriter> encoder;
    if (names_only_a_clip(output))
      encoder.emplace(output, clip, rows, 0, encoding(), talk.remarks_on(output));
    Progress progress(talk, "render");
    for (std::int64_t frame = 1; frame <= *frames; ++frame) {
      LensOptions own = pull.at({frame}, lens, true);
      opened->set_time(seconds + static_cast<double>(frame - 1) / frames_per_second);
      const RenderedScene rendered =
          opened->render(size.first, size.second, camera.of(traits()), lens_for(own, kSceneLens));
      Depth depth = depth_of(gl, rendered);
      std::string account;
      const Blur blur = blur_of(own, depth, account);
      if (frame == 1) {
        talk.assume(account);
        note_blur(blur, own);
        for (const std::string& doubt : lens_doubts(own, lens_for(own, kSceneLens), depth, blur))
          talk.warn(fmt::format("{}: {}", scene, doubt));
        // The thing that the pixel shows in the first frame stays in focus.
        if (!lens.focus_at.empty()) lens.focus = Amount(1 / blur.focus, Unit::metres);
        lens.focus_at.clear();
      }
      Picture picture = talk.timed("blur", [&] {
        return blurred_by_table(context, gl, rendered, std::move(depth), blur, own.style(size.first));
      });
      talk.timed("encode", [&] {
        if (!encoder) return files.add(std::move(picture), talk.remarks_on(output));
        ClipFrame next;
        next.number = next.time = frame - 1;
        next.pixels = FramePixels(Picture{to_rgb8(picture)});
        encoder->write(next);
      });
      progress.show(static_cast<double>(frame) / static_cast<double>(*frames));
    }
    encoder ? encoder->finish() : files.finish();
    talk.account.add_fact("frames", *frames);
    talk.say(fmt::format("{}: written, {} frames", output.string(), *frames));
  }

  /// Returns the blur of the lens on a scene, which has a focus of its own where the options give none.
  static Blur blur_of(LensOptions options, const Depth& depth, std::string& account) {
    if (!options.focus && options.focus_at.empty() && options.focus_plane.empty())
      options.focus = Amount(kSceneLens.focus_m, Unit::metres);
    return blur_for(options, depth, account, kSceneLens);
  }

  /// Notes for --json what is in focus, how wide the blur becomes, and the lens unless --blur takes its
  /// place.
  void note_blur(const Blur& blur, const LensOptions& options) {
    add_blur(talk.account, blur, true,
             options.blur ? std::nullopt : std::optional(lens_for(options, kSceneLens)));
  }

  Picture blurred_by_table(Context& context, const GlContext& gl, const RenderedScene& rendered, Depth depth,
                           const Blur& blur, const DofStyle& style) {
    return blur_scene(context, gl, rendered, std::move(depth.disparity), blur, style, size_text(), talk);
  }

  ClipEncoding encoding() const {
    ClipEncoding encoding;
    encoding.overwrite = write.overwrite;
    return encoding;
  }

  /// Refuses what is of one picture, or of many alone, and what no real lens does.
  void check_frames(const Command& command) const {
    if (reference_samples && lens.in_focus)
      throw Error(
          ErrorKind::usage,
          "--in-focus has no effect with --reference: no real lens has a zone in focus; leave one out");
    if (!frames) {
      if (!pull.empty()) throw Error(ErrorKind::usage, "keys FRAME:VALUE are for --frames");
      if (command.given("--fps")) throw Error(ErrorKind::usage, "--fps is for --frames");
      return;
    }
    for (const char* option : {"--sharp-out", "--depth-out", "--reference"})
      if (command.given(option))
        throw Error(ErrorKind::usage, fmt::format("{} is for one picture, not for --frames", option));
  }

  std::string size_text() const { return fmt::format("--size {}x{}", size.first, size.second); }

  const SceneTraits& traits() const { return scene_named(scene); }

  /// Returns the bytes of one sample of the pictures.
  std::int64_t sample_bytes() const { return traits().samples == SceneSamples::light ? 4 : 1; }

  /// The host holds disparity and result as downloaded, the result without alpha, and as a file.
  std::int64_t host_bytes_per_pixel() const { return 4 + (4 + 2 * 3) * sample_bytes(); }

  /// Counts colour, disparity and the result; a reference has colour and disparity again.
  std::int64_t texture_bytes_per_pixel() const {
    const std::int64_t color = 4 * sample_bytes(), disparity = 4;
    return 2 * color + disparity + (reference_samples ? disparity : 0);
  }

  void check_outputs() const {
    if (frames && names_only_a_clip(output)) return ClipWriter::check(output, {}, encoding());
    if (frames) return FrameWriter::check(output, frames_per_second, write);
    constexpr int kRgb = 3;
    check_output(output, {}, write, kRgb);
    if (!sharp_output.empty()) check_output(sharp_output, {}, write, kRgb);
    if (!depth_output.empty()) {
      require_name("--depth-out", depth_output);
      check_depth_output(depth_output, {}, {.overwrite = write.overwrite});
    }
    for (const std::filesystem::path& path : {output, sharp_output}) talk.keep_stdout_for(path);
    if (is_same_file(output, sharp_output) || is_same_file(output, depth_output) ||
        is_same_file(sharp_output, depth_output))
      throw Error(ErrorKind::usage, "-o, --sharp-out and --depth-out must be different files");
  }

  /// Averages what a lens with this blur would see from many points of it.
  Picture reference(const GlContext& gl, Scene& opened, const Blur& blur, const ThinLens& sharp) {
    const ThinLens through = lens_of_blur(sharp, blur, size.first);
    talk.say(fmt::format("averaging {} points of the lens", *reference_samples));
    Progress progress(talk, "render");
    int views = 0;
    const auto drawn = [&](double share) {
      // OpenGL works behind the calls: without waiting now and then, all would be asked for at once.
      constexpr int kMostAhead = 16;
      if (!progress.wanted() || (++views % kMostAhead != 0 && !progress.due())) return;
      glFinish();
      progress.show(share);
    };
    return download_opaque(gl, opened.render_reference(size.first, size.second, camera.of(traits()), through,
                                                       *reference_samples, drawn));
  }

  void save(const std::filesystem::path& path, const Picture& picture) {
    talk.staged("encode", [&] { write_picture(path, picture, write, talk.remarks_on(path)); });
    talk.say(output_name(path) + ": written");
  }
};

}  // namespace

void add_render_command(Program& program) {
  auto self = std::make_shared<RenderCommand>();
  Command& command = program.add_command("render", "render a scene with depth of field");
  command.add("SCENE", &self->scene, "one of the list below").required().check(one_of(scene_names()));
  command.add("-o,--output FILE", &self->output, output_help()).required();
  command.add("--sharp-out FILE", &self->sharp_output, "also write the picture before the blur");
  command.add("--depth-out FILE", &self->depth_output,
              "also write its depth: .png (16 bit, millimetres), or .pfm, .exr or .npy (metres)");
  add_size_option(command, self->size, "size of the picture in pixels");
  command
      .add("--reference SAMPLES", &self->reference_samples,
           "average this many views through points of the lens, without a table")
      .check(whole_within(1, 100000));
  command.add("--time SECONDS", &self->seconds, "time of the moving scene, in seconds (0)")
      .check(within(0, 86400, Measure::seconds));
  command
      .add("--frames N", &self->frames,
           "render N frames of the moving scene: under a pattern's names such as out_%04d.png, into one\n"
           ".webp, .png or .gif that moves, or into a clip such as out.mp4")
      .check(whole_within(1, 1000000));
  command.add("--fps F", &self->frames_per_second, "frames in a second of the scene")
      .check(within(kLeastRate, kMostRate))
      .shows_target();
  self->camera.add_options(command);
  self->lens.add_options(command, kSceneLens, true);
  add_options(command, self->write);
  self->lens.add_look_options(command, &self->write.quality);
  self->lens.add_picture_option(command);
  self->pull.add_keys(command);
  add_json_option(command, self->settings);
  add_options(command, self->settings);
  command.often = {"SCENE",     "--output",    "--size",   "--focus",   "--f-number", "--blur",
                   "--quality", "--depth-out", "--frames", "--azimuth", "--reference"};
  std::string list;
  for (const SceneTraits& traits : scenes()) list += fmt::format("  {:<8} {}\n", traits.name, traits.help);
  command.brief = "Scenes:\n" + list;
  command.footer = command.brief +
                   R"(
Examples:
  scanlens render teapot -o teapot.png
  scanlens render teapot -o near.png --size 1920x1080 --focus 0.8 --f-number 2 --depth-out near_depth.png
  scanlens render teapot -o truth.png --reference 256
  scanlens render teapot -o pull.webp --size 640x400 --frames 90 --focus 1:0.8 90:2
  scanlens render lights -o lights.exr --sharp-out sharp.exr --depth-out depth.exr)";
  command.run = [self, &command] {
    require_heeded(command, self->lens.style());
    self->lens.open_picture(self->settings.limits());
    self->check_frames(command);
    return self->run(), 0;
  };
}

}  // namespace scanlens
