#include "ranks/prompt/pack.h"

#include <algorithm>
#include <limits>

#include "common/file_system.h"
#include "common/toml_table.h"

namespace ptxbatch {
namespace {

class PackReader {
 public:
  explicit PackReader(std::string folder)
      : folder_(std::move(folder)), file_(folder_ + "/pack.toml") {}

  Result<Pack> read() {
    auto text = read_text(file_);
    if (!text) return fail(text.error());
    auto toml = parse_toml(*text, file_);
    if (!toml) return fail(toml.error());
    TomlTable top(*toml, "", file_, errors_);
    Pack pack = read_top(top);
    top.reject_unknown_keys();
    if (errors_.empty()) return pack;
    // One error a call: the first in the file, which is where a user starts to correct it.
    const auto first =
        std::min_element(errors_.begin(), errors_.end(),
                         [](const Error& a, const Error& b) { return a.line < b.line; });
    return fail(*first);
  }

 private:
  Pack read_top(TomlTable& top) {
    Pack pack;
    pack.name = top.required_string("name");
    pack.target = top.required_string("target");
    pack.version = static_cast<int>(top.integer("version", 0, 1, std::numeric_limits<int>::max()));
    if (pack.version == 0) top.error("version", "is missing", "Add a line: version = 1");
    pack.instructions = read_document(top, "instructions", top.required_string("instructions"));
    pack.example = read_document(top, "example", top.required_string("example"));
    for (TomlTable& table : top.tables("components", true)) {
      pack.components.push_back(read_component(table));
    }
    for (TomlTable& table : top.tables("guidance", false)) {
      pack.guidance.push_back(read_guidance(table));
    }
    return pack;
  }

  PackComponent read_component(TomlTable& table) {
    PackComponent component;
    if (!table.required_string("level").empty()) {
      const std::string name =
          table.choice("level", "contract", {"parameters", "templates", "contract"});
      component.level = *pack_level_from_name(name);
    }
    component.title = table.required_string("title");
    const std::vector<std::string> files = table.strings("files");
    if (files.empty()) table.error("files", "names no file", "Add a line: files = [\"...\"]");
    for (const std::string& file : files) {
      component.documents.push_back(read_document(table, "files", file));
    }
    component.tokens = table.integer("tokens", 0, 1, std::numeric_limits<std::int64_t>::max());
    component.counted_sha256 = table.string("counted_sha256");
    table.reject_unknown_keys();
    return component;
  }

  PackGuidance read_guidance(TomlTable& table) {
    PackGuidance guidance;
    guidance.name = table.required_string("name");
    guidance.op_types = table.strings("op_types");
    if (guidance.op_types.empty()) {
      table.error("op_types", "names no operator type", "Add a line: op_types = [\"gemm\"]");
    }
    guidance.document = read_document(table, "file", table.required_string("file"));
    table.reject_unknown_keys();
    return guidance;
  }

  PackDocument read_document(TomlTable& table, std::string_view key, const std::string& file) {
    PackDocument document{file, {}};
    if (file.empty()) return document;  // reported where the key was read
    auto text = read_text(folder_ + "/" + file);
    if (!text) {
      table.error(key, "the pack's file '" + file + "' cannot be read: " + text.error().what);
    } else if (text->empty()) {
      table.error(key, "the pack's file '" + file + "' is empty");
    } else {
      document.text = std::move(*text);
    }
    return document;
  }

  std::string folder_;
  std::string file_;
  std::vector<Error> errors_;
};

}  // namespace

const PackGuidance* Pack::find_guidance(std::string_view op_type,
                                        std::string_view guidance_name) const {
  const auto found = std::find_if(guidance.begin(), guidance.end(), [&](const PackGuidance& entry) {
    return entry.name == guidance_name &&
           std::find(entry.op_types.begin(), entry.op_types.end(), op_type) != entry.op_types.end();
  });
  return found == guidance.end() ? nullptr : &*found;
}

Result<Pack> load_pack(const std::string& folder) {
  return PackReader(folder).read();
}

}  // namespace ptxbatch
