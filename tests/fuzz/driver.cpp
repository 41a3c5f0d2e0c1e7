// Runs a fuzz target where libFuzzer is not: every file of a corpus as it is, then mutants of them. Half of
// the time these come from seed 1, the other half from another seed, which it prints first.
//   fuzz_NAME CORPUS... [--seconds N] [--seed S] [--keep FILE]
// Without --seconds the environment variable SCANLENS_FUZZ_SECONDS counts, with --seed all mutants are drawn
// from it. Each mutant is written to FILE before it runs, if that is given, so that one that ends the process
// is left. An input that takes a second of the processor ends it.
#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;
using File = std::vector<std::uint8_t>;

constexpr unsigned kMostWait = 20;  ///< seconds of one input, after which SIGALRM ends the process
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kMostSeconds = 5;
#else
constexpr int kMostSeconds = 1;  ///< of the processor, for one input
#endif
constexpr std::size_t kMostBytes = std::size_t{1} << 20;

struct Options {
  std::vector<fs::path> corpus;
  double seconds = 1;
  std::vector<std::uint64_t> seeds;
  fs::path keep;
};

[[noreturn]] void refuse(const std::string& why) {
  fmt::print(stderr, "fuzz: {}\n", why);
  std::exit(2);
}

Options parse(int argc, char** argv) {
  Options options;
  if (const char* seconds = std::getenv("SCANLENS_FUZZ_SECONDS")) options.seconds = std::stod(seconds);
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == argc) refuse(word + " takes a value");
      return argv[++i];
    };
    if (word == "--seconds")
      options.seconds = std::stod(value());
    else if (word == "--seed")
      options.seeds = {std::stoull(value())};
    else if (word == "--keep")
      options.keep = value();
    else if (word.starts_with("-"))
      refuse("there is no option " + word);
    else
      options.corpus.emplace_back(word);
  }
  if (options.seeds.empty()) options.seeds = {1, std::random_device{}()};
  return options;
}

File contents(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return File(std::istreambuf_iterator<char>(stream), {});
}

std::vector<File> read_corpus(const std::vector<fs::path>& paths) {
  std::vector<fs::path> names;
  for (const fs::path& path : paths) {
    if (!fs::is_directory(path)) {
      names.push_back(path);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(path))
      if (entry.is_regular_file()) names.push_back(entry.path());
  }
  std::sort(names.begin(), names.end());  // a folder's order is not the same everywhere
  std::vector<File> files;
  for (const fs::path& name : names) files.push_back(contents(name));
  return files;
}

/// Begins to count an input's time of the processor.
void limit_time() {
  ::alarm(kMostWait);
  const itimerval limit{{}, {kMostSeconds, 0}};
  ::setitimer(ITIMER_PROF, &limit, nullptr);
}

extern "C" void end_slow_input(int) {
  constexpr char kText[] = "fuzz: an input takes too much time; --keep FILE keeps it\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kText, sizeof kText - 1);
  ::_exit(1);
}

/// Changes files at random, in the ways that readers are known to fail by.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  File mutant(const std::vector<File>& corpus) {
    File file = corpus[below(corpus.size())];
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) change(file, corpus);
    if (file.size() > kMostBytes) file.resize(kMostBytes);
    return file;
  }

 private:
  std::size_t below(std::size_t end) { return end == 0 ? 0 : random_() % end; }

  void change(File& file, const std::vector<File>& corpus) {
    if (file.empty()) file.push_back(0);
    const std::size_t at = below(file.size());
    const std::size_t count = std::min(1 + below(below(2) ? 8 : 256), file.size() - at);
    const auto from = file.begin() + static_cast<std::ptrdiff_t>(at);
    switch (below(8)) {
      case 0:
        file.resize(at);
        break;
      case 1:
        file[at] ^= static_cast<std::uint8_t>(1u << below(8));
        break;
      case 2:
        for (std::size_t i = 0; i < count; ++i) file[at + i] = static_cast<std::uint8_t>(random_());
        break;
      case 3:
        write_number(file, at);
        break;
      case 4:
        file.erase(from, from + static_cast<std::ptrdiff_t>(count));
        break;
      case 5: {
        const File copy(from, from + static_cast<std::ptrdiff_t>(count));
        const auto to = file.begin() + static_cast<std::ptrdiff_t>(below(file.size() + 1));
        file.insert(to, copy.begin(), copy.end());
        break;
      }
      case 6:
        std::fill_n(from, count, static_cast<std::uint8_t>(below(2) ? 0 : 255));
        break;
      default: {  // goes on as another file does
        const File& other = corpus[below(corpus.size())];
        const std::size_t start = below(other.size());
        file.resize(at);
        file.insert(file.end(), other.begin() + static_cast<std::ptrdiff_t>(start), other.end());
      }
    }
  }

  /// Writes one of the numbers that lengths and counts overflow by, in either byte order.
  void write_number(File& file, std::size_t at) {
    constexpr std::uint64_t kNumbers[] = {
        0,      1,       0x7f,       0x80,       0xff,       0x7fff,     0x8000,
        0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0x7fffffffffffffff};
    const std::uint64_t number = kNumbers[below(std::size(kNumbers))];
    const std::size_t bytes = std::size_t{1} << below(4);
    const bool big_endian = below(2) == 1;
    for (std::size_t i = 0; i < bytes && at + i < file.size(); ++i)
      file[at + i] = static_cast<std::uint8_t>(number >> 8 * (big_endian ? bytes - 1 - i : i));
  }

  std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  std::vector<File> corpus = read_corpus(options.corpus);
  if (corpus.empty()) refuse("a corpus of at least one file has to be given");
  std::signal(SIGPROF, end_slow_input);
  long runs = 0;
  const auto run = [&](const File& file) {
    if (!options.keep.empty()) {
      std::ofstream stream(options.keep, std::ios::binary);
      stream.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
    }
    limit_time();
    LLVMFuzzerTestOneInput(file.data(), file.size());
    ++runs;
  };
  for (const File& file : corpus) run(file);
  using Clock = std::chrono::steady_clock;
  for (const std::uint64_t seed : options.seeds) {
    fmt::print("seed {}\n", seed);
    std::fflush(stdout);  // a mutant may end the process
    Mutator mutator(seed);
    const auto end = Clock::now() + std::chrono::duration<double>(options.seconds / options.seeds.size());
    while (Clock::now() < end) run(mutator.mutant(corpus));
  }
  fmt::print("{} inputs\n", runs);
  return 0;
}
