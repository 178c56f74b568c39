// A corpus of repairs: candidates that failed, what put each of them right, and in words why. A
// failed turn's feedback may end with what the most similar ones have to say (the paper's
// "retrieved repair notes"). The file format is docs/repair_notes.md.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "ranks/experiment.h"
#include "ranks/prompt/bm25.h"

namespace ptxbatch {

/// One line of a corpus.
struct RepairRecord {
  std::string target;
  std::string definition;
  std::string failed_kernel;
  std::string label;               // how it failed: "Runtime error"; may be empty
  std::vector<std::string> notes;  // what was wrong and what to do
  std::string fixed_kernel;
  double speedup = 0;  // of the fixed kernel; 0: unknown
  std::string origin;  // where it comes from, for people; may be empty
};

struct FailedKernel {
  std::string source;
  std::string label;
  std::vector<RepairRecord> repairs;  // in file order; their failed_kernel is moved to `source`
};

/// A line with its line end.
std::string repair_record_line(const RepairRecord& record);

class RepairNotes {
 public:
  static Result<RepairNotes> read(const std::string& path);
  /// Errors name `file`, line and key.
  static Result<RepairNotes> parse(const std::string& text, const std::string& file);

  /// How many different failed kernels there are for this problem.
  [[nodiscard]] std::size_t failed_kernels(const std::string& target,
                                           const std::string& definition) const;

  /// What stands behind the feedback to this failed candidate; empty when none is similar.
  [[nodiscard]] std::string text_for(const std::string& target, const std::string& definition,
                                     const std::string& source,
                                     const RepairNotesSettings& settings) const;

 private:
  /// Of one target and definition.
  struct Group {
    std::vector<FailedKernel> kernels;  // [document in the index]
    Bm25 index{{}};
  };
  using Key = std::pair<std::string, std::string>;

  static std::vector<const FailedKernel*> most_similar(const Group& group,
                                                       const std::string& source, int kernels);
  void add(RepairRecord record);
  void build_indices();

  std::map<Key, Group> groups_;
};

}  // namespace ptxbatch
