// My operator: a type with a call and a neutral element, or any callable whose neutral element is stated.
// nvcc compiles it for GPUs, another compiler for the CPU.
#include <scanlens/scan.h>

#include <cstdio>
#include <functional>
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
  std::vector<unsigned> divisors(4), products(4);
  inclusive_scan(context, numbers, divisors, Gcd());
  exclusive_scan(context, numbers, products, scanlens::with_identity<1>(std::multiplies<>()));
  std::printf("divisor of all %u, product of all but the last %u\n", divisors[3], products[3]);
  return divisors[3] == 2 && products[3] == 48 * 36 * 120 ? 0 : 1;
}
