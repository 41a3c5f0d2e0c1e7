#include "app/batch/report/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "app/batch/report/lines.h"
#include "app/batch/report/report_file.h"
#include "core/error.h"
#include "core/version.h"

namespace scanlens {
namespace {

bool is_there(const std::string& status) {
  return status == "written" || status == "measured" || status == "skipped";
}

std::size_t number_in(std::string_view text) {
  std::size_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

double ms_in(const Json& line, const char* stage) {
  return line["ms"][stage].number().value_or(0);
}

Json names_of(const std::vector<std::string>& paths) {
  Json names = Json::array();
  for (const std::string& path : paths) names.push_back(utf8_of(path));
  return names;
}

Json causes_of(const std::vector<MergedReports::Picture>& pictures) {
  Json all = Json::array();
  for (const auto& [path, cause] : pictures) all.push_back({{"path", utf8_of(path)}, {"cause", cause}});
  return all;
}

}  // namespace

void MergedReports::add(const std::filesystem::path& report) {
  std::unordered_map<std::string, State> told;
  std::size_t beginnings = 0;
  broken_lines_ += for_each_line(report, [&](const Json& line) {
    if (const Json& batch = line["batch"]; batch.is_object()) {
      ++beginnings;
      read_beginning(batch);
    } else if (const std::string path = path_in(line); !path.empty()) {
      read_line(line, told[path]);
    }
  });
  if (beginnings == 0)
    throw Error(ErrorKind::usage, fmt::format("{}: not a batch report (no header line)", report.string()));
  for (const auto& [path, state] : told) merge(path, state);
}

void MergedReports::read_beginning(const Json& batch) {
  total_ = count_in(batch, "total");
  parameters_.insert(text_in(batch, "parameters"));
  totals_.insert(std::to_string(total_));
  if (batch["plan_alone"].truth().value_or(false)) return;
  const std::string shard = text_in(batch, "shard");
  const std::size_t slash = std::min(shard.find('/'), shard.size());
  shards_.insert(number_in(shard));
  count_ =
      std::max<std::size_t>(number_in(std::string_view(shard).substr(std::min(slash + 1, shard.size()))), 1);
  counts_.insert(std::to_string(count_));
}

void MergedReports::read_line(const Json& line, State& state) {
  const std::string status = text_in(line, "status");
  if (status == "planned") return;  // the state before, if there is one, is that of the run before
  const std::size_t written = status == "written" ? 1 : state.written;
  if (status == "skipped" && state.written > 0) return;  // by the run before, with its times
  state = {status,
           text_in(line, "cause"),
           written,
           count_in(line, "bytes_in"),
           count_in(line, "bytes_out"),
           ms_in(line, "decode"),
           ms_in(line, "filter"),
           ms_in(line, "encode")};
}

void MergedReports::merge(const std::string& path, const State& state) {
  const auto [found, is_new] = pictures_.try_emplace(path, state);
  if (is_new) return;
  State& known = found->second;
  const std::size_t written = known.written + state.written;
  const auto worth = [](const State& s) {
    return s.status == "written" ? 3 : is_there(s.status) ? 2 : s.status == "planned" ? 0 : 1;
  };
  if (worth(state) >= worth(known)) known = state;
  known.written = written;
}

MergedReports::Summary MergedReports::summary() const {
  Summary sum;
  sum.total = total_;
  sum.broken_lines = broken_lines_;
  for (const auto& [path, state] : pictures_) {
    sum.totals.written += state.status == "written";
    sum.totals.measured += state.status == "measured";
    sum.totals.skipped += state.status == "skipped";
    if (state.status == "failed") sum.failed.push_back({path, state.cause});
    if (state.status == "retry") sum.retry.push_back({path, state.cause});
    if (state.status == "planned") sum.missing.push_back(path);
    if (state.written > 1) sum.duplicated.push_back(path);
    sum.totals.bytes_in += is_there(state.status) ? state.bytes_in : 0;
    sum.totals.bytes_out += is_there(state.status) ? state.bytes_out : 0;
    sum.decode_ms += state.decode_ms;
    sum.filter_ms += state.filter_ms;
    sum.encode_ms += state.encode_ms;
  }
  sum.totals.failed = sum.failed.size();
  sum.totals.retry = sum.retry.size();
  const auto by_path = [](const Picture& a, const Picture& b) { return a.path < b.path; };
  std::sort(sum.failed.begin(), sum.failed.end(), by_path);
  std::sort(sum.retry.begin(), sum.retry.end(), by_path);
  std::sort(sum.missing.begin(), sum.missing.end());
  std::sort(sum.duplicated.begin(), sum.duplicated.end());

  for (std::size_t number = 1; number <= count_; ++number)
    if (!shards_.contains(number)) sum.shards_without_report.push_back(fmt::format("{}/{}", number, count_));
  sum.unnamed = total_ > pictures_.size() ? total_ - pictures_.size() : 0;
  for (const auto& [what, values] : {std::pair{"parameters", &parameters_},
                                     {"number of pictures", &totals_},
                                     {"number of shards", &counts_}})
    if (values->size() > 1)
      sum.disagreements.push_back(
          fmt::format("the reports do not agree on the {}: {}", what, fmt::join(*values, " and ")));
  return sum;
}

int MergedReports::Summary::exit_code() const {
  if (!failed.empty()) return 1;
  return retry.empty() && missing.empty() && unnamed == 0 && shards_without_report.empty() ? 0 : 75;
}

Json MergedReports::Summary::json() const {
  return {{"command", "report"},
          {"version", kVersion},
          {"total", total},
          {"written", totals.written},
          {"measured", totals.measured},
          {"skipped", totals.skipped},
          {"failed", causes_of(failed)},
          {"retry", causes_of(retry)},
          {"missing", names_of(missing)},
          {"missing_unnamed", unnamed},
          {"shards_without_report", shards_without_report},
          {"duplicated", names_of(duplicated)},
          {"bytes_in", totals.bytes_in},
          {"bytes_out", totals.bytes_out},
          {"ms", {{"decode", decode_ms}, {"filter", filter_ms}, {"encode", encode_ms}}},
          {"broken_lines", broken_lines},
          {"warnings", disagreements},
          {"complete", exit_code() == 0}};
}

}  // namespace scanlens
