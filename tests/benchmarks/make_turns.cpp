// Writes a results file of many turns, for benchmarks of what reads it:
//   make_turns TURNS OUTPUT.h5 [--texts]
// The run of tests/support/synthetic_run.h; with --texts every turn has its texts, instructions and
// timing samples, which tables do not read.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "results/results_file.h"
#include "tests/support/synthetic_run.h"

int main(int argc, char** argv) {
  using namespace ptxbatch;
  const bool texts = argc == 4 && std::string(argv[3]) == "--texts";
  const long turns = argc >= 3 ? std::strtol(argv[1], nullptr, 10) : 0;
  if (turns <= 0 || argc > 4 || (argc == 4 && !texts)) {
    std::fprintf(stderr, "usage: make_turns TURNS OUTPUT.h5 [--texts]\n");
    return 1;
  }
  const auto source = synthetic_records({.turns = turns, .with_texts = texts});
  const auto written = write_results_file(real_file_system(), argv[2], source, true);
  if (written) return 0;
  std::fprintf(stderr, "make_turns: %s\n", describe(written.error()).c_str());
  return 1;
}
