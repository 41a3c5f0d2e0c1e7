// `scanlens bench` measures the primitives of the scan library beside their peers.
#include "app/bench/bench.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "app/bench/cases/list.h"
#include "app/bench/cases/papers.h"
#include "app/bench/papers.h"
#include "app/bench/plot.h"
#include "app/bench/quality/measure.h"
#include "app/bench/report.h"
#include "app/commands/commands.h"
#include "app/session/session.h"
#include "app/session/values.h"
#include "core/devices.h"
#include "core/error.h"

namespace scanlens {
namespace {

using bench::Bench, bench::Collected, bench::Primitive, bench::QualityResult;

constexpr const char* kPapers = "papers";
constexpr const char* kQuality = "quality";

struct BenchCommand {
  Session session;
  std::vector<std::string> names, sizes;
  std::filesystem::path plot_file;
  Overwrite overwrite;
  bool quick = false;
  std::filesystem::path references, pictures;
  std::optional<int> views;

  /// Measures what was asked for, then prints what was collected. Returns whether every result was right.
  bool run() const {
    const bench::Settings settings = make_settings();
    const std::vector<Primitive> chosen = choose(settings.sizes);
    check_quality_options(settings.sizes);
    if (!plot_file.empty()) prepare_plot(chosen);
    std::vector<Context> contexts = open_devices();
    for (const Context& context : contexts) session.say("device: " + describe(context.device()));

    Collected collected;
    for (Context& context : contexts) {
      Bench bench(context, settings);
      for (const Primitive& primitive : chosen) primitive.run(bench);
      collected.add(bench.collected());
    }
    clear_progress();
    if (!chosen.empty() && collected.results.empty())
      throw Error(ErrorKind::retry, "nothing could be measured: " + collected.shortage);
    if (!session.json && !chosen.empty()) bench::print_footer(collected.results);

    if (named(kPapers)) {
      const Collected papers = bench::measure_papers(contexts.front(), settings);
      clear_progress();
      if (!session.json) bench::print_papers(papers.results, contexts.front().device().name);
      collected.add({bench::papers_lines(papers.results), papers.wrong, papers.shortage});
    }
    std::vector<QualityResult> quality;
    if (named(kQuality)) quality = bench::measure_quality(contexts.front(), quality_settings(settings));
    clear_progress();
    if (!session.json && !quality.empty()) bench::print_quality_means(quality);
    if (session.json) bench::print_json(contexts.front(), collected.results, quality);
    if (!plot_file.empty()) {
      bench::plot(plot_file, collected.results, overwrite);
      session.say(plot_file.string() + ": written");
    }
    return collected.wrong == 0;
  }

  /// The table shows each result as soon as it is collected; what else is to say goes to stderr.
  bench::Settings make_settings() const {
    bench::Settings settings;
    for (const std::string& size : sizes) settings.sizes.add(size);
    settings.quick = settings.sizes.quick = quick;
    if (session.shows_progress())
      settings.progress = [](const std::string& what) {
        clear_line();
        std::fprintf(stderr, "%.100s …", what.c_str());
      };
    settings.say = [this](const std::string& line) {
      clear_progress();
      session.say(line);
    };
    settings.complain = [this](const std::string& line) {
      clear_progress();
      print_line("scanlens: " + line);
    };
    if (!session.json)
      settings.collected = [this, first = true](const bench::Result& result) mutable {
        clear_progress();
        if (first) bench::print_header();
        first = false;
        bench::print(result);
      };
    return settings;
  }

  void check_quality_options(const bench::SizeChoice& sizes_chosen) const {
    if (named(kQuality) && !sizes_chosen.lengths.empty())
      throw Error(ErrorKind::usage, "--size: quality takes WIDTHxHEIGHT");
    if (!named(kQuality) && (views || !references.empty() || !pictures.empty()))
      throw Error(ErrorKind::usage,
                  "--references, --views and --pictures say something to quality alone: name it");
  }

  bench::QualitySettings quality_settings(const bench::Settings& settings) const {
    constexpr int kViews = 512, kQuickViews = 16;
    bench::QualitySettings result;
    result.shapes = settings.sizes.shapes_or({{1920, 1080}});
    result.views = views.value_or(quick ? kQuickViews : kViews);
    result.references = references;
    result.pictures = pictures;
    result.progress = settings.progress;
    if (!session.json)
      result.collected = [this, first = true](const QualityResult& one) mutable {
        clear_progress();
        if (first) bench::print_quality_header();
        first = false;
        bench::print(one);
      };
    return result;
  }

  void clear_progress() const {
    if (session.shows_progress()) clear_line();
  }

  bool named(const char* name) const { return std::find(names.begin(), names.end(), name) != names.end(); }

