// Waits until all invocations of the work group have come this far, and see all writes to shared memory.
// NVIDIA's barrier() sees to both; its memoryBarrierShared() waits for memory of every kind, too. Mesa 22.3
// needs both. No other vendor's compiler has that extension.
void synchronise() {
#ifndef GL_NV_gpu_shader5
  memoryBarrierShared();
#endif
  barrier();
}
