// An axis of a tensor: any axis of an array of any rank, without a transpose.
#include <scanlens/scan_axis.h>

#include <cstdio>
#include <vector>

int main() {
  scanlens::Context context = scanlens::Context::open("cpu");
  constexpr int kBatch = 2, kTime = 3, kChannels = 4;  // numbers[batch][time][channel], C order
  std::vector<float> numbers(kBatch * kTime * kChannels, 1), sums(numbers.size());
  inclusive_scan_axis(context, numbers, sums, {kBatch, kTime, kChannels});  // along time
  std::printf("%g %g %g\n", sums[0], sums[kChannels], sums[2 * kChannels]);
  return sums[2 * kChannels] == 3 && sums[3 * kChannels] == 1 ? 0 : 1;
}
