// Which of some source texts are like a given one: Okapi BM25 over their terms.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ptxbatch {

/// How often each term stands in a source.
using TermCounts = std::map<std::string, int>;

/// Identifiers and numbers (runs of digits) in lower case, those in string literals too, since
/// inline PTX stands in them; comments and single letters left out.
TermCounts source_terms(std::string_view source);

class Bm25 {
 public:
  explicit Bm25(std::vector<TermCounts> documents);

  /// For each document the sum over the query's different terms t that it has, f times each, of
  ///   idf(t) f (k1 + 1) / (f + k1 (1 - b + b |document| / mean |document|)),
  ///   idf(t) = max(0, ln((N - n + 0.5) / (n + 0.5) + 1))
  /// with k1 = 1.5, b = 0.75, and t in n of the N documents.
  [[nodiscard]] std::vector<double> scores(const TermCounts& query) const;

 private:
  [[nodiscard]] double idf(const std::string& term) const;

  std::vector<TermCounts> documents_;
  std::vector<double> lengths_;  // in terms
  double mean_length_ = 0;
  std::map<std::string, int> documents_with_;
};

}  // namespace ptxbatch
