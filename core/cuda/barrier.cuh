// Barriers in shared memory between the warps of one block, and copies into shared memory that arrive at
// them.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace scanlens::gpu {

/// Completes once `arrivals` threads have arrived (and, on Hopper, the bytes expected have been copied),
/// again and again: completion 0, 1, 2, … From compute capability 8.0 on an mbarrier, where on Hopper waiting
/// threads sleep; before it, a counter. What was written before an arrival can be read after the wait.
class Barrier {
 public:
#if __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ < 900
  /// Arrivals that a barrier waits for while a warp loads: of the lanes' own copies, or of one lane.
  static constexpr unsigned kCopyArrivals = 32;
#else
  static constexpr unsigned kCopyArrivals = 1;
#endif

  /// By one thread, before __syncthreads() and any use.
  __device__ void init(unsigned arrivals) {
#if __CUDA_ARCH__ >= 800
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address()), "r"(arrivals) : "memory");
#else
    state_ = static_cast<std::uint64_t>(arrivals) << 32;
#endif
  }

  /// Makes init() known to the unit that copies.
  __device__ static void init_done() {
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
  }

  __device__ void arrive() {
#if __CUDA_ARCH__ >= 800
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(address()) : "memory");
#else
    __threadfence_block();
    atomicAdd(reinterpret_cast<unsigned*>(&state_), 1u);
#endif
  }

  /// By a whole warp, every lane, which compute-sanitizer's racecheck follows and one lane's for its warp it
  /// does not. The lanes meet first, so that they stay together afterwards: apart they take up to a third
  /// longer.
  __device__ void arrive_warp() {
    __syncwarp();
    arrive();
  }

  /// Until the completion numbered `round` has come. Asked for in turn: at most the one after it may be under
  /// way, because an mbarrier tells completions apart by their parity alone.
  __device__ void wait(int round) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "again:\n"
        "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again;\n"
        "}" ::"r"(address()),
        "r"(round & 1)
        : "memory");
#elif __CUDA_ARCH__ >= 800
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "again:\n"
        "mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again;\n"
        "}" ::"r"(address()),
        "r"(round & 1)
        : "memory");
#else
    const volatile unsigned* arrived = reinterpret_cast<unsigned*>(&state_);
    const unsigned arrivals = arrived[1], wanted = arrivals * static_cast<unsigned>(round + 1);
    while (arrived[0] - wanted > 0x7FFFFFFFu) {  // less than none, counted modulo 2^32
    }
    __threadfence_block();
#endif
  }

  /// Arrives, and lets the barrier also wait for `bytes` bytes of copies. Hopper only.
  __device__ void arrive_expecting([[maybe_unused]] unsigned bytes) {
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(address()),
                 "r"(bytes)
                 : "memory");
#endif
  }

  /// Starts a copy by the bulk copy engine, of a multiple of 16 bytes between 16-byte boundaries. It needs no
  /// registers and no thread while it runs. Hopper only.
  __device__ void copy([[maybe_unused]] void* to, [[maybe_unused]] const void* from,
                       [[maybe_unused]] unsigned bytes) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            static_cast<unsigned>(__cvta_generic_to_shared(to))),
        "l"(from), "r"(bytes), "r"(address())
        : "memory");
#endif
  }

  /// Copies 16 bytes between 16-byte boundaries by this lane, before Hopper. From compute capability 8.0 on
  /// the copy runs by itself, and arrives by arrive_copied().
  __device__ static void copy_16([[maybe_unused]] void* to, [[maybe_unused]] const void* from) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(to))),
                 "l"(from)
                 : "memory");
#else
    *static_cast<uint4*>(to) = *static_cast<const uint4*>(from);
#endif
  }

  /// By every lane of a warp after its copies: on 8.x it arrives once they are done, elsewhere others arrive.
  __device__ void arrive_copied() {
#if __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ < 900
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(address()) : "memory");
#endif
  }

  /// By every thread that wrote to shared memory, before another starts a copy to or from the same place.
  __device__ static void written_before_copy() {
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
  }

 private:
  __device__ unsigned address() const {
    return static_cast<unsigned>(__cvta_generic_to_shared(&state_));
  }

  std::uint64_t state_;
};

/// Lets `kWarps` whole warps of the block meet at its barrier number `kId`, 1 to 15; 0 is __syncthreads()'s.
template <int kId, int kWarps>
__device__ void sync_warps() {
  asm volatile("barrier.sync %0, %1;" ::"n"(kId), "n"(kWarps * 32) : "memory");
}

}  // namespace scanlens::gpu
