#include "app/batch/sequence/sequence_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/batch/batch_run.h"
#include "app/batch/sequence/normalisation.h"
#include "app/batch/tally.h"
#include "app/depth/guess.h"
#include "app/io/depth_beside.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

/// The patterns of a sequence's files.
struct Patterns {
  FramePattern input, output;
  std::optional<FramePattern> depth;  ///< nothing where one map is for all frames, or photos carry theirs
  bool depth_beside = false;          ///< true if each frame's map lies beside it

  /// Returns the map of a frame, for which `one_map` stands in where no other does; empty for none.
  fs::path map_of(const Frame& frame, const fs::path& one_map) const {
    if (depth) return depth->path_of(frame);
    return depth_beside ? scanlens::depth_beside(input.path_of(frame)) : one_map;
  }
};

Patterns patterns_of(const DofSequence& sequence) {
  const PhotoOptions& photo = sequence.frames.photo;
  std::optional<FramePattern> output = FramePattern::of(sequence.output);
  if (!output)
    throw Error(
        ErrorKind::usage,
        fmt::format("{}: a sequence is written under many names: -o 'out_%04d.png', or a * for the number",
                    sequence.output.string()));
  return {*FramePattern::of(photo.input), std::move(*output), FramePattern::of(photo.depth)};
}

/// Refuses outputs that would replace what is read, or be read as frames by the next run.
void check_outputs(const std::vector<Frame>& frames, const Patterns& patterns) {
  const auto same_folder = [&](const FramePattern& other) {
    return fs::weakly_canonical(other.folder()) == fs::weakly_canonical(patterns.output.folder());
  };
  const bool beside_inputs = same_folder(patterns.input);
  const bool beside_depths = patterns.depth && same_folder(*patterns.depth);
  for (const Frame& frame : frames) {
    const fs::path output = patterns.output.path_of(frame);
    const std::string name = output.filename().string();
    if ((beside_inputs && patterns.input.match(name)) || (beside_depths && patterns.depth->match(name)))
      throw Error(ErrorKind::usage, fmt::format("{}: the output of {} has the name of a frame or a depth map "
                                                "that is read; choose another name or folder",
                                                output.string(), patterns.input.path_of(frame).string()));
  }
}

Plan plan_of(const std::vector<Frame>& frames, const Patterns& patterns, const fs::path& one_map) {
  Plan plan{{}, frames.size()};
  for (const Frame& frame : frames) {
    const fs::path input = patterns.input.path_of(frame);
    plan.items.push_back(
        {input, input.filename(), patterns.output.path_of(frame), patterns.map_of(frame, one_map)});
  }
  return plan;
}

/// Returns the files that hold the maps of these frames.
std::vector<fs::path> maps_of(const std::vector<Frame>& frames, const Patterns& patterns,
                              const fs::path& one_map) {
  if (!patterns.depth && !one_map.empty()) return {one_map};
  std::vector<fs::path> maps;
  for (const Frame& frame : frames)
    if (fs::path map = patterns.map_of(frame, patterns.input.path_of(frame)); !map.empty())
      maps.push_back(std::move(map));
  return maps;
}

/// Finds out whether the frames' maps lie beside them: the first frame's does, and it carries none itself.
bool finds_depth_beside(const Frame& first, const Patterns& patterns, const PhotoOptions& photo, Talk& talk) {
  const fs::path frame = patterns.input.path_of(first);
  const fs::path map = depth_beside(frame);
  if (!photo.depth.empty() || photo.network.asked() || map.empty()) return false;
  try {
    if (!goes_before_own_depth(map) &&
        depth_meaning(frame, true, photo.depth_options, talk.settings.limits()))
      return false;
  } catch (const Error&) {
    return false;  // each frame says what is wrong with it
  }
  talk.assume(fmt::format("{}: the depth maps lie beside the frames, the first is {}", patterns.input.text(),
                          map.string()));
  return true;
}

