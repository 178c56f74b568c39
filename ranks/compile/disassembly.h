// The static half of the evidence: instructions of the target's family in a candidate's binary.
// Host: packed FMA (vfmadd...ps/pd on xmm, ymm, zmm). Hopper: opcodes with GMMA, and UTMALDG,
// UTMASTG, UTMAREDG. Blackwell: opcodes that begin with UTC, LDTM or STTM.
#pragma once

#include <string>
#include <string_view>

#include "ranks/turn_facts.h"

namespace ptxbatch {

bool in_target_family(std::string_view target, std::string_view opcode);

/// Disassembles with objdump (host) or cuobjdump and nvdisasm (GPU). A tool that fails gives
/// `succeeded == false`, never an empty success.
StaticScan scan_binary(std::string_view target, const std::string& binary, double timeout_s);

}  // namespace ptxbatch
