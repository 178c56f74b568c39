// C++ source cut into the few kinds of tokens that the ban list looks at. Comments are dropped,
// strings kept apart from code, line continuations undone, so that neither a comment nor a string
// is mistaken for a use and no use is hidden by a line break. Linear in the source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ptxbatch {

struct SourceToken {
  enum class Kind {
    kIdentifier,   // keywords too
    kString,       // the literal's contents, raw strings too; no prefix, no quotes
    kInclude,      // what stands after #include, #include_next or #import: <...>, "..." or a macro
    kPunctuation,  // one character; "->" and "::" are one token
  };
  Kind kind;
  std::string text;
  int line;  // where it begins, 1-based
};

/// Numbers and character literals give no token.
std::vector<SourceToken> tokenize_source(std::string_view source);

}  // namespace ptxbatch
