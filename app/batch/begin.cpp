#include "app/batch/begin.h"

#include <fmt/format.h>
#include <malloc.h>

#include <system_error>

#include "app/batch/report/lines.h"
#include "app/batch/tally.h"
#include "app/io/json.h"
#include "app/io/text.h"
#include "app/work/lanes.h"
#include "core/error.h"

namespace scanlens {

namespace fs = std::filesystem;

void check_report(const BatchOptions& options) {
  std::error_code error;
  if (options.report.empty() || !fs::exists(options.report, error) ||
      fs::file_size(options.report, error) == 0)
    return;
  if (!fs::is_regular_file(options.report, error))
    throw Error(
        fmt::format("{}: not a regular file; choose another name for the report", options.report.string()));
  bool is_report = false;
  for_each_line(options.report, [&](const Json& line) { is_report |= line.find("batch") != nullptr; });
  if (!is_report)
    throw Error(
        fmt::format("{}: exists and is not a batch report; choose another name", options.report.string()));
  if (!options.work.skip_existing && !options.work.overwrite && !options.dry_run)
    throw Error(fmt::format("{}: exists; {}--overwrite begins it anew", options.report.string(),
                            options.plan.writes ? "--skip-existing goes on with it, " : ""));
}

namespace {

/// Says what was found, and throws Error where nothing was.
void tell(const Inputs& found, const std::vector<fs::path>& roots, const Plan& plan,
          const BatchOptions& options, const Talk& talk) {
  if (found.passed_over > 0)
    talk.say(
        fmt::format("{} files passed over, whose names are not those of pictures; --include '*' takes them",
                    found.passed_over));
  if (const std::size_t clips = found.clips.size(); clips > 0)
    talk.say(fmt::format("{} clip{} left out, which batch does not take; for each: {}", clips,
                         clips == 1 ? " is" : "s are",
                         shell_text({"scanlens", "filter", file_word(found.clips.front()), "-o",
                                     "OUT" + found.clips.front().extension().string()},
                                    true)));
  if (found.saved > 0)
    talk.say(fmt::format("{} picture{} that the viewer saved {} passed over; {} taken where {} named",
                         found.saved, found.saved == 1 ? "" : "s", found.saved == 1 ? "is" : "are",
                         found.saved == 1 ? "it is" : "they are", found.saved == 1 ? "it is" : "they are"));
  if (found.maps > 0)
    talk.say(fmt::format("{} depth map{} beside {} passed over", found.maps, found.maps == 1 ? "" : "s",
                         found.maps == 1 ? "its photo is" : "their photos are"));
  if (plan.total == 0 && found.unreadable.empty())
    throw Error(roots.size() != 1 ? "no pictures were found"
                                  : fmt::format("{}: no pictures were found", roots.front().string()));
  if (options.plan.shard.count > 1)
    talk.say(fmt::format("shard {}: {} of {}", options.plan.shard.text(), plan.items.size(),
                         number_of_pictures(plan.total)));
}

}  // namespace

Found find_and_plan(const BatchOptions& options, const InputOptions& inputs, const Talk& talk) {
  Found found{find_inputs(inputs), {}};
  found.plan = make_plan(found.inputs, inputs.roots, options.plan);
  tell(found.inputs, inputs.roots, found.plan, options, talk);
  return found;
}

void report_plan(const BatchOptions& options, const Plan& plan) {
  std::error_code error;
  if (!options.report.empty() && !fs::exists(options.report, error))
    ReportFile(options.report, true).begin(plan, options.plan, options.work.parameters, true);
}

void begin_report(std::optional<ReportFile>& report, const BatchOptions& options, const Plan& plan) {
  if (options.report.empty()) return;
  report.emplace(options.report, options.work.skip_existing);
  report->begin(plan, options.plan, options.work.parameters, false);
}

void engage(Workers& workers, Talk& talk) {
  const std::string& device = talk.settings.device;
  workers.may_fall_back = device == "auto";
  // All GPUs start side by side here, and so the context that tells its name starts at once.
  workers.devices = devices_for(workers.may_fall_back && !workers.compute ? "cpu" : device);
  talk.introduce(Context::open(workers.devices.front()));
  // Pictures' memory goes back to the system when it is freed: what would be kept of it in pieces grows with
  // time.
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
}

}  // namespace scanlens
