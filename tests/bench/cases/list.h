// Lists the primitives that `scanlens bench` knows by name.
#pragma once

#include <span>
#include <string_view>

#include "tests/bench/bench.h"

namespace scanlens::bench {

/// Describes one file of this folder: what it measures, and what sizes it takes.
struct Primitive {
  const char* name;
  void (*run)(Bench& bench);  ///< declares the cases and hands each to `bench`
  bool shapes;                ///< takes WIDTHxHEIGHT; otherwise lengths
  bool sweeps;                ///< runs over many lengths: something to plot
  const char* help;
};

std::span<const Primitive> primitives();

/// Returns the primitive of that name, which must be in the list.
const Primitive& primitive(std::string_view name);

}  // namespace scanlens::bench
