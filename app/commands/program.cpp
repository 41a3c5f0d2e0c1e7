#include "app/commands/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "app/io/signals.h"
#include "app/options/options.h"
#include "app/session/account.h"
#include "app/session/terminal.h"
#include "core/error.h"
#include "core/version.h"

namespace scanlens {
namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 2;
constexpr int kRetry = 75;  // EX_TEMPFAIL of sysexits.h

int complain(const char* message, int exit_code) {
  print_line(std::string("scanlens: ") + message);
  return exit_code;
}

/// Returns the program's exit code for an error, as --help states it: 2 where the user asked for what cannot
/// be, 75 where a second try may do, with more memory or another GPU, else 1. No other code tells errors
/// apart, except that compare and bench end with 1 when a table or a result is wrong.
int exit_code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return kUsage;
    case ErrorKind::retry:
      return kRetry;
    case ErrorKind::failed:
      break;
  }
  return kFailed;
}

/// Returns `exit_code`, unless what was printed did not reach its reader. A reader that has gone, as in
/// `scanlens info | head -1`, ends the program as SIGPIPE would.
int flushed(int exit_code) {
  std::cout.flush();
  if (std::cout.good() && std::fflush(stdout) == 0 && !std::ferror(stdout)) return exit_code;
  end_if_nobody_reads(STDOUT_FILENO);
  return complain("standard output cannot be written", kFailed);
}

}  // namespace

std::unique_ptr<Program> declared_program(const BenchRunner& bench) {
  auto program = std::make_unique<Program>(
      "scanlens",
      "Blur photos, clips and rendered scenes as a camera lens does; filter, convert and measure pictures.",
      "scanlens " SCANLENS_VERSION);
  add_commands(*program, bench);
  std::vector<std::string_view> shared;
  for (const Option& option : program->options())
    if (option.group == Group::session) shared.push_back(option.name());
  program->footer = fmt::format(R"(Examples:
  scanlens dof photo.jpg --depth depth.png -o blurred.jpg
  scanlens view photo.jpg
  scanlens render teapot -o teapot.png
  scanlens filter photo.jpg -o web.jpg --filter resize:long=2048
  scanlens batch photos web --filter resize:long=2048 --format jpg

`scanlens COMMAND --help` explains a command, --help-all all of its options.
These options of every command may also stand before it:
  {}
Exit codes: 0 fine; 1 failed, or compare found a difference; 2 wrong usage; 75 worth trying again (memory, GPU).)",
                                fmt::join(shared, ", "));
  return program;
}

int run_program(const std::vector<std::string>& words, const BenchRunner& bench) {
  note_program_start();
  install_signal_handlers();
  const std::unique_ptr<Program> program = declared_program(bench);
  try {
    return flushed(run_command_line(*program, words));
  } catch (const std::system_error& error) {
    if (std::ferror(stdout)) return flushed(kFailed);
    return complain(error.what(), kFailed);
  } catch (const Error& error) {
    return complain(error.what(), exit_code_of(error.kind()));
  } catch (const std::bad_alloc&) {
    return complain("out of memory", kRetry);
  } catch (const std::exception& error) {
    return complain(error.what(), kFailed);
  }
}

}  // namespace scanlens
