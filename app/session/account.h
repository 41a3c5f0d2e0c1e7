// Collects what a command took, assumed and wrote, and how long that took: what --json prints.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/io/json.h"

namespace scanlens {

struct Blur;
struct Depth;
struct RowFormat;
struct ThinLens;

struct Account {
  Json::Object facts;                              ///< names and values, in the order of printing
  std::vector<std::string> assumed, warnings;      ///< the lines that were said
  std::vector<std::string> usual;                  ///< what is assumed of most files, and not said
  std::vector<std::pair<std::string, double>> ms;  ///< milliseconds by stage: "decode", "blur"

  /// Replaces the facts by an object's members: {{"input", "photo.jpg"}}.
  void set_facts(const Json& members);
  void add_fact(const std::string& name, Json value);  ///< in place of one of that name

  /// Returns the milliseconds of a stage, to be added to.
  double& ms_of(const std::string& stage);

  /// Returns one JSON object: the facts, then "version", "assumed", "warnings" and "ms". What is not UTF-8 is
  /// replaced. app/about/output.schema.json describes it.
  std::string json() const;
};

/// Adds the time of its own life to a stage.
class StageTimer {
 public:
  StageTimer(Account& account, std::string stage) : account_(account), stage_(std::move(stage)) {}
  ~StageTimer() {
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start_;
    account_.ms_of(stage_) += elapsed.count();
  }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  Account& account_;
  std::string stage_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Facts about a picture, a depth map and a blur, under the names that JSON has.

/// Adds the size and the samples of a picture.
void add_picture(Account& account, const RowFormat& format);

/// Returns what a map holds: its size, what its values mean, from where to where they go, what is unknown.
Json::Object facts_of(const Depth& depth);

/// Adds where a picture's depth comes from, and what it holds before it is brought to the picture's size.
void add_depth(Account& account, const std::filesystem::path& file, const Depth& depth);

/// Adds what is in focus and how wide the blur becomes; the lens where one makes the blur.
void add_blur(Account& account, const Blur& blur, bool metric, const std::optional<ThinLens>& lens);

}  // namespace scanlens
