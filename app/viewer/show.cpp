#include "app/viewer/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "app/io/file.h"
#include "app/viewer/script/run.h"
#include "app/viewer/script/script.h"
#include "core/error.h"

namespace scanlens {
namespace {

void draw(Surface& surface, Viewer& viewer, double seconds) {
  viewer.advance(seconds);
  surface.begin_frame(viewer);
  viewer.draw();
}

/// The viewer as a script sees it.
class Played : public ScriptTarget {
 public:
  Played(Surface& surface, Viewer& viewer) : surface_(surface), viewer_(viewer) {}

  void input(const Input& input) override {
    if (const auto* const to = std::get_if<Resized>(&input))
      surface_.resize(*to);
    else
      viewer_.input(input);
  }

  void set(const std::string& name, const Value& value) override {
    const ViewParam& param = view_param(name);
    viewer_.open().state.*param.value = parse_value(param, text_of(value));
  }

  void check(const std::string& name, const Value& value) const override {
    parse_value(view_param(name), text_of(value));
  }

  Value get(const std::string& name) const override {
    const ViewParam& param = view_param(name);
    const double value = viewer_.open().state.*param.value;
    if (param.names.empty()) return value;
    return value_text(param, value);
  }

  /// Shows the frame drawn before this one: a frame that is shown can be read no more.
  void frame(double seconds) override {
    if (drawn_) surface_.end_frame(viewer_);
    const double since = surface_.seconds();
    surface_.take_input(viewer_, 0);
    // Frames that are kept are as good as they can be.
    viewer_.open().hurries = seconds <= 0;
    draw(surface_, viewer_, seconds > 0 ? seconds : since);
    drawn_ = true;
    viewer_.notices().rethrow_failure();
  }

  bool at_rest() const override { return viewer_.at_rest(); }

  std::optional<std::int64_t> clip_frame() const override {
    const ClipMode& clip = viewer_.clip();
    if (!clip.on()) throw Error("there is no clip; open one first");
    return clip.seeks() ? std::nullopt : std::optional(clip.shown());
  }

  Image<std::uint8_t> picture() override { return surface_.picture(); }

  std::vector<StageTime> times() const override {
    StageTimes& times = viewer_.stage().times();
    times.wait();
    std::vector<StageTime> stages;
    if (times.frames().empty()) return stages;
    const FrameTimes& last = times.frames().back();
    for (std::size_t stage = 0; stage < kStages; ++stage)
      stages.push_back({std::string(kStageNames[stage]), last.device[stage]});
    stages.push_back({"device", last.device_sum()});
    stages.push_back({"frame", last.frame});
    return stages;
  }

 private:
  static std::string text_of(const Value& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    return fmt::format("{}", std::get<double>(value));
  }

  Surface& surface_;
  Viewer& viewer_;
  bool drawn_ = false;
};

bool records(const std::vector<Step>& steps) {
  return std::any_of(steps.begin(), steps.end(), [](const Step& step) {
    const auto* const repeat = std::get_if<steps::Repeat>(&step.action);
    return std::holds_alternative<steps::RecordBegin>(step.action) || (repeat && records(repeat->steps));
  });
}

}  // namespace

void show(Surface& surface, Viewer& viewer) {
  while (!viewer.wants_close()) {
    surface.take_input(viewer, viewer.patience());
    draw(surface, viewer, surface.seconds());
    surface.end_frame(viewer);
  }
}

void play_script(Surface& surface, Viewer& viewer, const std::filesystem::path& script,
                 const std::filesystem::path& frames, std::vector<std::filesystem::path> originals,
                 const WriteOptions& write, const std::function<void(const std::string&)>& say) {
  const Memory text = read_file(script, kMostScriptBytes);
  const std::string name = input_name(script);
  Played target(surface, viewer);
  std::vector<Step> steps = parse_script({reinterpret_cast<const char*>(text.data()), text.bytes()}, name);
  if (!frames.empty()) {
    if (records(steps))
      throw Error(ErrorKind::usage,
                  fmt::format("--frames {}: the script {} records itself", frames.string(), name));
    steps.insert(steps.begin(), Step{0, steps::RecordBegin{frames}});
    steps.push_back({0, steps::RecordEnd{}});
  }
  ScriptRun run(std::move(steps), name, target, write, say, std::move(originals));
  while (!viewer.wants_close() && run.next_frame()) {
  }
  run.stop();
  viewer.open().hurries = true;
  viewer.saving().finish();
  viewer.notices().rethrow_failure();
}

Image<std::uint8_t> screenshot(Surface& surface, Viewer& viewer) {
  // A viewer that does not come to rest is shown as it is then.
  constexpr int kMostFrames = 600;
  for (int i = 0; i < kMostFrames; ++i) {
    surface.take_input(viewer, 0);
    draw(surface, viewer, surface.seconds());
    viewer.notices().rethrow_failure();
    if (viewer.at_rest() || i + 1 == kMostFrames) break;
    surface.end_frame(viewer);
  }
  Image<std::uint8_t> picture = surface.picture();
  surface.end_frame(viewer);
  return picture;
}

}  // namespace scanlens
