#include "app/batch/tally.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/session/terminal.h"

namespace scanlens {
namespace {

/// Failures that the end lists.
constexpr std::size_t kMostListed = 1000;

std::string name_of(const Plan& plan) {
  const auto is_clip = [](const Item& item) { return item.is_clip; };
  const auto clips = static_cast<std::size_t>(std::count_if(plan.items.begin(), plan.items.end(), is_clip));
  return number_of_items(plan.items.size() - clips, clips);
}

}  // namespace

std::string number_of(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string number_of_pictures(std::size_t count) {
  return number_of(count, "picture", "pictures");
}

std::string number_of_items(std::size_t pictures, std::size_t clips) {
  if (clips == 0) return number_of_pictures(pictures);
  return (pictures > 0 ? number_of_pictures(pictures) + " and " : "") + number_of(clips, "clip", "clips");
}

Tally::Tally(const Talk& talk, const BatchOptions& options, const Plan& plan, ReportFile* report)
    : talk_(talk),
      progress_(talk, options.progress, plan.items.size()),
      pictures_(plan.items.size()),
      name_(name_of(plan)),
      writes_(options.plan.writes),
      report_(report) {}

void Tally::add(const Outcome& outcome) {
  if (report_) report_->add(outcome);
  totals_.add(outcome);
  measured_clips_ += outcome.item->is_clip && outcome.status == Status::measured;
  ms_.decode += outcome.ms.decode;
  ms_.filter += outcome.ms.filter;
  ms_.encode += outcome.ms.encode;
  for (const std::string& warning : outcome.warnings)
    if (warnings_.hear(warning) || talk_.settings.verbose) print_line("scanlens: warning: " + warning);
  if (!outcome.cause.empty()) add_failure(fmt::format("{}: {}", outcome.item->input.string(), outcome.cause));
  progress_.show(totals_);
}

void Tally::add_failure(std::string line) {
  ++failures_;
  if (listed_.size() < kMostListed) listed_.push_back(std::move(line));
}

double Tally::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::string Tally::summary() const {
  const double elapsed = seconds();
  const std::size_t failed = totals_.failed + totals_.retry, worked_on = totals_.written + totals_.measured;
  std::string line = name_ + ": ";
  line += writes_ ? fmt::format("{} written, {} skipped, {} failed", totals_.written, totals_.skipped, failed)
                  : fmt::format("{} measured, {} failed", totals_.measured, failed);
  if (const std::size_t left = pictures_ - totals_.done(); left > 0)
    line += fmt::format(", {} not begun or dropped", left);
  line += fmt::format("; {:.2f} s", elapsed);
  if (worked_on > 0) line += fmt::format(", {:.3g} per second", static_cast<double>(worked_on) / elapsed);
  return line;
}

void Tally::print() {
  progress_.finish(totals_);
  if (!talk_.settings.verbose)
    for (const std::string& line : warnings_.again("picture", "pictures"))
      talk_.say(line + " (--verbose names them)");
  talk_.say(summary());
  if (failures_ == 0) return;
  print_line(fmt::format("scanlens: failed: {}", failures_));
  for (const std::string& failure : listed_) print_line("  " + failure);
  if (failures_ > listed_.size())
    print_line(fmt::format("  and {} more, which --report FILE.jsonl names", failures_ - listed_.size()));
}

int Tally::exit_code() const {
  const std::size_t of_pictures = totals_.failed + totals_.retry;
  return failures_ > of_pictures ? 1 : totals_.exit_code();
}

}  // namespace scanlens
