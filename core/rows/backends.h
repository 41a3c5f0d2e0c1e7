// Row, column and axis scans per backend. Only the checked public functions call them, with views that are
// not empty.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/operators.h"
#include "core/scan/form.h"
#include "core/scan_axis.h"
#include "core/view.h"

#define SCANLENS_DECLARE_ROW_SCANS                                                                      \
  template <class T, class Op>                                                                          \
  void scan_rows(Context& context, View<const T> in, View<T> out, const ScanForm<T>& form, Op op);      \
  template <class In, class Out, class Op>                                                              \
  void scan_columns(Context& context, View<const In> in, View<Out> out, std::int64_t images,            \
                    const ScanForm<Out>& form, Op op);                                                  \
  template <class In, class Out, class Op>                                                              \
  void scan_axis(Context& context, const In* in, Out* out, const Axis& axis, const ScanForm<Out>& form, \
                 Op op);

namespace scanlens::cpu {
SCANLENS_DECLARE_ROW_SCANS
}
namespace scanlens::gpu {
SCANLENS_DECLARE_ROW_SCANS
}

#undef SCANLENS_DECLARE_ROW_SCANS
