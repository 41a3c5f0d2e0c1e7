// The words of a command line, one per line. Commands are parsed and end there.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "core/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
  std::vector<std::string> words;
  for (std::string word; std::getline(lines, word);) words.push_back(word);

  CLI::App program("fuzz", "scanlens");
  program.formatter(scanlens::help_formatter());
  program.require_subcommand(0, 1);
  int exit_code = 0;
  scanlens::add_commands(program, exit_code);
  for (CLI::App* command : program.get_subcommands({}))
    command->parse_complete_callback([] { throw CLI::Success(); });
  try {
    scanlens::run_command_line(program, words);
  } catch (const CLI::Success&) {
  } catch (const scanlens::Error&) {
  }
  return 0;
}
