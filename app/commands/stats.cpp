// `scanlens stats` says what the pixels of a picture are like, or those of them that an expression chooses.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "app/commands/commands.h"
#include "app/io/text.h"
#include "app/session/filter_maps.h"
#include "app/session/photo_options.h"
#include "app/session/readable.h"
#include "app/session/values.h"
#include "app/stats/expression.h"
#include "app/stats/report.h"

namespace scanlens {
namespace {

struct StatsCommand {
  Session session;
  PhotoOptions options;
  std::optional<std::string> where;
  std::filesystem::path mask_file, plot;
  std::vector<double> percents = {1, 5, 25, 50, 75, 95, 99};
  Overwrite overwrite;

  void run(const CLI::App& command) const {
    const Selection selection = parsed();
    refuse_idle_options(command, selection);
    if (!plot.empty()) check_stats_plot(plot, options.input, overwrite);
    session.account.facts = {{"command", "stats"}, {"image", input_name(options.input)}};
    session.account.add_fact("where",
                             where ? nlohmann::ordered_json(*where) : nlohmann::ordered_json(nullptr));
    Context context = session.open();
    const PictureAndDepth loaded = load_picture_and_depth(
        options, takes_depth(selection) ? DepthNeed::required : DepthNeed::none, session);
    const Picture& picture = loaded.picture;
    require_channels(selection, picture);
    const Image<float> mask = read_mask(selection, picture);
    const Depth none, &depth = loaded.depth ? *loaded.depth : none;
    Blur blur;
    if (loaded.depth) {
      if (!depth.metric) session.assume("depth has no unit: it goes from 0 (farthest) to 1 (nearest)");
      if (selection.asks_for(Quantity::coc)) blur = load_blur(options, picture, depth, context, session);
    }

    const StatsReport report =
        about(options.input, [&] { return statistics(context, picture, mask, depth, blur, selection); });
    if (!plot.empty()) {
      session.timed("plot", [&] { plot_stats(plot, report, title(), overwrite); });
      session.account.add_fact("plot", plot.string());
      session.say(plot.string() + ": written");
    }
    print(picture, report);
  }

  /// The selection, or every pixel. What is wrong is pointed out at the terminal before it is an error.
  Selection parsed() const {
    if (!where) return {};
    try {
      return parse_selection(*where);
    } catch (const ExpressionError& error) {
      fmt::print(stderr, "{}\n", pointed_out(*where, error));
      throw Error(ErrorKind::usage,
                  fmt::format("--where, at character {}: {}", error.at() + 1, error.what()));
    }
  }

  void refuse_idle_options(const CLI::App& command, const Selection& selection) const {
    for (const CLI::Option* option : command.get_options()) {
      if (option->count() == 0) continue;
      if (option->get_group() == "Lens" && !selection.asks_for(Quantity::coc))
        throw Error(ErrorKind::usage,
                    option->get_name() + " says nothing where --where does not ask for coc");
      if (option->get_group() == "Depth" && !takes_depth(selection))
        throw Error(ErrorKind::usage, option->get_name() + " says nothing without --depth");
    }
  }

  bool takes_depth(const Selection& selection) const {
    return !options.depth.empty() || selection.asks_for(Quantity::depth) || selection.asks_for(Quantity::coc);
  }

  void require_channels(const Selection& selection, const Picture& picture) const {
    const auto refuse = [&](const char* what) {
      throw Error(ErrorKind::usage, fmt::format("{}: --where asks for {}", input_name(options.input), what));
    };
    for (const Quantity color : {Quantity::red, Quantity::green, Quantity::blue})
      if (selection.asks_for(color) && picture.channels() == 1)
        refuse("a colour, and this picture is grey: it has luma alone");
    if (selection.asks_for(Quantity::alpha) && picture.channels() != 4)
      refuse("alpha, and this picture has none");
  }

  Image<float> read_mask(const Selection& selection, const Picture& picture) const {
    if (!selection.asks_for(Quantity::mask)) {
      if (!mask_file.empty())
        throw Error(ErrorKind::usage, "--mask says nothing where --where does not ask for mask");
      return {};
    }
    if (mask_file.empty())
      throw Error(ErrorKind::usage, "--where asks for mask: name its picture with --mask FILE");
    const Picture read = session.timed("decode", [&] { return read_picture(mask_file, session.limits()); });
    session.report(mask_file.string(), read.remarks);
    if (read.width() != picture.width() || read.height() != picture.height())
      throw Error(fmt::format("{}: the mask is of {} x {} pixels, the picture of {} x {}", mask_file.string(),
                              read.width(), read.height(), picture.width(), picture.height()));
    return mask_of(read);
  }

