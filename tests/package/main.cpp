#include <scanlens/compact.h>
#include <scanlens/image.h>
#include <scanlens/sat.h>
#include <scanlens/scan.h>

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

int main() {
  // A grey picture, its summed-area table on the device, and the mean over a box of it.
  scanlens::Context context = scanlens::Context::open("auto");
  scanlens::Image<std::uint8_t> picture(640, 480);
  std::fill_n(picture.view().data, 640 * 480, std::uint8_t{7});
  scanlens::Image<std::uint8_t> image = upload(context, std::move(picture));
  scanlens::Image<std::uint32_t> table(context, image.width(), image.height());
  summed_area_table(context, image.view(), table.view());
  table = download(context, std::move(table));
  std::printf("mean %g\n", box_mean(table.view(), 100, 100, 199, 299, 0));

  // Arrays are memory of the context's backend: here the CPU's.
  scanlens::Context cpu = scanlens::Context::open("cpu");
  std::vector<float> numbers = {3, 1, 4, 1, 5, 9, 2, 6}, sums(8), large(8);
  std::uint64_t count = 0;
  inclusive_scan(cpu, numbers, sums);
  compact_if(cpu, numbers, {scanlens::Compare<float>::greater, 2.5f}, large, &count);
  std::printf("sum %g, %d are large, the last is %g\n", sums.back(), int(count), large[count - 1]);
}
