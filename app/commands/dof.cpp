// `scanlens dof` applies depth of field to a photo with a depth map, or to a sequence of numbered frames.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <system_error>

#include "app/batch/sequence/sequence_run.h"
#include "app/commands/advice.h"
#include "app/commands/commands.h"
#include "app/io/format.h"
#include "app/io/gain_map.h"
#include "app/options/values.h"
#include "app/photo/blur_photo.h"
#include "app/photo/photo_options.h"
#include "app/photo/pulled.h"
#include "app/video/dof_clip.h"
#include "app/video/frame_files.h"

namespace scanlens {
namespace {

enum class Renderer {
  compute,  ///< the scan library, where the context works
  gl        ///< the shaders; the library where the picture is too large for OpenGL's textures and buffers
};
constexpr std::string_view kRendererNames[] = {"compute", "gl"};

struct DofCommand {
  Settings settings;
  Talk talk{settings};
  PhotoOptions options;
  std::filesystem::path output;
  Renderer renderer = Renderer::compute;
  WriteOptions write;
  LensPull pull;
  std::string part;
  BatchOptions batch;
  ClipEncoding encoding;
  ClipDepthOptions over_time;
  bool track = false;

  int run(const Command& command) {
    require_heeded(command, options.lens.style());
    options.lens.open_picture(settings.limits());
    refuse_folder_of_pictures(command);
    options.network.open(talk);
    if (is_clip(options.input) || (names_frames(options.input) && names_a_clip(output)))
      return run_clip(command), 0;
    refuse_options(command, {Group::clip}, "is for a clip, such as clip.mp4");
    std::error_code error;
    if (std::filesystem::exists(options.input, error) || !FramePattern::of(options.input)) {
      refuse_options(command, {Group::sequence}, "is for a sequence, such as 'in_%04d.png' or 'in_*.png'");
      if (const std::string option = pull.first(); !option.empty())
        throw Error(ErrorKind::usage,
                    fmt::format("{}: keys FRAME:VALUE are for a sequence, such as 'in_%04d.png' or "
                                "'in_*.png'; one photo takes one value",
                                option));
      run_photo();
      return 0;
    }
    return run_sequence(command);
  }

  void require_one_photo(const char* what) const {
    if (options.guesses())
      throw Error(ErrorKind::usage,
                  fmt::format("--depth guess takes one photo; {} needs maps, or --depth-network", what));
    if (!options.keep_sharp.empty())
      throw Error(ErrorKind::usage, fmt::format("--keep-sharp takes one photo, not {}", what));
  }

  void run_clip(const Command& command) {
    require_one_photo("a clip");
    if (names_a_clip(output)) refuse_options_of_pictures(command);
    refuse_options(command, {Group::sequence},
                   "is for a sequence, not for a clip; a part of a clip is --from and --to");
    if (renderer == Renderer::gl)
      throw Error(ErrorKind::usage, "--renderer gl takes one photo; --renderer compute takes a clip");
    encoding.overwrite = write.overwrite;
    run_dof_clip({{options, pull, frame_blur()}, {output, encoding, write}, over_time, track}, talk);
  }

  static FrameBlur frame_blur() {
    return {blur_photo_bytes, [](Context& context, Photo photo, const std::string& name, Talk& frame) {
              return blur_photo(context, std::move(photo), nullptr, name, frame);
            }};
  }

  int run_sequence(const Command& command) {
    require_one_photo("a sequence");
    if (renderer == Renderer::gl)
      throw Error(ErrorKind::usage, "--renderer gl takes one photo; --renderer compute takes a sequence");
    if (settings.json)
      throw Error(ErrorKind::usage,
                  "--json takes one photo; --report FILE.jsonl records every frame of a sequence");
    pull.require_frames("a sequence");
    Work& work = batch.work;
    work.filtering.write = write;
    work.overwrite = !write.overwrite.never;
    work.replacing = "leaving out --no-clobber replaces";
    work.parameters = "dof\n" + words_of(command);
    options.network.take_room(settings);
    return run_dof_sequence({batch,
                             {options, pull, frame_blur()},
                             output,
                             part.empty() ? std::nullopt : std::optional(parse_frames(part))},
                            talk);
  }

