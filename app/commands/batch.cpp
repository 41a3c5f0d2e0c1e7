// scanlens batch: filters on all pictures of folders and lists.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <tbb/info.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "app/batch/batch_run.h"
#include "app/batch/plan/plan.h"
#include "app/batch/progress.h"
#include "app/batch/stats_run.h"
#include "app/commands/commands.h"
#include "app/filtering/filter_maps.h"
#include "app/io/depth_beside.h"
#include "app/io/file_mark.h"
#include "app/io/format.h"
#include "app/io/text.h"
#include "app/options/complete.h"
#include "app/options/values.h"
#include "app/photo/network_options.h"
#include "app/session/session.h"
#include "app/stats/stats_options.h"
#include "app/video/batch_clip.h"
#include "app/video/clip.h"
#include "app/video/measured_clip.h"
#include "filters/registry.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

struct BatchCommand {
  Settings settings;
  Talk talk{settings};
  std::vector<fs::path> paths;
  InputOptions inputs;
  std::vector<std::string> filters;
  std::string name = "{dir}/{stem}.{ext}", depth_pattern, shard;
  BatchOptions options;
  NetworkOptions network;
  ClipEncoding encoding;
  bool only_top = false, measures = false;
  StatsOptions stats;
  BatchStats measured;

  int run(const Command& command) {
    inputs.recursive = !only_top;
    inputs.clip_extension = options.plan.clip_extension = clip_extension;
    if (!depth_pattern.empty()) options.plan.depth = NamePattern("--depth-pattern", depth_pattern);
    return measures ? measure(command) : filter(command);
  }

  int filter(const Command& command) {
    const bool makes_file = !paths.empty() && can_be_output(paths.back());
    if (paths.empty() && !inputs.list)
      throw Error(ErrorKind::usage,
                  "batch: no inputs; name them and the folder of outputs, as in scanlens batch photos web "
                  "--filter resize:long=2048");
    if (filters.empty() && !makes_file) require_conversion(command);
    if (paths.size() < (inputs.list ? 1u : 2u))
      throw Error(ErrorKind::usage,
                  "batch: the folder of outputs is missing; give it as the last path: scanlens batch IN OUT");
    if (paths.back().empty())
      throw Error(ErrorKind::usage, "batch: the folder of outputs has no name; give it as the last path");
    options.plan.folder = paths.back();
    inputs.roots.assign(paths.begin(), paths.end() - 1);
    if (makes_file) take_file(paths.back(), command);
    options.plan.name = NamePattern("--name", name, true);
    options.plan.facts = [this](const Input& input) { return facts_of(input); };
    choose_shard();
    choose_filters(command);
    options.plan.takes_clips = makes_file || changes_clips(command);
    open_network();
    network.take_room(settings);
    if (!options.work.filtering.write.background)
      options.work.filtering.write.background = Background{.is_assumed = true};
    return run_batch_command(
        options, inputs,
        [&](Shared& shared, const Work& work, const Item& item) {
          return std::make_unique<BatchClip>(shared, work, encoding, item);
        },
        talk);
  }

  /// Returns the day of an input, its file's where it does not say one, and the width of its output.
  NameFacts facts_of(const Input& input) const {
    NameFacts facts;
    try {
      RowFormat format;
      facts.date = day_of(input.path);
      if (!input.clip.empty()) {
        const Clip clip = probe_clip(input.path, settings.limits());
        format = {clip.width, clip.height, clip.channels(), clip.sample_bytes()};
      } else {
        const PictureHeader header = read_header(input.path, settings.limits());
        format = {header.width, header.height, 3, 1};
        if (!header.date.empty()) facts.date = header.date;
      }
      facts.width = output_of(at_size(options.work.filtering.calls, format), format).width;
    } catch (const Error&) {  // the work on it says what is wrong
    }
    return facts;
  }

  /// Returns the day on which a file was last changed.
  static std::string day_of(const fs::path& path) {
    struct stat status = {};
    ::stat(path.c_str(), &status);
    return fmt::format("{:%Y-%m-%d}", fmt::localtime(status.st_mtim.tv_sec));
  }

  static bool changes_clips(const Command& command) {
    constexpr const char* kChanges[] = {"--filter", "--video-codec", "--crf", "--pixel-format"};
    return std::any_of(std::begin(kChanges), std::end(kChanges),
                       [&](const char* option) { return command.given(option); });
  }

