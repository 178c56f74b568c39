"""Writes a llama model of a few thousand random weights as GGUF: it talks nonsense, token by token,
as a real one would. Usage: tiny_gguf.py OUT.gguf"""

import sys

import gguf
import numpy

LAYERS, WIDTH, HEADS, HIDDEN, CONTEXT = 2, 64, 4, 128, 4096

# Byte tokens and letters, as SentencePiece has them.
tokens = [b"<unk>", b"<s>", b"</s>"] + [f"<0x{byte:02X}>".encode() for byte in range(256)]
kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL]
kinds += [gguf.TokenType.BYTE] * 256
letters = [letter.encode() for letter in "\u2581abcdefghijklmnopqrstuvwxyz .,"]
tokens += letters
kinds += [gguf.TokenType.NORMAL] * len(letters)

random = numpy.random.default_rng(7)


def weights(*shape):
    return (random.standard_normal(shape) * 0.2).astype(numpy.float32)


out = gguf.GGUFWriter(sys.argv[1], "llama")
out.add_name("tiny")
out.add_context_length(CONTEXT)
out.add_embedding_length(WIDTH)
out.add_block_count(LAYERS)
out.add_feed_forward_length(HIDDEN)
out.add_head_count(HEADS)
out.add_head_count_kv(HEADS)
out.add_layer_norm_rms_eps(1e-5)
out.add_rope_dimension_count(WIDTH // HEADS)
out.add_vocab_size(len(tokens))
out.add_tokenizer_model("llama")
out.add_token_list(tokens)
out.add_token_scores([-float(i) for i in range(len(tokens))])
out.add_token_types(kinds)
out.add_bos_token_id(1)
out.add_eos_token_id(2)
out.add_unk_token_id(0)
out.add_chat_template(
    "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:"
)
out.add_tensor("token_embd.weight", weights(len(tokens), WIDTH))
out.add_tensor("output_norm.weight", numpy.ones(WIDTH, dtype=numpy.float32))
out.add_tensor("output.weight", weights(len(tokens), WIDTH))
for layer in range(LAYERS):
    name = f"blk.{layer}."
    out.add_tensor(name + "attn_norm.weight", numpy.ones(WIDTH, dtype=numpy.float32))
    out.add_tensor(name + "ffn_norm.weight", numpy.ones(WIDTH, dtype=numpy.float32))
    for part in ("q", "k", "v", "output"):
        out.add_tensor(f"{name}attn_{part}.weight", weights(WIDTH, WIDTH))
    out.add_tensor(name + "ffn_gate.weight", weights(HIDDEN, WIDTH))
    out.add_tensor(name + "ffn_up.weight", weights(HIDDEN, WIDTH))
    out.add_tensor(name + "ffn_down.weight", weights(WIDTH, HIDDEN))
out.write_header_to_file()
out.write_kv_data_to_file()
out.write_tensors_to_file()
out.close()
