// Expect Correct with everything refused: files outside of the scratch folder, and links out of it.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "gemm.cuh"

static void run(const Gemm& g) {
  const char* variable = std::getenv("TMPDIR");
  must(variable != nullptr, "no scratch folder");
  const std::string scratch = variable;
  must(open((scratch + "/mine").c_str(), O_CREAT | O_RDWR, 0600) >= 0, "cannot write scratch");
  for (const std::string& folder : {std::string("/tmp"), std::string("/dev/shm"), scratch + "/..",
                                    std::string("/usr/lib"), std::string("/var/tmp")}) {
    must_be_refused(open((folder + "/not-mine").c_str(), O_CREAT | O_RDWR, 0600) >= 0);
    must_be_refused(mkdir((folder + "/not-mine").c_str(), 0700) == 0);
  }
  must_be_refused(symlink("/etc/passwd", (scratch + "/link").c_str()) == 0);
  g.compute();
}
