// Lets libFuzzer stop at an input that takes a second, unless its command line says otherwise.
#include <vector>

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  static char limit[] = "-timeout=1";
  static std::vector<char*> all(*words, *words + *count);
  all.insert(all.begin() + 1, limit);
  all.push_back(nullptr);
  *count += 1;
  *words = all.data();
  return 0;
}
