#include "ranks/compile/source_tokens.h"

#include <algorithm>
#include <utility>

namespace ptxbatch {
namespace {

bool is_identifier_start(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || byte >= 0x80;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_identifier_part(char c) {
  return is_identifier_start(c) || is_digit(c);
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view source) : source_(source) { move_to(0); }

  std::vector<SourceToken> run() {
    while (!at_end()) step();
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] bool at_end() const { return position_ >= source_.size(); }
  [[nodiscard]] char current() const { return at_end() ? '\0' : source_[position_]; }

  [[nodiscard]] char next() const {
    const std::size_t position = past_continuations(position_ + 1).position;
    return position < source_.size() ? source_[position] : '\0';
  }

  struct Place {
    std::size_t position;
    int lines;  // passed on the way
  };

  // A backslash before the end of a line joins it with the next; compilers allow blanks between.
  [[nodiscard]] Place past_continuations(std::size_t from) const {
    Place place{from, 0};
    while (place.position < source_.size() && source_[place.position] == '\\') {
      std::size_t end = place.position + 1;
      while (end < source_.size() && is_blank(source_[end])) ++end;
      if (end >= source_.size() || source_[end] != '\n') break;
      place = {end + 1, place.lines + 1};
    }
    return place;
  }

  void move_to(std::size_t position) {
    const Place place = past_continuations(position);
    position_ = place.position;
    line_ += place.lines;
  }

  void advance() {
    if (current() == '\n') ++line_;
    move_to(position_ + 1);
  }

  void step() {
    const char c = current();
    if (c == '\n') {
      line_start_ = true;
      return advance();
    }
    if (is_blank(c) || c == '\0') return advance();
    if (c == '/' && next() == '/') return skip_line_comment();
    if (c == '/' && next() == '*') return skip_block_comment();
    const bool directive = line_start_ && (c == '#' || (c == '%' && next() == ':'));
    line_start_ = false;
    if (directive) return read_directive();
    if (c == '"') return read_string();
    if (c == '\'') return skip_character();
    if (is_digit(c) || (c == '.' && is_digit(next()))) return skip_number();
    if (is_identifier_start(c)) return read_identifier();
    read_punctuation();
  }

  void skip_line_comment() {
    while (!at_end() && current() != '\n') advance();
  }

  void skip_block_comment() {
    advance();
    advance();
    while (!at_end() && !(current() == '*' && next() == '/')) advance();
    advance();
    advance();
  }

  void read_directive() {
    if (current() == '%') advance();  // the digraph %: is another way to write #
    advance();
    while (is_blank(current())) advance();
    std::string word;
    while (is_identifier_part(current())) word += take();
    if (word == "include" || word == "include_next" || word == "import") return read_include();
    // Other directives' words and contents are ordinary tokens: a #define may hold a use.
  }

  void read_include() {
    const int line = line_;
    while (is_blank(current()) || (current() == '/' && next() == '*')) {
      if (current() == '/') {
        skip_block_comment();
      } else {
        advance();
      }
    }
    std::string operand;
    const char close = current() == '<' ? '>' : current() == '"' ? '"' : '\n';
    while (!at_end() && current() != '\n') {
      const char c = take();
      operand += c;
      if (operand.size() > 1 && c == close) break;
    }
    add(SourceToken::Kind::kInclude, std::move(operand), line);
  }

  void read_string() {
    const int line = line_;
    std::string contents;
    advance();
    while (!at_end() && current() != '"' && current() != '\n') {
      if (current() == '\\') contents += take();
      if (!at_end()) contents += take();
    }
    advance();
    add(SourceToken::Kind::kString, std::move(contents), line);
  }

  // In a raw string line continuations are not undone: the source is read as it stands.
  void read_raw_string() {
    const int line = line_;
    constexpr std::size_t kLongestDelimiter = 16;
    const std::string_view ahead = source_.substr(position_ + 1, kLongestDelimiter + 1);
    const std::size_t delimiter_bytes = ahead.find('(');
    if (delimiter_bytes == std::string_view::npos) return read_string();
    const std::string close = ")" + std::string(ahead.substr(0, delimiter_bytes)) + "\"";
    const std::size_t open = position_ + 1 + delimiter_bytes;
    const std::size_t end = std::min(source_.find(close, open), source_.size());
    std::string contents(source_.substr(open + 1, end - std::min(end, open + 1)));
    line_ += static_cast<int>(std::count(contents.begin(), contents.end(), '\n'));
    move_to(std::min(end + close.size(), source_.size()));
    add(SourceToken::Kind::kString, std::move(contents), line);
  }

  void skip_character() {
    advance();
    while (!at_end() && current() != '\'' && current() != '\n') {
      if (current() == '\\') advance();
      if (!at_end()) advance();
    }
    if (current() == '\'') advance();
  }

  // A preprocessing number: 1'000, 0x1p-3, 1.f. The quote of 1'000 opens no character literal.
  void skip_number() {
    while (is_identifier_part(current()) || current() == '.' ||
           (current() == '\'' && is_identifier_part(next()))) {
      advance();
    }
  }

  void read_identifier() {
    const int line = line_;
    std::string name;
    while (is_identifier_part(current())) name += take();
    const bool encoding = name == "u8" || name == "u" || name == "U" || name == "L";
    const bool raw = name == "R" || name == "u8R" || name == "uR" || name == "UR" || name == "LR";
    if (current() == '"' && raw) return read_raw_string();
    if (current() == '"' && encoding) return read_string();
    if (current() == '\'' && encoding) return skip_character();
    add(SourceToken::Kind::kIdentifier, std::move(name), line);
  }

  void read_punctuation() {
    const int line = line_;
    std::string text(1, take());
    if ((text == "-" && current() == '>') || (text == ":" && current() == ':')) text += take();
    add(SourceToken::Kind::kPunctuation, std::move(text), line);
  }

  char take() {
    const char c = current();
    advance();
    return c;
  }

  void add(SourceToken::Kind kind, std::string text, int line) {
    tokens_.push_back({kind, std::move(text), line});
  }

  std::string_view source_;
  std::size_t position_ = 0;
  int line_ = 1;
  bool line_start_ = true;
  std::vector<SourceToken> tokens_;
};

}  // namespace

std::vector<SourceToken> tokenize_source(std::string_view source) {
  return Tokenizer(source).run();
}

}  // namespace ptxbatch
