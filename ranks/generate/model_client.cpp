#include "ranks/generate/model_client.h"

#include "ranks/generate/recorded_client.h"

namespace ptxbatch {

Result<std::unique_ptr<ModelClient>> make_model_client(const ModelSpec& model, double timeout_s) {
  if (model.provider == "recorded") return make_recorded_client(model, timeout_s);
  return fail(ErrorKind::kInput,
              "the model '" + model.name + "' has the unknown provider '" + model.provider + "'",
              "Known providers: recorded.");
}

}  // namespace ptxbatch