/// Does for a network's guesses what common_range does for maps. Some frames, from the first to the last,
/// stand for all of them: every one takes a run of the network.
std::optional<DepthRange> common_range_of_guesses(const DofSequence& sequence,
                                                  const std::vector<Frame>& frames, const Patterns& patterns,
                                                  Talk& talk) {
  constexpr std::size_t kMost = 16;
  const PhotoOptions& photo = sequence.frames.photo;
  const std::size_t count = std::min(kMost, frames.size());
  std::vector<fs::path> some;
  for (std::size_t i = 0; i < count; ++i)
    some.push_back(patterns.input.path_of(frames[count > 1 ? i * (frames.size() - 1) / (count - 1) : 0]));
  talk.assume(
      fmt::format("{}: the network judges each frame by itself; {} of {} frames say how all are "
                  "normalised",
                  photo.network.choice.model.string(), count, frames.size()));
  return common_range(
      some,
      [&](const fs::path& frame, const Limits& limits) -> std::optional<DepthMeaning> {
        const Picture picture = read_picture(frame, limits);
        return guessed_meaning(*photo.network.network, rows_of(picture), focal_length_of(picture),
                               photo.depth_options);
      },
      sequence.batch.workers, talk);
}

/// Lets all frames' maps share one normalisation, unless the options give one already.
void normalise(DofSequence& sequence, const std::vector<Frame>& frames, const Patterns& patterns,
               Talk& talk) {
  PhotoOptions& photo = sequence.frames.photo;
  DepthOptions& options = photo.depth_options;
  if (options.range || options.scale || options.kind == DepthKind::depth) return;
  if (photo.depth.empty() && photo.network.network) {
    options.range = common_range_of_guesses(sequence, frames, patterns, talk);
  } else {
    const bool inside = photo.depth.empty() && !patterns.depth_beside;
    options.range = common_range(
        maps_of(frames, patterns, photo.depth),
        [&](const fs::path& map, const Limits& limits) {
          return depth_meaning(map, inside, options, limits);
        },
        sequence.batch.workers, talk);
  }
  if (options.range)
    sequence.batch.work.parameters +=
        fmt::format("normalised {} {}\n", options.range->farthest, options.range->nearest);
}

}  // namespace

int run_dof_sequence(DofSequence sequence, Talk& talk) {
  BatchOptions& batch = sequence.batch;
  PhotoOptions& photo = sequence.frames.photo;
  Patterns patterns = patterns_of(sequence);
  check_report(batch);
  const std::vector<Frame> found = find_frames(patterns.input);
  const FrameSpan span = sequence.part.value_or(FrameSpan{found.front().number, found.back().number});
  const std::vector<Frame> frames = within(found, span);
  if (frames.empty())
    throw Error(fmt::format("{}: its frames, {} to {}, all lie outside of --frames {}-{}",
                            patterns.input.text(), found.front().number, found.back().number, span.first,
                            span.last));
  check_outputs(frames, patterns);
  if (fs::exists(patterns.output.folder()))  // else it is made, and every frame tells what cannot be
    check_output(patterns.output.path_of(frames.front()), patterns.input.path_of(frames.front()),
                 {.format = batch.work.filtering.write.format});
  talk.say(fmt::format("{}: {} of {} to {}", patterns.input.text(), number_of_pictures(frames.size()),
                       frames.front().number, frames.back().number));
  if (const std::string missing = missing_from(frames, span); !missing.empty())
    talk.warn(fmt::format("{}: missing: {}", patterns.input.text(), missing));
  const FramePattern* const read[] = {&patterns.input, patterns.depth ? &*patterns.depth : nullptr};
  for (const FramePattern* pattern : read)
    if (pattern && fs::exists(pattern->folder()))
      if (const std::string others = passed_over(*pattern); !others.empty()) talk.warn(others);
  const LensPull& pull = sequence.frames.pull;
  for (const std::string& line : pull.account()) talk.assume(line);
  for (const std::string& line : pull.keys_behind({found.back().number})) talk.warn(line);
  patterns.depth_beside = finds_depth_beside(found.front(), patterns, photo, talk);
  normalise(sequence, found, patterns, talk);

  batch.plan.folder = patterns.output.folder();
  batch.plan.write = batch.work.filtering.write;
  batch.work.parameters += encoding_text(batch.plan.write);
  const Plan plan = plan_of(frames, patterns, photo.depth);
  return run_plan(batch, plan, {}, talk, [&](Shared& shared, const Work& work, const Item& item) {
    const Frame& frame = frames[static_cast<std::size_t>(&item - plan.items.data())];
    return std::make_unique<DofFrame>(shared, work, item, sequence.frames, frame.number);
  });
}

}  // namespace scanlens
