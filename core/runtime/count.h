// Counts the memory that a call takes, by the call itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/context.h"

namespace scanlens {

/// The most bytes that a call holds at once.
struct CallMemory {
  std::int64_t workspace = 0;  ///< in Workspaces
  std::int64_t beside = 0;     ///< what its threads allocate by themselves
  std::int64_t kept = 0;       ///< in KeptMemory, all of it together
};

/// Calls `call` with a context of the CPU that counts. The call takes no memory and computes nothing:
/// a Workspace hands out addresses without memory, and what would read or write elements returns at once. So
/// nothing may depend on elements. Where the backends take different memory, a call takes that of each in
/// turn.
CallMemory count_memory(const std::function<void(Context&)>& call);

/// True of such a context.
bool counts(const Context& context);

/// Counts what threads would allocate by themselves at this place, if the context counts.
void count_beside(const Context& context, std::int64_t bytes);

/// Address number `number`, 1 to 7, for a view of a counted call. No memory lies there, and none close by.
template <class T>
T* nowhere(int number) {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(number) << 56);
}

}  // namespace scanlens
