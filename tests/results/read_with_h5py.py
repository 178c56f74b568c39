"""Reads a results file with h5py as SCHEMA.md describes it, and prints every record as one JSON
document: {"attributes": ..., "experiment_text": ..., "records": [...]} in the order of the records.
Texts are Latin-1, so that any byte passes through JSON."""

import json
import math
import sys

import h5py

f = h5py.File(sys.argv[1], "r")


def string(stored):
    """A fixed-length string: numpy has cut the padding off already."""
    out, i = bytearray(), 0
    while i < len(stored):
        if stored[i] == 0xFF:
            out.append(0 if stored[i + 1] == 0x30 else stored[i + 1])
            i += 2
        else:
            out.append(stored[i])
            i += 1
    return out.decode("latin-1")


def text(row):
    if row < 0:
        return ""
    t = f["texts"][row]
    return f["text_bytes"][t["offset"] : t["offset"] + t["size"]].tobytes().decode("latin-1")


TEXTS = {
    "turn_details": ["feedback", "source", "compiler_output", "reference"],
    "instructions": ["function", "text"],
    "replies": ["text", "reasoning", "model_returned", "response_id", "model_requested", "fingerprint"],
    "prompts": ["text"],
    "events": ["message"],
    "trajectory_ends": ["message"],
}


def rows(name):
    dataset = f[name]
    enums = {}
    for column in dataset.dtype.names:
        names = h5py.check_enum_dtype(dataset.dtype[column])
        if names:
            enums[column] = {number: label for label, number in names.items()}
    for row in dataset[:]:
        values = {}
        for column in dataset.dtype.names:
            value = row[column].item()
            if column in enums:
                value = enums[column][value]
            elif column in TEXTS.get(name, []):
                value = text(value)
            elif isinstance(value, bytes):
                value = string(value)
            elif isinstance(value, float) and not math.isfinite(value):
                value = str(value)  # JSON has no infinity
            values[column] = value
        yield values


def records():
    samples = f["samples_ms"]
    causes = [row["name"] for row in rows("causes")]
    turns = []
    for core, details in zip(rows("turns"), rows("turn_details")):
        details["cause"] = causes[details["cause"]]
        turns.append({"type": "turn", **core, **details, "instructions": [], "timings": [], "readings": []})
    for row in rows("instructions"):
        turns[row.pop("turn_row")]["instructions"].append(row)
    for row in rows("timings"):
        offset, count = row.pop("offset"), row.pop("count")
        row["samples_ms"] = [x if math.isfinite(x) else str(x) for x in samples[offset : offset + count].tolist()]
        turns[row.pop("turn_row")]["timings"].append(row)
    for row in rows("device_readings"):
        turns[row.pop("turn_row")]["readings"].append(row)
    yield from turns
    for name, kind in [
        ("requests", "request"),
        ("replies", "reply"),
        ("prompts", "prompt"),
        ("environment", "environment"),
        ("events", "event"),
        ("trajectory_ends", "trajectory_end"),
    ]:
        for row in rows(name):
            yield {"type": kind, **row}


print(
    json.dumps(
        {
            "attributes": {
                name: string(value) if isinstance(value, bytes) else value.item()
                for name, value in f.attrs.items()
            },
            "experiment_text": string(f["experiment_text"][0]),
            "trajectories": list(rows("trajectories")),
            "records": sorted(records(), key=lambda record: record.pop("record")),
        }
    )
)
