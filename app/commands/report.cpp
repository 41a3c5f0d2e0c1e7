// scanlens report: how a batch stands, from the reports of its runs and shards.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "app/batch/report/merge.h"
#include "app/commands/commands.h"
#include "app/io/text.h"
#include "app/options/options.h"
#include "app/session/terminal.h"

namespace scanlens {
namespace {

struct ReportCommand {
  std::vector<std::filesystem::path> reports;
  bool json = false;

  int run() const {
    MergedReports merged;
    for (const std::filesystem::path& report : reports) merged.add(report);
    const MergedReports::Summary summary = merged.summary();
    for (const std::string& line : summary.disagreements) print_line("scanlens: warning: " + line);
    if (summary.broken_lines > 0)
      print_line(fmt::format("scanlens: warning: {} lines are cut off or not JSON; they are passed over",
                             summary.broken_lines));
    json ? fmt::print("{}\n", summary.json().dump(2)) : print(summary);
    return summary.exit_code();
  }

  static void print(const MergedReports::Summary& summary) {
    const std::size_t missing = summary.missing.size() + summary.unnamed;
    const Totals& totals = summary.totals;
    fmt::print("{} pictures: {} {}, {} skipped, {} failed, {} worth another try, {} missing, {} duplicated\n",
               summary.total, totals.measured > 0 ? totals.measured : totals.written,
               totals.measured > 0 ? "measured" : "written", totals.skipped, summary.failed.size(),
               summary.retry.size(), missing, summary.duplicated.size());
    fmt::print("{} read, {} written; decoding {:.1f} s, filters {:.1f} s, encoding {:.1f} s\n",
               bytes_text(summary.totals.bytes_in), bytes_text(summary.totals.bytes_out),
               summary.decode_ms / 1000, summary.filter_ms / 1000, summary.encode_ms / 1000);
    for (const auto& [path, cause] : summary.failed)
      fmt::print("failed     {}: {}\n", printable(path), printable(cause));
    for (const auto& [path, cause] : summary.retry)
      fmt::print("retry      {}: {}\n", printable(path), printable(cause));
    for (const std::string& path : summary.missing) fmt::print("missing    {}\n", printable(path));
    for (const std::string& shard : summary.shards_without_report)
      fmt::print("missing    all of shard {}\n", shard);
    for (const std::string& path : summary.duplicated) fmt::print("duplicated {}\n", printable(path));
  }
};

}  // namespace

void add_report_command(Program& program) {
  auto self = std::make_shared<ReportCommand>();
  Command& command =
      program.add_command("report", "summarise a batch from the reports of its runs and shards");
  command.add("REPORT", &self->reports, "reports that batch wrote with --report").required();
  command.add("--json", &self->json, "print one JSON object");
  command.brief =
      "Names the pictures that failed, with the causes; those that are missing, because the run that planned "
      "them\n"
      "ended before or a shard has no report; and those that more than one report says it wrote.\n"
      "Exit codes: 0 everything is there; 1 pictures failed; 75 pictures are missing, or ran out of\nmemory: "
      "run the batch again.\n";
  command.footer = command.brief +
                   "\nExample:\n"
                   "  scanlens report shard_1.jsonl shard_2.jsonl shard_3.jsonl shard_4.jsonl";
  command.run = [self] { return self->run(); };
}

}  // namespace scanlens
