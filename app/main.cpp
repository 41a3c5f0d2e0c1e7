// The program has one command line, runs one command and has one exit.
#include "app/commands/hand_over.h"
#include "app/commands/program.h"

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + (argc > 0), argv + argc);
  return scanlens::run_program(
      words, [&](const scanlens::BenchOptions&) -> int { scanlens::hand_over_to_bench(words); });
}
