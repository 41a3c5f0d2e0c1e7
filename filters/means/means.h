// Means over the squares around pixels, in constant time however large: what box, flatten and unsharp are.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "filters/bands/window.h"
#include "filters/means/finish.h"

namespace scanlens {

/// Finishes the mean around each pixel of the task: over the pixels of the picture that are at most `radius`
/// columns and rows away. Colours of four channels are weighed by alpha. The task's `out` may be its `rows`.
///
/// Determinism: sums of integers are exact, and all that follows is the same steps on every backend; floats
/// are sums of doubles, as core/sat.h says. With 16-bit samples and alpha a box may have 2^32 pixels at most;
/// more is an Error (usage).
template <class T>
void box_means(Context& context, std::int64_t radius, const Finish& finish, const BandTask<T>& task);

}  // namespace scanlens
