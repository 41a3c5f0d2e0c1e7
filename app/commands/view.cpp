// `scanlens view` shows photos and live scenes with depth of field, in a window or into files.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/io/format.h"
#include "app/io/text.h"
#include "app/options/complete.h"
#include "app/options/values.h"
#include "app/photo/camera_options.h"
#include "app/photo/lens_options.h"
#include "app/photo/photo_options.h"
#include "app/scene/scenes.h"
#include "app/viewer/parts/settings.h"
#include "app/viewer/show.h"
#include "app/viewer/surface.h"
#include "app/viewer/viewer.h"
#include "filters/registry.h"

namespace scanlens {
namespace {

struct ViewCommand {
  Settings settings;
  Talk talk{settings};
  PhotoOptions options;
  CameraOptions camera;
  std::vector<std::filesystem::path> inputs;
  std::string scene;
  std::filesystem::path screenshot_file, script, frames;
  std::vector<std::string> values, filters;
  bool headless = false;
  std::pair<int, int> size{1280, 800};
  bool size_given = false;
  WriteOptions write;

  ClipRange range;
  ClipDepthOptions over_time;

  std::string lens_option;  ///< the last one that is given; it has no effect without depth

  void run(Command& command) {
    check();
    const std::vector<std::pair<const ViewParam*, double>> set_values = parse_values();
    const std::vector<FilterCall> calls = parse_filters(filters);
    for (const FilterCall& call : calls) {
      if (call.filter->map != MapKind::none)
        throw Error(ErrorKind::usage,
                    fmt::format("--filter {}: the viewer has no filters that take a map", call.filter->name));
      if (call.where)
        throw Error(ErrorKind::usage,
                    fmt::format("--filter {}: the viewer filters all of a picture; leave out where, or use "
                                "`scanlens filter`",
                                call.filter->name));
      if (changes_geometry(*call.filter))
        throw Error(
            ErrorKind::usage,
            fmt::format("--filter {}: the viewer has no filters that change the size or the place of pixels; "
                        "`scanlens filter` writes such a picture",
                        call.filter->name));
    }
    const bool in_window = screenshot_file.empty() && !headless;
    // A person sees the window before the photo is read; a script waits for it.
    const bool at_once = in_window && script.empty();
    options.network.open(talk);
    const std::optional<ClipToView> clip = clip_to_view();
    Album album;
    std::optional<ViewedPhoto> photo;
    std::vector<std::filesystem::path> originals;
    const bool has_photos = !inputs.empty() && !clip;
    if (has_photos) album = Album(inputs, options, settings);
    if (has_photos && !at_once) {
      photo = first_of(album);
      originals = originals_of(album, *photo);
      if (!screenshot_file.empty())
        for (const std::filesystem::path& file : originals) check_output(screenshot_file, file, write);
      say_of(*photo);
    }
    ViewState state;
    ViewerSettings settings;
    if (in_window) load_settings(settings_file(), state, settings);
    if (has_photos && at_once) album.begin_first();

    std::pair<int, int> asked = size;
    if (in_window && !size_given) asked = {settings.window.x, settings.window.y};
    if (!screenshot_file.empty() && !size_given && photo)
      asked = {static_cast<int>(photo->picture.width()), static_cast<int>(photo->picture.height())};
    if (!screenshot_file.empty() && !size_given && clip)
      asked = {static_cast<int>(clip->clip.width), static_cast<int>(clip->clip.height)};
    const std::int64_t width = photo ? photo->picture.width() : scene.empty() ? 0 : asked.first;
    const DofGiven look = options.lens.look();
    if (width == 0) refuse_pixels(look);
    state.take(look, width);
    std::unique_ptr<Surface> surface;
    if (in_window) surface = open_window_for(asked, album, clip ? clip->clip.path : std::filesystem::path());
    Context context = open_device(talk);
    if (!in_window) surface = open_headless(asked.first, asked.second, context.cuda_ordinal());
    talk.say("OpenGL: " + surface->gl().renderer());
    Viewer viewer(surface->gl(), context, talk);
    viewer.saving().program = std::filesystem::read_symlink("/proc/self/exe");
    Opened& open = viewer.open();
    open.state = state;
    open.shows_at_once = at_once;
    const auto begin = [&] {
      for (const auto& [param, value] : set_values) open.state.*param->value = value;
      open.finish_pull();
      for (const FilterCall& call : calls)
        open.filters.push_back({at_size(call, {open.size().x, open.size().y})});
    };
    Said said;
    if (photo) {
      said = said_of(*photo);
      open.open(std::move(album), std::move(*photo));
      say_rest(*open.photo(), said);
    } else if (!scene.empty()) {
      open.open(scene_named(scene), options.lens);
      set_camera(open.state, camera.of(scene_named(scene)));
    }
    if ((at_once && !inputs.empty()) || clip) {
      const auto judge = [&](const ViewedPhoto& read) {
        say_of(read);
        said = said_of(read);
      };
      const auto opened = [&] {
        say_rest(*open.photo(), said);
        begin();
      };
      if (!clip)
        viewer.opening().open_named(std::move(album), judge, opened);
      else
        viewer.opening().open_clip(*clip, judge, opened);
      if (!at_once) viewer.opening().arrive(true);
    } else {
      begin();
    }
    if (!screenshot_file.empty()) return save_screenshot(*surface, viewer);
    if (!script.empty())
      play_script(*surface, viewer, script, frames, originals, write, [this](const std::string& text) {
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) talk.say(line);
      });
    if (in_window) show(*surface, viewer);
    take_shown(open, command);
    if (!at_once) return;
    if (open.state.full_screen == 0) settings.window = viewer.size_in_points();
    save_settings(settings_file(), open.state, settings);
  }

