#include "app/commands/bench.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "app/commands/primitives.h"
#include "app/options/options.h"
#include "app/options/values.h"

namespace scanlens {

using bench::kFewSizes, bench::kLengths, bench::kPapers, bench::kQuality, bench::kShapes, bench::kStrokes,
    bench::kSweeps;

void add_bench_command(Program& program, const BenchRunner& run) {
  auto self = std::make_shared<BenchOptions>();
  Command& command = program.add_command(
      "bench", "measure the library beside CUB, NPP, OpenCV, the standard library and oneTBB");
  std::vector<std::string> words;
  std::string list;
#define SCANLENS_LIST(name, shapes, sweeps, help) \
  words.emplace_back(#name);                      \
  list += fmt::format("  {:<11} {}{}\n", #name, help, shapes ? " *" : "");
  SCANLENS_PRIMITIVES(SCANLENS_LIST)
#undef SCANLENS_LIST
  words.emplace_back(kPapers);
  words.emplace_back(kQuality);
  words.emplace_back(kStrokes);
  command
      .add("PRIMITIVE", &self->names,
           "primitives to measure, from the list below; by default all but papers, quality and strokes")
      .check(one_of(words));
  command
      .add("--size SIZE", &self->sizes,
           "a length (1000000, 2^20, 2^20-1) or WIDTHxHEIGHT in place of the usual sizes; may be repeated")
      .takes(Values::each);
  command.add("--quick", &self->quick, "small sizes and few repetitions, to see that all works");
  command.add("--threads LIST", &self->threads,
              "for each of 1,2,4,16,64 or other numbers of the CPU's threads: the time, and of its tasks,\n"
              "recorded on one thread, work (all of them) and span (until the last of the threads ends)");
  command.add("--json", &self->settings.json, "print the results as JSON");
  command.add("--plot FILE", &self->plot_file,
              "draw throughput over length, of scan and algorithms (.svg, by gnuplot)");
  add_options(command, self->overwrite);
  const OptionGroup looks(command, Group::quality);
  looks.add("--references FOLDER", &self->references,
            "keep rendered references in this folder and reuse them; remove it when a scene has changed");
  looks.add("--views N", &self->views, "number of views through the lens that a reference averages (512)")
      .check(whole_within(1, 100000));
  looks.add("--pictures FOLDER", &self->pictures,
            "write reference and qualities side by side, and their hardest part, into this folder; "
            "for\nstrokes, the strokes that were drawn");
  looks.add("--photos FOLDER", &self->photos,
            "for strokes: measure these photos, too: NAME.png with true disparity in NAME_disp.pfm");
  const OptionGroup group(command, Group::session);
  group
      .add("--device DEVICE", &self->settings.device,
           "auto, cpu, cuda or cuda:N; auto takes the first GPU that works and the CPU")
      .completes(complete_device)
      .shows_target();
  group.add("--quiet", &self->settings.quiet, "print only results and errors");
  command.often = {"PRIMITIVE", "--size", "--quick", "--device", "--plot", "--json"};
  command.brief =
      "Primitives (* takes WIDTHxHEIGHT for --size, other primitives a length):\n" + list +
      "  papers      the tables of Harris 2007 and of GPU Gems 3, chapter 39, with ours beside them\n"
      "  quality     depth of field against what a lens sees: scenes, focus and blur, in dB *\n"
      "  strokes     depth from the strokes of a simulated person: the blurred picture in dB; times\n";
  command.footer =
      command.brief +
      "\nEvery result is verified before it is timed. A time is the median of many calls; on CUDA these are\n"
      "recorded in a graph and replayed. The exit code is 1 when a result is wrong.\n"
      "\nExamples:\n"
      "  scanlens bench\n"
      "  scanlens bench scan algorithms --plot scan.svg\n"
      "  scanlens bench scan --size 2^26 --size 100000007 --device cpu --json\n"
      "  scanlens bench rows --size 4096x4096 --quick\n"
      "  scanlens bench quality --references references --pictures pictures > quality.md";
  command.run = [self, run] { return run(*self); };
}

}  // namespace scanlens
