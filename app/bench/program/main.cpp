// scanlens-bench, which `scanlens bench` runs: the words behind its name are those behind `bench`.
#include <string>
#include <vector>

#include "app/bench/program/run.h"
#include "app/commands/program.h"

int main(int argc, char** argv) {
  std::vector<std::string> words = {"bench"};
  words.insert(words.end(), argv + (argc > 0), argv + argc);
  return scanlens::run_program(words, scanlens::bench::run);
}
