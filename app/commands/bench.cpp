// scanlens bench: the primitives of the scan library beside their peers.
#include "app/bench/bench.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "app/bench/cases/papers.h"
#include "app/bench/plot.h"
#include "app/bench/report.h"
#include "app/commands/commands.h"
#include "app/commands/session.h"
#include "core/error.h"

namespace scanlens {
namespace {

using bench::Bench;

struct Primitive {
  const char* name;
  void (*run)(Bench& bench);
  bool shapes;  ///< of two-dimensional arrays; the others take lengths
  bool sweeps;  ///< over many lengths: something to plot
};

constexpr Primitive kPrimitives[] = {
    {"scan", bench::bench_scan, false, true},  {"algorithms", bench::bench_algorithms, false, true},
    {"rows", bench::bench_rows, true, false},  {"transpose", bench::bench_transpose, true, false},
    {"sat", bench::bench_sat, true, false},    {"compact", bench::bench_compact, false, false},
    {"sort", bench::bench_sort, false, false}, {"reduce", bench::bench_reduce, false, false},
    {"spmv", bench::bench_spmv, true, false},  {"box", bench::bench_box, true, false},
    {"dof", bench::bench_dof, true, false},
};
constexpr const char* kPapers = "papers";

struct BenchCommand {
  Session session;
  std::vector<std::string> names, sizes;
  std::filesystem::path plot_file;
  bool json = false, quick = false;

  /// Whether every result was right.
  bool run() const {
    std::vector<bench::Result> results;
    const bench::Settings settings = make_settings(results);
    const std::vector<Primitive> chosen = choose(settings.sizes);
    if (!plot_file.empty()) prepare_plot(chosen);
    std::vector<Context> contexts = open_devices();
    for (const Context& context : contexts) session.say("device: " + describe(context.device()));

    int wrong = 0;
    if (!chosen.empty()) {
      std::string shortage;
      for (Context& context : contexts) {
        Bench bench(context, settings);
        for (const Primitive& primitive : chosen) primitive.run(bench);
        wrong += bench.wrong();
        shortage = bench.shortage();
      }
      clear_progress();
      if (results.empty()) throw Error(ErrorKind::retry, "nothing could be measured: " + shortage);
      if (!json) bench::print_footer(results);
    }
    if (named(kPapers))
      wrong += bench::compare_with_papers(contexts.front(), settings, json ? &results : nullptr);
    clear_progress();
    if (json) bench::print_json(contexts.front(), results);
    if (!plot_file.empty()) {
      bench::plot(plot_file, results);
      session.say(plot_file.string() + ": written");
    }
    return wrong == 0;
  }

  /// Results are printed as they come, or kept for JSON; what else is to say goes to stderr.
  bench::Settings make_settings(std::vector<bench::Result>& results) const {
    bench::Settings settings;
    for (const std::string& size : sizes) settings.sizes.add(size);
    settings.quick = settings.sizes.quick = quick;
    if (shows_progress())
      settings.progress = [](const std::string& what) {
        std::fprintf(stderr, "\r\033[K%.100s …", what.c_str());
      };
    settings.say = [this](const std::string& line) {
      clear_progress();
      session.say(line);
    };
    settings.complain = [this](const std::string& line) {
      clear_progress();
      std::fprintf(stderr, "scanlens: %s\n", line.c_str());
    };
    settings.done = [this, &results](const bench::Result& result) {
      clear_progress();
      if (!json && results.empty()) bench::print_header();
      if (!json) bench::print(result);
      results.push_back(result);
    };
    return settings;
  }

  bool shows_progress() const { return !session.quiet && ::isatty(STDERR_FILENO) == 1; }
  void clear_progress() const {
    if (shows_progress()) std::fputs("\r\033[K", stderr);
  }

  bool named(const char* name) const { return std::find(names.begin(), names.end(), name) != names.end(); }

  /// Those named, or all that take the sizes asked for.
  std::vector<Primitive> choose(const bench::SizeChoice& choice) const {
    std::vector<Primitive> chosen;
    for (const Primitive& primitive : kPrimitives) {
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
      throw Error(ErrorKind::usage, "--plot draws scan and algorithms: name one of them, or no primitive at all");
    if (!sizes.empty() && sizes.size() < 2)
      throw Error(ErrorKind::usage, "--plot draws curves over length: give two or more --size, or none");
    bench::check_plot(plot_file);
  }

  /// The one asked for; or the first GPU that works, and the CPU.
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
      "bench", "the speed of the scan library beside its peers: CUB, the standard library, oneTBB");
  std::vector<std::string> words;
  std::string list;
  for (const Primitive& primitive : kPrimitives) words.emplace_back(primitive.name);
  words.emplace_back(kPapers);
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
  command.add_option("PRIMITIVE", self->names, "which: " + list + "; by default all but papers")
      ->check(CLI::IsMember(words).description(""))
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
  command.add_flag("--json", self->json, "as JSON");
  command
      .add_option("--plot", self->plot_file,
                  "draw throughput over length, of scan and algorithms (.svg, by gnuplot)")
      ->type_name("FILE");
  const char* group = "Where and how";
  command
      .add_option("--device", self->session.device,
                  "auto, cpu, cuda or cuda:N; auto takes the first GPU that works and the CPU")
      ->type_name("DEVICE")
      ->group(group)
      ->capture_default_str();
  command.add_flag("--quiet", self->session.quiet, "say nothing but results and errors")->group(group);
  command.footer(
      "Every result is verified before it is timed. On CUDA calls are recorded in graphs, and a time is the "
      "median of\n"
      "their replays. `papers` prints the tables of Harris 2007 and GPU Gems 3, chapter 39, beside ours. The "
      "exit code is 1\n"
      "when a result is wrong.\n"
      "\nExamples:\n"
      "  scanlens bench\n"
      "  scanlens bench scan algorithms --plot scan.svg\n"
      "  scanlens bench scan --size 2^26 --size 100000007 --device cpu --json\n"
      "  scanlens bench rows --size 4096x4096 --quick");
  command.callback([self, &exit_code] { exit_code = self->run() ? 0 : 1; });
}

}  // namespace scanlens
