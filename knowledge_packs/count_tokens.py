#!/usr/bin/env python3
"""Counts the tokens of each pack's components with o200k_base and writes them into pack.toml.

  pip install bpe-openai    # the tokenizer with its vocabulary, no network needed afterwards
  python3 knowledge_packs/count_tokens.py [FOLDER...]    # default: all packs beside this file

Run it after changing a component: a test compares counted_sha256 with the files (pack_test).
"""
import hashlib
import pathlib
import re
import sys
import tomllib

import bpe_openai

BLOCK = re.compile(r"(\[\[components\]\]\n(?:(?!\[\[).*\n)*?files = \[(?:[^\]]*)\]\n)"
                   r"(?:tokens = .*\n)?(?:counted_sha256 = .*\n)?")


def main():
    encoding = bpe_openai.get_encoding("o200k_base")
    folders = [pathlib.Path(one) for one in sys.argv[1:]]
    beside = sorted(pathlib.Path(__file__).parent.glob("*/pack.toml"))
    for path in [folder / "pack.toml" for folder in folders] or beside:
        text = path.read_text()
        total = 0
        components = iter(tomllib.loads(text)["components"])

        def counted(match):
            nonlocal total
            texts = [(path.parent / file).read_text() for file in next(components)["files"]]
            tokens = sum(len(encoding.encode(one)) for one in texts)
            total += tokens
            sha256 = hashlib.sha256("".join(texts).encode()).hexdigest()
            return f'{match.group(1)}tokens = {tokens}\ncounted_sha256 = "{sha256}"\n'

        path.write_text(BLOCK.sub(counted, text))
        assert next(components, None) is None, f"{path}: a component was not found"
        print(f"{path}: {total} tokens")


if __name__ == "__main__":
    main()
