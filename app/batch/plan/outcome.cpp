#include "app/batch/plan/outcome.h"

namespace scanlens {

std::string_view name_of(Status status) {
  switch (status) {
    case Status::written:
      return "written";
    case Status::measured:
      return "measured";
    case Status::skipped:
      return "skipped";
    case Status::retry:
      return "retry";
    case Status::failed:
      break;
  }
  return "failed";
}

void Totals::add(const Outcome& outcome) {
  written += outcome.status == Status::written;
  measured += outcome.status == Status::measured;
  skipped += outcome.status == Status::skipped;
  failed += outcome.status == Status::failed;
  retry += outcome.status == Status::retry;
  if (outcome.status == Status::written || outcome.status == Status::measured) {
    bytes_in += outcome.bytes_in;
    bytes_out += outcome.bytes_out;
  }
}

}  // namespace scanlens
