// The tiles that fields are summed and visited in. Stated once for C++, CUDA and GLSL.
#ifndef SCANLENS_CORE_SPREAD_FIELD_TILES_FORMULA_H
#define SCANLENS_CORE_SPREAD_FIELD_TILES_FORMULA_H

#include "core/held/exact_formula.h"

#ifdef __cplusplus
namespace scanlens {
#endif

SCANLENS_CONSTANT int kFieldTileWidth = 128;
SCANLENS_CONSTANT int kFieldTileHeight = 32;

#ifdef __cplusplus
}  // namespace scanlens
#endif
#endif
