// My struct: any trivially copyable type is scanned under an operator of yours; it need not commute.
#include <scanlens/image.h>
#include <scanlens/scan.h>

#include <cstdio>

struct Affine {  // x -> factor * x + offset
  double factor, offset;
};
struct Then {
  SCANLENS_HOST_DEVICE Affine operator()(Affine first, Affine next) const {
    return {first.factor * next.factor, next.factor * first.offset + next.offset};
  }
  template <class T>
  SCANLENS_HOST_DEVICE static T identity() {
    return {1, 0};
  }
};

int main() {
  constexpr int kCount = 1000;
#ifdef __CUDACC__
  scanlens::Context context = scanlens::Context::open();  // a GPU, if there is one
#else
  scanlens::Context context = scanlens::Context::open("cpu");
#endif
  scanlens::Image<Affine> maps(kCount, 1);
  for (int i = 0; i < kCount; ++i) maps.view().data[i] = {0.5, 1};
  maps = upload(context, std::move(maps));
  const std::span<Affine> all(maps.view().data, kCount);
  inclusive_scan(context, all, all, Then());
  maps = download(context, std::move(maps));
  const Affine last = maps.view().data[kCount - 1];
  std::printf("x -> %g x + %g\n", last.factor, last.offset);
  return last.offset == 2 ? 0 : 1;
}
