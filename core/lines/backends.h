// Scans of lines per backend. Only the checked public functions call them, with lines that are not empty.
#pragma once

#include "core/context.h"
#include "core/scan_axis.h"

#define SCANLENS_DECLARE_LINES \
  template <class Elements>    \
  void scan_lines(Context& context, const Elements& elements, const Axis& axis);

namespace scanlens::cpu {
SCANLENS_DECLARE_LINES
}
namespace scanlens::gpu {
SCANLENS_DECLARE_LINES
}

#undef SCANLENS_DECLARE_LINES
