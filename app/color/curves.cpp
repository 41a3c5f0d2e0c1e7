// Tone curves: the light that codes stand for.
#include <lcms2.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/color/lcms.h"

namespace scanlens {
namespace {

/// SMPTE ST 2084: the light that a code of PQ stands for, of 10000 cd/m2.
double pq_light(double code) {
  constexpr double m1 = 2610.0 / 16384, m2 = 2523.0 / 4096 * 128;
  constexpr double c1 = 3424.0 / 4096, c2 = 2413.0 / 4096 * 32, c3 = 2392.0 / 4096 * 32;
  const double power = std::pow(code, 1 / m2);
  return std::pow(std::max(power - c1, 0.0) / (c2 - c3 * power), 1 / m1);
}

/// ITU-R BT.2100: the light of the scene that a code of HLG stands for.
double hlg_light(double code) {
  constexpr double a = 0.17883277, b = 1 - 4 * a;
  const double c = 0.5 - a * std::log(4 * a);
  return code <= 0.5 ? code * code / 3 : (std::exp((code - c) / a) + b) / 12;
}

/// Evaluates in floats; in a file it becomes a table of 16 bits.
CurvePtr sampled(double (*light)(double)) {
  std::vector<float> samples(1 << 14);
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i] = static_cast<float>(light(static_cast<double>(i) / static_cast<double>(samples.size() - 1)));
  return CurvePtr(
      cmsBuildTabulatedToneCurveFloat(nullptr, static_cast<cmsUInt32Number>(samples.size()), samples.data()));
}

}  // namespace

CurvePtr curve_of(ToneCurve curve) {
  // This is littleCMS's type 4: (a x + b)^g from d on, c x below.
  constexpr double kBt709[] = {1 / 0.45, 1 / 1.099, 0.099 / 1.099, 1 / 4.5, 0.081};
  switch (curve) {
    case ToneCurve::srgb: {
      const ProfilePtr srgb(cmsCreate_sRGBProfile());
      return CurvePtr(cmsDupToneCurve(static_cast<cmsToneCurve*>(cmsReadTag(srgb.get(), cmsSigRedTRCTag))));
    }
    case ToneCurve::bt709:
      return CurvePtr(cmsBuildParametricToneCurve(nullptr, 4, kBt709));
    case ToneCurve::gamma22:
      return CurvePtr(cmsBuildGamma(nullptr, 563.0 / 256));  // as Adobe RGB (1998) states it
    case ToneCurve::gamma28:
      return CurvePtr(cmsBuildGamma(nullptr, 2.8));
    case ToneCurve::pq:
      return sampled(pq_light);
    case ToneCurve::hlg:
      return sampled(hlg_light);
    case ToneCurve::linear:
      break;
  }
  return CurvePtr(cmsBuildGamma(nullptr, 1));
}

std::optional<ToneCurve> curve_named(int code) {
  switch (code) {
    case 1:
    case 6:
    case 14:
    case 15:
      return ToneCurve::bt709;
    case 4:
      return ToneCurve::gamma22;
    case 5:
      return ToneCurve::gamma28;
    case 8:
      return ToneCurve::linear;
    case 13:
      return ToneCurve::srgb;
    case 16:
      return ToneCurve::pq;
    case 18:
      return ToneCurve::hlg;
    default:
      return std::nullopt;
  }
}

}  // namespace scanlens
