#include "orchestrator/model_section.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "ranks/generate/wire_format.h"

namespace ptxbatch {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::max();
constexpr std::int64_t kMostTokens = 1'000'000'000'000;
constexpr double kDayS = 86400;

std::string beside(const std::string& file, const std::string& path) {
  return (std::filesystem::absolute(file).parent_path() / path).lexically_normal().string();
}

std::optional<double> optional_number(TomlTable& table, std::string_view key, double least,
                                      double most) {
  if (!table.has(key)) return std::nullopt;
  return table.number(key, least, least, most);
}

std::optional<std::int64_t> optional_integer(TomlTable& table, std::string_view key,
                                             std::int64_t least, std::int64_t most) {
  if (!table.has(key)) return std::nullopt;
  return table.integer(key, least, least, most);
}

SamplingSettings read_sampling(TomlTable& table) {
  SamplingSettings sampling;
  sampling.temperature = optional_number(table, "temperature", 0, 10);
  sampling.top_p = optional_number(table, "top_p", 0, 1);
  sampling.top_k = optional_integer(table, "top_k", -1, kMostTokens);
  sampling.presence_penalty = optional_number(table, "presence_penalty", -10, 10);
  sampling.frequency_penalty = optional_number(table, "frequency_penalty", -10, 10);
  sampling.seed = optional_integer(table, "seed", std::numeric_limits<std::int64_t>::min(),
                                   std::numeric_limits<std::int64_t>::max());
  sampling.reasoning_effort = table.string("reasoning_effort");
  return sampling;
}

ModelLimits read_limits(TomlTable table) {
  constexpr std::int64_t kMostRequests = 1'000'000'000;
  ModelLimits limits;
  limits.in_flight = static_cast<int>(table.integer("in_flight", 0, 0, kMostRequests));
  limits.requests_per_minute =
      static_cast<int>(table.integer("requests_per_minute", 0, 0, kMostRequests));
  limits.tokens_per_minute = table.integer("tokens_per_minute", 0, 0, kMostTokens);
  table.reject_unknown_keys();
  return limits;
}

ModelPrices read_prices(TomlTable table) {
  ModelPrices prices;
  prices.given = table.has("prompt") || table.has("completion");
  prices.reported = table.boolean("reported", false);
  prices.prompt = table.number("prompt", 0, 0, kNoLimit);
  prices.cached = table.number("cached", 0, 0, kNoLimit);
  prices.completion = table.number("completion", 0, 0, kNoLimit);
  if (!prices.given && !prices.reported) {
    table.error(
        "", "names no price",
        "Give prompt and completion, in dollars for a million tokens (0: they are free), or "
        "reported = true where the server gives the cost of each reply.");
  }
  table.reject_unknown_keys();
  return prices;
}

StreamClocks read_clocks(TomlTable table) {
  constexpr double kLeastS = 0.05;
  StreamClocks clocks;
  clocks.connect_s = table.number("connect_s", clocks.connect_s, kLeastS, kDayS);
  clocks.first_byte_s = table.number("first_byte_s", clocks.first_byte_s, kLeastS, kDayS);
  clocks.idle_s = table.number("idle_s", clocks.idle_s, kLeastS, kDayS);
  clocks.keep_alive_s = table.number("keep_alive_s", clocks.keep_alive_s, kLeastS, kDayS);
  table.reject_unknown_keys();
  return clocks;
}

RetrySettings read_retries(TomlTable table) {
  RetrySettings retries;
  retries.attempts = static_cast<int>(table.integer("attempts", retries.attempts, 1, 1000));
  retries.first_delay_s = table.number("first_delay_s", retries.first_delay_s, 0, kDayS);
  retries.longest_delay_s = table.number("longest_delay_s", retries.longest_delay_s, 0, kDayS);
  table.reject_unknown_keys();
  return retries;
}

std::map<std::string, std::string> read_headers(TomlTable& table) {
  std::map<std::string, std::string> headers = table.string_map("headers");
  for (const auto& [name, value] : headers) {
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const bool secret = lower.find("authorization") != std::string::npos ||
                        lower.find("key") != std::string::npos ||
                        lower.find("token") != std::string::npos || lower == "cookie";
    if (secret) {
      table.error("headers", "'" + name + "' would put a secret into this file",
                  "Name the environment variable that holds the key: api_key_env = \"...\"");
    }
    const std::string whole = name + value;
    if (whole.find_first_of("\r\n") != std::string::npos) {
      table.error("headers", "'" + name + "' holds a line break");
    }
  }
  return headers;
}

void check_environment_name(TomlTable& table, std::string_view key, const std::string& name) {
  const bool like_a_name =
      std::all_of(name.begin(), name.end(),
                  [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; }) &&
      (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) == 0);
  // The value is not repeated: it may be the key itself.
  if (!like_a_name) {
    table.error(key, "is not the name of an environment variable",
                "Give the variable's name, as in \"OPENAI_API_KEY\", never the key itself.");
  }
}

