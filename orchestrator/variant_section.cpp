#include "orchestrator/variant_section.h"

#include <algorithm>
#include <filesystem>

#include "ranks/problems/operators.h"
#include "ranks/prompt/repair_notes.h"

namespace ptxbatch {
namespace {

constexpr std::string_view kModelPlace = "{model}";

std::string beside(const std::string& file, const std::string& path) {
  return (std::filesystem::absolute(file).parent_path() / path).lexically_normal().string();
}

RepairNotesSettings read_repair_notes(TomlTable table, const std::string& file) {
  constexpr std::int64_t kMost = 1'000'000;
  RepairNotesSettings settings;
  const std::string corpus = table.required_string("corpus");
  settings.kernels = static_cast<int>(table.integer("kernels", settings.kernels, 1, kMost));
  settings.notes = static_cast<int>(table.integer("notes", settings.notes, 1, kMost));
  settings.fixed_kernel = table.boolean("fixed_kernel", settings.fixed_kernel);
  settings.max_tokens =
      static_cast<int>(table.integer("max_tokens", settings.max_tokens, 100, kMost));
  table.reject_unknown_keys();
  if (corpus.empty()) return settings;
  auto notes = RepairNotes::read(beside(file, corpus));
  if (notes) {
    settings.corpus = std::make_shared<const RepairNotes>(std::move(*notes));
  } else {
    table.error("corpus", describe(notes.error()),
                "Make one of results files: ptxbatch export notes RESULTS.h5 -o NOTES.jsonl");
  }
  return settings;
}

std::string row_name(const std::string& variant, const std::string& model) {
  std::string name = variant;
  for (std::size_t at = name.find(kModelPlace); at != std::string::npos;
       at = name.find(kModelPlace, at + model.size())) {
    name.replace(at, kModelPlace.size(), model);
  }
  return name;
}

}  // namespace

std::map<std::string, std::vector<std::string>> read_guidance(TomlTable& table) {
  auto guidance = table.string_lists("guidance");
  const std::vector<std::string> op_types = known_op_types();
  for (const auto& [op_type, names] : guidance) {
    if (std::find(op_types.begin(), op_types.end(), op_type) != op_types.end()) continue;
    std::string known;
    for (const std::string& name : op_types) known += (known.empty() ? "" : ", ") + name;
    table.error("guidance", "'" + op_type + "' is not an operator type", "Known: " + known + ".");
  }
  return guidance;
}

NamedVariant read_variant(TomlTable table, const std::string& file) {
  NamedVariant variant;
  variant.spec.line = table.line();
  variant.name = table.required_string("name");
  const std::string level =
      table.choice("pack_level", std::string(pack_level_name(variant.spec.pack_level)),
                   {"none", "parameters", "templates", "contract"});
  variant.spec.pack_level = *pack_level_from_name(level);
  variant.spec.guidance = read_guidance(table);
  if (auto notes = table.table("repair_notes")) {
    variant.spec.repair_notes = read_repair_notes(*notes, file);
  }
  table.reject_unknown_keys();
  return variant;
}

std::vector<ModelSpec> expand_variants(const std::vector<ModelSpec>& models,
                                       const std::vector<NamedVariant>& variants) {
  std::vector<ModelSpec> rows;
  for (const ModelSpec& model : models) {
    if (variants.empty()) rows.push_back(model);
    for (const NamedVariant& variant : variants) {
      ModelSpec& row = rows.emplace_back(model);
      row.name = row_name(variant.name, model.name);
      row.variant = variant.spec;
    }
  }
  return rows;
}

std::vector<const VariantSpec*> variants_of(const Experiment& experiment) {
  std::vector<const VariantSpec*> variants;
  for (const ModelSpec& model : experiment.models) {
    if (model.base == experiment.models.front().base) variants.push_back(&model.variant);
  }
  return variants;
}

}  // namespace ptxbatch
