// The fork between the backends, in one place.
#pragma once

#include "core/context.h"
#include "core/runtime/device.h"

/// Calls gpu::function, with the context's device current meanwhile, or cpu::function; the context is the
/// first argument. A build without nvcc has no gpu:: functions, and no context on CUDA can exist in it.
#ifdef SCANLENS_WITH_CUDA
#define SCANLENS_DISPATCH(context, function, ...)                          \
  do {                                                                     \
    if ((context).on_cuda()) {                                             \
      const ::scanlens::gpu::DeviceGuard scanlens_device_guard((context)); \
      gpu::function((context), __VA_ARGS__);                               \
    } else {                                                               \
      cpu::function((context), __VA_ARGS__);                               \
    }                                                                      \
  } while (false)
#else
#define SCANLENS_DISPATCH(context, function, ...) cpu::function((context), __VA_ARGS__)
#endif
