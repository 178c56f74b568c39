#include "analysis/pack_tokens.h"

#include <algorithm>
#include <map>

#include "analysis/text.h"
#include "common/csv.h"
#include "common/file_system.h"
#include "common/return_if_error.h"
#include "common/toml_table.h"

namespace ptxbatch {
namespace {

constexpr std::int64_t kMostTokens = 1'000'000'000;

/// A pack and the tokens of its parts, by the paper's names of the levels.
struct CountedPack {
  std::string name;
  std::map<std::string, std::int64_t> parts;
};

std::string part_of_level(const std::string& level) {
  if (level == "parameters") return "Architecture parameters";
  if (level == "templates") return "PTX template functions";
  return "Architecture contract";
}

// 18601: "18,601".
std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), ",");
  }
  return text;
}

Result<std::vector<CountedPack>> packs_of_paper(const std::string& path) {
  const auto csv = CsvFile::read(path, {"pack", "part", "tokens"});
  if (!csv) return fail(csv.error());
  std::vector<CountedPack> packs;
  for (std::size_t row = 0; row < csv->size(); ++row) {
    const auto tokens = csv->integer(row, 2, 0, kMostTokens);
    if (!tokens) return fail(tokens.error());
    if (packs.empty() || packs.back().name != csv->text(row, 0)) {
      packs.push_back({csv->text(row, 0), {}});
    }
    packs.back().parts[csv->text(row, 1)] += *tokens;
  }
  return packs;
}

// Only what is counted is read: whoever assembles prompts reads the pack strictly.
Result<CountedPack> counted_pack(const std::string& path) {
  const auto text = read_text(path);
  if (!text) return fail(text.error());
  const auto toml = parse_toml(*text, path);
  if (!toml) return fail(toml.error());
  std::vector<Error> errors;
  TomlTable top(*toml, "", path, errors);
  CountedPack pack{top.required_string("name") + " (this program)", {}};
  for (TomlTable& component : top.tables("components", true)) {
    const std::string level = component.required_string("level");
    if (!component.has("tokens")) {
      component.error("tokens", "is missing", "Run knowledge_packs/count_tokens.py.");
    }
    pack.parts[part_of_level(level)] += component.integer("tokens", 0, 0, kMostTokens);
  }
  if (!errors.empty()) return fail(errors.front());
  return pack;
}

std::vector<std::string> row_of(const CountedPack& pack, const std::vector<std::string>& parts) {
  std::vector<std::string> row = {pack.name};
  std::int64_t sum = 0;
  for (const std::string& part : parts) {
    const auto tokens = pack.parts.find(part);
    row.push_back(tokens == pack.parts.end() ? std::string(kNone) : grouped(tokens->second));
    sum += tokens == pack.parts.end() ? 0 : tokens->second;
  }
  row.push_back(grouped(sum));
  return row;
}

}  // namespace

Result<Sheet> pack_tokens(const std::string& csv, const std::vector<std::string>& packs,
                          const PaperTable& table) {
  auto counted = packs_of_paper(csv);
  if (!counted) return fail(counted.error());
  for (const std::string& path : packs) {
    auto pack = counted_pack(path);
    if (!pack) return fail(pack.error());
    counted->push_back(std::move(*pack));
  }
  const std::vector<std::string> parts = {"Architecture parameters", "PTX template functions",
                                          "Architecture contract"};
  Sheet sheet;
  sheet.title = "Table " + std::to_string(table.number) + ": " + table.title;
  sheet.header = {table.row_header};
  sheet.header.insert(sheet.header.end(), parts.begin(), parts.end());
  sheet.header.emplace_back("Sum");
  for (const CountedPack& pack : *counted) sheet.rows.push_back(row_of(pack, parts));
  sheet.notes = {
      "The paper's packs as it counts them; this program's with o200k_base "
      "(docs/knowledge_packs.md)."};
  return sheet;
}

}  // namespace ptxbatch
