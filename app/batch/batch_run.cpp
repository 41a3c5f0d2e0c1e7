#include "app/batch/batch_run.h"

#include <fmt/format.h>
#include <malloc.h>
#include <tbb/info.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "app/batch/lanes.h"
#include "app/batch/one_picture.h"
#include "app/batch/report/lines.h"
#include "app/batch/report/report_file.h"
#include "app/io/abandoned.h"
#include "app/io/file_mark.h"
#include "app/io/signals.h"
#include "app/io/text.h"
#include "app/session/terminal.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

std::string number_of_pictures(std::size_t count) {
  return fmt::format("{} picture{}", count, count == 1 ? "" : "s");
}

/// Returns the words that stand for how outputs are written, the same for the same ways.
std::string encoding_text(const PlanOptions& plan) {
  const WriteOptions& write = plan.write;
  const std::string_view format = write.format == Format::unknown ? "by name" : traits_of(write.format).name;
  return fmt::format("format {}, quality {}, compression {}{}", format, write.quality, write.compression,
                     write.strip ? ", strip" : "");
}

/// Collects what the run ends with.
class Tally {
 public:
  Tally(const Session& session, const BatchOptions& options, const Plan& plan, ReportFile* report)
      : session_(session), progress_(session, options.progress, plan.items.size()), report_(report) {}

  void add(const Outcome& outcome) {
    if (report_) report_->add(outcome);
    totals_.add(outcome);
    for (const std::string& warning : outcome.warnings) print_line("scanlens: warning: " + warning);
    if (!outcome.cause.empty())
      add_failure(fmt::format("{}: {}", outcome.item->input.string(), outcome.cause));
    progress_.show(totals_);
  }

  void add_failure(std::string line) {
    ++failures_;
    if (listed_.size() < kMostListed) listed_.push_back(std::move(line));
  }

  void print(std::size_t pictures) {
    progress_.finish(totals_);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    std::string line = fmt::format("{}: {} written, {} skipped, {} failed", number_of_pictures(pictures),
                                   totals_.written, totals_.skipped, totals_.failed + totals_.retry);
    if (const std::size_t left = pictures - totals_.done(); left > 0)
      line += fmt::format(", {} not begun or dropped", left);
    line += fmt::format("; {:.2f} s", elapsed.count());
    if (totals_.written > 0)
      line += fmt::format(", {:.3g} a second", static_cast<double>(totals_.written) / elapsed.count());
    session_.say(line);
    if (failures_ == 0) return;
    print_line(fmt::format("scanlens: failed: {}", failures_));
    for (const std::string& failure : listed_) print_line("  " + failure);
    if (failures_ > listed_.size())
      print_line(fmt::format("  and {} more, which --report FILE.jsonl names", failures_ - listed_.size()));
  }

  const Totals& totals() const { return totals_; }

