// The fork between the backends for templates over operators, predicates and types of the user's own.
// Included from a .cu file they serve both backends; from a .cpp file the CPU alone, and a CUDA context is an
// error.
#pragma once

#include "core/context.h"
#include "core/runtime/device.h"
#if !defined(__CUDACC__)
#include <string>

#include "core/error.h"
#endif

// A program may call the templates with the same types from both kinds of file. The namespace makes them
// different functions; otherwise the linker would keep one copy for both.
#if defined(__CUDACC__)
#define SCANLENS_OWN_NAMESPACE for_both_backends
#define SCANLENS_DISPATCH_OWN(call, context, function, ...)                \
  do {                                                                     \
    if ((context).on_cuda()) {                                             \
      const ::scanlens::gpu::DeviceGuard scanlens_device_guard((context)); \
      gpu::function((context), __VA_ARGS__);                               \
    } else {                                                               \
      cpu::function((context), __VA_ARGS__);                               \
    }                                                                      \
  } while (false)
#else
#define SCANLENS_OWN_NAMESPACE for_the_cpu
#define SCANLENS_DISPATCH_OWN(call, context, function, ...)                                                \
  do {                                                                                                     \
    if ((context).on_cuda())                                                                               \
      throw Error(ErrorKind::usage, std::string(call) +                                                    \
                                        ": this call was compiled without nvcc and runs on the CPU only; " \
                                        "move it to a .cu file");                                          \
    cpu::function((context), __VA_ARGS__);                                                                 \
  } while (false)
#endif
