// The [[variants]] tables of an experiment file: each model is run once as each variant, which is a
// row of its own in tables. Variants differ in what the model is told: the level of the knowledge
// pack, guidance, retrieved repair notes.
#pragma once

#include <string>
#include <vector>

#include "common/toml_table.h"
#include "ranks/experiment.h"

namespace ptxbatch {

struct NamedVariant {
  std::string name;  // of the row; "{model}" stands for the model's name
  VariantSpec spec;
};

/// Paths are relative to the folder of the experiment file `file`.
NamedVariant read_variant(TomlTable table, const std::string& file);

/// `guidance` of a [[variants]] or [[prompts]] table.
std::map<std::string, std::vector<std::string>> read_guidance(TomlTable& table);

/// Each model as each variant, model by model; the models themselves when there are no variants.
std::vector<ModelSpec> expand_variants(const std::vector<ModelSpec>& models,
                                       const std::vector<NamedVariant>& variants);

/// The variants as the first model has them: every other model has the same.
std::vector<const VariantSpec*> variants_of(const Experiment& experiment);

}  // namespace ptxbatch
