// libFuzzer: the code in a reply. Whatever the reply, the source holds no NUL and is found in it.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "ranks/prompt/extract.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ptxbatch;
  const std::string_view reply(reinterpret_cast<const char*>(data), size);
  const Extraction extraction = extract_code(reply);
  const bool found = extraction.outcome == Extraction::Outcome::kFound;
  if (found == extraction.source.empty()) std::abort();
  if (extraction.source.find('\0') != std::string::npos) std::abort();
  if (extraction.source.size() > size + 1) std::abort();
  return 0;
}
