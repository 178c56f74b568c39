// Expect Correct with everything refused: looks for variables that are not the runner's own four.
#include <unistd.h>

#include <string>

#include "gemm.cuh"

static void run(const Gemm& g) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string name = std::string(*entry).substr(0, std::string(*entry).find('='));
    for (const char* part : {"KEY", "TOKEN", "SECRET", "PASSWORD", "SLURM", "OMPI"}) {
      must_be_refused(name.find(part) != std::string::npos);
    }
  }
  g.compute();
}