 private:
  /// Counts what was said of a photo.
  struct Said {
    std::size_t assumed = 0, warnings = 0;
  };
  static Said said_of(const ViewedPhoto& photo) { return {photo.assumed.size(), photo.warnings.size()}; }

  /// Says what showing the photo has added.
  void say_rest(const ViewedPhoto& photo, const Said& said) {
    for (std::size_t i = said.assumed; i < photo.assumed.size(); ++i) talk.assume(photo.assumed[i]);
    for (std::size_t i = said.warnings; i < photo.warnings.size(); ++i) talk.warn(photo.warnings[i]);
  }

  /// Makes the options those of what is shown, for --save-preset.
  void take_shown(const Opened& open, Command& command) {
    options.autofocus = false;
    options.lens = {};
    static_cast<DofGiven&>(options.lens) = shown_dof(open);
    filters.clear();
    for (const StackedFilter& filter : open.filters)
      if (filter.on) filters.push_back(filter_text(filter.call));
    for (Option& option : command.options()) {
      const bool is_shown =
          option.group == Group::lens || option.group == Group::look || option.has_name("--filter");
      if (option.group != Group::depth && option.group != Group::session)
        option.typed = is_shown ? option.value() : std::vector<std::string>();
    }
  }

  /// Returns the clip that is to be shown, if the input is one.
  std::optional<ClipToView> clip_to_view() {
    if (inputs.size() != 1 || !is_clip(inputs[0])) return std::nullopt;
    range.check();
    ClipToView clip{probe_clip(inputs[0], settings.limits()), options, range, over_time};
    clip.photo.input = inputs[0];
    if (over_time.normalise && !clip.has_depth())
      throw Error(ErrorKind::usage, "--normalise needs the depth of the clip's frames; name it with --depth");
    if (!clip.has_depth())
      talk.say(
          fmt::format("{}: no depth, so nothing is blurred; --depth CLIP, a pattern such as "
                      "'depth_%04d.png', or --depth-network MODEL gives it",
                      inputs[0].string()));
    return clip;
  }

  /// Returns the first photo of an album, and warns of those before that cannot be read.
  ViewedPhoto first_of(Album& album) {
    std::vector<std::string> unreadable;
    ViewedPhoto photo = album.open_first(unreadable);
    for (const std::string& cause : unreadable) talk.warn(cause);
    return photo;
  }

  /// Opens the window, titled by what is being read. Where there can be none, what is wrong with the photo is
  /// said first.
  std::unique_ptr<Surface> open_window_for(const std::pair<int, int>& asked, Album& album,
                                           const std::filesystem::path& clip) {
    try {
      const std::filesystem::path first = album.size() > 0 ? album.shown() : clip;
      const std::string name = first.empty() ? "" : printable(first.filename().string()) + " - ";
      return open_window(asked.first, asked.second, name + "scanlens");
    } catch (const Error&) {
      if (album.reads()) say_of(first_of(album));
      throw;
    }
  }

