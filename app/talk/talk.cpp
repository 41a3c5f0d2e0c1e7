#include "app/talk/talk.h"

#include <fmt/format.h>

#include "app/io/file.h"
#include "core/error.h"

namespace scanlens {

void Talk::say(const std::string& line) const {
  if (!quiet && !collects) print_line(line);
}

void Talk::note(const std::string& line) {
  if (verbose) return assume(line);
  account.usual.push_back(line);
}

void Talk::assume(const std::string& line) {
  account.assumed.push_back(line);
  say(line);
}

void Talk::warn(const std::string& line) {
  if (strict) throw Error(line + " (an error because of --strict)");
  account.warnings.push_back(line);
  if (!collects) print_line("scanlens: warning: " + line);
}

void Talk::report(const std::string& name, const std::vector<Remark>& remarks) {
  for (const Remark& remark : remarks) report({{remark.warning, name + ": " + remark.text, remark.usual}});
}

void Talk::report(const std::vector<Remark>& lines) {
  for (const Remark& line : lines) {
    if (line.warning)
      warn(line.text);
    else
      line.usual ? note(line.text) : assume(line.text);
  }
}

Remarks Talk::remarks_on(const std::filesystem::path& path) {
  return [this, name = output_name(path)](const Remark& remark) { report(name, {remark}); };
}

RunStage Talk::run_stage() {
  return [this](const std::string& stage, const std::function<void()>& work) { staged(stage, work); };
}

void Talk::keep_stdout_for(const std::filesystem::path& output) const {
  if (json && is_standard_stream(output))
    throw Error(ErrorKind::usage,
                "--json cannot be used with -o -: both write to standard output; leave one out");
}

void Talk::print_account() const {
  if (json) fmt::print("{}\n", account.json());
}

bool Talk::shows_progress() const {
  return !quiet && !collects && is_terminal();
}

}  // namespace scanlens
