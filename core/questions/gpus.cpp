// Several GPUs: each has a part of one array, and a scan goes over all parts in their order, by NCCL.
#include <scanlens/devices.h>
#include <scanlens/image.h>
#include <scanlens/ranks.h>

#include <algorithm>
#include <cstdio>

int main() {
  constexpr int kPart = 1000;
  std::vector<scanlens::Context> contexts;
  for (const scanlens::DeviceInfo& device : scanlens::devices())
    if (device.id != "cpu" || contexts.empty()) contexts.push_back(scanlens::Context::open(device.id));
  std::vector<scanlens::Image<float>> arrays;
  std::vector<std::span<float>> parts;
  for (scanlens::Context& context : contexts) {
    scanlens::Image<float> ones(kPart, 1);
    std::fill_n(ones.view().data, kPart, 1.f);
    arrays.push_back(upload(context, std::move(ones)));
    parts.emplace_back(arrays.back().view().data, kPart);
  }
  scanlens::Ranks ranks = scanlens::Ranks::of(contexts);
  const std::vector<std::span<const float>> in(parts.begin(), parts.end());
  inclusive_scan<float, float>(ranks, in, parts);
  ranks.synchronize();
  const scanlens::Image<float> last = download(contexts.back(), std::move(arrays.back()));
  std::printf("%d parts, last %g\n", ranks.count(), last.view().data[kPart - 1]);
  return last.view().data[kPart - 1] == static_cast<float>(kPart * ranks.count()) ? 0 : 1;
}
