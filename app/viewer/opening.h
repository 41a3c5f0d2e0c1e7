// Opens photos, clips and maps while the window goes on.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/viewer/clip/clip_mode.h"
#include "app/viewer/model/opened.h"
#include "app/viewer/notices.h"
#include "app/viewer/strokes/stroke_mode.h"

namespace scanlens {

/// The notice on a clip without depth.
inline constexpr const char* kClipWithoutDepth =
    "this clip has no depth, and nothing is blurred: drop a clip of its depth onto the panels, or name one "
    "with "
    "--depth";

class Opening {
 public:
  Opening(Opened& open, ClipMode& clip, Notices& notices, Talk& talk)
      : open_(open), clip_(clip), notices_(notices), talk_(talk) {}

  void step(std::ptrdiff_t by);
  void open(const std::vector<std::filesystem::path>& files);
  /// Opens the album that the program was started for, while the window is there already. `judge` may refuse
  /// its first photo, `opened` is called when that is shown. Where that cannot be read the window says so;
  /// with nobody at the window `arrive` throws the failure.
  void open_named(Album album, std::function<void(const ViewedPhoto&)> judge, std::function<void()> opened);
  /// Opens the clip that the program was started for, as `open_named` does an album.
  void open_clip(ClipToView clip, std::function<void(const ViewedPhoto&)> judge,
                 std::function<void()> opened);
  void take_depth(const std::filesystem::path& file);
  /// Reads the photo's depth by the network that is found.
  void take_network();
  const std::filesystem::path& network() const { return network_; }
  /// Shows what has been read, or waits for it.
  void arrive(bool wait);
  /// Reads the photo again where its files have changed, and says so where they are gone.
  void look_for_changes();

  /// Returns true if something is being read to be shown next; and its name.
  bool opens() const { return open_.opens() || clip_.opens(); }
  std::filesystem::path file() const { return clip_.opens() ? clip_.opens_file() : open_.opens_file(); }
  /// Returns true if there is a picture to work on; if not, a notice says why.
  bool is_done() const;
  /// Focuses at a pixel of what is being read, once its depth is there.
  void focus_later(glm::dvec2 pixel) { focus_later_ = pixel; }
  /// Returns that pixel, once.
  std::optional<glm::dvec2> take_focus();
  /// Says the causes why photos were passed over, on the terminal too: scripts show no notices.
  void tell_of(const std::vector<std::string>& causes);

 private:
  void begin(const std::function<void()>& work);
  void arrive_clip(bool wait);
  void show_named(ViewedPhoto photo);
  void tell_of_named(const std::filesystem::path& file, const Error& error);

  Opened& open_;
  ClipMode& clip_;
  Notices& notices_;
  Talk& talk_;
  bool opens_named_ = false;  ///< what the program was started for; its faults end the program
  std::function<void(const ViewedPhoto&)> judge_named_;  ///< see open_named; none once that is done
  std::function<void()> opened_named_;
  std::optional<glm::dvec2> focus_later_;
  int looks_in_vain_ = 0;  ///< for the photo's file
  const std::filesystem::path network_ = found_network();
};

/// Returns what people call a file.
std::string short_name(const std::filesystem::path& file);

}  // namespace scanlens
