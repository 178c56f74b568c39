#include "common/hash.h"

#include <openssl/evp.h>

#include <array>
#include <charconv>
#include <stdexcept>

namespace ptxbatch {

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("SHA-256 is not available in libcrypto");
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(std::size_t{2} * size);
  for (unsigned int i = 0; i < size; ++i) {
    text += kDigits[digest[i] >> 4U];
    text += kDigits[digest[i] & 0xFU];
  }
  return text;
}

HalfHash half_of(std::string_view sha256_hex) {
  constexpr int kHexadecimal = 16;
  constexpr std::size_t kDigits = 16;  // of 64 bits
  HalfHash half;
  const char* digits = sha256_hex.data();
  std::from_chars(digits, digits + kDigits, half.high, kHexadecimal);
  std::from_chars(digits + kDigits, digits + 2 * kDigits, half.low, kHexadecimal);
  return half;
}

}  // namespace ptxbatch