  /// Returns the options that change how every frame looks, as they were given.
  std::string words_of(const Command& command) const {
    std::string words;
    for (const Option& option : command.options()) {
      const Group group = option.group;
      if (!option.given() || pull.pulls(option.name()) ||
          (group != Group::depth && group != Group::lens && group != Group::look))
        continue;
      words += option.name();
      for (const std::string& value : option.results) words += " " + value;
      words += "\n";
    }
    return words;
  }

  /// Loads the photo while its device opens. Where it has no depth, says where depth comes from.
  Photo loaded(DeviceOpening& device, bool on_device) {
    const DofStyle style = options.lens.style();
    const auto begin = [&](const RowFormat& format) {
      device.begin(cpu_ms(format, style), [style](Context& context) { warm(context, style); });
    };
    try {
      return load_photo(options, device, on_device, talk, begin);
    } catch (const NoDepth&) {
      for (const std::string& line : depth_advice(options.input, output)) talk.say(line);
      throw;
    }
  }

  Picture blurred(Context& context, Photo photo, const GlContext* gl) {
    return blur_photo(context, std::move(photo), gl, input_name(options.input), talk);
  }

  /// Blurs the light of a photo with a gain map.
  std::shared_ptr<const Image<float>> light_after(Context& context, const Photo& photo, const GlContext* gl) {
    const Picture& codes = photo.picture;
    talk.settings.require_host_memory(input_name(options.input),
                                      light_bytes(codes.width() * codes.height() * codes.channels()));
    const View<const float> disparity = photo.depth.disparity.view();
    Photo lit{light_of(codes.samples, codes.metadata), {}, photo.blur, photo.style};
    lit.depth.disparity = Image<float>(disparity.width, disparity.height);
    copy(context, disparity, lit.depth.disparity.view());
    Picture made = blurred(context, std::move(lit), gl);
    return std::make_shared<const Image<float>>(std::move(std::get<Image<float>>(made.samples)));
  }