constexpr const char* kAddressHint = "It begins with https:// or http://.";

bool is_address(const std::string& url) {
  return url.starts_with("http://") || url.starts_with("https://");
}

void check_settings(TomlTable& table, const ModelSpec& model) {
  const WireFormat& format = *find_wire_format(model.provider);
  for (const std::string& setting : format.unsupported_settings()) {
    if (table.has(setting)) {
      table.error(setting, "is not part of this provider's API",
                  "Remove it, or give it under body if the server takes it there.");
    }
  }
  const EndpointSpec& endpoint = model.endpoint;
  if (model.provider == "anthropic" && endpoint.max_tokens == 0) {
    table.error("max_tokens", "is missing: this API asks for it", "Add a line: max_tokens = 32000");
  }
  // One that comes from the environment is looked at when it is taken.
  const bool comes_later = endpoint.url.empty() && !endpoint.url_env.empty();
  if (!comes_later && !is_address(endpoint.url)) {
    table.error("url", "'" + endpoint.url + "' is not an address", kAddressHint);
  }
}

EndpointSpec read_endpoint(TomlTable& table, const std::string& provider, const std::string& file) {
  EndpointSpec endpoint;
  endpoint.url_env = table.string("url_env");
  // Prompts that are meant for a server of one's own never go to the provider instead.
  endpoint.url = table.string("url", endpoint.url_env.empty() ? default_url(provider) : "");
  endpoint.model = table.required_string("model");
  endpoint.api_key_env = table.string("api_key_env");
  const std::string ca_file = table.string("ca_file");
  if (!ca_file.empty()) endpoint.ca_file = beside(file, ca_file);
  endpoint.stream = table.boolean("stream", true);
  endpoint.sampling = read_sampling(table);
  endpoint.max_tokens = table.integer("max_tokens", 0, 1, kMostTokens);
  endpoint.max_tokens_field = table.choice("max_tokens_field", endpoint.max_tokens_field,
                                           {"max_tokens", "max_completion_tokens"});
  endpoint.context_tokens = table.integer("context_tokens", 0, 1, kMostTokens);
  endpoint.least_reply_tokens =
      table.integer("least_reply_tokens", endpoint.least_reply_tokens, 1, kMostTokens);
  endpoint.headers = read_headers(table);
  endpoint.body = table.json("body");
  if (auto limits = table.table("limits")) endpoint.limits = read_limits(*limits);
  if (auto prices = table.table("prices")) endpoint.prices = read_prices(*prices);
  if (auto clocks = table.table("clocks")) endpoint.clocks = read_clocks(*clocks);
  if (auto retries = table.table("retries")) endpoint.retries = read_retries(*retries);
  check_environment_name(table, "api_key_env", endpoint.api_key_env);
  check_environment_name(table, "url_env", endpoint.url_env);
  return endpoint;
}

}  // namespace

ModelSpec read_model(TomlTable table, const std::string& file) {
  ModelSpec model;
  model.file = file;
  model.line = table.line();
  model.name = table.required_string("name");
  model.provider =
      table.choice("provider", "recorded", {"recorded", "openai", "anthropic", "gemini"});
  if (model.provider == "recorded") {
    model.replies_folder = beside(file, table.required_string("replies"));
    model.replay_latency = table.number("replay_latency", 0, 0, kNoLimit);
  } else {
    model.endpoint = read_endpoint(table, model.provider, file);
    check_settings(table, model);
  }
  table.reject_unknown_keys();
  return model;
}

Status take_url_from_environment(ModelSpec& model) {
  EndpointSpec& endpoint = model.endpoint;
  if (endpoint.url_env.empty()) return {};
  const auto wrong = [&](std::string what, std::string hint) {
    return fail(Error{ErrorKind::kInput, "model '" + model.name + "': " + std::move(what),
                      std::move(hint), model.file, model.line, 0, "models.url_env"});
  };
  const char* url = std::getenv(endpoint.url_env.c_str());
  if (url != nullptr) endpoint.url = url;
  if (endpoint.url.empty()) {
    return wrong("$" + endpoint.url_env + " is not set",
                 "Set it to the address of the server: export " + endpoint.url_env +
                     "=http://HOST:PORT/v1; or give url as well, which holds where it is not set.");
  }
  if (is_address(endpoint.url)) return {};
  return wrong("$" + endpoint.url_env + " is '" + endpoint.url + "', which is not an address",
               kAddressHint);
}

}  // namespace ptxbatch
