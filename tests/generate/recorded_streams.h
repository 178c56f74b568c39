// Streams as the three APIs send them, each of the same reply: some thinking, then a kernel.
#pragma once

#include <string>

namespace ptxbatch {

inline const std::string kThought = "Tile it, \xF0\x9F\xA7\xA9 then \"vectorise\".";
inline const std::string kAnswer = "Here:\n```cpp\nvoid run() {}\n```\n\xE2\x9C\x93";

/// As vLLM, SGLang, DeepSeek and OpenRouter do it, with comments, a chunk without choices and one
/// with null for them.
inline std::string openai_stream() {
  return ": OPENROUTER PROCESSING\n\n"
         R"(data: {"id":"c-1","model":"m-2026","system_fingerprint":"fp_7","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null})"
         "\n\n"
         R"(data: {"id":"c-1","choices":[{"delta":{"content":null,"reasoning_content":"Tile it, 🧩 then "}}]})"
         "\n\n: keep-alive\n\n"
         R"(data: {"id":"c-1","choices":[{"delta":{"reasoning_content":"\"vectorise\"."}}]})"
         "\n\n"
         R"(data: {"id":"c-1","choices":[{"delta":{"content":"Here:\n```cpp\n"}}]})"
         "\n\n"
         R"(data: {"id":"c-1","choices":[{"delta":{"content":"void run() {}\n```\n✓"}}]})"
         "\n\n"
         R"(data: {"id":"c-1","choices":[{"delta":{},"finish_reason":"stop"}]})"
         "\n\n"
         R"(data: {"id":"c-1","choices":null,"usage":null})"
         "\n\n"
         R"(data: {"id":"c-1","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":40,"completion_tokens_details":{"reasoning_tokens":25},"prompt_tokens_details":{"cached_tokens":64},"cost":0.0125}})"
         "\n\ndata: [DONE]\n\n";
}

inline std::string anthropic_stream() {
  return "event: message_start\n"
         R"(data: {"type":"message_start","message":{"id":"c-1","type":"message","role":"assistant","model":"m-2026","content":[],"stop_reason":null,"usage":{"input_tokens":30,"cache_creation_input_tokens":6,"cache_read_input_tokens":64,"output_tokens":1}}})"
         "\n\nevent: ping\n"
         R"(data: {"type":"ping"})"
         "\n\nevent: content_block_start\n"
         R"(data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}})"
         "\n\nevent: content_block_delta\n"
         R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Tile it, 🧩 then \"vectorise\"."}})"
         "\n\nevent: content_block_delta\n"
         R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQBCg=="}})"
         "\n\nevent: content_block_stop\n"
         R"(data: {"type":"content_block_stop","index":0})"
         "\n\nevent: content_block_start\n"
         R"(data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}})"
         "\n\nevent: content_block_delta\n"
         R"(data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Here:\n```cpp\nvoid run() {}\n```\n✓"}})"
         "\n\nevent: content_block_stop\n"
         R"(data: {"type":"content_block_stop","index":1})"
         "\n\nevent: message_delta\n"
         R"(data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":40,"output_tokens_details":{"thinking_tokens":25}}})"
         "\n\nevent: message_stop\n"
         R"(data: {"type":"message_stop"})"
         "\n\n";
}

inline std::string gemini_stream() {
  return R"(data: {"candidates":[{"content":{"parts":[{"text":"Tile it, 🧩 then \"vectorise\".","thought":true}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":100,"thoughtsTokenCount":9},"modelVersion":"m-2026","responseId":"c-1"})"
         "\r\n\r\n"
         R"(data: {"candidates":[{"content":{"parts":[{"text":"Here:\n```cpp\nvoid run() {}\n"}],"role":"model"}}],"modelVersion":"m-2026"})"
         "\r\n\r\n"
         R"(data: {"candidates":[{"content":{"parts":[{"text":"```\n✓"}],"role":"model"},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":100,"candidatesTokenCount":15,"thoughtsTokenCount":25,"cachedContentTokenCount":64},"modelVersion":"m-2026","responseId":"c-1"})"
         "\r\n\r\n";
}

/// The recorded stream of a provider.
inline std::string stream_of(const std::string& provider) {
  return provider == "openai"      ? openai_stream()
         : provider == "anthropic" ? anthropic_stream()
                                   : gemini_stream();
}

}  // namespace ptxbatch