  /// Returns the files that must not be written over: what is named, and all of a folder that is. Beside one
  /// photo there may be what was written before.
  std::vector<std::filesystem::path> originals_of(const Album& album, const ViewedPhoto& photo) const {
    std::error_code error;
    std::vector<std::filesystem::path> files = inputs;
    if (inputs.size() > 1 || std::filesystem::is_directory(inputs[0], error)) files = album.files();
    files.push_back(photo.depth_file);
    return files;
  }

  /// Takes --set NAME=VALUE apart.
  std::vector<std::pair<const ViewParam*, double>> parse_values() const {
    std::vector<std::pair<const ViewParam*, double>> parsed;
    for (const std::string& text : values) {
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos)
        throw Error(ErrorKind::usage, fmt::format("--set takes NAME=VALUE, not '{}'", text));
      try {
        const ViewParam& param = view_param(text.substr(0, equals));
        parsed.emplace_back(&param, parse_value(param, text.substr(equals + 1)));
      } catch (const Error& error) {
        throw Error(ErrorKind::usage, fmt::format("--set {}: {}", text, error.what()));
      }
    }
    return parsed;
  }

  void check() const {
    if (!frames.empty() && script.empty())
      throw Error(ErrorKind::usage, "--frames needs --script FILE, whose frames it writes");
    if (!scene.empty() && !inputs.empty())
      throw Error(ErrorKind::usage, "view: --scene cannot be used with pictures; leave one out");
    if (scene.empty() && inputs.empty() &&
        (!screenshot_file.empty() || !options.depth.empty() || !lens_option.empty()))
      throw Error(ErrorKind::usage, fmt::format("view: {} needs a picture, a folder, or --scene NAME",
                                                !screenshot_file.empty() ? "--screenshot"
                                                : !options.depth.empty() ? "--depth"
                                                                         : lens_option));
    if (!scene.empty() && !options.depth.empty())
      throw Error(ErrorKind::usage, "--depth cannot be used with --scene: a scene has its own depth");
    if (headless && screenshot_file.empty() && script.empty())
      throw Error(ErrorKind::usage, "--headless needs --script FILE, or --screenshot FILE");
    if (is_standard_stream(script) && std::any_of(inputs.begin(), inputs.end(), is_standard_stream))
      throw Error(ErrorKind::usage, "--script - and the picture - cannot both be standard input");
    if (!screenshot_file.empty() && !script.empty())
      throw Error(ErrorKind::usage,
                  "--screenshot cannot be used with --script; write `shot FILE` in the script");
    if (screenshot_file.empty()) return;
    require_name("--screenshot", screenshot_file);
    check_output(screenshot_file, {}, write);
    for (const std::filesystem::path& input : inputs) check_output(screenshot_file, input, write);
    if (!options.depth.empty()) check_output(screenshot_file, options.depth, write);
  }

  /// Says what was read, and refuses a lens for a photo without depth.
  void say_of(const ViewedPhoto& photo) {
    const std::string name = input_name(photo.file);
    talk.say(fmt::format("{}: {}", name, photo.description));
    for (const std::string& line : photo.assumed) talk.assume(line);
    for (const std::string& line : photo.warnings) talk.warn(line);
    const bool of_clip = is_clip(photo.file);
    if (!photo.depth && !lens_option.empty())
      throw Error(
          ErrorKind::usage,
          fmt::format("{}: {} has no effect without depth, and this {} carries none; name {}", name,
                      lens_option, of_clip ? "clip" : "photo",
                      of_clip ? "a clip of it, or a pattern, with --depth CLIP" : "a map with --depth FILE"));
  }

  /// Writes the picture alone, as large as it is unless a size is asked for.
  void save_screenshot(Surface& surface, Viewer& viewer) {
    Opened& open = viewer.open();
    for (double ViewState::*panel : {&ViewState::panels, &ViewState::graph, &ViewState::histogram,
                                     &ViewState::inspector, &ViewState::help, &ViewState::strokes})
      open.state.*panel = 0;
    viewer.shows_notices = false;
    write_picture(screenshot_file, Picture{screenshot(surface, viewer)}, write);
    talk.say(screenshot_file.string() + ": written");
  }
};