  void run_photo() {
    check_output(output, options.input, write);
    for (const std::filesystem::path& read : {options.depth, options.keep_sharp})
      if (!read.empty()) check_output(output, read, write);
    talk.account.set_facts({{"command", "dof"}, {"input", options.input.string()}});
    talk.account.add_fact("output", output.string());
    talk.account.add_fact("device", settings.device);  // until it is open
    talk.keep_stdout_for(output);
    talk.account.note_start();
    DeviceOpening device(talk);
    std::optional<GlContext> gl;
    if (renderer == Renderer::gl) {
      const Context& opened = device.context();
      gl.emplace(talk.timed("start", [&] { return open_opengl(opened, talk); }));
    }
    Photo photo = loaded(device, !gl);
    Context& context = device.context();
    add_picture(talk.account, rows_of(photo.picture).format);
    check_holds(output, photo.picture, write);

    const Picture result = talk.staged("blur", [&] {
      std::shared_ptr<const Image<float>> light;
      if (takes_light(photo.picture.metadata, output, write))
        light = light_after(context, photo, gl ? &*gl : nullptr);
      Picture made = blurred(context, std::move(photo), gl ? &*gl : nullptr);
      made.metadata.light = std::move(light);
      return made;
    });
    talk.staged("encode", [&] { write_picture(output, result, write, talk.remarks_on(output)); });
    talk.say(fmt::format("{}: written; {}", output_name(output),
                         settings.verbose
                             ? talk.account.steps()
                             : fmt::format("the blur took {:.0f} ms", talk.account.ms_of("blur"))));
    talk.print_account();
  }
};

void add_sequence_options(Command& command, DofCommand& self) {
  self.pull.add_keys(command);
  const OptionGroup group(command, Group::sequence);
  group.add("--frames A-B", &self.part, "make only these frames, A-B");
  group.add("--skip-existing", &self.batch.work.skip_existing,
            "go on where a run ended: leave frames that are there already, made of the same\n"
            "input in the same way");
  group.add("--dry-run", &self.batch.dry_run, "print what would be done, and do nothing but read depth maps");
  group
      .add("--jobs N", &self.batch.workers.jobs,
           "frames, and threads, at work at once; by default one per core")
      .check(whole_within(1, 4096));
  group.add("--report FILE.jsonl", &self.batch.report,
            "write the outcome of each frame, as JSON lines, for `scanlens report`");
}

}  // namespace

void add_dof_command(Program& program) {
  auto self = std::make_shared<DofCommand>();
  Command& command =
      program.add_command("dof", "add depth of field to a photo, a sequence of frames, or a clip");
  self->options.add_options(command);
  command.add("-o,--output FILE", &self->output, output_help()).required();
  command
      .add("--keep-sharp MASK", &self->options.keep_sharp,
           "keep what a mask covers in focus: a grey picture, one with alpha, or a file of strokes",
           Group::lens)
      .also("mask sharp-mask");
  command.add("--renderer NAME", choice(self->renderer, kRendererNames),
              "compute (CPU or CUDA, the default) or gl (OpenGL shaders)");
  add_options(command, self->write);
  self->options.lens.add_look_options(command, &self->write.quality);
  self->options.lens.add_picture_option(command);
  add_json_option(command, self->settings);
  add_options(command, self->settings);
  add_sequence_options(command, *self);
  self->encoding.add_options(command);
  self->over_time.add_options(command);
  command
      .add("--track", &self->track,
           "let the focus follow what lies at --focus-at in the first frame, from frame to frame",
           Group::clip)
      .needs(command.at("--focus-at"));
  command.often = {"IMAGE",      "--output",     "--depth",         "--focus",     "--blur",
                   "--f-number", "--in-focus",   "--focus-at",      "--autofocus", "--quality",
                   "--bokeh",    "--depth-kind", "--depth-network", "--device"};
  command.footer =
      R"(A phone's JPEG or HEIC, or an EXR, that carries its depth needs no --depth.

A sequence: IMAGE is a pattern, in_%04d.png, in_####.png or 'in_*.png' (quoted, so that the shell leaves the star to scanlens),
and so is OUT; --depth is one, or one map for all. All maps without a unit share one normalisation, found in a
first pass over them, or given by --depth-range. --focus, --in-focus, --f-number, --blur and the numbers of the look
(--cats-eye 0:0 48:0.8) take keys FRAME:VALUE; between them the value moves smoothly, in 1/metre for --focus and in
1/N for --f-number. Frames that exist are
replaced. A frame that fails stops no other. Exit codes: 0 all are there; 1 some failed; 75 another try may do.

A clip: IMAGE is one, decoded and encoded by ffmpeg, and so is OUT ()" +
      clip_extensions() +
      R"();
--depth is a clip, a pattern, or one map, and --stroke lies on the first frame. Frames count from 0, also in keys,
which may be at seconds, 2.5s:0.8. Sound, subtitles, chapters and times of frames stay. A pattern as IMAGE or as OUT
stands for numbered files in the place of a clip.

Examples:
  scanlens dof photo.jpg --depth midas.png -o blurred.jpg --focus 0.8 --blur 2%
  scanlens dof kinect.png --depth kinect_depth.png -o blurred.png --focal-length 85 --f-number 1.4 --focus 1.2
  scanlens dof photo.png --depth stereo.pfm --depth-kind disparity -o blurred.png --focus-at 420,310
  scanlens dof portrait.heic -o blurred.jpg
  scanlens dof in_%04d.png --depth depth_%04d.exr -o out/out_%04d.png --focus 0:1.5 48:0.8 --f-number 0:2 48:8
  scanlens dof clip.mp4 --depth depth.mkv -o out.mp4 --focus 0:0.2 48:0.8
  scanlens dof clip.mp4 --depth depth.mkv -o out.mp4 --focus-at 820,410 --track
  scanlens dof clip.mp4 --depth depth.mkv -o frame.png --frame 48
  scanlens dof clip.mp4 --depth depth.mkv -o out.mp4 --focus 1s:0.2 3s:0.8 --from 1s --to 4s --steady
  scanlens dof 'in_*.jpg' --depth 'depth_*.npy' -o 'soft_*.jpg' --blur 0:4 48:24 --frames 0-48 --skip-existing)";
  command.run = [self, &command] { return self->run(command); };
}

}  // namespace scanlens
