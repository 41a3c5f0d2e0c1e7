// Strips of lines on the CPU: sample i of all lines side by side, then sample i + 1 of each. All passes of
// one strip stay in a core's cache. Called by filters/blur/strips_cpu.cpp only.
#pragma once

#include <cstdint>

#include "core/view.h"
#include "filters/blur/codes.h"
#include "filters/blur/kernel.h"

namespace scanlens::cpu {

constexpr int kMostLines = 128;  ///< of a strip, a multiple of 32

/// Columns are two lines of the cache wide in a picture of bytes, since each of their rows lies in a page of
/// its own; strips of rows stay in a core's cache where these are long.
constexpr int kColumns = 128, kRows = 32;

/// One pass over a strip. Sample i of channel c is row i * channels + c of the strip. `out` may begin at
/// least (inner + 2) * channels rows before `in` and overlap it.
template <class Code>
struct StripPass {
  int lines;
  BoxPass box;
  const Code* in;
  Code* out;
  std::int64_t length;  ///< samples of one channel
  int channels;
  bool whole;  ///< results are rounded to whole numbers
};
template <class Code>
void run_pass(const StripPass<Code>& pass);

/// From `count` samples of each row, sample `first` on, to a strip of kColumns.
template <class T, class Code>
void encode_columns(View<const T> image, std::int64_t first, std::int64_t count, Code* strip);

/// From a strip of kColumns to rows of codes, past the cache. Their beginnings are aligned to 64 bytes.
template <class Code>
void store_columns(const Code* strip, View<Code> rows);

/// From at most kRows rows of codes to a strip of kRows.
template <class Code>
void load_rows(View<const Code> rows, Code* strip);

/// The same way back, to samples. `own`: the pixels of the picture.
template <class T, class Code>
void finish_rows(const Code* strip, View<const T> own, View<T> out);

#define SCANLENS_FOR_EACH_BLUR_SAMPLE(X) \
  X(U8, std::uint8_t, std::int16_t)      \
  X(U16, std::uint16_t, std::int16_t)    \
  X(U16Alpha, std::uint16_t, float)      \
  X(F32, float, float)
#define SCANLENS_FOR_EACH_BLUR_CODE(X) \
  X(I16, std::int16_t)                 \
  X(F32, float)

}  // namespace scanlens::cpu
