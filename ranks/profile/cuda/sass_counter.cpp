#include "ranks/profile/cuda/sass_counter.h"

#include <cupti_profiler_target.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>

#include <algorithm>
#include <map>

#include "ranks/profile/cuda/checked_call.h"

namespace ptxbatch {
namespace {

constexpr const char* kWarpsMetric = "smsp__sass_inst_executed";
constexpr const char* kThreadsMetric = "smsp__sass_thread_inst_executed_pred_on";

std::uint64_t metric_id(const char* chip, const char* name) {
  CUpti_SassMetrics_GetProperties_Params parameters{};
  parameters.structSize = CUpti_SassMetrics_GetProperties_Params_STRUCT_SIZE;
  parameters.pChipName = chip;
  parameters.pMetricName = name;
  PTXBATCH_CALL(cuptiSassMetricsGetProperties(&parameters));
  return parameters.metric.metricId;
}

bool is_kernel_launch(CUpti_CallbackId id) {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
      return true;
    default:
      return false;
  }
}

bool is_graph_launch(CUpti_CallbackId id) {
  return id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch ||
         id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz;
}

CUstream stream_of(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  const void* parameters = call.functionParams;
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
      return static_cast<const cuLaunchKernel_params*>(parameters)->hStream;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
      return static_cast<const cuLaunchCooperativeKernel_params*>(parameters)->hStream;
    default:
      return static_cast<const cuLaunchKernelEx_params*>(parameters)->config->hStream;
  }
}

bool is_capturing(CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  cuStreamIsCapturing(stream, &status);
  return status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

}  // namespace

SassCounter::SassCounter() {
  PTXBATCH_CALL(cuCtxGetCurrent(&context_));
  CUpti_Profiler_Initialize_Params initialize{};
  initialize.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE;
  PTXBATCH_CALL(cuptiProfilerInitialize(&initialize));
  CUpti_Device_GetChipName_Params chip{};
  chip.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE;
  PTXBATCH_CALL(cuptiDeviceGetChipName(&chip));
  warps_metric_ = metric_id(chip.pChipName, kWarpsMetric);
  threads_metric_ = metric_id(chip.pChipName, kThreadsMetric);
  PTXBATCH_CALL(cuptiSubscribe(&subscriber_, &SassCounter::on_driver_call, this));
  PTXBATCH_CALL(cuptiEnableDomain(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API));
}

SassCounter::~SassCounter() {
  cuptiUnsubscribe(subscriber_);
}

void CUPTIAPI SassCounter::on_driver_call(void* self, CUpti_CallbackDomain domain,
                                          CUpti_CallbackId id, const void* data) {
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  if (domain != CUPTI_CB_DOMAIN_DRIVER_API || call.callbackSite != CUPTI_API_ENTER) return;
  auto& counter = *static_cast<SassCounter*>(self);
  try {
    counter.on_launch(id, call);
  } catch (const CudaFailure& failure) {
    counter.failure_ = failure.what();
  }
}

void SassCounter::on_launch(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  if (collecting_ || function_.empty()) return;
  if (is_graph_launch(id)) {
    counts_.graph_launched = true;
    if (captured_) start_collecting();
  } else if (is_kernel_launch(id) && call.symbolName != nullptr && function_ == call.symbolName) {
    if (is_capturing(stream_of(id, call))) {
      captured_ = true;
    } else {
      start_collecting();
    }
  }
}

void SassCounter::start_collecting() {
  collecting_ = true;  // also when it fails: it cannot be tried twice
  PTXBATCH_CALL(cuCtxSynchronize());
  std::vector<CUpti_SassMetrics_Config> metrics = {
      {warps_metric_, CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU},
      {threads_metric_, CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU}};
  CUdevice device = 0;
  PTXBATCH_CALL(cuCtxGetDevice(&device));
  CUpti_SassMetricsSetConfig_Params configuration{};
  configuration.structSize = CUpti_SassMetricsSetConfig_Params_STRUCT_SIZE;
  configuration.numOfMetricConfig = metrics.size();
  configuration.pConfigs = metrics.data();
  configuration.deviceIndex = static_cast<std::uint32_t>(device);
  PTXBATCH_CALL(cuptiSassMetricsSetConfig(&configuration));
  CUpti_SassMetricsEnable_Params enable{};
  enable.structSize = CUpti_SassMetricsEnable_Params_STRUCT_SIZE;
  enable.ctx = context_;
  enable.enableLazyPatching = 1;
  PTXBATCH_CALL(cuptiSassMetricsEnable(&enable));
}

CUresult SassCounter::count(const std::function<void()>& call) {
  call();
  const CUresult result = cuCtxSynchronize();
  counts_.launched = collecting_ || captured_;
  if (result == CUDA_SUCCESS && collecting_ && failure_.empty()) read_counts();
  counts_.failure = failure_;
  return result;
}

void SassCounter::read_counts() {
  CUpti_SassMetricsGetDataProperties_Params properties{};
  properties.structSize = CUpti_SassMetricsGetDataProperties_Params_STRUCT_SIZE;
  properties.ctx = context_;
  PTXBATCH_CALL(cuptiSassMetricsGetDataProperties(&properties));
  const std::size_t records = properties.numOfPatchedInstructionRecords;
  const std::size_t instances = properties.numOfInstances;
  std::vector<CUpti_SassMetrics_Data> data(records);
  std::vector<CUpti_SassMetrics_InstanceValue> values(records * instances);
  for (std::size_t i = 0; i < records; ++i) {
    data[i].structSize = CUpti_SassMetricsFlushData_Params_STRUCT_SIZE;
    data[i].pInstanceValues = &values[i * instances];
  }
  CUpti_SassMetricsFlushData_Params flush{};
  flush.structSize = CUpti_SassMetricsFlushData_Params_STRUCT_SIZE;
  flush.ctx = context_;
  flush.numOfInstances = instances;
  flush.numOfPatchedInstructionRecords = records;
  flush.pMetricsData = data.data();
  PTXBATCH_CALL(cuptiSassMetricsFlushData(&flush));

  std::map<std::uint64_t, InstructionCount> by_address;
  for (const CUpti_SassMetrics_Data& record : data) {
    if (record.functionName == nullptr || function_ != record.functionName) {
      counts_.other_function = record.functionName != nullptr ? record.functionName : "?";
      continue;
    }
    InstructionCount& count = by_address[record.pcOffset];
    count.address = record.pcOffset;
    for (std::size_t i = 0; i < instances; ++i) {
      const CUpti_SassMetrics_InstanceValue& value = record.pInstanceValues[i];
      auto& total = value.metricId == warps_metric_ ? count.warps : count.threads;
      total += static_cast<std::int64_t>(value.value);
    }
  }
  for (const auto& [address, count] : by_address) counts_.instructions.push_back(count);
}

}  // namespace ptxbatch