  /// Throws Error unless an option says how the outputs differ from the inputs.
  static void require_conversion(const Command& command) {
    constexpr const char* kConversions[] = {"--format",    "--name",        "--quality",
                                            "--max-bytes", "--compression", "--strip"};
    if (changes_clips(command) || std::any_of(std::begin(kConversions), std::end(kConversions),
                                              [&](const char* option) { return command.given(option); }))
      return;
    throw Error(ErrorKind::usage,
                "batch: nothing to do; add --filter, such as --filter resize:long=2048, --format for another "
                "format, or --stats");
  }

  /// Returns true if a path has the name of a picture or a clip that can be written and is not a folder.
  static bool can_be_output(const fs::path& path) {
    std::error_code error;
    const Format format = format_by_name(path);
    const bool names_a_picture = format != Format::unknown && traits_of(format).writes;
    return (names_a_picture || names_a_clip(path)) && !fs::is_directory(path, error);
  }

  /// Takes the last path for the output of the one input.
  void take_file(const fs::path& path, const Command& command) {
    std::error_code error;
    const bool one = inputs.roots.size() == 1 && !inputs.list && !fs::is_directory(inputs.roots[0], error);
    if (!one || command.given("--name"))
      throw Error(
          ErrorKind::usage,
          fmt::format("{}: the name of a {}, not of a folder; give the folder of outputs as the last path",
                      path.string(), names_a_clip(path) ? "clip" : "picture"));
    const bool of_clip = !clip_extension(inputs.roots[0]).empty();
    if (of_clip ? !names_a_clip(path) : names_only_a_clip(path))
      throw Error(ErrorKind::usage,
                  fmt::format("{}: cannot be made of {}; name a {}", path.string(), inputs.roots[0].string(),
                              of_clip ? "clip, such as .mp4" : "picture, such as .png"));
    if (fs::exists(path, error) && mark_of(path).empty())
      throw Error(
          fmt::format("{}: exists and was not made by batch; give a folder for the outputs as the last path",
                      path.string()));
    options.plan.folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    name.clear();
    for (const char c : path.filename().string()) name += std::string(c == '{' || c == '}' ? 2 : 1, c);
  }

  int measure(const Command& command) {
    if (!filters.empty())
      throw Error(ErrorKind::usage,
                  "--filter cannot be used with --stats, which measures pictures as they are; write the "
                  "filtered pictures first, then measure those");
    refuse_options(command, {Group::output}, "cannot be used with --stats, which writes no pictures");
    if (options.progress == ProgressKind::json)
      throw Error(
          ErrorKind::usage,
          "--progress json cannot be used with --stats: both write to standard output; leave one out");
    if (paths.empty() && !inputs.list)
      throw Error(ErrorKind::usage, "batch --stats: no inputs; name them: scanlens batch IN --stats");
    options.plan.writes = false;
    inputs.roots = paths;
    refuse_output_of_measures();
    choose_selection(command);
    choose_shard();
    options.plan.takes_clips = !measured.measuring.takes_depth;
    if (network.asked() && !measured.measuring.takes_depth)
      throw Error(ErrorKind::usage, "--depth-network has no effect without depth or coc in --where");
    open_network();
    measured.measuring.photo.network = network;
    network.take_room(settings);
    return run_batch_stats(
        options, measured, inputs,
        [](Shared& shared, const Measuring& measuring, const Item& item, std::size_t place,
           MergedStatistics& all) {
          return std::make_unique<MeasuredClip>(shared, measuring, item, place, all);
        },
        talk);
  }

  void open_network() {
    options.work.network = network.choice.model;
    if (options.dry_run) return;
    network.open(talk);
    options.work.filtering.photo.network = network;
  }

  /// Refuses what was probably meant for a folder of outputs.
  void refuse_output_of_measures() const {
    std::error_code error;
    if (paths.size() > 1 && !fs::exists(paths.back(), error))
      throw Error(
          fmt::format("{}: no such file or folder; --stats writes no pictures, so all paths are inputs",
                      paths.back().string()));
  }

