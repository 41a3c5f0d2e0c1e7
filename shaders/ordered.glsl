// An integer in the same order as the number, as core/cuda/warp_extremes.cuh has it; -0 comes before +0.
int ordered(float value) {
  int bits = floatBitsToInt(value);
  return bits ^ (bits >> 31 & 0x7FFFFFFF);
}
// Returns the number again: the sign bit stays, so that the bits are flipped by the same rule.
float from_ordered(int order) { return intBitsToFloat(order ^ (order >> 31 & 0x7FFFFFFF)); }
