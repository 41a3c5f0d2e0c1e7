// A batch of tables: pictures that lie one beneath the other have their tables in one call.
#include <scanlens/image.h>
#include <scanlens/sat.h>

#include <algorithm>
#include <cstdio>

int main() {
  constexpr int kWidth = 640, kHeight = 480, kPictures = 5;
  scanlens::Context context = scanlens::Context::open();  // a GPU, if there is one
  scanlens::Image<std::uint8_t> pictures(kWidth, kHeight * kPictures);
  for (int i = 0; i < kPictures; ++i)
    std::fill_n(pictures.view().row(i * kHeight), kWidth * kHeight, static_cast<std::uint8_t>(i + 1));
  pictures = upload(context, std::move(pictures));
  scanlens::Image<std::uint32_t> tables(context, kWidth, kHeight * kPictures);
  summed_area_table(context, pictures.view(), tables.view(), {}, kPictures);
  tables = download(context, std::move(tables));
  const scanlens::View<std::uint32_t> third = tables.view().region(0, 2 * kHeight, kWidth, kHeight);
  const double mean = box_mean(third, 100, 100, 199, 299, 0);
  std::printf("mean of the third %g\n", mean);
  return mean == 3 ? 0 : 1;
}
