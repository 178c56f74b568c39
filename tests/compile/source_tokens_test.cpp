// What is code and what is comment or string, by the language's rules.
#include "ranks/compile/source_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ptxbatch {
namespace {

using Kind = SourceToken::Kind;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::vector<std::pair<std::string, int>> tokens_of(Kind kind, std::string_view source) {
  std::vector<std::pair<std::string, int>> found;
  for (const SourceToken& token : tokenize_source(source)) {
    if (token.kind == kind) found.emplace_back(token.text, token.line);
  }
  return found;
}
auto identifiers(std::string_view source) {
  return tokens_of(Kind::kIdentifier, source);
}
auto strings(std::string_view source) {
  return tokens_of(Kind::kString, source);
}
auto includes(std::string_view source) {
  return tokens_of(Kind::kInclude, source);
}

TEST(SourceTokens, CommentsVanishAndLinesStay) {
  EXPECT_THAT(identifiers("// a\nb /* c\n d */ e\n/**/ f"),
              ElementsAre(Pair("b", 2), Pair("e", 3), Pair("f", 4)));
}

TEST(SourceTokens, ACommentMarkInAStringBeginsNoComment) {
  EXPECT_THAT(identifiers("f(\"/*\"); g(\"//\"); h"),
              ElementsAre(Pair("f", 1), Pair("g", 1), Pair("h", 1)));
}

TEST(SourceTokens, QuotesInCommentsBeginNoString) {
  EXPECT_THAT(identifiers("// don't \"\na /* \" ' */ b"), ElementsAre(Pair("a", 2), Pair("b", 2)));
}

TEST(SourceTokens, EscapedQuotesDoNotEndAString) {
  EXPECT_THAT(strings(R"(x("a\"b\\"); y("c");)"), ElementsAre(Pair(R"(a\"b\\)", 1), Pair("c", 1)));
}

TEST(SourceTokens, RawStringsEndAtTheirOwnDelimiter) {
  EXPECT_THAT(strings("R\"x(a)\" \n // )x\" b"), ElementsAre(Pair("a)\" \n // ", 1)));
  EXPECT_THAT(identifiers("f(R\"(\n\"dlopen\"\n)\"); g"), ElementsAre(Pair("f", 1), Pair("g", 3)));
  EXPECT_THAT(identifiers("u8R\"(x)\" LR\"(y)\" z"), ElementsAre(Pair("z", 1)));
}

TEST(SourceTokens, AnIdentifierThatEndsInRBeginsNoRawString) {
  EXPECT_THAT(identifiers("FOR\"(\" a"), ElementsAre(Pair("FOR", 1), Pair("a", 1)));
}

TEST(SourceTokens, UnterminatedLiteralsEndSomewhere) {
  EXPECT_THAT(identifiers("a(\"open\nb"), ElementsAre(Pair("a", 1), Pair("b", 2)));
  EXPECT_THAT(identifiers("a R\"(open\nb"), ElementsAre(Pair("a", 1)));
  EXPECT_THAT(identifiers("a /* open\nb"), ElementsAre(Pair("a", 1)));
  EXPECT_THAT(identifiers("a 'o\nb"), ElementsAre(Pair("a", 1), Pair("b", 2)));
}

TEST(SourceTokens, CharactersAndDigitSeparatorsAreToldApart) {
  EXPECT_THAT(
      identifiers("int a = 1'000; char b = '\"'; int c = 0x1'F; char d = '\\''; e"),
      ElementsAre(Pair("int", 1), Pair("a", 1), Pair("char", 1), Pair("b", 1), Pair("int", 1),
                  Pair("c", 1), Pair("char", 1), Pair("d", 1), Pair("e", 1)));
}

TEST(SourceTokens, SuffixesOfNumbersAreNoIdentifiers) {
  EXPECT_THAT(identifiers("1.0f + 2UL + .5e3 + 0x1p-3"), IsEmpty());
}

TEST(SourceTokens, ContinuedLinesAreJoined) {
  EXPECT_THAT(identifiers("dl\\\nopen x"), ElementsAre(Pair("dlopen", 1), Pair("x", 2)));
  EXPECT_THAT(identifiers("dl\\ \t\r\nopen"), ElementsAre(Pair("dlopen", 1)));
  EXPECT_THAT(identifiers("// comment \\\n still\nx"), ElementsAre(Pair("x", 3)));
  EXPECT_THAT(identifiers("/\\\n/ comment\nx"), ElementsAre(Pair("x", 3)));
}

TEST(SourceTokens, IncludesAreTakenInEveryForm) {
  EXPECT_THAT(includes("#include <a.h>\n # include \"b.h\"\n#include_next <c>\n#import \"d\"\n"
                       "%:include <e>\n#include /* x */ <f>\n#include MACRO // y"),
              ElementsAre(Pair("<a.h>", 1), Pair("\"b.h\"", 2), Pair("<c>", 3), Pair("\"d\"", 4),
                          Pair("<e>", 5), Pair("<f>", 6), Pair("MACRO // y", 7)));
}

TEST(SourceTokens, AHashWithinALineIsNoDirective) {
  EXPECT_THAT(includes("a #include <b>\n"), IsEmpty());
  EXPECT_THAT(includes("// #include <b>\n\"#include <c>\""), IsEmpty());
}

TEST(SourceTokens, AnIncludeInAMacroBodysContinuationIsReadAsTheCompilerReadsIt) {
  EXPECT_THAT(includes("#inc\\\nlude <cublas_v2.h>"), ElementsAre(Pair("<cublas_v2.h>", 2)));
}

// Quadratic behaviour would take hours here; the test's own time-out is the guard.
TEST(SourceTokens, HostileSourcesAreReadInOnePass) {
  for (const std::string part : {"R\"", "/*/", "\\\n", "\"", "'", "#include ", "\\ ", "a"}) {
    std::string source;
    while (source.size() < 4'000'000) source += part;
    tokenize_source(source);
  }
  EXPECT_THAT(tokenize_source(std::string(4'000'000, ' ')), IsEmpty());
}

}  // namespace
}  // namespace ptxbatch