  /// Returns the primitives named, or all that take the sizes asked for.
  std::vector<Primitive> choose(const bench::SizeChoice& choice) const {
    std::vector<Primitive> chosen;
    for (const Primitive& primitive : bench::primitives()) {
      const bool fits =
          choice.by_default() || !(primitive.shapes ? choice.shapes.empty() : choice.lengths.empty());
      if (named(primitive.name) && !fits)
        throw Error(ErrorKind::usage,
                    fmt::format("--size: {} takes {}", primitive.name,
                                primitive.shapes ? "WIDTHxHEIGHT" : "a length, such as 2^20"));
      if (named(primitive.name) || (names.empty() && fits)) chosen.push_back(primitive);
    }
    return chosen;
  }

  /// Refuses now what would fail after minutes of measuring.
  void prepare_plot(const std::vector<Primitive>& chosen) const {
    const auto sweeps = [](const Primitive& primitive) { return primitive.sweeps; };
    if (std::none_of(chosen.begin(), chosen.end(), sweeps))
      throw Error(ErrorKind::usage,
                  "--plot draws scan and algorithms: name one of them, or no primitive at all");
    if (!sizes.empty() && sizes.size() < 2)
      throw Error(ErrorKind::usage, "--plot draws curves over length: give two or more --size, or none");
    bench::check_plot(plot_file, overwrite);
  }

  /// Opens the device asked for; by default the first GPU that works, and the CPU.
  std::vector<Context> open_devices() const {
    std::vector<Context> contexts;
    contexts.push_back(Context::open(session.device));
    if (session.device == "auto" && contexts.front().on_cuda()) contexts.push_back(Context::open("cpu"));
    return contexts;
  }
};

}  // namespace

void add_bench_command(CLI::App& program, int& exit_code) {
  auto self = std::make_shared<BenchCommand>();
  CLI::App& command = *program.add_subcommand(
      "bench", "how fast the scan library is, beside CUB, NPP, OpenCV, the standard library and oneTBB");
  std::vector<std::string> words;
  std::string list;
  for (const Primitive& primitive : bench::primitives()) {
    words.emplace_back(primitive.name);
    list += fmt::format("  {:<11} {}{}\n", primitive.name, primitive.help, primitive.shapes ? " *" : "");
  }
  words.emplace_back(kPapers);
  words.emplace_back(kQuality);
  command
      .add_option("PRIMITIVE", self->names,
                  "what to measure, from the list below; by default all but papers and quality")
      ->check(one_of(words))
      ->type_name("");
  command
      .add_option(
          "--size", self->sizes,
          "a length (1000000, 2^20, 2^20-1) or WIDTHxHEIGHT in place of the usual sizes; may be repeated")
      ->type_name("SIZE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_flag("--quick", self->quick, "small sizes and few repetitions, to see that all works");
  command.add_flag("--json", self->session.json, "as JSON");
  command
      .add_option("--plot", self->plot_file,
                  "draw throughput over length, of scan and algorithms (.svg, by gnuplot)")
      ->type_name("FILE");
  add_options(command, self->overwrite);
  const char* looks = "Quality";
  command
      .add_option("--references", self->references,
                  "keep what is rendered in this folder and take from it what it has; remove it when a scene "
                  "has changed")
      ->type_name("FOLDER")
      ->group(looks);
  command.add_option("--views", self->views, "through the lens, of which a reference is the mean (512)")
      ->check(whole_within(1, 100000))
      ->type_name("N")
      ->group(looks);
  command
      .add_option("--pictures", self->pictures,
                  "write reference and qualities side by side, and where it is hard, into this folder")
      ->type_name("FOLDER")
      ->group(looks);
  const char* group = "Where and how";
  command
      .add_option("--device", self->session.device,
                  "auto, cpu, cuda or cuda:N; auto takes the first GPU that works and the CPU")
      ->type_name("DEVICE")
      ->group(group)
      ->capture_default_str();
  command.add_flag("--quiet", self->session.quiet, "say nothing but results and errors")->group(group);
  command.footer(
      "Primitives (* takes WIDTHxHEIGHT for --size, the others a length):\n" + list +
      "  papers      the tables of Harris 2007 and of GPU Gems 3, chapter 39, with ours beside them\n"
      "  quality     how near depth of field comes to what a lens sees: scenes, focus and blur, in dB *\n"
      "\nEvery result is verified before it is timed. A time is the median of many calls; on CUDA these are\n"
      "recorded in a graph and replayed. The exit code is 1 when a result is wrong.\n"
      "\nExamples:\n"
      "  scanlens bench\n"
      "  scanlens bench scan algorithms --plot scan.svg\n"
      "  scanlens bench scan --size 2^26 --size 100000007 --device cpu --json\n"
      "  scanlens bench rows --size 4096x4096 --quick\n"
      "  scanlens bench quality --references references --pictures pictures > quality.md");
  command.callback([self, &exit_code] { exit_code = self->run() ? 0 : 1; });
}

}  // namespace scanlens
