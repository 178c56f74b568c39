"""Turn correctness and best speedup (the paper's Tables 1 and 7) with pandas, for comparison.

  pandas_tables.py published TURNS.csv   the paper's rows, selected as experiments/paper/published.toml
  pandas_tables.py results RESULTS.h5    every condition of a results file

Prints metric,gpu or target,model,problem,turns,restriction,value as ptxbatch does, sorted.
"""
import sys

import pandas

LIMITS = (1, 4, 8)
PROBLEMS = {
    "gemm_n7168_k5120": "GEMM",
    "mha_with_lse_d128": "MHA-Fwd",
    "mha_with_lse_d128_causal": "MHA-Fwd-Causal",
    "mha_bwd_d128": "MHA-Bwd",
    "mha_bwd_d128_causal": "MHA-Bwd-Causal",
}
BLOCKS_OF_FIVE = {"GEMM": (0, 1, 4), "MHA-Fwd": (0, 1, 2), "MHA-Fwd-Causal": (0, 1, 2),
                  "MHA-Bwd": (0, 3, 4), "MHA-Bwd-Causal": (0, 3, 4)}
MODELS = ("Gemini 3.1 Pro", "Claude Opus 4.8", "GLM-5.2", "Qwen3.6-27B")


def published(path):
    turns = pandas.read_csv(path)
    turns = turns[turns.model.isin(MODELS) & turns.definition.isin(PROBLEMS)]
    run = turns.run
    guidance = ~run.str.contains("nopatched") | turns.definition.str.startswith("gemm")
    turns = turns[guidance & ~run.str.contains("ablation") & ~run.str.startswith("2026-0609")].copy()
    turns["problem"] = turns.definition.map(PROBLEMS)
    turns["target"] = turns.arch.map({"hopper": "H100", "blackwell": "B200"})
    number = turns.trajectory_id.str.slice(4).astype(int)
    turns["block"] = number // 4
    blocks = turns.groupby("run").block.transform("nunique")
    counts = [b != 5 or block in BLOCKS_OF_FIVE[p]
              for b, block, p in zip(blocks, turns.block, turns.problem)]
    turns = turns[counts]
    turns["trajectory"] = turns.run + turns.trajectory_id
    turns["correct"] = turns.correctness == "Correct"
    turns["with_target"] = turns.correct & (turns.correct_with_target == 1)
    return turns, 8


def results(path):
    import h5py

    with h5py.File(path) as file:
        turns = pandas.DataFrame({name: file["turns"].fields(name)[:] for name in
                                  ("trajectory", "turn", "label", "target_instruction", "speedup")})
        plan = pandas.DataFrame({name: file["trajectories"].fields(name)[:] for name in
                                 ("index", "model", "target", "problem")})
        most = int(file.attrs["turns"])
    for name in ("model", "target", "problem"):
        plan[name] = plan[name].str.decode("utf-8")
    planned = plan.groupby(["target", "model", "problem"]).size()
    turns = turns.merge(plan, left_on="trajectory", right_on="index")
    turns["correct"] = turns.label == 0
    turns["with_target"] = turns.correct & (turns.target_instruction == 3)
    turns.attrs["planned"] = planned
    return turns, most


def tables(turns, most):
    keys = ["target", "model", "problem"]
    planned = turns.attrs.get("planned")
    if planned is None:
        planned = turns.groupby(keys).trajectory.nunique()
    rows = []
    for limit in sorted({min(limit, most) for limit in LIMITS}):
        below = turns[turns.turn < limit]
        for counted, restriction in (("with_target", "target_instruction"),
                                     ("correct", "unrestricted")):
            of = below[below[counted]].groupby(keys)
            share = (of.size().reindex(planned.index, fill_value=0) / (planned * limit) * 100)
            best = of.speedup.max().reindex(planned.index, fill_value=0)
            for metric, values in (("turn_correctness_pct", share), ("best_speedup", best)):
                for (target, model, problem), value in values.items():
                    rows.append((metric, target, model, problem, limit, restriction, value))
    return rows


def main():
    turns, most = {"published": published, "results": results}[sys.argv[1]](sys.argv[2])
    for metric, target, model, problem, limit, restriction, value in sorted(tables(turns, most)):
        text = "" if value == 0 else f"{value:.6g}"
        print(metric, target, model, problem, limit, restriction, text, sep=",")


main()
