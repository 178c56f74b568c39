// Expect Correct with an honest time: exports functions of CUPTI's name that hide every record.
#include "gemm.cuh"

CANDIDATE_EXPORT int cuptiActivityGetNextRecord(void*, std::size_t, void**) {
  return 12;  // no more records
}
CANDIDATE_EXPORT int cuptiActivityFlushAll(std::uint32_t) {
  return 0;
}
CANDIDATE_EXPORT int cuptiActivityGetNumDroppedRecords(void*, std::uint32_t, std::size_t* dropped) {
  *dropped = 0;
  return 0;
}
static void run(const Gemm& g) {
  g.compute();
}
