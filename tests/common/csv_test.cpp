// CSV as programs and spreadsheets write it, and what is said of files that are not.
#include "common/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ptxbatch {
namespace {

using testing::HasSubstr;

Result<CsvFile> parse(std::string_view text) {
  return CsvFile::parse(text, "f.csv", {"name", "value"});
}

TEST(Csv, columns_are_found_by_name_in_any_order) {
  const CsvFile csv = parse("value,other,name\n1.5,x,a\n2,y,b\n").value();
  ASSERT_EQ(csv.size(), 2U);
  EXPECT_EQ(csv.text(0, 0), "a");
  EXPECT_EQ(csv.number(0, 1).value(), 1.5);
  EXPECT_EQ(csv.integer(1, 1, 0, 9).value(), 2);
  EXPECT_EQ(csv.line(1), 3);
}

TEST(Csv, quotes_carriage_returns_and_a_byte_order_mark_are_read) {
  const CsvFile csv =
      parse("\xEF\xBB\xBFname,value\r\n\"a, \"\"b\"\"\nc\",\"3\"\r\nd,\r\n").value();
  ASSERT_EQ(csv.size(), 2U);
  EXPECT_EQ(csv.text(0, 0), "a, \"b\"\nc");
  EXPECT_EQ(csv.text(0, 1), "3");
  EXPECT_EQ(csv.text(1, 1), "");
  EXPECT_EQ(csv.line(1), 4);
}

TEST(Csv, a_last_line_without_a_line_break_counts) {
  EXPECT_EQ(parse("name,value\na,1").value().text(0, 1), "1");
}

TEST(Csv, mistakes_are_shown_where_they_are) {
  const CsvFile csv = parse("name,value\nabc,12x\n").value();
  const Error error = csv.number(0, 1).error();
  EXPECT_EQ(error.file, "f.csv");
  EXPECT_EQ(error.line, 2);
  EXPECT_EQ(error.column, 5);
  EXPECT_EQ(error.what, "value is '12x', expected a number");
  EXPECT_THAT(csv.integer(0, 1, 0, 7).error().what, HasSubstr("from 0 to 7"));
}

TEST(Csv, what_is_no_such_file_is_refused) {
  EXPECT_THAT(parse("").error().what, HasSubstr("empty"));
  EXPECT_THAT(parse("name\na\n").error().what, HasSubstr("'value'"));
  EXPECT_THAT(parse("name,value,name\n").error().what, HasSubstr("twice"));
  EXPECT_EQ(parse("name,value\na,1\nb\n").error().line, 3);
  EXPECT_EQ(parse("name,value\n\"a,1\n").error().line, 2);
  EXPECT_EQ(parse("name,value\n\"a\"b,1\n").error().line, 2);
}

}  // namespace
}  // namespace ptxbatch