  StatsReport statistics(Context& context, const Picture& picture, const Image<float>& mask,
                         const Depth& depth, const Blur& blur, const Selection& selection) const {
    const int sample_bytes = static_cast<int>(
        picture.bytes() / static_cast<std::size_t>(picture.width() * picture.height() * picture.channels()));
    const auto copies = static_cast<std::int64_t>(picture.bytes() + mask.bytes() + depth.disparity.bytes());
    session.require_memory(
        context, input_name(options.input), 0,
        (context.on_cuda() ? copies : 0) +
            pixel_statistics_workspace(picture.width(), picture.height(), picture.channels(), sample_bytes,
                                       !depth.disparity.empty(), !selection.chooses_all()));
    const std::vector<double> asked = percents_asked_for(percents);
    const auto found = std::visit(
        [&]<class T>(const Image<T>& image) {
          std::optional<Readable<T>> samples;
          std::optional<Readable<float>> disparity, shares;
          session.timed("upload", [&] {
            samples.emplace(context, image);
            disparity.emplace(context, depth.disparity);
            shares.emplace(context, mask);
          });
          const PixelSources<T> sources{samples->view(), disparity->view(), shares->view(), depth.metric,
                                        blur};
          return session.timed("statistics",
                               [&] { return pixel_statistics(context, sources, selection, asked); });
        },
        picture.samples);
    return report_of(found, percents, static_cast<std::uint64_t>(picture.width() * picture.height()),
                     depth.metric);
  }

  std::string title() const {
    return printable(options.input.filename().string() + (where ? ": " + *where : ""));
  }

  void print(const Picture& picture, const StatsReport& report) const {
    if (!session.json) {
      if (where) fmt::print("{}: ", printable(*where));
      fmt::print("{}", table_of(report, speaks_utf8()));
      return;
    }
    session.account.add_fact("width", picture.width());
    session.account.add_fact("height", picture.height());
    session.account.add_fact("channels", channels_json(report));
    session.account.add_fact("exposure", exposure_json(report.exposure));
    session.print_account();
  }
};

constexpr const char* kFooter =
    "An expression compares red, green, blue, alpha, luma (of grey pictures their sample), x, y (pixels from "
    "the\n"
    "upper left), depth, coc (radius of the circle of confusion in pixels, by the lens options) and mask "
    "with each\n"
    "other or with numbers, by < <= > >= == !=, and joins comparisons by and, or, not and parentheses; not "
    "goes\n"
    "before and, and before or. mask alone means mask >= 0.5. Colours go from 0 to 1, which is white; a code "
    "is\n"
    "written as red == 128/255. Depth is in metres, or 0 (farthest) .. 1 (nearest) where it has no unit.\n"
    "\n"
    "Values are the samples' own codes, light for floats. Luma is by Rec. 709's weights, of codes rounded to "
    "one.\n"
    "A percentile between two samples is interpolated, as numpy.percentile does by default; the deviation is "
    "the\n"
    "population's. Samples that are NaN or infinite are counted apart.\n"
    "\n"
    "Examples:\n"
    "  scanlens stats photo.jpg\n"
    "  scanlens stats photo.jpg --where 'luma > 0.9 and not (x < 100 or y < 100)' --plot bright.svg\n"
    "  scanlens stats kinect.png --depth kinect_depth.png --where 'depth < 2.5' --json\n"
    "  scanlens stats photo.jpg --depth midas.png --focus 0.8 --where 'coc < 1'\n"
    "  scanlens stats scan.tif --mask page.png --where mask --percentiles 0.1,50,99.9";

}  // namespace

void add_stats_command(CLI::App& program) {
  auto self = std::make_shared<StatsCommand>();
  CLI::App& command = *program.add_subcommand(
      "stats", "statistics of a picture's pixels, or of those that an expression chooses");
  self->options.add_options(command);
  command.add_option("--where", self->where, "which pixels, see below; by default all")->type_name("EXPR");
  command.add_option("--mask", self->mask_file, "picture of the same size that mask stands for in --where")
      ->type_name("FILE");
  command.add_option("--percentiles", self->percents, "which percentiles, 0 to 100, separated by commas")
      ->delimiter(',')
      ->check(within(0, 100))
      ->type_name("P,...")
      ->default_str("1,5,25,50,75,95,99");
  command.add_option("--plot", self->plot, "also draw the histograms: .svg")->type_name("FILE");
  add_options(command, self->overwrite);
  self->session.add_json_option(command);
  self->session.add_options(command);
  command.footer(kFooter);
  command.callback([self, &command] { self->run(command); });
}

}  // namespace scanlens
