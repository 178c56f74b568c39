"""What tables cost as whole processes, beside a pandas script that computes the same numbers.

  tables_benchmark.py BUILD [--published FOLDER] [--python PYTHON] [--turns 1000000]

BUILD is a build folder with ptxbatch and make_turns; FOLDER holds the published turns.csv; PYTHON
has pandas and h5py. Prints medians of wall clock and processor time, the largest resident sizes, and
whether both sides gave the same numbers. Asserts no timing.
"""
import argparse
import csv
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time


def run(command):
    """Seconds, seconds of processor time, resident MiB and output of one process."""
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=output)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit(f"{command} ended with {child.returncode}")
        output.seek(0)
        cpu = usage.ru_utime + usage.ru_stime
        return seconds, cpu, usage.ru_maxrss / 1024, output.read().decode()


def measure(commands, repeats):
    """Runs the commands in turn, so that all see the same machine; a result for each."""
    runs = [[run(command) for command in commands] for _ in range(repeats)]
    return [(statistics.median(one[i][0] for one in runs),
             statistics.median(one[i][1] for one in runs), max(one[i][2] for one in runs),
             runs[0][i][3]) for i in range(len(commands))]


def report(what, result):
    print(f"{what:<58} {result[0] * 1000:9.1f} ms {result[1] * 1000:9.1f} ms {result[2]:8.1f} MiB")


def report_ratio(ours, theirs, agree):
    print(f"  ptxbatch is {theirs[0] / ours[0]:.1f} times as fast, with processor time "
          f"{theirs[1] / ours[1]:.1f} times; same numbers: {agree}")


def numbers(text, columns):
    """The numbers by their keys, for metrics that both sides have."""
    found = {}
    for row in csv.reader(text.splitlines()):
        values = [row[column] for column in columns]
        if values[0] in ("turn_correctness_pct", "best_speedup"):
            found[tuple(values[:-1])] = float(values[-1] or 0)
    return found


def same(ours, theirs, tolerance):
    if ours.keys() != theirs.keys():
        return False
    return all(abs(ours[key] - theirs[key]) <= tolerance(key) for key in ours)


def published(arguments, folder, ptxbatch, pandas):
    turns = os.path.join(arguments.published, "turns.csv")
    results = os.path.join(folder, "published.h5")
    run([ptxbatch, "import", "published", turns, "-o", results])
    all_tables, paper, theirs, check = measure(
        [[ptxbatch, "tables", results],
         [ptxbatch, "tables", "--paper", "1,7", "--format", "csv", results],
         [*pandas, "published", turns],
         [ptxbatch, "check", "--paper", results]], arguments.repeats)
    print("published turns (13,674)")
    report("  all tables of the file", all_tables)
    report("  every number of the paper checked", check)
    report("  Tables 1 and 7, ptxbatch", paper)
    report("  Tables 1 and 7, pandas", theirs)
    agree = same(numbers(paper[3], (1, 2, 3, 4, 5, 6, 7)), numbers(theirs[3], range(7)),
                 # ours are printed as the paper prints them
                 lambda key: 0.051 if key[0] == "turn_correctness_pct" else 0.00051)
    report_ratio(paper, theirs, agree)


def synthetic(arguments, folder, ptxbatch, make_turns, pandas):
    print("synthetic files, numbers alone")
    for turns in (arguments.turns // 8, arguments.turns // 4, arguments.turns // 2,
                  arguments.turns):
        results = os.path.join(folder, f"{turns}.h5")
        run([make_turns, str(turns), results])
        tables, intervals = measure(
            [[ptxbatch, "tables", results], [ptxbatch, "tables", "--ci", results]],
            arguments.repeats)
        report(f"  all tables of {turns:,} turns", tables)
        report("    with intervals", intervals)
    ours, theirs = measure([[ptxbatch, "tables", "--format", "csv", results],
                            [*pandas, "results", results]], arguments.repeats)
    report(f"  tables of {arguments.turns:,} turns, ptxbatch", ours)
    report("    Tables 1 and 7 alone, pandas", theirs)
    agree = same(numbers(ours[3], (0, 1, 2, 3, 4, 5, 7)), numbers(theirs[3], range(7)),
                 lambda key: 1e-4)
    report_ratio(ours, theirs, agree)
    if arguments.texts:
        results = os.path.join(folder, "texts.h5")
        run([make_turns, str(arguments.texts), results, "--texts"])
        size = os.path.getsize(results) / 2**20
        report(f"  all tables of {arguments.texts:,} turns with texts ({size:.0f} MiB file)",
               measure([[ptxbatch, "tables", results]], arguments.repeats)[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--published")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--turns", type=int, default=1_000_000)
    parser.add_argument("--texts", type=int, default=0, help="turns of a file with all texts too")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    ptxbatch = str(arguments.build / "bin" / "ptxbatch")
    make_turns = str(arguments.build / "tests" / "bin" / "make_turns")
    script = str(pathlib.Path(__file__).with_name("pandas_tables.py"))
    pandas = [arguments.python, script]
    with tempfile.TemporaryDirectory() as folder:
        if arguments.published:
            published(arguments, folder, ptxbatch, pandas)
        synthetic(arguments, folder, ptxbatch, make_turns, pandas)


main()
