#include "ranks/profile/cuda/gpu_monitor.h"

#include <dlfcn.h>

#include <array>
#include <type_traits>

namespace ptxbatch {
namespace {

// The few declarations of NVML's stable interface that are used here; its header is not installed
// with every toolkit.
using NvmlDevice = struct nvmlDevice_st*;
constexpr int kNvmlSuccess = 0;
constexpr int kNvmlClockSm = 1;
constexpr int kNvmlClockMemory = 2;
constexpr int kNvmlTemperatureGpu = 0;
constexpr int kNvmlErrorUncorrected = 1;
constexpr int kNvmlSinceDriverLoad = 0;  // "volatile" counters
constexpr int kNvmlGpuIsLost = 15;
constexpr unsigned long long kNvmlEventXidCriticalError = 8;
using NvmlEventSet = struct nvmlEventSet_st*;
struct NvmlEventData {
  NvmlDevice device;
  unsigned long long type;
  unsigned long long data;  // the Xid
  unsigned gpu_instance;
  unsigned compute_instance;
};
constexpr int kMostEvents = 100;  // at a time

}  // namespace

struct GpuMonitor::Nvml {
  struct CloseLibrary {
    void operator()(void* library) const { ::dlclose(library); }
  };
  std::unique_ptr<void, CloseLibrary> library;
  NvmlDevice device = nullptr;

  int (*shutdown)() = nullptr;
  int (*clock)(NvmlDevice, int, unsigned*) = nullptr;
  int (*temperature)(NvmlDevice, int, unsigned*) = nullptr;
  int (*power)(NvmlDevice, unsigned*) = nullptr;
  int (*throttle_reasons)(NvmlDevice, unsigned long long*) = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  // These are not needed: without them there are no errors to be seen.
  int (*ecc_errors)(NvmlDevice, int, int, unsigned long long*) = nullptr;
  int (*event_set_free)(NvmlEventSet) = nullptr;
  int (*next_event)(NvmlEventSet, NvmlEventData*, unsigned timeout_ms) = nullptr;
  NvmlEventSet events = nullptr;

  ~Nvml() {
    if (device == nullptr) return;
    if (events != nullptr) event_set_free(events);
    shutdown();
  }

  template <class Function>
  bool find(const char* name, Function& function) const {
    function = reinterpret_cast<Function>(::dlsym(library.get(), name));
    return function != nullptr;
  }

  bool open(const std::string& uuid) {
    library.reset(::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL));
    if (!library) return false;
    int (*init)() = nullptr;
    int (*by_uuid)(const char*, NvmlDevice*) = nullptr;
    const bool complete =
        find("nvmlInit_v2", init) && find("nvmlShutdown", shutdown) &&
        find("nvmlDeviceGetHandleByUUID", by_uuid) && find("nvmlDeviceGetClockInfo", clock) &&
        find("nvmlDeviceGetTemperature", temperature) && find("nvmlDeviceGetPowerUsage", power) &&
        find("nvmlDeviceGetCurrentClocksThrottleReasons", throttle_reasons) &&
        find("nvmlSystemGetDriverVersion", driver_version);
    if (!complete || init() != kNvmlSuccess) return false;
    if (by_uuid(uuid.c_str(), &device) != kNvmlSuccess) {
      device = nullptr;
      shutdown();
      return false;
    }
    find("nvmlDeviceGetTotalEccErrors", ecc_errors);
    listen_to_events();
    return true;
  }

  void listen_to_events() {
    int (*create)(NvmlEventSet*) = nullptr;
    int (*listen)(NvmlDevice, unsigned long long, NvmlEventSet) = nullptr;
    const bool complete =
        find("nvmlEventSetCreate", create) && find("nvmlEventSetFree", event_set_free) &&
        find("nvmlDeviceRegisterEvents", listen) && find("nvmlEventSetWait_v2", next_event);
    if (!complete || create(&events) != kNvmlSuccess) {
      events = nullptr;
      return;
    }
    if (listen(device, kNvmlEventXidCriticalError, events) == kNvmlSuccess) return;
    event_set_free(events);
    events = nullptr;
  }
};

GpuMonitor::GpuMonitor(const std::string& uuid) : nvml_(std::make_unique<Nvml>()) {
  if (!nvml_->open(uuid)) nvml_.reset();
}

GpuMonitor::~GpuMonitor() = default;

std::optional<DeviceReading> GpuMonitor::read() const {
  if (!nvml_) return std::nullopt;
  DeviceReading reading;
  unsigned value = 0;
  if (nvml_->clock(nvml_->device, kNvmlClockSm, &value) == kNvmlSuccess) {
    reading.sm_clock_mhz = value;
  }
  if (nvml_->clock(nvml_->device, kNvmlClockMemory, &value) == kNvmlSuccess) {
    reading.memory_clock_mhz = value;
  }
  if (nvml_->temperature(nvml_->device, kNvmlTemperatureGpu, &value) == kNvmlSuccess) {
    reading.temperature_c = value;
  }
  if (nvml_->power(nvml_->device, &value) == kNvmlSuccess) reading.power_w = value / 1e3;
  unsigned long long reasons = 0;
  if (nvml_->throttle_reasons(nvml_->device, &reasons) == kNvmlSuccess) {
    reading.throttle_reasons = static_cast<std::int64_t>(reasons);
  }
  return reading;
}

DeviceErrors GpuMonitor::take_errors() {
  DeviceErrors errors;
  if (!nvml_) return errors;
  unsigned value = 0;
  errors.gone = nvml_->temperature(nvml_->device, kNvmlTemperatureGpu, &value) == kNvmlGpuIsLost;
  unsigned long long count = 0;
  if (nvml_->ecc_errors != nullptr &&
      nvml_->ecc_errors(nvml_->device, kNvmlErrorUncorrected, kNvmlSinceDriverLoad, &count) ==
          kNvmlSuccess) {
    errors.ecc_uncorrected = static_cast<std::int64_t>(count);
  }
  NvmlEventData event{};
  for (int i = 0; i < kMostEvents && nvml_->events != nullptr &&
                  nvml_->next_event(nvml_->events, &event, 0) == kNvmlSuccess;
       ++i) {
    errors.xids.push_back(static_cast<std::int64_t>(event.data));
  }
  return errors;
}

std::string GpuMonitor::driver_version() const {
  std::array<char, 96> version{};
  if (!nvml_ || nvml_->driver_version(version.data(), version.size()) != kNvmlSuccess) return {};
  return version.data();
}

}  // namespace ptxbatch
