#include "tests/bench/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "app/about/version.h"
#include "app/io/json.h"
#include "core/devices.h"
#include "core/version.h"

namespace scanlens::bench {
namespace {

constexpr const char* kLine =
    "{:<9} {:<28} {:<9} {:<15} {:<7} {:>10} {:>21} {:>8} {:>6} {:<1} {:<32} {:>10} {:>9}\n";

/// A peer's part of a line: what it is, its time, and the ratio.
std::array<std::string, 3> peer_columns(const Result& result, const PeerResult& peer) {
  if (!peer.failed.empty()) return {peer.name, "failed", ""};
  return {peer.name, ms_text(peer.time.ms), fmt::format("{:.2f}x", peer.time.ms / result.ours.ms)};
}

/// Returns null for what JSON has no number for: there was no such pixel, or no difference.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json json_of(const Likeness& likeness) {
  return {{"psnr", number(likeness.psnr)},
          {"band_psnr", number(likeness.band_psnr)},
          {"ssim", number(likeness.ssim)},
          {"band_ssim", number(likeness.band_ssim)}};
}

Json json_of(const std::vector<QualityResult>& results) {
  Json lines = Json::array();
  for (const QualityResult& result : results)
    lines.push_back({{"scene", result.scene},
                     {"size", result.size},
                     {"views", result.views},
                     {"focus_m", result.focus_m},
                     {"circle", result.circle},
                     {"quality", result.quality},
                     {"likeness", json_of(result.likeness)},
                     {"gain", json_of(result.gain)}});
  return lines;
}

}  // namespace

std::string ms_text(double ms) {
  return ms < 10 ? fmt::format("{:.4f}", ms) : fmt::format("{:.2f}", ms);
}

void print_header() {
  fmt::print(kLine, "primitive", "variant", "type", "size", "device", "median ms", "(least .. most)", "GB/s",
             "bound", "", "peer", "its ms", "speed-up");
}

void print(const Result& result) {
  if (!result.verified()) {
    fmt::print("{:<9} {:<28} {:<9} {:<15} {:<7} WRONG: {}\n", result.primitive, result.variant, result.type,
               result.size, result.device, result.wrong);
  } else {
    const std::array<std::string, 3> first =
        result.peers.empty() ? std::array<std::string, 3>() : peer_columns(result, result.peers.front());
    fmt::print(kLine, result.primitive,
               result.plan.empty() ? result.variant : fmt::format("{} [{}]", result.variant, result.plan),
               result.type, result.size, result.device, ms_text(result.ours.ms),
               fmt::format("({} .. {})", ms_text(result.ours.least), ms_text(result.ours.most)),
               fmt::format("{:.1f}", result.gb_per_s()), fmt::format("{:.3f}", result.fraction_of_bound()),
               result.in_cache ? "*" : "", first[0], first[1], first[2]);
    for (std::size_t i = 1; i < result.peers.size(); ++i) {
      const std::array<std::string, 3> next = peer_columns(result, result.peers[i]);
      fmt::print(kLine, "", "", "", "", "", "", "", "", "", "", next[0], next[1], next[2]);
    }
    for (const ThreadsTiming& timing : result.threads)
      fmt::print("  {:>3} threads: {} ms; work {} ms, span {} ms, efficiency {:.2f}\n", timing.threads,
                 ms_text(timing.ms), ms_text(timing.work), ms_text(timing.span),
                 result.threads.front().work / (timing.threads * timing.span));
  }
  std::fflush(stdout);
}

void print_footer(const std::vector<Result>& results) {
  fmt::print(
      "\nEvery result was verified before it was timed. Sizes are lengths or width x height. Times are of "
      "one\n"
      "call in milliseconds, on CUDA device time of replayed graphs. GB/s counts the bytes that must move.\n"
      "bound: the time of a tuned copy of as many bytes over ours. speed-up: the peer's time over ours, "
      "both\n"
      "over the same buffers in turn. [plan]: which of several schedules made it.\n");
  if (std::any_of(results.begin(), results.end(), [](const Result& result) { return result.in_cache; }))
    fmt::print(
        "* small enough to stay in the last-level cache between repetitions, ours and the peers' alike\n");
}

void print_json(const Context& context, const std::vector<Result>& results,
                const std::vector<QualityResult>& quality) {
  Json lines = Json::array();
  for (const Result& result : results) {
    const auto timed = [&](double value) { return result.verified() ? Json(value) : Json(nullptr); };
    Json line = {{"primitive", result.primitive},
                 {"variant", result.variant},
                 {"type", result.type},
                 {"plan", result.plan.empty() ? Json(nullptr) : Json(result.plan)},
                 {"size", result.size},
                 {"elements", result.elements},
                 {"device", result.device},
                 {"ms", timed(result.ours.ms)},
                 {"ms_min", timed(result.ours.least)},
                 {"ms_max", timed(result.ours.most)},
                 {"bytes", result.bytes},
                 {"gb_per_s", timed(result.gb_per_s())},
                 {"bound_ms", timed(result.bound_ms)},
                 {"fraction_of_bound", timed(result.fraction_of_bound())},
                 {"in_cache", result.in_cache},
                 {"peer", nullptr},
                 {"peer_ms", nullptr},
                 {"speedup", nullptr},
                 {"verified", result.verified()}};
    if (result.peers.empty()) lines.push_back(line);
    for (const PeerResult& peer : result.peers) {
      line["peer"] = peer.name;
      const bool timed_too = peer.failed.empty();
      line["peer_ms"] = timed_too ? Json(peer.time.ms) : Json(nullptr);
      line["speedup"] = timed_too ? Json(peer.time.ms / result.ours.ms) : Json(nullptr);
      lines.push_back(line);
    }
  }
  Json out = {{"command", "bench"},
              {"version", kVersion},
              {"device", context.device().id},
              {"gpu", context.on_cuda() ? Json(context.device().name) : Json(nullptr)},
              {"commit", commit_of_build()},
              {"results", lines}};
  if (!quality.empty()) out["quality"] = json_of(quality);
  fmt::print("{}\n", out.dump(2));
}

}  // namespace scanlens::bench
