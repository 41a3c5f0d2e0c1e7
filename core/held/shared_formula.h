// The beginning of formula headers, which C++, CUDA and GLSL share. The shader loader pastes them into
// shaders unchanged, so they keep to what the three languages have in common.
#ifndef SCANLENS_CORE_SHARED_FORMULA_H
#define SCANLENS_CORE_SHARED_FORMULA_H

#ifdef __cplusplus
#include <cmath>
#ifdef __CUDACC__
#define SCANLENS_SHARED __host__ __device__ inline
#else
#define SCANLENS_SHARED inline
#endif
#else
#define SCANLENS_SHARED
#endif

#endif
