// Collects what a command took, assumed and wrote, and how long that took: what --json prints.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "app/io/json.h"
#include "app/io/signals.h"

namespace scanlens {

struct RowFormat;

/// It is handed on, never copied.
struct Account {
  Account() = default;
  Account(Account&&) = default;
  Account& operator=(Account&&) = default;

  Json::Object facts;                              ///< names and values, in the order of printing
  std::vector<std::string> assumed, warnings;      ///< the lines that were said
  std::vector<std::string> usual;                  ///< what is assumed of most files, and not said
  std::vector<std::pair<std::string, double>> ms;  ///< milliseconds by stage: "decode", "blur"

  /// Replaces the facts by an object's members: {{"input", "photo.jpg"}}.
  void set_facts(const Json& members);
  void add_fact(const std::string& name, Json value);  ///< in place of one of that name

  /// Returns the milliseconds of a stage, to be added to.
  double& ms_of(const std::string& stage);

  /// Adds the time since the program's start, which note_program_start() noted, as the stage "start".
  void note_start();

  /// Returns the stages with their milliseconds, and their sum: "start 20, decode 107, blur 50 ms; 177 in
  /// all".
  std::string steps() const;

  /// Returns one JSON object: the facts, then "version", "assumed", "warnings" and "ms". Bytes that are not
  /// UTF-8 are replaced. app/about/output.schema.json describes it.
  std::string json() const;
};

/// Notes when the program was started: before now by the processor's time that loading it took. It is
/// called first, before there are threads.
void note_program_start();

/// Adds the time of its own life to a stage.
class StageTimer {
 public:
  StageTimer(Account& account, std::string stage) : account_(account), stage_(std::move(stage)) {}
  ~StageTimer() {
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start_;
    account_.ms_of(stage_) += elapsed.count();
    note_progress();
  }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  Account& account_;
  std::string stage_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Adds the size and the samples of a picture, under the names that JSON has.
void add_picture(Account& account, const RowFormat& format);

}  // namespace scanlens
