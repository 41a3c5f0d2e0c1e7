#include "app/batch/begin.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <system_error>

#include "app/batch/report/lines.h"
#include "app/batch/tally.h"
#include "app/io/format.h"
#include "app/io/json.h"
#include "app/io/text.h"
#include "app/session/gpus.h"
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

/// Says how many files of folders are not taken, and which.
void tell_passed_over(const Inputs& found, const Talk& talk) {
  if (found.passed_over.empty()) return;
  std::string names;
  for (const fs::path& path : found.passed_over)
    if (talk.settings.verbose) names += (names.empty() ? ": " : ", ") + printable(path.string());
  talk.say(fmt::format("{} passed over, whose names are not those of pictures; --include '*' takes them{}",
                       number_of(found.passed_over.size(), "file", "files"), names));
}

/// Says which formats stand in for those that are not written, and which clips stay behind.
void tell_plan(const Plan& plan, const PlanOptions& options, const Talk& talk) {
  for (const auto& [to, from] : plan.changed)
    talk.say(fmt::format(
        "{} cannot be written and become{} {}{}", fmt::join(from, " and "), from.size() == 1 ? "s" : "", to,
        format_by_name("picture" + to) == Format::unknown ? "" : "; --format chooses another"));
  if (plan.left_out.empty()) return;
  const std::string cause = options.writes
                                ? "because no option changes clips, as --filter and --video-codec do"
                                : "because frames are measured without depth";
  talk.say(fmt::format("{} left out, {}", number_of(plan.left_out.size(), "clip is", "clips are"), cause));
}

/// Says what was found, and throws Error where nothing was.
void tell(const Inputs& found, const std::vector<fs::path>& roots, const Plan& plan,
          const BatchOptions& options, const Talk& talk) {
  tell_passed_over(found, talk);
  tell_plan(plan, options.plan, talk);
  if (found.saved > 0)
    talk.say(fmt::format(
        "{} passed over; {} taken where {} named",
        number_of(found.saved, "picture that the viewer saved is", "pictures that the viewer saved are"),
        found.saved == 1 ? "it is" : "they are", found.saved == 1 ? "it is" : "they are"));
  if (found.maps > 0)
    talk.say(number_of(found.maps, "depth map beside its photo is", "depth maps beside their photos are") +
             " passed over");
  if (plan.total == 0 && found.unreadable.empty())
    throw Error(roots.size() != 1 ? "no pictures were found"
                                  : fmt::format("{}: no pictures were found", roots.front().string()));
  if (options.plan.shard.count > 1)
    talk.say(fmt::format("shard {}: {} of {}", options.plan.shard.text(), plan.items.size(),
                         number_of_pictures(plan.total)));
}

// Drivers of GPUs take 200 to 300 MB of the host, which count.
constexpr std::size_t kDrivers = 512 << 20;
// A GPU starts in 0.5 s, and saves 23 ms of a core with each picture: 20 pictures a core until that is won
// back. It filters 600 pictures of 4K a second, as many as 32 cores decode (tests/bench/RESULTS.md).
constexpr std::size_t kPicturesOfCore = 20, kPicturesOfGpu = 1000;

bool takes_cpu(const Workers& workers, std::size_t pictures, Talk& talk) {
  const std::size_t limit = talk.settings.max_memory;
  if (!workers.compute || (limit != 0 && limit < kDrivers)) return true;
  const auto cores = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  if (!workers.are_alike || pictures >= kPicturesOfCore * cores) return false;
  talk.note(fmt::format(
      "--device auto takes the CPU: GPUs take longer to start than they save of {} pictures", pictures));
  return true;
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

void engage(Workers& workers, std::size_t pictures, Talk& talk) {
  std::string device = talk.settings.device;
  workers.may_fall_back = device == "auto";
  if (workers.may_fall_back && takes_cpu(workers, pictures, talk)) device = "cpu";
  see_gpus(device, std::max<std::size_t>(1, pictures / kPicturesOfGpu));
  // All GPUs start side by side here, and so the context that tells its name starts at once.
  workers.devices = devices_for(device);
  talk.introduce(Context::open(workers.devices.front()));
  // Pictures' memory goes back to the system when it is freed: what would be kept of it in pieces grows with
  // time.
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
}

}  // namespace scanlens
