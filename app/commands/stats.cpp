// `scanlens stats` says what the pixels of a picture are like, or those of them that an expression chooses.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include "app/commands/advice.h"
#include "app/commands/commands.h"
#include "app/commands/mask_option.h"
#include "app/io/json.h"
#include "app/io/text.h"
#include "app/options/options.h"
#include "app/photo/photo_options.h"
#include "app/session/progress.h"
#include "app/stats/doubts.h"
#include "app/stats/merged.h"
#include "app/stats/picture_statistics.h"
#include "app/stats/report.h"
#include "app/stats/stats_options.h"
#include "app/video/measured_clip.h"

namespace scanlens {
namespace {

struct StatsCommand {
  Settings settings;
  Talk talk{settings};
  PhotoOptions options;
  StatsOptions stats;
  MaskOption mask;
  std::filesystem::path plot;
  Overwrite overwrite;

  void run(const Command& command) {
    const Where chosen = stats.selection();
    const Selection& selection = chosen.selection;
    mask.refuse_idle(command, selection, takes_depth(selection));
    if (!plot.empty()) check_stats_plot(plot, options.input, overwrite);
    talk.account.set_facts({{"command", "stats"}, {"input", options.input.string()}});
    talk.account.add_fact("where", stats.where ? Json(*stats.where) : Json(nullptr));
    Context context = open_device(talk);
    if (is_clip(options.input)) return run_clip(context, selection);
    PhotoOptions measured = options;
    measured.network.open(talk);
    measured.depth_options.is_measured = true;
    PictureAndDepth loaded =
        load_picture_and_depth(measured, takes_depth(selection) ? DepthNeed::required : DepthNeed::none,
                               settings.limits(), talk, FloatSamples::stored);
    const Picture& picture = loaded.picture;
    require_channels(selection, picture, input_name(options.input));
    require_shares(selection, picture, input_name(options.input));
    const Image<float> shares = mask.read(selection, picture, talk);
    Depth none, &depth = loaded.depth ? *loaded.depth : none;
    Blur blur;
    if (loaded.depth) {
      check_depth_numbers(selection, chosen.depth_unit, depth, input_name(options.input), talk);
      if (!depth.metric) talk.assume("depth has no unit: it goes from 0 (farthest) to 1 (nearest)");
      if (selection.asks_for(Quantity::coc))
        blur = account_for(load_blur(options, picture, depth, context, settings, talk.run_stage()),
                           depth.metric, talk);
      unfill(depth);
      account_for_unknown(depth, picture);
    }

    const PictureStatistics found = picture_statistics(context, {picture, depth, shares, blur}, selection,
                                                       stats.percents, input_name(options.input), talk);
    const StatsReport report = report_of(found.channels, stats.percents, found.pixels, found.metric_depth);
    draw(report);
    print(rows_of(picture).format, report);
  }

  /// Measures all frames of a clip together.
  void run_clip(Context& context, const Selection& selection) {
    if (takes_depth(selection) || selection.asks_for(Quantity::mask))
      throw Error(ErrorKind::usage,
                  fmt::format("{}: a clip's frames are measured without depth and masks; leave out --depth, "
                              "--mask, and depth, coc and mask in --where",
                              options.input.string()));
    const Clip clip = probe_clip(options.input, settings.limits());
    MergedStatistics all;
    Progress progress(talk, "clip");
    const auto show = [&](std::int64_t frames) {
      if (clip.frames > 0) progress.show(static_cast<double>(frames) / static_cast<double>(clip.frames));
    };
    const std::int64_t frames = measure_clip(clip, selection, stats.percents, context, all, show, talk);
    const StatsReport report = all.report(stats.percents);
    talk.account.add_fact("frames", frames);
    draw(report);
    print({clip.width, clip.height, clip.channels(), clip.sample_bytes()}, report);
  }

  void draw(const StatsReport& report) {
    if (plot.empty()) return;
    talk.timed("plot", [&] { plot_stats(plot, report, title(), overwrite); });
    talk.account.add_fact("plot", plot.string());
    talk.say(plot.string() + ": written");
  }

  /// Says how many pixels have no depth, which no comparison chooses.
  void account_for_unknown(const Depth& depth, const Picture& picture) {
    const View<const std::uint8_t> unknown = depth.unknown_at.view();
    const std::int64_t count = std::count(unknown.data, unknown.data + unknown.extent(), 1);
    talk.account.add_fact("unknown_depth", count);
    if (count > 0)
      talk.assume(
          fmt::format("{} of {} pixels have no known depth: they are counted separately, and no comparison "
                      "with depth or coc selects them",
                      count, picture.width() * picture.height()));
  }

  bool takes_depth(const Selection& selection) const {
    return !options.depth.empty() || options.network.asked() || selection.asks_for_depth();
  }

  std::string title() const {
    return printable(options.input.filename().string() + (stats.where ? ": " + *stats.where : ""));
  }

  void print(const RowFormat& format, const StatsReport& report) {
    if (!settings.json) {
      if (stats.where) fmt::print("{}: ", printable(*stats.where));
      fmt::print("{}", table_of(report, speaks_utf8()));
      return;
    }
    talk.account.add_fact("width", format.width);
    talk.account.add_fact("height", format.height);
    talk.account.add_fact("bits", 8 * format.sample_bytes);
    talk.account.add_fact("channels", channels_json(report));
    talk.account.add_fact("exposure", exposure_json(report.exposure));
    talk.print_account();
  }
};

constexpr const char* kExamples =
    R"(
Examples:
  scanlens stats photo.jpg
  scanlens stats photo.jpg --where 'luma > 0.9 and not (x < 100 or y < 100)' --plot bright.svg
  scanlens stats kinect.png --depth kinect_depth.png --where 'depth < 2.5' --json
  scanlens stats photo.jpg --depth midas.png --focus 0.8 --where 'coc < 1'
  scanlens stats scan.tif --mask page.png --where mask --percentiles 0.1,50,99.9)";

}  // namespace

void add_stats_command(Program& program) {
  auto self = std::make_shared<StatsCommand>();
  Command& command = program.add_command(
      "stats", "print statistics of a picture's pixels, or of those that an expression selects");
  self->options.add_options(command);
  self->stats.add_options(command);
  self->mask.add_option(command);
  command.add("--plot FILE", &self->plot, "also draw the histograms: .svg");
  add_options(command, self->overwrite);
  add_json_option(command, self->settings);
  add_options(command, self->settings);
  command.often = {"IMAGE", "--where", "--depth", "--percentiles", "--plot", "--json"};
  command.brief = kExpressionHelp;
  command.footer = command.brief + kStatsHelp + kExamples;
  command.run = [self, &command] {
    refuse_folder_of_pictures(command);
    return self->run(command), 0;
  };
}

}  // namespace scanlens
