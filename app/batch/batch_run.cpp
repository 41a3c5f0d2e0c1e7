#include "app/batch/batch_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <system_error>
#include <vector>

#include "app/batch/contact_sheet.h"
#include "app/batch/filtered_picture.h"
#include "app/batch/tally.h"
#include "app/io/abandoned.h"
#include "app/io/background.h"
#include "app/io/file.h"
#include "app/io/file_mark.h"
#include "app/io/format.h"
#include "app/io/signals.h"
#include "app/io/text.h"
#include "app/session/terminal.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

void refuse_existing(const Plan& plan, const char* replacing) {
  std::size_t existing = 0;
  const Item* first = nullptr;
  std::error_code error;
  for (const Item& item : plan.items)
    if (fs::exists(fs::symlink_status(item.output, error)) && existing++ == 0) first = &item;
  if (first)
    throw Error(
        fmt::format("{}: exists, as {} of {} outputs do; --skip-existing keeps those that this run would "
                    "make again, {} all"
                    "",
                    first->output.string(), existing, plan.items.size(), replacing));
}

/// Removes what killed runs have left in the folder of outputs, and where else outputs go.
void tidy(const fs::path& folder, const Plan& plan, const Talk& talk) {
  std::set<fs::path> folders = {folder};
  for (const Item& item : plan.items)
    folders.insert(item.output.has_parent_path() ? item.output.parent_path() : fs::path("."));
  std::size_t removed = 0;
  for (const fs::path& each : folders) removed += remove_abandoned(each);
  if (removed > 0) talk.say(fmt::format("removed {} unfinished files of runs that were killed", removed));
}

void warn_without_marks(const BatchOptions& options, Talk& talk) {
  if (!keeps_marks(options.plan.folder) && options.report.empty())
    talk.warn(
        fmt::format("{}: this filesystem has no extended attributes, so outputs cannot keep fingerprints; "
                    "--skip-existing needs"
                    " --report FILE there",
                    options.plan.folder.string()));
}

/// Prints what would become of each picture.
int show_plan(const Plan& plan, const BatchOptions& options, const Talk& talk,
              const WrittenPictureMaker& make) {
  report_plan(options, plan);
  Shared shared(talk.settings, {"cpu"}, false, 0);
  Totals totals;
  for (const Item& item : plan.items) {
    const std::unique_ptr<WrittenPicture> picture = make(shared, item);
    picture->judge();
    const bool judged = picture->ended();
    if (!judged) picture->look();
    const Outcome& outcome = picture->outcome();
    const std::string line =
        fmt::format("{} -> {}", printable(item.input.string()), printable(item.output.string()));
    if (!picture->ended())
      fmt::print("write  {}\n", line);
    else if (judged)
      fmt::print("{:<6} {}\n", outcome.status == Status::skipped ? "skip" : "refuse", line);
    else
      fmt::print("fail   {}: {}\n", printable(item.input.string()), printable(outcome.cause));
    if (picture->ended()) totals.add(outcome);
  }
  if (const std::size_t failed = totals.failed + totals.retry; failed > 0)
    print_line(fmt::format("scanlens: {} of {} would fail", failed, plan.items.size()));
  return totals.exit_code();
}

/// Throws Error where the sheet would replace an input or an output.
void refuse_sheet(const fs::path& sheet, const Plan& plan) {
  if (sheet.empty()) return;
  for (const Item& item : plan.items)
    if (is_same_file(sheet, item.input) || is_same_file(sheet, item.output) ||
        sheet.lexically_normal() == item.output.lexically_normal())
      throw Error(ErrorKind::usage,
                  fmt::format("{}: is an input or an output; choose another name for the contact sheet",
                              sheet.string()));
}

/// Returns true if every device makes the same bits of the plan's pictures. Files that hold floats may
/// differ.
bool makes_same_bits(std::span<const FilterCall> calls, const Plan& plan) {
  return std::ranges::all_of(calls, [](const FilterCall& call) { return call.filter->same_everywhere; }) &&
         std::ranges::none_of(plan.items, [](const Item& item) {
           const Format format = format_by_name(item.input);
           return format != Format::unknown && (traits_of(format).samples & kHoldsFloat) != 0;
         });
}

}  // namespace

