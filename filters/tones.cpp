#include "filters/tones.h"

#include "filters/color.h"

namespace scanlens {
namespace {

constexpr int kCodes16 = 65536;

/// Returns the light of all 16-bit codes.
std::vector<double> srgb_light() {
  std::vector<double> light;
  for (int code = 0; code < kCodes16; ++code) light.push_back(srgb_to_linear_in_double(code / 65535.0));
  return light;
}

/// Adds the tables of one colour.
template <class Light>
void add_colour(Tones& tones, const std::vector<Light>& light) {
  const int step = (kCodes16 - 1) / (tones.codes - 1);
  const auto of = [&](int code16) { return static_cast<double>(light[static_cast<std::size_t>(code16)]); };
  const std::size_t begin = tones.above.size();
  for (int code = 0; code < tones.codes; ++code) {
    tones.light.push_back(of(code * step));
    const int middle = code * step + step / 2;
    tones.above.push_back(code + 1 < tones.codes ? static_cast<float>((of(middle) + of(middle + 1)) / 2)
                                                 : 1.f);
  }
  std::uint16_t code = 0;
  for (int bucket = 0; bucket <= tones.buckets; ++bucket) {
    const double root = static_cast<double>(bucket) / tones.buckets;
    const double least = root * root * (1 - 1e-5);  // floats may round light into the bucket
    while (code + 1 < tones.codes && least >= static_cast<double>(tones.above[begin + code])) ++code;
    tones.first.push_back(code);
  }
}

template <class Light>
Tones made_of(std::span<const std::vector<Light>> light_of_16_bits, int sample_bytes) {
  Tones tones;
  tones.colours = static_cast<int>(light_of_16_bits.size());
  tones.codes = sample_bytes == 1 ? 256 : kCodes16;
  tones.buckets = sample_bytes == 1 ? 4096 : kCodes16;
  for (const std::vector<Light>& light : light_of_16_bits) add_colour(tones, light);
  return tones;
}

Tones made_of_srgb(int sample_bytes) {
  const std::vector<double> light = srgb_light();
  return made_of<double>(std::span(&light, 1), sample_bytes);
}

}  // namespace

Tones make_tones(std::span<const std::vector<float>> light_of_16_bits, int sample_bytes) {
  return made_of(light_of_16_bits, sample_bytes);
}

const Tones& srgb_tones(int sample_bytes) {
  if (sample_bytes == 1) {
    static const Tones tones = made_of_srgb(1);
    return tones;
  }
  static const Tones tones = made_of_srgb(2);
  return tones;
}

}  // namespace scanlens