/// Offers the viewer's values for --set: their names, then those of their choices.
Completion complete_value(const std::string& begun) {
  Completion offered;
  const std::size_t equals = begun.find('=');
  for (const ViewParam& param : view_params()) {
    const std::string name = std::string(param.name) + "=";
    if (equals == std::string::npos)
      offered.words.push_back({name, param.help});
    else if (begun.starts_with(name))
      for (const std::string_view choice : param.names) offered.words.push_back({name + std::string(choice)});
  }
  return offered;
}

}  // namespace

void add_view_command(Program& program) {
  auto self = std::make_shared<ViewCommand>();
  Command& command = program.add_command(
      "view", "show photos, clips and live scenes with depth of field: click to focus, sliders for the lens");
  command.add(
      "IMAGE", &self->inputs,
      R"(pictures, or a folder of them, - for standard input, or a clip; without any the window is empty, for pictures to
be dropped on)");
  command.add("--scene NAME", &self->scene, "show a live scene instead: teapot or lights")
      .check(one_of(scene_names()));
  self->options.add_depth_options(command);
  self->camera.add_options(command);
  self->options.lens.add_look_options(command, nullptr);
  add_size_option(command, self->size, "size of the window, or of the pictures in files");
  command.add("--screenshot FILE", &self->screenshot_file,
              "write the picture as the viewer shows it, without panels and without a window: " +
                  writable_extensions());
  command.add(
      "--script FILE", &self->script,
      "play the steps of a script, - for standard input; app/viewer/script/README.md has the language");
  command.add("--frames FILE", &self->frames,
              "write all frames of the script: under a pattern's names such as out_%04d.png, or into one "
              ".webp, .png or .gif that moves");
  command
      .add("--set VALUE", &self->values,
           "NAME=VALUE, given again: a value of the viewer, such as view=depth, wipe=0.5, exposure=1")
      .completes(complete_value)
      .takes(Values::each);
  command
      .add("--filter FILTER", &self->filters,
           "a filter to begin with, as `filter` takes it; given again: the next one")
      .completes(complete_filter)
      .takes(Values::each);
  {
    const OptionGroup group(command, Group::clip);
    self->range.add_options(group);
    self->over_time.add_normalise(group);
  }
  command.add("--headless", &self->headless, "without a window, for --script");
  add_options(command, self->write.overwrite);
  add_options(command, self->settings);
  command.often = {"IMAGE",  "--depth",   "--scene",  "--focus",      "--f-number",
                   "--blur", "--quality", "--filter", "--screenshot", "--script"};
  command.brief =
      "Click to focus, scroll to zoom, drag to move; Space plays a clip. ? shows all keys, Q closes the "
      "window. S saves what is\n"
      "seen at full size, Ctrl+C copies the command that makes the same file.\n";
  command.footer = command.brief +
                   "\nExamples:\n"
                   "  scanlens view photo.jpg --depth depth.png\n"
                   "  scanlens view portrait.heic\n"
                   "  scanlens view holidays/\n"
                   "  scanlens view clip.mp4 --depth depth.mkv --from 2.5s\n"
                   "  scanlens view --scene teapot\n"
                   "  scanlens view --scene lights --headless --script turntable.txt";
  command.run = [self, &command] {
    require_heeded(command, self->options.lens.style());
    if (self->scene.empty())
      refuse_options(command, {Group::camera}, "is for --scene", "");
    else
      refuse_options(command, {Group::depth}, "cannot be used with --scene: a scene has its own depth", "");
    if (!self->scene.empty() &&
        (self->options.autofocus || self->options.lens.blur || !self->options.lens.focus_at.empty() ||
         !self->options.lens.focus_plane.empty()))
      throw Error(
          ErrorKind::usage,
          "--scene takes --focus and --f-number, not --focus-at, --focus-plane, --autofocus or --blur");
    if (self->inputs.size() != 1 || !is_clip(self->inputs[0]))
      refuse_options(command, {Group::clip}, "is for a clip, such as clip.mp4");
    self->size_given = command.given("--size");
    for (const Option& option : command.options()) {
      const Group group = option.group;
      if (option.given() && (group == Group::lens || group == Group::depth || group == Group::look))
        self->lens_option = option.name();
    }
    return self->run(command), 0;
  };
}

}  // namespace scanlens
