// An array larger than memory: it goes by chunks, and the last sum of one begins the next.
#include <scanlens/image.h>
#include <scanlens/scan.h>

#include <algorithm>
#include <cstdio>

int main() {
  constexpr int kChunk = 1 << 16, kChunks = 100;
  scanlens::Context context = scanlens::Context::open();  // a GPU, if there is one
  scanlens::Image<double> host(kChunk, 1), chunk(context, kChunk, 1), sums(context, kChunk + 1, 1),
      first(1, 1);
  *first.view().data = 0;
  double* const before = sums.view().data;  // the sum of all chunks before; the chunk's own sums follow
  copy(context, first.view(), sums.view().region(0, 0, 1, 1));
  for (int i = 0; i < kChunks; ++i) {
    std::fill_n(host.view().data, kChunk, 1.0);  // read from a file, say
    copy(context, host.view(), chunk.view());
    inclusive_scan(context, std::span(chunk.view().data, kChunk), std::span(before + 1, kChunk),
                   scanlens::Sum(), {.initial_at = before});
    copy(context, sums.view().region(kChunk, 0, 1, 1), sums.view().region(0, 0, 1, 1));
  }
  copy(context, sums.view().region(0, 0, 1, 1), first.view());
  context.synchronize();
  std::printf("sum of all %.0f\n", *first.view().data);
  return *first.view().data == double{kChunk} * kChunks ? 0 : 1;
}
