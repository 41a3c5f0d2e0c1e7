#include "app/viewer/shown_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <iterator>
#include <system_error>

#include "app/io/format.h"
#include "app/io/patience.h"
#include "app/io/text.h"
#include "app/options/values.h"
#include "app/photo/camera_options.h"
#include "app/photo/lens_options.h"
#include "app/viewer/model/placement.h"
#include "core/error.h"

extern char** environ;

namespace scanlens {
namespace {

constexpr const char* kProgram = "scanlens";

/// The end of the words that erase a line of a terminal.
constexpr std::string_view kEraseLine = "\033[K";

/// Returns what is left of a line behind the last place where it was erased.
std::string behind_erased(const std::string& line) {
  const std::size_t erased = line.rfind(kEraseLine);
  return erased == std::string::npos ? line : line.substr(erased + kEraseLine.size());
}

/// Filters that a saved picture's name names.
constexpr int kMostFiltersNamed = 3;

using Words = std::vector<std::string>;

void add(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

/// Returns the file that holds the depth that is shown.
std::filesystem::path depth_file_of(const ViewerModel& model) {
  if (model.strokes) return model.strokes_file;
  return model.photo()->strokes ? model.photo()->corrected_map : model.photo_options().depth;
}

/// Returns the options of the photo that is shown.
PhotoOptions photo_of(const ViewerModel& model) {
  PhotoOptions photo;
  const PhotoOptions& options = model.photo_options();
  photo.input = options.input;
  photo.depth = depth_file_of(model);
  if (photo.depth.empty()) photo.network = options.network;
  photo.depth_options = options.depth_options;
  if (model.has_depth()) static_cast<DofGiven&>(photo.lens) = shown_dof(model);
  return photo;
}

Words photo_words(const ViewerModel& model) {
  return words_of(photo_of(model), [](PhotoOptions& photo, Command& to) {
    to.add("IMAGE", &photo.input, "");
    photo.add_depth_options(to);
  });
}

/// Gives the words of a lens the keys of a clip.
Words with_keys(Words words, const ViewerModel& model) {
  for (const DofParam& param : kDofParams) {
    const std::vector<LensKeys::Key> keys = model.keys.keys_of(param);
    if (keys.empty()) continue;
    const std::string option = fmt::format("--{}", param.name);
    if (const auto own = std::find(words.begin(), words.end(), option); own != words.end())
      words.erase(own, own + 2);
    words.push_back(option);
    const char* const unit = param.measure == Measure::pixels_or_percent ? "%" : "";
    for (const LensKeys::Key& key : keys)
      words.push_back(fmt::format("{}:{}{}", key.frame, static_cast<float>(key.value), unit));
  }
  return words;
}

Words scene_words(const ViewerModel& model) {
  struct Shot {
    std::pair<int, int> size;
    CameraOptions camera;
    LensOptions lens;
  } shot{{model.size().x, model.size().y}, camera_options_of(camera_of(model.state)), {}};
  static_cast<DofGiven&>(shot.lens) = shown_dof(model);
  return words_of(shot, [](Shot& held, Command& to) {
    add_size_option(to, held.size, "");
    held.camera.add_options(to);
    held.lens.add_options(to, kSceneLens, true);
  });
}

Words look_words(const ViewerModel& model) {
  LensOptions look;
  static_cast<DofGiven&>(look) = shown_dof(model);
  return words_of(look, [](LensOptions& own, Command& to) { own.add_look_options(to, nullptr); });
}

/// Returns the extension of a format that holds the picture's samples, for photos whose own is not written.
std::string extension_for(const ViewerModel& model) {
  const int bits = model.shown().image ? model.shown().image->bits : 8;
  if (const ViewedPhoto* photo = model.photo()) {
    const std::string own = extension_of(photo->file);
    const std::vector<std::string> written = writable_names();
    if (own.size() > 1 && std::find(written.begin(), written.end(), own.substr(1)) != written.end())
      return own;
    if (photo->is_lit) return ".jpg";  // which holds codes and light
  }
  return bits == 32 ? ".exr" : ".png";
}

/// Returns true if something other than the result is shown.
bool shows_a_view(const ViewerModel& model) {
  return model.state.seen_view(model.has_depth()) != ShownView::result || model.state.wipe > 0;
}

/// Returns true if the photo itself is shown, as its file has it.
bool shows_the_photo(const ViewerModel& model) {
  return model.photo() && model.state.seen_view(model.has_depth()) == ShownView::input &&
         model.state.wipe == 0;
}

/// Returns what the result was made by, for its name: "dof", "dof_gaussian".
std::string name_of_result(const ViewerModel& model) {
  std::string name = model.has_depth() ? "dof" : "";
  int filters = 0;
  for (const StackedFilter& filter : model.filters)
    if (filter.on && ++filters <= kMostFiltersNamed)
      name += (name.empty() ? "" : "_") + std::string(filter.call.filter->name);
  if (filters > kMostFiltersNamed) name += fmt::format("_{}_more", filters - kMostFiltersNamed);
  return name.empty() ? "copy" : name;
}

/// Returns what was done to the picture, for its name: "dof", "depth_view".
std::string name_of_work(const ViewerModel& model) {
  if (!shows_a_view(model)) return name_of_result(model);
  if (model.state.wipe > 0) return "wipe";
  // A name of its own, because photo_depth.png would be the photo's map.
  const auto view = static_cast<ShownView>(static_cast<int>(model.state.view));
  return std::string(kShownViewNames[static_cast<int>(view)]) + (view == ShownView::depth ? "_view" : "");
}

Words filter_words(const ViewerModel& model) {
  Words words;
  for (const StackedFilter& filter : model.filters)
    if (filter.on) add(words, {"--filter", filter_text(filter.call)});
  return words;
}

/// Returns a name in the folder, or in the current one where that takes no files. A number makes it free.
std::filesystem::path free_name(std::filesystem::path folder, const std::string& stem,
                                const std::string& extension) {
  if (folder.empty() || ::access(folder.c_str(), W_OK) != 0) folder = ".";
  for (int i = 1;; ++i) {
    std::filesystem::path path = fmt::format("{}{}{}", stem, i == 1 ? "" : fmt::format("{}", i), extension);
    if (folder != ".") path = folder / path;
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return path;
  }
}

/// Returns the command that draws the view into a file, as large as the picture.
Words view_words(const ViewerModel& model, const Words& filters, const std::filesystem::path& output) {
  Words words{kProgram, "view"};
  if (model.is_scene()) add(words, {"--scene", std::string(model.scene()->traits().name)});
  add(words, model.is_scene() ? scene_words(model) : photo_words(model));
  if (model.is_clip()) add(words, model.clip_words());
  if (model.has_depth()) add(words, look_words(model));
  add(words, filters);
  // Values at their defaults are left out. The file shows the whole picture: the wipe's line lies in it where
  // the window shows it.
  const ViewState first;
  ViewState state = model.state;
  const Placement placement(state, model.area(), glm::dvec2(model.size()));
  if (state.wipe > 0)
    state.wipe =
        std::clamp(placement.to_picture({model.area().column(state.wipe), 0}).x / model.size().x, 0.0, 1.0);
  for (const ViewParam& param : view_params()) {
    const bool says_something = (param.group == "View" || param.value == &ViewState::time) &&
                                param.value != &ViewState::zoom && param.value != &ViewState::centre_x &&
                                param.value != &ViewState::centre_y &&
                                state.*param.value != first.*param.value;
    if (says_something)
      add(words, {"--set", fmt::format("{}={}", param.name, value_text(param, state.*param.value))});
  }
  add(words, {"--screenshot", file_word(output)});
  return words;
}

}  // namespace

std::string ShownCommand::text() const {
  std::string text;
  for (const Words& words : parts)
    text += (text.empty() ? "" : in_turn ? " && " : " | ") + scanlens::shell_text(words, true);
  return text;
}

std::string ShownCommand::shell_text(const std::string& program) const {
  std::string text;
  for (Words words : parts) {
    words[0] = program;
    text += (text.empty() ? "" : in_turn ? " && " : " | ") + scanlens::shell_text(words);
  }
  return text;
}

DofGiven shown_dof(const ViewerModel& model) {
  const bool is_draft = model.state.style().quality == DofQuality::draft;
  DofGiven given;
  for (const DofParam& param : kDofParams) {
    const bool counts = param.group == kLensGroup ? param.needs == DofNeed::any ||
                                                        model.metric() == (param.needs == DofNeed::metric)
                                                  : param.of_drafts || !is_draft;
    const double value = model.state.*param.value_at;
    if (counts && (param.of_photo || value != param.value))
      given.*param.given_at =
          Amount(value, param.measure == Measure::pixels_or_percent ? Unit::percent : Unit::none);
  }
  return given;
}

ShownCommand shown_command(const ViewerModel& model, const std::filesystem::path& output) {
  const Words filters = filter_words(model);
  ShownCommand command;
  if (shows_the_photo(model) && !model.is_clip()) return command;
  if (shows_a_view(model) || model.is_clip()) {
    command.parts.push_back(view_words(model, filters, output));
    return command;
  }
  if (model.has_depth()) {
    Words words{kProgram, model.is_scene() ? "render" : "dof"};
    if (model.is_scene()) words.emplace_back(model.scene()->traits().name);
    add(words, model.is_scene() ? scene_words(model) : photo_words(model));
    if (model.is_scene() && model.state.time != 0)
      add(words, {"--time", fmt::format("{}", static_cast<float>(model.state.time))});
    if (model.sharp) add(words, {"--keep-sharp", file_word(model.sharp_file)});
    add(words, look_words(model));
    // TIFF holds all that a picture is.
    filters.empty() ? add(words, {"-o", file_word(output)}) : add(words, {"-o", "-", "--format", "tiff"});
    command.parts.push_back(std::move(words));
  }
  if (filters.empty()) return command;
  Words words{kProgram, "filter", model.has_depth() ? "-" : file_word(model.photo_options().input)};
  add(words, filters);
  add(words, {"-o", file_word(output)});
  command.parts.push_back(std::move(words));
  return command;
}

ShownCommand clip_command(const ViewerModel& model, const std::filesystem::path& output) {
  const Words filters = filter_words(model);
  ShownCommand command;
  command.in_turn = true;
  std::filesystem::path input = model.photo_options().input;
  if (model.has_depth()) {
    Words words{kProgram, "dof"};
    for (const Words& more : {with_keys(photo_words(model), model), model.clip_words(), look_words(model)})
      add(words, more);
    // A clip cannot go through a pipe; FFV1 keeps its frames as they are.
    if (!filters.empty())
      input = command.between =
          free_name(output.parent_path(), output.stem().string() + "_unfiltered", ".mkv");
    add(words, {"-o", file_word(filters.empty() ? output : input)});
    if (!filters.empty()) add(words, {"--video-codec", "ffv1"});
    command.parts.push_back(std::move(words));
  }
  if (filters.empty()) return command;
  Words words{kProgram, "filter", file_word(input)};
  if (!model.has_depth()) add(words, model.clip_words());
  add(words, filters);
  add(words, {"-o", file_word(output)});
  command.parts.push_back(std::move(words));
  return command;
}

std::filesystem::path free_clip_output(const ViewerModel& model, bool is_written) {
  const std::filesystem::path& file = model.photo()->file;
  return free_name(file.parent_path(), file.stem().string() + "_" + name_of_result(model),
                   is_written ? file.extension().string() : ".mp4");
}

std::filesystem::path free_output(const ViewerModel& model) {
  std::filesystem::path folder = ".";
  std::string stem = "picture";
  if (const ViewedPhoto* photo = model.photo()) {
    if (photo->file.has_parent_path()) folder = photo->file.parent_path();
    if (!is_standard_stream(photo->file)) stem = photo->file.stem().string();
    if (model.is_clip()) stem += fmt::format("_frame{:.0f}", model.state.frame);
  } else if (model.is_scene()) {
    stem = model.scene()->traits().name;
  }
  return free_name(folder, stem + "_" + name_of_work(model),
                   shows_a_view(model) || model.is_clip() ? ".png" : extension_for(model));
}

BackgroundCommand::~BackgroundCommand() {
  if (running()) wait();
}

void BackgroundCommand::start(const std::string& line) {
  if (running()) wait();
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  // A pipe's status is that of its last part; with the first one failed that has nothing to read, and fails.
  std::string shell = "/bin/sh", flag = "-c", text = "export SCANLENS_PROGRESS=1\n" + line;
  char* words[] = {shell.data(), flag.data(), text.data(), nullptr};
  const int failed = ::posix_spawn(&process_, shell.c_str(), &actions, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (failed) {
    ::close(ends[0]);
    process_ = 0;
    throw std::system_error(failed, std::generic_category(), "/bin/sh");
  }
  output_ = ends[0];
  said_.clear();
  cancelled_ = false;
}

void BackgroundCommand::read_some() {
  char part[4096];
  for (;;) {
    const ssize_t count = ::read(output_, part, sizeof part);
    if (count <= 0) return;
    said_.append(part, static_cast<std::size_t>(count));
    heard_ += static_cast<std::uint64_t>(count);
    constexpr std::size_t kMostKept = 65536;
    if (said_.size() > kMostKept) said_.erase(0, said_.size() - kMostKept);
  }
}

BackgroundCommand::Ended BackgroundCommand::ended(int status) {
  read_some();
  ::close(output_);
  output_ = -1;
  process_ = 0;
  while (!said_.empty() && said_.back() == '\n') said_.pop_back();
  const std::string line = said_.substr(said_.rfind('\n') + 1);
  return {WIFEXITED(status) && WEXITSTATUS(status) == 0, behind_erased(line)};
}

std::string BackgroundCommand::progress() const {
  return running() && said_.find(kEraseLine) != std::string::npos && said_.back() != '\n'
             ? behind_erased(said_)
             : "";
}

void BackgroundCommand::cancel() {
  if (!running()) return;
  cancelled_ = true;
  for (const pid_t process : family_of(process_)) ::kill(process, SIGTERM);
}

std::optional<BackgroundCommand::Ended> BackgroundCommand::poll() {
  if (!running()) return std::nullopt;
  read_some();
  int status = 0;
  const pid_t got = ::waitpid(process_, &status, WNOHANG);
  if (got == 0 || (got < 0 && errno == EINTR)) return std::nullopt;
  return ended(got < 0 ? -1 : status);
}

BackgroundCommand::Ended BackgroundCommand::wait() {
  constexpr useconds_t kPause = 2000;
  constexpr int kPausesASecond = 500;
  Patience patience(process_);
  for (int pauses = 1;; ++pauses) {
    if (std::optional<Ended> end = poll()) return *end;
    if (pauses % kPausesASecond == 0 && patience.is_over(heard_)) return give_up();
    ::usleep(kPause);
  }
}

/// Ends a command that is silent, with all that it has started.
BackgroundCommand::Ended BackgroundCommand::give_up() {
  for (const pid_t process : family_of(process_)) ::kill(process, SIGKILL);
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  ended(status);
  return {false, fmt::format("the command gave no sign of life for {} s, and was ended; "
                             "SCANLENS_PATIENCE=N waits for N seconds",
                             most_silence())};
}

}  // namespace scanlens
