#include "tests/bench/ranks/options.h"

#include <algorithm>
#include <cctype>

#include "core/error.h"

namespace scanlens::bench {

const char* const kRanksBenchHelp =
    "Measures scans, reductions, tables and sorts of one array over several GPUs.\n"
    "Usage: scanlens-bench ranks [--gpus N] [--processes | --meet FILE] [--quick]\n"
    "  --gpus N      number of GPUs; by default all\n"
    "  --processes   a process a rank, started here; by default one process drives all GPUs\n"
    "  --meet FILE   this process is one rank of those that torchrun or srun started (RANK, WORLD_SIZE and\n"
    "                LOCAL_RANK, or SLURM_PROCID, SLURM_NTASKS and SLURM_LOCALID say which); FILE, in a "
    "folder\n"
    "                that all see, must not exist yet\n"
    "  --quick       arrays a thousandth as long\n"
    "Without a GPU simulated ranks run, which shows that they work and nothing else.\n";

namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::usage, message + "; `scanlens-bench ranks --help` lists the options");
}

}  // namespace

RanksBenchOptions ranks_bench_options(const std::vector<std::string>& words) {
  RanksBenchOptions options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto value = [&] {
      if (i + 1 == words.size()) refuse(word + ": a value is missing");
      return words[++i];
    };
    if (word == "--help" || word == "-h") {
      options.help = true;
    } else if (word == "--processes") {
      options.processes = true;
    } else if (word == "--meet") {
      options.meet = value();
    } else if (word == "--quick") {
      options.total = 1 << 20;
      options.each = 1 << 18;
      options.side = 512;
    } else if (word == "--gpus") {
      const std::string text = value();
      if (text.empty() || text.size() > 3 || !std::all_of(text.begin(), text.end(), ::isdigit) || text == "0")
        refuse("--gpus: '" + text + "' is not a number of GPUs");
      options.gpus = std::stoi(text);
    } else {
      refuse("ranks: '" + word + "' is not an option");
    }
  }
  if (options.processes && !options.meet.empty()) refuse("ranks: give --processes or --meet, not both");
  return options;
}

}  // namespace scanlens::bench