 private:
  static constexpr std::size_t kMostListed = 1000;
  const Session& session_;
  BatchProgress progress_;
  ReportFile* report_;
  Totals totals_;
  std::size_t failures_ = 0;
  std::vector<std::string> listed_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void refuse_existing(const Plan& plan) {
  std::size_t existing = 0;
  const Item* first = nullptr;
  std::error_code error;
  for (const Item& item : plan.items)
    if (fs::exists(fs::symlink_status(item.output, error)) && existing++ == 0) first = &item;
  if (first)
    throw Error(fmt::format(
        "{}: exists, {} of {} outputs do; --skip-existing leaves those that are as this run would "
        "make them, --overwrite replaces all",
        first->output.string(), existing, plan.items.size()));
}

/// Refuses a report that would replace or lengthen what is none, or lose one.
void check_report(const BatchOptions& options) {
  std::error_code error;
  if (options.report.empty() || !fs::exists(options.report, error) ||
      fs::file_size(options.report, error) == 0)
    return;
  bool is_report = false;
  for_each_line(options.report, [&](const nlohmann::json& line) { is_report |= line.contains("batch"); });
  if (!is_report)
    throw Error(
        fmt::format("{}: exists and is no report of batch, choose another name", options.report.string()));
  if (!options.work.skip_existing && !options.work.overwrite && !options.dry_run)
    throw Error(fmt::format("{}: exists; --skip-existing goes on with it, --overwrite begins it anew",
                            options.report.string()));
}

/// Removes what killed runs have left where outputs go.
void tidy(const Plan& plan, const Session& session) {
  std::set<fs::path> folders;
  for (const Item& item : plan.items) folders.insert(item.output.parent_path());
  std::size_t removed = 0;
  for (const fs::path& folder : folders) removed += remove_abandoned(folder);
  if (removed > 0) session.say(fmt::format("removed {} unfinished files of runs that were killed", removed));
}

void warn_without_marks(const BatchOptions& options, const Session& session) {
  if (!keeps_marks(options.plan.folder) && options.report.empty())
    session.warn(fmt::format(
        "{}: this filesystem has no extended attributes, so outputs cannot be marked with what they "
        "were made of; --skip-existing needs --report FILE there",
        options.plan.folder.string()));
}

/// Prints what would become of each picture. A report that is not there yet gets the plan.
int show_plan(const Plan& plan, const BatchOptions& options, const Session& session) {
  std::error_code error;
  if (!options.report.empty() && !fs::exists(options.report, error))
    ReportFile(options.report, true).begin(plan, options.plan, options.work.parameters, true);
  Shared shared{options.work, session, Budget(0), Lanes(options.work.devices), Lanes({"cpu"})};
  Totals totals;
  for (const Item& item : plan.items) {
    OnePicture picture(shared, item);
    picture.judge();
    const Outcome& outcome = picture.outcome();
    const std::string what = !picture.ended()                    ? "write"
                             : outcome.status == Status::skipped ? "skip"
                                                                 : "refuse";
    if (picture.ended()) totals.add(outcome);
    fmt::print("{:<6} {} -> {}\n", what, printable(item.input.string()), printable(item.output.string()));
  }
  return totals.exit_code();
}

/// Says what was found, and throws Error where nothing was.
void tell(const Inputs& found, const Plan& plan, const BatchOptions& options, const Session& session) {
  if (found.passed_over > 0)
    session.say(
        fmt::format("{} files are no pictures by their names and passed over; --include '*' takes them",
                    found.passed_over));
  if (plan.total == 0 && found.unreadable.empty()) throw Error("no pictures were found");
  if (options.plan.shard.count > 1)
    session.say(fmt::format("shard {}: {} of {}", options.plan.shard.text(), plan.items.size(),
                            number_of_pictures(plan.total)));
}

}  // namespace

int run_batch_command(BatchOptions options, const InputOptions& inputs, const Session& session) {
  Work& work = options.work;
  options.plan.write = work.filtering.write;
  work.parameters += encoding_text(options.plan);
  check_report(options);
  const Inputs found = find_inputs(inputs);
  const Plan plan = make_plan(found, inputs.roots, options.plan);
  tell(found, plan, options, session);
  if (!work.overwrite && !work.skip_existing) refuse_existing(plan);
  if (!options.report.empty() && work.skip_existing) work.reported = read_reported(options.report);

  if (options.dry_run) {
    for (const std::string& line : found.unreadable) print_line("scanlens: " + line);
    const int exit_code = show_plan(plan, options, session);
    return found.unreadable.empty() ? exit_code : 1;
  }

  std::optional<ReportFile> report;
  if (!options.report.empty()) {
    report.emplace(options.report, work.skip_existing);
    report->begin(plan, options.plan, work.parameters, false);
  }
  session.open();  // says the device, or why there is none, before any picture is touched
  work.devices = batch_devices(session.device);
  work.may_fall_back = session.device == "auto";
  if (work.jobs == 0) work.jobs = tbb::info::default_concurrency();
  make_folder(options.plan.folder);
  warn_without_marks(options, session);
  tidy(plan, session);

  // Pictures' memory goes back to the system when it is freed: what would be kept of it in pieces grows with
  // time.
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);

  Tally tally(session, options, plan, report ? &*report : nullptr);
  for (const std::string& line : found.unreadable) tally.add_failure(line);
  const StopsBySelf stops;
  run_batch(plan, work, session, [&](const Outcome& outcome) { tally.add(outcome); });
  tally.print(plan.items.size());
  if (signal_noted()) print_line("scanlens: interrupted; --skip-existing goes on from here");
  return found.unreadable.empty() ? tally.totals().exit_code() : 1;
}

}  // namespace scanlens
