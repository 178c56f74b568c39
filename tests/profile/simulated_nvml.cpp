// libnvidia-ml.so.1 as a test would have it: what the GPU says is read from the file "nvml" in the
// working directory, one line a reading, the last one again and again. A line holds throttle
// reasons, temperature, uncorrected memory errors and any number of Xids; "lost" instead of them is
// a GPU that the driver cannot reach. How far it has come is kept in the file "nvml-at", so that a
// process that is started again goes on from there.
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr int kSuccess = 0;
constexpr int kTimedOut = 10;
constexpr int kGpuIsLost = 15;

struct Reading {
  bool lost = false;
  unsigned long long throttle_reasons = 0;
  unsigned temperature = 40;
  unsigned long long ecc_errors = 0;
  std::vector<unsigned long long> xids;
};

Reading parse(const std::string& line) {
  Reading reading;
  if (line == "lost") {
    reading.lost = true;
    return reading;
  }
  std::istringstream fields(line);
  fields >> std::hex >> reading.throttle_reasons >> std::dec >> reading.temperature >>
      reading.ecc_errors;
  unsigned long long xid = 0;
  while (fields >> xid) reading.xids.push_back(xid);
  return reading;
}

// The process's one GPU; the interface is C, so there is no better place for it.
struct Gpu {
  Reading now;

  void advance() {
    std::size_t at = 0;
    std::ifstream("nvml-at") >> at;
    std::vector<std::string> lines;
    std::ifstream script("nvml");
    for (std::string line; std::getline(script, line);) lines.push_back(line);
    if (lines.empty()) return;
    now = parse(at < lines.size() ? lines[at] : lines.back());
    if (at >= lines.size()) now.xids.clear();  // an event happens once
    std::ofstream("nvml-at") << at + 1;
  }
} gpu;

}  // namespace

extern "C" {

struct nvmlDevice_st;
struct nvmlEventSet_st;
struct EventData {
  nvmlDevice_st* device;
  unsigned long long type;
  unsigned long long data;
  unsigned gpu_instance;
  unsigned compute_instance;
};

int nvmlInit_v2() {
  return kSuccess;
}
int nvmlShutdown() {
  return kSuccess;
}
int nvmlDeviceGetHandleByUUID(const char* /*uuid*/, nvmlDevice_st** device) {
  *device = reinterpret_cast<nvmlDevice_st*>(&gpu);
  return kSuccess;
}
// A reading begins with the clock of the multiprocessors.
int nvmlDeviceGetClockInfo(nvmlDevice_st* /*device*/, int clock, unsigned* mhz) {
  constexpr int kMultiprocessors = 1;
  if (clock == kMultiprocessors) gpu.advance();
  *mhz = 1980;
  return gpu.now.lost ? kGpuIsLost : kSuccess;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_st* /*device*/,
                                              unsigned long long* reasons) {
  *reasons = gpu.now.throttle_reasons;
  return gpu.now.lost ? kGpuIsLost : kSuccess;
}
int nvmlDeviceGetTemperature(nvmlDevice_st* /*device*/, int /*sensor*/, unsigned* celsius) {
  *celsius = gpu.now.temperature;
  return gpu.now.lost ? kGpuIsLost : kSuccess;
}
int nvmlDeviceGetPowerUsage(nvmlDevice_st* /*device*/, unsigned* milliwatts) {
  *milliwatts = 650'000;
  return kSuccess;
}
int nvmlSystemGetDriverVersion(char* version, unsigned length) {
  std::string("580.00").copy(version, length - 1);
  return kSuccess;
}
int nvmlDeviceGetTotalEccErrors(nvmlDevice_st* /*device*/, int /*type*/, int /*counter*/,
                                unsigned long long* count) {
  *count = gpu.now.ecc_errors;
  return kSuccess;
}
int nvmlEventSetCreate(nvmlEventSet_st** set) {
  *set = reinterpret_cast<nvmlEventSet_st*>(&gpu);
  return kSuccess;
}
int nvmlEventSetFree(nvmlEventSet_st* /*set*/) {
  return kSuccess;
}
int nvmlDeviceRegisterEvents(nvmlDevice_st* /*device*/, unsigned long long /*types*/,
                             nvmlEventSet_st* /*set*/) {
  return kSuccess;
}
int nvmlEventSetWait_v2(nvmlEventSet_st* /*set*/, EventData* event, unsigned /*timeout_ms*/) {
  if (gpu.now.xids.empty()) return kTimedOut;
  *event = {nullptr, 8, gpu.now.xids.back(), 0, 0};
  gpu.now.xids.pop_back();
  return kSuccess;
}

}  // extern "C"
