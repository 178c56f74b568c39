"""Validates an exported folder with flashinfer-bench's own data classes.

usage: check_flashinfer_trace.py FOLDER
Prints "DEFINITIONS SOLUTIONS TRACES"; exits 77 when flashinfer-bench is not installed.
"""

import importlib
import importlib.util
import pathlib
import sys
import types


def load_package(name, path):
    """The package without its __init__, which imports torch; its data classes do without."""
    package = types.ModuleType(name)
    package.__path__ = [str(path)]
    sys.modules[name] = package


def data_classes():
    spec = importlib.util.find_spec("flashinfer_bench")
    if spec is None or importlib.util.find_spec("pydantic") is None:
        print("flashinfer-bench is not installed")
        sys.exit(77)
    folder = pathlib.Path(list(spec.submodule_search_locations)[0])
    load_package("flashinfer_bench", folder)
    load_package("flashinfer_bench.data", folder / "data")
    return [
        getattr(importlib.import_module("flashinfer_bench.data." + module), name)
        for module, name in [("definition", "Definition"), ("solution", "Solution"), ("trace", "Trace")]
    ]


def main():
    folder = pathlib.Path(sys.argv[1])
    definition_class, solution_class, trace_class = data_classes()

    def each_file(kind, data_class):
        return [
            data_class.model_validate_json(path.read_text())
            for path in sorted((folder / kind).rglob("*.json"))
        ]

    def each_line(kind):
        return [
            trace_class.model_validate_json(line)
            for path in sorted((folder / kind).rglob("*.jsonl"))
            for line in path.read_text().splitlines()
        ]

    definitions = {one.name for one in each_file("definitions", definition_class)}
    solutions = {one.name: one for one in each_file("solutions", solution_class)}
    workloads = {one.workload.uuid for one in each_line("workloads") if one.is_workload_trace()}
    traces = each_line("traces")
    for trace in traces:
        assert trace.is_successful(), trace
        assert trace.definition in definitions, trace.definition
        assert trace.workload.uuid in workloads, trace.workload.uuid
        assert solutions[trace.solution].definition == trace.definition, trace.solution
    print(len(definitions), len(solutions), len(traces))


main()
