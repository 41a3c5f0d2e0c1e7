#include "app/session/talk.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "app/io/file.h"
#include "app/io/patience.h"
#include "app/io/signals.h"
#include "core/error.h"

namespace scanlens {

void Talk::introduce(const Context& context) {
  account.add_fact("device", context.device().id);
  if (const std::string& cause = context.device().passed_over; !cause.empty())
    assume("the CPU does the work, because the GPU cannot: " + cause);
  say("device: " + describe(context.device()));
  if (context.on_cuda() && !watch_)
    watch_.emplace(std::chrono::seconds(most_silence()), [](const std::string& cause) {
      print_line("scanlens: " + cause);
      end_program(75);  // EX_TEMPFAIL: another try may do
    });
}

void Talk::say(const std::string& line) const {
  if (!settings.quiet && !collects_) print_line(line);
}

void Talk::note(const std::string& line) {
  if (settings.verbose) return assume(line);
  account.usual.push_back(line);
}

void Talk::assume(const std::string& line) {
  account.assumed.push_back(line);
  say(line);
}

void Talk::warn(const std::string& line) {
  if (settings.strict) throw Error(line + " (an error because of --strict)");
  account.warnings.push_back(line);
  if (!collects_) print_line("scanlens: warning: " + line);
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
  if (settings.json && is_standard_stream(output))
    throw Error(ErrorKind::usage,
                "--json cannot be used with -o -: both write to standard output; leave one out");
}

void Talk::print_account() const {
  if (settings.json) fmt::print("{}\n", account.json());
}

bool Talk::shows_progress() const {
  return !settings.quiet && !collects_ && (is_terminal() || std::getenv("SCANLENS_PROGRESS"));
}

std::string describe(const DeviceInfo& device) {
  return fmt::format("{} ({}, {})", device.id, device.name, device.detail);
}

}  // namespace scanlens
