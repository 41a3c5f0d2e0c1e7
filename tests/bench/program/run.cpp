#include "tests/bench/program/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <sstream>
#include <system_error>

#include "app/commands/primitives.h"
#include "core/devices.h"
#include "core/error.h"
#include "tests/bench/bench.h"
#include "tests/bench/cases/list.h"
#include "tests/bench/cases/papers.h"
#include "tests/bench/papers.h"
#include "tests/bench/plot.h"
#include "tests/bench/quality/measure.h"
#include "tests/bench/report.h"
#include "tests/bench/strokes/measure.h"

namespace scanlens::bench {
namespace {

struct BenchCommand : BenchOptions {
  const Talk talk{BenchOptions::settings};

  /// Measures what was asked for, then prints what was collected. Returns true if every result was right.
  bool run() const {
    const Settings settings = make_settings();
    const std::vector<Primitive> chosen = choose(settings.sizes);
    check_quality_options(settings.sizes);
    if (!plot_file.empty()) prepare_plot(chosen);
    std::vector<Context> contexts = open_devices();
    for (const Context& context : contexts) talk.say("device: " + describe(context.device()));

    Collected collected;
    for (Context& context : contexts) {
      Bench bench(context, settings);
      for (const Primitive& primitive : chosen) primitive.run(bench);
      collected.add(bench.collected());
    }
    clear_progress();
    if (!chosen.empty() && collected.results.empty())
      throw Error(ErrorKind::retry, "nothing could be measured: " + collected.shortage);
    if (!talk.settings.json && !chosen.empty()) print_footer(collected.results);

    if (named(kPapers)) {
      const Collected papers = measure_papers(contexts.front(), settings);
      clear_progress();
      if (!talk.settings.json) print_papers(papers.results, contexts.front().device().name);
      collected.add({papers_lines(papers.results), papers.wrong, papers.shortage});
    }
    std::vector<QualityResult> quality;
    if (named(kQuality)) quality = measure_quality(contexts.front(), quality_settings(settings));
    clear_progress();
    if (!talk.settings.json && !quality.empty()) print_quality_means(quality);
    if (named(kStrokes)) measure_strokes(contexts.front(), stroke_settings(settings));
    if (talk.settings.json) print_json(contexts.front(), collected.results, quality);
    if (!plot_file.empty()) {
      plot(plot_file, collected.results, overwrite);
      talk.say(plot_file.string() + ": written");
    }
    return collected.wrong == 0;
  }

  /// The table shows each result as soon as it is collected; what else is to say goes to stderr.
  Settings make_settings() const {
    Settings settings;
    for (const std::string& size : sizes) settings.sizes.add(size);
    settings.quick = settings.sizes.quick = quick;
    settings.threads = chosen_threads();
    if (talk.shows_progress())
      settings.progress = [](const std::string& what) {
        clear_line();
        std::fprintf(stderr, "%.100s …", what.c_str());
      };
    settings.say = [this](const std::string& line) {
      clear_progress();
      talk.say(line);
    };
    settings.complain = [this](const std::string& line) {
      clear_progress();
      print_line("scanlens: " + line);
    };
    if (!talk.settings.json)
      settings.collected = [this, first = true](const Result& result) mutable {
        clear_progress();
        if (first) print_header();
        first = false;
        print(result);
      };
    return settings;
  }

  std::vector<int> chosen_threads() const {
    constexpr int kMost = 1024;
    if (!threads.empty() && talk.settings.json)
      throw Error(ErrorKind::usage, "--json: --threads prints lines of the table; leave one of them out");
    std::vector<int> chosen;
    std::istringstream list(threads);
    for (std::string word; std::getline(list, word, ',');) {
      int count = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
      if (error != std::errc() || end != word.data() + word.size() || count < 1 || count > kMost)
        throw Error(ErrorKind::usage, fmt::format("--threads: \"{}\" is no number of threads; give 1 to {}, "
                                                  "such as 1,4,16",
                                                  word, kMost));
      chosen.push_back(count);
    }
    return chosen;
  }

  void check_quality_options(const SizeChoice& sizes_chosen) const {
    if (named(kQuality) && !sizes_chosen.lengths.empty())
      throw Error(ErrorKind::usage, "--size: quality takes WIDTHxHEIGHT");
    if (!named(kQuality) && (views || !references.empty() || (!pictures.empty() && !named(kStrokes))))
      throw Error(ErrorKind::usage, "--references, --views and --pictures are options of quality; name it");
    if (named(kStrokes) && talk.settings.json)
      throw Error(ErrorKind::usage, "--json: strokes prints tables; leave it out");
    if (!named(kStrokes) && !photos.empty())
      throw Error(ErrorKind::usage, "--photos: only strokes takes photos; name it");
  }

  QualitySettings quality_settings(const Settings& settings) const {
    constexpr int kViews = 512, kQuickViews = 16;
    QualitySettings result;
    result.shapes = settings.sizes.shapes_or({{1920, 1080}});
    result.views = views.value_or(quick ? kQuickViews : kViews);
    result.references = references;
    result.pictures = pictures;
    result.progress = settings.progress;
    if (!talk.settings.json)
      result.collected = [this, first = true](const QualityResult& one) mutable {
        clear_progress();
        if (first) print_quality_header();
        first = false;
        print(one);
      };
    return result;
  }

  StrokeSettings stroke_settings(const Settings& settings) const {
    StrokeSettings result;
    result.photos = photos;
    result.pictures = pictures;
    result.quick = quick;
    result.progress = settings.progress;
    result.line = [this](const std::string& line) {
      clear_progress();
      std::printf("%s\n", line.c_str());
      std::fflush(stdout);
    };
    return result;
  }

  void clear_progress() const {
    if (talk.shows_progress()) clear_line();
  }

  /// Returns the primitives named, or all that take the sizes asked for.
  std::vector<Primitive> choose(const SizeChoice& choice) const {
    std::vector<Primitive> chosen;
    for (const Primitive& primitive : primitives()) {
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
    check_plot(plot_file, overwrite);
  }

  /// Opens the device asked for; by default the first GPU that works, and the CPU.
  std::vector<Context> open_devices() const {
    std::vector<Context> contexts;
    contexts.push_back(Context::open(talk.settings.device));
    if (talk.settings.device == "auto" && contexts.front().on_cuda())
      contexts.push_back(Context::open("cpu"));
    return contexts;
  }
};

}  // namespace

int run(const BenchOptions& options) {
  return BenchCommand{options}.run() ? 0 : 1;
}

}  // namespace scanlens::bench
