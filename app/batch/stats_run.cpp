#include "app/batch/stats_run.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <system_error>

#include "app/batch/tally.h"
#include "app/io/signals.h"
#include "app/io/text.h"
#include "app/session/terminal.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;
void check_plot(const fs::path& plot, const Plan& plan, bool overwrite) {
  if (plot.empty()) return;
  check_stats_plot(plot, {}, {});
  std::error_code error;
  if (!fs::exists(plot, error)) return;
  for (const Item& item : plan.items)
    if (is_same_file(plot, item.input)) throw Error(fmt::format("{}: is an input", plot.string()));
  if (!overwrite) throw Error(fmt::format("{}: exists; --overwrite replaces it", plot.string()));
}

int show_plan(const Found& found, const BatchOptions& options) {
  report_plan(options, found.plan);
  for (const std::string& line : found.inputs.unreadable) print_line("scanlens: " + line);
  for (const Item& item : found.plan.items) fmt::print("measure {}\n", printable(item.input.string()));
  return found.inputs.unreadable.empty() ? 0 : 1;
}

/// Returns "3 pictures and 1 clip, luma > 0.5".
std::string title_of(const BatchStats& stats, const Tally& tally) {
  const std::size_t clips = tally.measured_clips();
  return number_of_items(tally.totals().measured - clips, clips) +
         (stats.where.empty() ? "" : ", " + printable(stats.where));
}

void print(const StatsReport& report, const BatchStats& stats, const Tally& tally, Talk& talk) {
  if (!talk.settings.json) {
    if (tally.totals().measured > 0)
      fmt::print("{}: {}", title_of(stats, tally), table_of(report, speaks_utf8()));
    return;
  }
  Account& account = talk.account;
  account.add_fact("where", stats.where.empty() ? Json() : Json(stats.where));
  account.add_fact("pictures", tally.totals().measured - tally.measured_clips());
  account.add_fact("clips", tally.measured_clips());
  account.add_fact("failed", tally.totals().failed + tally.totals().retry);
  account.add_fact("seconds", tally.seconds());
  account.add_fact("channels", channels_json(report));
  account.ms_of("decode") = tally.ms().decode;
  account.ms_of("statistics") = tally.ms().filter;
  talk.print_account();
}

void plot(const StatsReport& report, const BatchStats& stats, const Tally& tally, Talk& talk,
          bool overwrite) {
  if (stats.plot.empty()) return;
  plot_stats(stats.plot, report, title_of(stats, tally), {.never = !overwrite});
  talk.account.add_fact("plot", stats.plot.string());
  talk.say(stats.plot.string() + ": written");
}

}  // namespace

int run_batch_stats(BatchOptions options, BatchStats stats, const InputOptions& inputs,
                    const ClipMeasurer& measure_clip, Talk& talk) {
  check_report(options);
  const Found found = find_and_plan(options, inputs, talk);
  const Plan& plan = found.plan;
  check_plot(stats.plot, plan, options.work.overwrite);
  if (options.dry_run) return show_plan(found, options);

  std::optional<ReportFile> report;
  begin_report(report, options, plan);
  Json roots = Json::array();
  for (const fs::path& root : inputs.roots) roots.push_back(root.string());
  talk.account.set_facts({{"command", "batch"}, {"input", std::move(roots)}});
  engage(options.workers, plan.items.size(), talk);
  stats.measuring.tells_each = report.has_value();

  MergedStatistics all;
  Tally tally(talk, options, plan, report ? &*report : nullptr);
  for (const std::string& line : found.inputs.unreadable) tally.add_failure(line);
  const StopsBySelf stops;
  run_batch(
      plan, options.workers, talk,
      [&](Shared& shared, const Item& item) -> std::unique_ptr<OnePicture> {
        const auto place = static_cast<std::size_t>(&item - plan.items.data());
        if (item.is_clip) return measure_clip(shared, stats.measuring, item, place, all);
        return std::make_unique<MeasuredPicture>(shared, stats.measuring, item, place, all);
      },
      [&](const Outcome& outcome) {
        tally.add(outcome);
        talk.account.warnings.insert(talk.account.warnings.end(), outcome.warnings.begin(),
                                     outcome.warnings.end());
      });
  tally.print();
  if (signal_noted()) {
    print_line("scanlens: interrupted; statistics of some of the pictures are not printed");
    return tally.exit_code();
  }
  const StatsReport merged = all.report(stats.measuring.percents);
  plot(merged, stats, tally, talk, options.work.overwrite);
  print(merged, stats, tally, talk);
  return tally.exit_code();
}

}  // namespace scanlens
