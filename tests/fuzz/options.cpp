// The words of a command line, one per line. Commands are parsed and not run, and the last word is completed.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "app/options/complete.h"
#include "core/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
  std::vector<std::string> words;
  for (std::string word; std::getline(lines, word);) words.push_back(word);

  scanlens::Program program("scanlens", "fuzz", "0");
  scanlens::add_commands(program, [](const scanlens::BenchOptions&) { return 0; });
  scanlens::complete(program, words);
  try {
    scanlens::parse_command_line(program, words);
  } catch (const scanlens::Error&) {
  }
  return 0;
}