  void choose_selection(const Command& command) {
    Measuring& measuring = measured.measuring;
    const Where chosen = stats.selection();
    measuring.selection = chosen.selection;
    measuring.depth_unit = chosen.depth_unit;
    measuring.percents = stats.percents;
    measuring.takes_depth = options.plan.depth || measuring.selection.asks_for_depth();
    measured.where = stats.where.value_or("");
    if (measuring.selection.asks_for(Quantity::mask))
      throw Error(ErrorKind::usage, "--where uses mask, which belongs to one picture; use `scanlens stats`");
    if (!measuring.selection.asks_for(Quantity::coc))
      refuse_options(command, {Group::lens}, "has no effect without coc in --where");
    if (!measuring.takes_depth)
      refuse_options(command, {Group::depth}, "has no effect without --depth-pattern");
    options.work.parameters = "statistics\n" + measured.where + "\n";
  }

  void choose_shard() {
    const auto environment = shard_of_environment([](const char* variable) { return std::getenv(variable); });
    if (!shard.empty())
      options.plan.shard = parse_shard(shard);
    else if (environment)
      options.plan.shard = *environment;
    if (!options.plan.shard.from.empty())
      talk.say(fmt::format("shard {}, from {}", options.plan.shard.text(), options.plan.shard.from));
  }

  void choose_filters(const Command& command) {
    std::vector<FilterCall>& calls = options.work.filtering.calls;
    calls = parse_filters(filters);
    require_mask_files(calls);
    if (options.plan.depth) require_depth_filter(calls, "--depth-pattern");
    if (network.asked()) require_depth_filter(calls, "--depth-network");
    if (std::none_of(calls.begin(), calls.end(), lacks_depth))
      refuse_options(command, {Group::depth}, "has no effect without --stats or a filter that takes depth");
    if (!asks_for_coc(calls))
      refuse_options(command, {Group::lens}, "has no effect without --stats or coc in where=");
    PhotoOptions& photo = options.work.filtering.photo;
    photo.depth_options = measured.measuring.photo.depth_options;
    photo.lens = measured.measuring.photo.lens;
    for (const Option& option : command.options())
      if (option.given() && (option.group == Group::depth || option.group == Group::lens))
        for (const std::string& word : option.words()) options.work.parameters += word + "\n";
    for (const std::string& filter : filters) options.work.parameters += filter + "\n";
    if (options.work.keep_times) options.work.parameters += "times\n";
    for (const std::string& word : network.words()) options.work.parameters += word + "\n";
  }
};

void add_input_options(Command& command, BatchCommand& self) {
  const OptionGroup group(command, Group::inputs);
  group.add("--files-from FILE", &self.inputs.list,
            "take the paths in this file, one a line; - for standard input");
  group.add("-0,--null", &self.inputs.nul, "its paths end with a NUL, as find -print0 writes them");
  group
      .add("--include GLOB", &self.inputs.include,
           "take the files in folders that match, such as '*.jpg' or 'raw/*', in upper\nor lower case; by "
           "default those with the extension of a readable format")
      .takes(Values::each);
  group.add("--exclude GLOB", &self.inputs.exclude, "leave out those that match").takes(Values::each);
  group.add("--no-recursive", &self.only_top, "leave out the folders in folders");
  group.add("--depth-pattern PATTERN", &self.depth_pattern,
            "depth map of each picture, seen from its folder: 'maps/{stem}.exr'; by default the "
            "picture's\nown depth, or " +
                depth_names_beside());
  self.network.add_options(command, Group::inputs).excludes(command.at("--depth-pattern"));
}

void add_output_options(Command& command, BatchCommand& self) {
  const OptionGroup group(command, Group::output);
  Work& work = self.options.work;
  group
      .add("--name PATTERN", &self.name,
           "names of the outputs; {name} is {stem}.{ext}, {n:04} 0001 and so on, {date} the day of the\n"
           "photo, else of its file, {width} the output's")
      .shows_target();
  add_encoding_options(command, work.filtering.write);
  group.add("--contact-sheet FILE", &self.options.contact_sheet,
            "at the end write small copies of all outputs side by side: .jpg, .png; or a page with their\n"
            "names: .html");
  group.add("--keep-times", &work.keep_times, "give outputs the times of their inputs");
  const Option& overwrite = group.add("--overwrite", &work.overwrite, "replace outputs that exist");
  group.add("--skip-existing", &work.skip_existing,
            "go on where a run ended: leave outputs that are there already, made of the same\n"
            "input in the same way; outputs that batch made otherwise are made anew");
  group.add("--force", &work.filtering.write.overwrite.read_only, "replace read-only ones, too")
      .needs(overwrite);
  self.encoding.add_codec_options(group);
}

