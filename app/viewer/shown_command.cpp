#include "app/viewer/shown_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <system_error>

#include "app/io/format.h"
#include "app/io/text.h"
#include "app/options/values.h"
#include "app/photo/camera_options.h"
#include "app/photo/lens_options.h"
#include "app/viewer/model/placement.h"
#include "core/error.h"

namespace scanlens {
namespace {

constexpr const char* kProgram = "scanlens";

/// Filters that a saved picture's name names.
constexpr int kMostFiltersNamed = 3;

using Words = std::vector<std::string>;

void add(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

/// Returns the file that holds the depth that is shown.
std::filesystem::path depth_file_of(const Opened& open) {
  if (open.strokes) return open.strokes_file;
  return open.photo()->strokes ? open.photo()->corrected_map : open.photo_options().depth;
}

/// Returns the options of the photo that is shown.
PhotoOptions photo_of(const Opened& open) {
  PhotoOptions photo;
  const PhotoOptions& options = open.photo_options();
  photo.input = options.input;
  photo.depth = depth_file_of(open);
  if (photo.depth.empty()) photo.network = options.network;
  photo.depth_options = options.depth_options;
  if (open.has_depth()) static_cast<DofGiven&>(photo.lens) = shown_dof(open);
  return photo;
}

Words photo_words(const Opened& open) {
  return words_of(photo_of(open), [](PhotoOptions& photo, Command& to) {
    to.add("IMAGE", &photo.input, "");
    photo.add_depth_options(to);
  });
}

/// Gives the words of a lens the keys of a clip.
Words with_keys(Words words, const Opened& open) {
  for (const DofParam& param : kDofParams) {
    const std::vector<LensKeys::Key> keys = open.keys.keys_of(param);
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

Words scene_words(const Opened& open) {
  struct Shot {
    std::pair<int, int> size;
    CameraOptions camera;
    LensOptions lens;
  } shot{{open.size().x, open.size().y}, camera_options_of(camera_of(open.state)), {}};
  static_cast<DofGiven&>(shot.lens) = shown_dof(open);
  return words_of(shot, [](Shot& held, Command& to) {
    add_size_option(to, held.size, "");
    held.camera.add_options(to);
    held.lens.add_options(to, kSceneLens, true);
  });
}

Words look_words(const Opened& open) {
  LensOptions look;
  static_cast<DofGiven&>(look) = shown_dof(open);
  return words_of(look, [](LensOptions& own, Command& to) { own.add_look_options(to, nullptr); });
}

/// Returns the extension of a format that holds the picture's samples, for photos whose own is not written.
std::string extension_for(const Opened& open) {
  if (const ViewedPhoto* photo = open.photo()) {
    const std::string own = extension_of(photo->file);
    const std::vector<std::string> written = writable_names();
    if (own.size() > 1 && std::find(written.begin(), written.end(), own.substr(1)) != written.end())
      return own;
    if (photo->is_lit) return ".jpg";  // which holds codes and light
  }
  return open.bits() == 32 ? ".exr" : ".png";
}

/// Returns true if something other than the result is shown.
bool shows_a_view(const Opened& open) {
  return open.state.seen_view(open.has_depth()) != ShownView::result || open.state.wipe > 0;
}

/// Returns true if the photo itself is shown, as its file has it.
bool shows_the_photo(const Opened& open) {
  return open.photo() && open.state.seen_view(open.has_depth()) == ShownView::input && open.state.wipe == 0;
}

/// Returns what the result was made by, for its name: "dof", "dof_gaussian".
std::string name_of_result(const Opened& open) {
  std::string name = open.has_depth() ? "dof" : "";
  int filters = 0;
  for (const StackedFilter& filter : open.filters)
    if (filter.on && ++filters <= kMostFiltersNamed)
      name += (name.empty() ? "" : "_") + std::string(filter.call.filter->name);
  if (filters > kMostFiltersNamed) name += fmt::format("_{}_more", filters - kMostFiltersNamed);
  return name.empty() ? "copy" : name;
}

/// Returns what was done to the picture, for its name: "dof", "depth_view".
std::string name_of_work(const Opened& open) {
  if (!shows_a_view(open)) return name_of_result(open);
  if (open.state.wipe > 0) return "wipe";
  // Names of their own: photo_depth.png would be the photo's map, photo_mask.png a mask.
  const auto view = static_cast<ShownView>(static_cast<int>(open.state.view));
  return std::string(kShownViewNames[static_cast<int>(view)]) +
         (view == ShownView::depth || view == ShownView::mask ? "_view" : "");
}

Words filter_words(const Opened& open) {
  Words words;
  for (const StackedFilter& filter : open.filters)
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
Words view_words(const Opened& open, const Words& filters, const std::filesystem::path& output) {
  Words words{kProgram, "view"};
  if (open.is_scene()) add(words, {"--scene", std::string(open.scene()->name)});
  add(words, open.is_scene() ? scene_words(open) : photo_words(open));
  if (open.is_clip()) add(words, open.clip_words());
  if (open.has_depth()) add(words, look_words(open));
  add(words, filters);
  // Values at their defaults are left out. The file shows the whole picture: the wipe's line lies in it where
  // the window shows it.
  const ViewState first;
  ViewState state = open.state;
  const Placement placement(state, open.area(), glm::dvec2(open.size()));
  if (state.wipe > 0)
    state.wipe =
        std::clamp(placement.to_picture({open.area().column(state.wipe), 0}).x / open.size().x, 0.0, 1.0);
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

DofGiven shown_dof(const Opened& open) {
  const bool is_draft = open.state.style().quality == DofQuality::draft;
  DofGiven given;
  for (const DofParam& param : kDofParams) {
    const bool counts = param.group == kLensGroup
                            ? param.needs == DofNeed::any || open.metric() == (param.needs == DofNeed::metric)
                            : param.of_drafts || !is_draft;
    const double value = open.state.*param.value_at;
    if (counts && (param.of_photo || value != param.value))
      given.*param.given_at =
          Amount(value, param.measure == Measure::pixels_or_percent ? Unit::percent : Unit::none);
  }
  return given;
}

ShownCommand shown_command(const Opened& open, const std::filesystem::path& output) {
  const Words filters = filter_words(open);
  ShownCommand command;
  if (shows_the_photo(open) && !open.is_clip()) return command;
  if (shows_a_view(open) || open.is_clip()) {
    command.parts.push_back(view_words(open, filters, output));
    return command;
  }
  if (open.has_depth()) {
    Words words{kProgram, open.is_scene() ? "render" : "dof"};
    if (open.is_scene()) words.emplace_back(open.scene()->name);
    add(words, open.is_scene() ? scene_words(open) : photo_words(open));
    if (open.is_scene() && open.state.time != 0)
      add(words, {"--time", fmt::format("{}", static_cast<float>(open.state.time))});
    if (open.sharp) add(words, {"--keep-sharp", file_word(open.sharp_file)});
    add(words, look_words(open));
    // TIFF holds all that a picture is.
    filters.empty() ? add(words, {"-o", file_word(output)}) : add(words, {"-o", "-", "--format", "tiff"});
    command.parts.push_back(std::move(words));
  }
  if (filters.empty()) return command;
  Words words{kProgram, "filter", open.has_depth() ? "-" : file_word(open.photo_options().input)};
  add(words, filters);
  add(words, {"-o", file_word(output)});
  command.parts.push_back(std::move(words));
  return command;
}

ShownCommand clip_command(const Opened& open, const std::filesystem::path& output) {
  const Words filters = filter_words(open);
  ShownCommand command;
  command.in_turn = true;
  std::filesystem::path input = open.photo_options().input;
  if (open.has_depth()) {
    Words words{kProgram, "dof"};
    for (const Words& more : {with_keys(photo_words(open), open), open.clip_words(), look_words(open)})
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
  if (!open.has_depth()) add(words, open.clip_words());
  add(words, filters);
  add(words, {"-o", file_word(output)});
  command.parts.push_back(std::move(words));
  return command;
}

std::filesystem::path free_clip_output(const Opened& open, bool is_written) {
  const std::filesystem::path& file = open.photo()->file;
  return free_name(file.parent_path(), file.stem().string() + "_" + name_of_result(open),
                   is_written ? file.extension().string() : ".mp4");
}

std::filesystem::path free_output(const Opened& open) {
  std::filesystem::path folder = ".";
  std::string stem = "picture";
  if (const ViewedPhoto* photo = open.photo()) {
    if (photo->file.has_parent_path()) folder = photo->file.parent_path();
    if (!is_standard_stream(photo->file)) stem = photo->file.stem().string();
    if (open.is_clip()) stem += fmt::format("_frame{:.0f}", open.state.frame);
  } else if (open.is_scene()) {
    stem = open.scene()->name;
  }
  return free_name(folder, stem + "_" + name_of_work(open),
                   shows_a_view(open) || open.is_clip() ? ".png" : extension_for(open));
}

}  // namespace scanlens
