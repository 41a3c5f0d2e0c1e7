// My operator: a type with a call and a neutral element. nvcc compiles it for GPUs, another compiler for the
// CPU.
#include <scanlens/core/scan_with.h>

#include <cstdio>
#include <vector>

struct Gcd {
  template <class T>
  SCANLENS_HOST_DEVICE T operator()(T a, T b) const {
    while (b != 0) {
      const T rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }
  template <class T>
  SCANLENS_HOST_DEVICE static T identity() {
    return 0;
  }
};

int main() {
  scanlens::Context context = scanlens::Context::open("cpu");
  const std::vector<unsigned> numbers = {48, 36, 120, 10};
  std::vector<unsigned> divisors(4);
  inclusive_scan(context, numbers, divisors, Gcd());
  for (const unsigned divisor : divisors) std::printf("%u ", divisor);
  std::puts("");
  return divisors == std::vector<unsigned>{48, 12, 12, 2} ? 0 : 1;
}
