// The common beginning of batches of every kind.
#pragma once

#include <optional>

#include "app/batch/pipeline.h"
#include "app/batch/plan/inputs.h"
#include "app/batch/plan/plan.h"
#include "app/batch/progress.h"
#include "app/batch/report/report_file.h"
#include "app/batch/work.h"
#include "app/session/session.h"

namespace scanlens {

struct BatchOptions {
  PlanOptions plan;
  Work work;
  Workers workers;
  std::filesystem::path report;         ///< empty for none
  std::filesystem::path contact_sheet;  ///< empty for none
  ProgressKind progress = ProgressKind::terminal;
  bool dry_run = false;
};

/// Throws Error where a report would replace or lengthen another kind of file, or be lost.
void check_report(const BatchOptions& options);

/// The inputs of a batch.
struct Found {
  Inputs inputs;
  Plan plan;
};

/// Finds the inputs, plans, and says what was found. Throws Error where nothing was.
Found find_and_plan(const BatchOptions& options, const InputOptions& inputs, const Talk& talk);

/// Writes the plan into a report that is not there yet, for a dry run; nothing where none is asked for.
void report_plan(const BatchOptions& options, const Plan& plan);

/// Begins the report; nothing where none is asked for.
void begin_report(std::optional<ReportFile>& report, const BatchOptions& options, const Plan& plan);

/// Starts the devices, which say what they are, or throws before any picture is touched; then fills in what
/// workers there are. No more GPUs start than the pictures keep at work. "auto" starts none where workers
/// compute nothing, where --max-memory leaves drivers no room, or where the CPU makes the same bits and ends
/// sooner.
void engage(Workers& workers, std::size_t pictures, Talk& talk);

}  // namespace scanlens
