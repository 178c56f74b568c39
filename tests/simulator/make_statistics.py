#!/usr/bin/env python3
"""Reduces the published turns (turns.csv of the public PTXBench repository) to what the simulator
draws from: for each model how many turns had which label, how many reached the target speedup, and
the deciles of the reasoning tokens.

    make_statistics.py turns.csv > turn_statistics.csv
"""
import collections
import csv
import sys

LABELS = ["Correct", "Numerical error", "Compilation error", "Runtime error",
          "Kernel Execution Timeout", "Sanitize Timeout", "Profiling Service Timeout",
          "Extraction error", "Other error"]
TARGET_SPEEDUP = 1.2


def main():
    turns = collections.defaultdict(list)
    with open(sys.argv[1], newline="") as file:
        for row in csv.DictReader(file):
            turns[row["model"]].append(row)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["model", *LABELS, "target_reached", *(f"tokens_p{10 * i}" for i in range(11))])
    for model, rows in sorted(turns.items()):
        labels = collections.Counter(row["correctness"] for row in rows)
        reached = sum(row["correctness"] == "Correct" and float(row["speedup"]) >= TARGET_SPEEDUP
                      for row in rows)
        tokens = sorted(int(float(row["reasoning_tokens"] or 0)) for row in rows)
        deciles = [tokens[round(i * (len(tokens) - 1) / 10)] for i in range(11)]
        out.writerow([model, *(labels[label] for label in LABELS), reached, *deciles])


if __name__ == "__main__":
    main()
