#include "app/batch/report/report_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <system_error>

#include "app/batch/report/lines.h"
#include "app/io/file.h"
#include "app/io/json.h"
#include "core/error.h"
#include "core/version.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

std::string line_of(const Json& json) {
  return json.dump() + "\n";
}

void name(Json& line, const char* key, const fs::path& path) {
  line[key] = path.native();
  if (utf8_of(path.native()) == path.native()) return;
  std::string hex;
  for (const char c : path.native()) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  line[std::string(key) + "_hex"] = hex;
}

double rounded(double ms) {
  return std::round(ms * 1000) / 1000;
}

bool ends_in_a_line(int descriptor) {
  const off_t size = ::lseek(descriptor, 0, SEEK_END);
  char last = '\n';
  return size <= 0 || ::pread(descriptor, &last, 1, size - 1) != 1 || last == '\n';
}

}  // namespace

std::string utf8_of(std::string_view text) {
  return Json::parse(Json(text).dump())->text();
}

ReportFile::ReportFile(fs::path path, bool append)
    : path_(std::move(path)),
      descriptor_(
          ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | (append ? 0 : O_TRUNC), 0666)) {
  if (descriptor_ < 0)
    throw Error(fmt::format("{}: cannot be written: {}", path_.string(), system_cause(errno)));
  if (!ends_in_a_line(descriptor_)) write("\n");
}

ReportFile::~ReportFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void ReportFile::begin(const Plan& plan, const PlanOptions& options, std::string_view parameters,
                       bool plan_alone) {
  std::string lines = line_of({{"batch",
                                {{"version", kVersion},
                                 {"parameters", parameters},
                                 {"shard", options.shard.text()},
                                 {"shard_from", options.shard.from},
                                 {"total", plan.total},
                                 {"items", plan.items.size()},
                                 {"output", options.folder.native()},
                                 {"plan_alone", plan_alone}}}});
  constexpr std::size_t kAtOnce = std::size_t{1} << 20;
  for (const Item& item : plan.items) {
    Json line;
    name(line, "path", item.relative);
    line["status"] = "planned";
    lines += line_of(line);
    if (lines.size() < kAtOnce) continue;
    write(lines);
    lines.clear();
  }
  write(lines);
}

void ReportFile::add(const Outcome& outcome) {
  const Item& item = *outcome.item;
  Json line;
  name(line, "path", item.relative);
  if (item.output.empty())
    line["output"] = nullptr;
  else
    name(line, "output", item.output);
  line["status"] = name_of(outcome.status);
  line["cause"] = outcome.cause.empty() ? Json() : Json(outcome.cause);
  line["ms"] = {{"decode", rounded(outcome.ms.decode)},
                {"filter", rounded(outcome.ms.filter)},
                {"encode", rounded(outcome.ms.encode)}};
  line["device"] = outcome.device.empty() ? Json() : Json(outcome.device);
  line["bytes_in"] = outcome.bytes_in;
  line["bytes_out"] = outcome.bytes_out;
  line["fingerprint"] = outcome.fingerprint;
  name(line, "input", item.input);
  line["warnings"] = outcome.warnings;
  if (!outcome.stats.is_null()) line["stats"] = outcome.stats;
  const std::string text = line_of(line);
  const std::lock_guard lock(mutex_);
  write(text);
}

void ReportFile::write(std::string_view lines) {
  while (!lines.empty()) {
    const ssize_t done = ::write(descriptor_, lines.data(), lines.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0)
      throw Error(
          fmt::format("{}: cannot be written: {}", path_.string(), system_cause(done ? errno : ENOSPC)));
    lines.remove_prefix(static_cast<std::size_t>(done));
  }
}

std::unordered_map<std::string, Reported> read_reported(const fs::path& path) {
  std::unordered_map<std::string, Reported> reported;
  std::error_code error;
  if (!fs::exists(path, error)) return reported;
  for_each_line(path, [&](const Json& line) {
    const std::string picture = path_in(line), status = text_in(line, "status");
    if (picture.empty()) return;
    Reported& known = reported[picture];
    if (status == "planned" && !known.status.empty()) return;  // a run that went on where this one ended
    known = {status, text_in(line, "fingerprint"), count_in(line, "bytes_out")};
  });
  return reported;
}

}  // namespace scanlens
