// Expect Correct with everything refused: memory, environment and command lines under /proc, and
// the files of the machine.
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "gemm.cuh"

static void run(const Gemm& g) {
  const std::string parent = "/proc/" + std::to_string(getppid());
  for (const std::string& path :
       {parent + "/environ", parent + "/mem", parent + "/maps", std::string("/proc/1/environ"),
        std::string("/proc/self/mem"), std::string("/proc/self/environ"),
        std::string("/etc/shadow"), std::string("/root/.ssh/id_rsa"), std::string("/root"),
        std::string("/home"), std::string("/tmp"), std::string("/dev/shm")}) {
    must_be_refused(open(path.c_str(), O_RDONLY) >= 0);
  }
  must_be_refused(open("/proc/self/mem", O_RDWR) >= 0);
  g.compute();
}
