// Histograms per backend, called only by the checked public function.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/reduce/histogram_bins.h"

namespace scanlens::cpu {
template <class T>
void histogram(Context& context, const T* in, std::int64_t n, const BinOf<T>& bin_of, std::uint64_t* bins);
}
namespace scanlens::gpu {
template <class T>
void histogram(Context& context, const T* in, std::int64_t n, const BinOf<T>& bin_of, std::uint64_t* bins);
}