std::string encoding_text(const WriteOptions& write) {
  const std::string_view format = write.format == Format::unknown ? "by name" : traits_of(write.format).name;
  return fmt::format("format {}, quality {}, compression {}{}{}{}", format, write.quality, write.compression,
                     write.max_bytes > 0 ? fmt::format(", {} bytes", write.max_bytes) : "",
                     write.strip ? ", strip" : "",
                     write.background ? ", over " + name_of(write.background->colour) : "");
}

int run_batch_command(BatchOptions options, const InputOptions& inputs, const WorkMaker& make_clip,
                      Talk& talk) {
  Work& work = options.work;
  options.plan.write = work.filtering.write;
  work.parameters += encoding_text(options.plan.write);
  options.workers.compute = !work.filtering.calls.empty();
  check_report(options);
  const auto [found, plan] = find_and_plan(options, inputs, talk);
  options.workers.are_alike = makes_same_bits(work.filtering.calls, plan);
  return run_plan(options, plan, found.unreadable, talk,
                  [&](Shared& shared, const Work& all, const Item& item) -> std::unique_ptr<WrittenPicture> {
                    if (item.is_clip) return make_clip(shared, all, item);
                    return std::make_unique<FilteredPicture>(shared, all, item);
                  });
}

int run_plan(BatchOptions options, const Plan& plan, const std::vector<std::string>& unreadable, Talk& talk,
             const WorkMaker& make_of) {
  Work& work = options.work;
  work.folder = options.plan.folder;
  const WrittenPictureMaker make = [&](Shared& shared, const Item& item) {
    return make_of(shared, work, item);
  };
  if (!work.overwrite && !work.skip_existing) refuse_existing(plan, work.replacing);
  if (!options.contact_sheet.empty()) check_contact_sheet(options.contact_sheet);
  if (!options.report.empty() && work.skip_existing) work.reported = read_reported(options.report);

  if (options.dry_run) {
    for (const std::string& line : unreadable) print_line("scanlens: " + line);
    const int exit_code = show_plan(plan, options, talk, make);
    return unreadable.empty() ? exit_code : 1;
  }

  refuse_sheet(options.contact_sheet, plan);
  std::optional<ReportFile> report;
  begin_report(report, options, plan);
  engage(options.workers, plan.items.size(), talk);
  make_folder(options.plan.folder);
  Overwrite of_sheet;
  of_sheet.never = !work.overwrite && !work.skip_existing;
  if (!options.contact_sheet.empty()) check_target(options.contact_sheet, {}, of_sheet);
  warn_without_marks(options, talk);
  tidy(options.plan.folder, plan, talk);

  Tally tally(talk, options, plan, report ? &*report : nullptr);
  for (const std::string& line : unreadable) tally.add_failure(line);
  const StopsBySelf stops;
  std::set<const Item*> made;
  run_batch(plan, options.workers, talk, make, [&](const Outcome& outcome) {
    tally.add(outcome);
    if (outcome.status == Status::written || outcome.status == Status::skipped) made.insert(outcome.item);
  });
  tally.print();
  if (!options.contact_sheet.empty() && !signal_noted()) {
    std::vector<std::filesystem::path> outputs;
    for (const Item& item : plan.items)
      if (made.contains(&item)) outputs.push_back(item.output);
    if (outputs.empty()) {
      talk.warn(options.contact_sheet.string() + ": not written, since there is no picture to show on it");
    } else {
      write_contact_sheet(options.contact_sheet, outputs, talk.settings.limits(), of_sheet);
      if (!signal_noted())
        talk.say(
            fmt::format("{}: shows {}", options.contact_sheet.string(), number_of_pictures(outputs.size())));
    }
  }
  if (signal_noted()) print_line("scanlens: interrupted; --skip-existing goes on from here");
  return tally.exit_code();
}

}  // namespace scanlens
