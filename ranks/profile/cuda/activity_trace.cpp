#include "ranks/profile/cuda/activity_trace.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

#include "ranks/profile/cuda/checked_call.h"

namespace ptxbatch {
namespace {

constexpr std::size_t kBufferBytes = 1U << 20U;
constexpr std::size_t kBufferAlignment = 8;
// The GPU's clock is brought to the CPU's by CUPTI; what begins or ends this close to a call's ends
// counts as inside. A kernel launched on purpose between two calls is further off: the rank stops
// the process there.
constexpr std::uint64_t kClockSlackNs = 200'000;

struct Record {
  std::uint64_t start_ns;
  std::uint64_t end_ns;
  std::string name;
};

// The only state of the process that belongs to no object: see the header.
struct Trace {
  std::mutex mutex;
  std::vector<Record> records;
  std::int64_t dropped = 0;
  std::vector<std::uint8_t*> free_buffers;
};

Trace& trace() {
  static Trace instance;
  return instance;
}

// CUPTI's records are packed, so fields are copied out.
template <class Activity>
Record read_times(const CUpti_Activity* record, std::string name) {
  const auto* activity = reinterpret_cast<const Activity*>(record);
  const std::uint64_t start = activity->start;
  const std::uint64_t end = activity->end;
  return {start, end, std::move(name)};
}

void take_record(const CUpti_Activity* record, std::vector<Record>& records) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const char* name = reinterpret_cast<const CUpti_ActivityKernel10*>(record)->name;
      records.push_back(
          read_times<CUpti_ActivityKernel10>(record, name != nullptr ? name : "a kernel"));
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      records.push_back(read_times<CUpti_ActivityMemcpy6>(record, "a memory copy"));
      break;
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      records.push_back(read_times<CUpti_ActivityMemcpyPtoP4>(record, "a copy between devices"));
      break;
    case CUPTI_ACTIVITY_KIND_MEMSET:
      records.push_back(read_times<CUpti_ActivityMemset4>(record, "a memory fill"));
      break;
    default:
      break;
  }
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
  Trace& all = trace();
  const std::lock_guard lock(all.mutex);
  if (all.free_buffers.empty()) {
    all.free_buffers.push_back(
        static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes)));
  }
  *buffer = all.free_buffers.back();
  all.free_buffers.pop_back();
  *bytes = kBufferBytes;
  *max_records = 0;
}

void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                          std::size_t /*bytes*/, std::size_t valid_bytes) {
  Trace& all = trace();
  const std::lock_guard lock(all.mutex);
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    take_record(record, all.records);
  }
  std::size_t dropped = 0;
  cuptiActivityGetNumDroppedRecords(context, stream, &dropped);
  all.dropped += static_cast<std::int64_t>(dropped);
  all.free_buffers.push_back(buffer);
}

std::uint64_t now_ns() {
  std::uint64_t time = 0;
  PTXBATCH_CALL(cuptiGetTimestamp(&time));
  return time;
}

GpuActivity summarize(const std::vector<Record>& records, std::uint64_t begin_ns,
                      std::uint64_t end_ns) {
  GpuActivity activity;
  std::uint64_t first_ns = UINT64_MAX;
  std::uint64_t last_ns = 0;
  for (const Record& record : records) {
    ++activity.records;
    if (record.start_ns == 0 || record.end_ns == 0) {
      ++activity.unfinished;
      continue;
    }
    first_ns = std::min(first_ns, record.start_ns);
    last_ns = std::max(last_ns, record.end_ns);
    if (record.start_ns + kClockSlackNs < begin_ns || record.end_ns > end_ns + kClockSlackNs) {
      ++activity.outside;
      activity.outside_name = record.name;
    }
  }
  if (last_ns > first_ns) activity.span_s = static_cast<double>(last_ns - first_ns) * 1e-9;
  return activity;
}

}  // namespace

void start_activity_trace() {
  PTXBATCH_CALL(cuptiActivityRegisterCallbacks(give_buffer, take_buffer));
  for (const CUpti_ActivityKind kind :
       {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
        CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET}) {
    PTXBATCH_CALL(cuptiActivityEnable(kind));
  }
}

void forget_activity() {
  PTXBATCH_CALL(cuCtxSynchronize());
  PTXBATCH_CALL(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
  Trace& all = trace();
  const std::lock_guard lock(all.mutex);
  all.records.clear();
  all.dropped = 0;
}

GpuActivity trace_activity(const std::function<void()>& call) {
  const std::uint64_t begin_ns = now_ns();
  call();
  const CUresult result = cuCtxSynchronize();
  const std::uint64_t end_ns = now_ns();
  // After a fault the records of the context are of no use, and CUPTI may refuse to give them.
  if (result != CUDA_SUCCESS) {
    GpuActivity failed;
    failed.result = result;
    return failed;
  }
  PTXBATCH_CALL(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
  Trace& all = trace();
  const std::lock_guard lock(all.mutex);
  GpuActivity activity = summarize(all.records, begin_ns, end_ns);
  activity.dropped = std::exchange(all.dropped, 0);
  all.records.clear();
  return activity;
}

}  // namespace ptxbatch