void add_stats_options(Command& command, BatchCommand& self) {
  constexpr Group heading = Group::statistics;
  const OptionGroup group(command, heading);
  const Option& stats =
      command.add("--stats", &self.measures,
                  "print statistics of all the pictures' pixels; takes neither filters nor OUT");
  for (Option* option : self.stats.add_options(command, heading)) option->needs(stats);
  group.add("--plot FILE", &self.measured.plot, "also draw the histograms: .svg").needs(stats);
  group.add("--json", &self.settings.json, "print one JSON object, with the names of `stats --json`")
      .needs(stats);
  add_options(command, self.measured.measuring.photo.depth_options);
  self.measured.measuring.photo.lens.add_options(command);
}

void add_run_options(Command& command, BatchCommand& self) {
  const OptionGroup group(command, Group::run);
  group.add("--dry-run", &self.options.dry_run,
            "print what would be done, and do nothing; a new --report gets the plan, by which\n"
            "`scanlens report` names the pictures of shards that never began");
  group
      .add("--jobs N", &self.options.workers.jobs,
           "pictures, and threads, at work at once; by default one per core")
      .check(whole_within(1, 4096));
  group.add("--report FILE.jsonl", &self.options.report, "write the outcome of each picture, as JSON lines");
  group.add("--progress terminal|json", choice(self.options.progress, kProgressKindNames),
            "terminal: a line on a terminal; json: objects, one a line, on standard output");
  group.add("--shard i/n", &self.shard,
            "work on the i-th of n parts, 1/n to n/n; by default the part that a Slurm job\n"
            "array (SLURM_ARRAY_TASK_ID and _COUNT) or a Kubernetes Indexed Job\n"
            "(JOB_COMPLETION_INDEX and JOB_COMPLETIONS) gives this process; 1/1 is all of it");
}

}  // namespace

void add_batch_command(Program& program) {
  auto self = std::make_shared<BatchCommand>();
  Command& command = program.add_command(
      "batch", "filter all pictures and clips of folders and lists, or print their statistics");
  command.add("IN... OUT", &self->paths,
              "folders and pictures, and as the last the folder of the outputs, or, of one picture, the\n"
              "output itself; originals are never touched");
  command
      .add("--filter FILTER", &self->filters,
           R"(name:key=value:key=value, as `scanlens filter` takes it; repeated: filters
the result of the one before; not needed with --format and the like, which convert)")
      .completes(complete_filter)
      .takes(Values::each);
  add_input_options(command, *self);
  add_output_options(command, *self);
  add_run_options(command, *self);
  add_stats_options(command, *self);
  add_options(command, self->settings);
  command.often = {"IN... OUT", "--filter", "--format",  "--jobs",          "--skip-existing",
                   "--dry-run", "--report", "--include", "--depth-pattern", "--stats"};
  command.footer =
      R"(Patterns: {dir} is the folder below IN, {name} photo.jpg, {stem} photo, {ext} jpg or what --format says.
Pictures that together take more than --max-memory wait for each other.

A picture that fails stops no other: the end lists them with their causes. Exit codes: 0 all are there;
1 some failed; 75 some failed, and another try may succeed (memory, a GPU).
Ctrl-C finishes pictures that are being written, drops clips, and ends; --skip-existing goes on from there.

--stats is exact for codes, percentiles too: as if all pictures' samples were one picture. If some have
16 bits, codes of 8 count as 257 times themselves, the same share of white. Floats (light, depth) are merged
apart from codes, without median and percentiles, which would take all samples in memory; --report has those of
each picture. `scanlens stats --help` explains EXPR.

Examples:
  scanlens batch photos web --filter resize:long=2048 --format jpg --quality 85
  scanlens batch scans jpegs --include '*.tif' --format jpg
  scanlens batch photos soft --filter box:radius=8
  scanlens batch photos focus --filter dof:focus=0.7 --depth-pattern '{stem}_depth.png'
  find . -name '*.jpg' -print0 | scanlens batch --files-from - -0 soft --filter box:radius=8
  scanlens batch photos soft --filter box:radius=8 --skip-existing --report soft.jsonl --shard 2/4
  scanlens batch photos --stats --where 'luma > 0.9' --percentiles 50,99 --report each.jsonl)";
  command.run = [self, &command] {
    self->options.work.filtering.limits_pixels = command.given("--max-pixels");
    return self->run(command);
  };
}

}  // namespace scanlens
