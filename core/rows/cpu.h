// Row scans on the CPU, and what the column scans share with them.
#pragma once

#include <cstdint>

#include "core/rows/backends.h"
#include "core/scan/cpu.h"

namespace scanlens::cpu {

template <class Body>
void in_parallel(std::int64_t count, Body body) {
  for_each_task(count, [&](std::int64_t i) { body(i); });
}

template <class In, class Out, class Op>
void scan_each_row(Context& context, View<const In> in, View<Out> out, const ScanForm<Out>& form, Op op) {
  const auto scan_row = [&](std::int64_t y) {
    cpu::scan(context, in.row(y), out.row(y), in.width, form, op);
  };
  if (in.height < thread_count()) {  // too few: all threads share each row
    for (std::int64_t y = 0; y < in.height; ++y) scan_row(y);
  } else {
    in_parallel(in.height, scan_row);
  }
}

template <class T, class Op>
void scan_rows(Context& context, View<const T> in, View<T> out, const ScanForm<T>& form, Op op) {
  scan_each_row(context, in, out, form, op);
}

}  // namespace scanlens::cpu
