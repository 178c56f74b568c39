#include "ranks/prompt/bm25.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ptxbatch {
namespace {

constexpr double kSaturation = 1.5;     // k1
constexpr double kLengthWeight = 0.75;  // b

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Walks through a source once, past its comments.
class TermReader {
 public:
  explicit TermReader(std::string_view source) : source_(source) {}

  TermCounts read() {
    while (at_ < source_.size()) step();
    return std::move(terms_);
  }

 private:
  [[nodiscard]] std::string_view rest() const { return source_.substr(at_); }

  void step() {
    const char c = source_[at_];
    if (quote_ == '\0' && rest().starts_with("//")) return skip_to("\n");
    if (quote_ == '\0' && rest().starts_with("/*")) return skip_to("*/");
    if (is_letter(c)) return read_term([](char part) { return is_letter(part) || is_digit(part); });
    if (is_digit(c)) return read_term(is_digit);
    if (c == '\\' && quote_ != '\0') ++at_;  // an escaped quote closes nothing
    if (c == quote_ || c == '\n') {
      quote_ = '\0';
    } else if (quote_ == '\0' && (c == '"' || c == '\'')) {
      quote_ = c;
    }
    ++at_;
  }

  void skip_to(std::string_view end) {
    const std::size_t found = source_.find(end, at_ + 2);
    at_ = found == std::string_view::npos ? source_.size() : found + end.size();
  }

  template <class IsPart>
  void read_term(IsPart is_part) {
    std::string term;
    while (at_ < source_.size() && is_part(source_[at_])) term += lower(source_[at_++]);
    if (term.size() > 1 || is_digit(term[0])) ++terms_[term];
  }

  std::string_view source_;
  std::size_t at_ = 0;
  char quote_ = '\0';  // of the literal that it is in
  TermCounts terms_;
};

}  // namespace

TermCounts source_terms(std::string_view source) {
  return TermReader(source).read();
}

Bm25::Bm25(std::vector<TermCounts> documents) : documents_(std::move(documents)) {
  for (const TermCounts& document : documents_) {
    double length = 0;
    for (const auto& [term, count] : document) {
      length += count;
      ++documents_with_[term];
    }
    lengths_.push_back(length);
  }
  if (documents_.empty()) return;
  mean_length_ = std::accumulate(lengths_.begin(), lengths_.end(), 0.0) /
                 static_cast<double>(documents_.size());
}

double Bm25::idf(const std::string& term) const {
  const auto found = documents_with_.find(term);
  const double with = found == documents_with_.end() ? 0 : found->second;
  const auto all = static_cast<double>(documents_.size());
  return std::max(0.0, std::log((all - with + 0.5) / (with + 0.5) + 1));
}

std::vector<double> Bm25::scores(const TermCounts& query) const {
  std::vector<double> scores(documents_.size(), 0.0);
  for (const auto& [term, count] : query) {
    const double weight = idf(term);
    for (std::size_t i = 0; i < documents_.size(); ++i) {
      const auto found = documents_[i].find(term);
      if (found == documents_[i].end()) continue;
      const double frequency = found->second;
      const double relative_length = lengths_[i] / mean_length_;
      scores[i] +=
          weight * frequency * (kSaturation + 1) /
          (frequency + kSaturation * (1 - kLengthWeight + kLengthWeight * relative_length));
    }
  }
  return scores;
}

}  // namespace ptxbatch
