// The list of trajectories and the story of one turn. All data is in the page, compressed; a
// trajectory's is opened when one of its turns is chosen. Texts of models and tools only ever become
// text nodes.
"use strict";
(() => {
  const kRowsAtOnce = 50;
  const browser = document.getElementById("browser");
  const story = document.getElementById("story");
  const opened = new Map();
  let index = null;
  let rows = [];
  let firstRow = 0;

  // --- small pieces ------------------------------------------------------------------------------

  function element(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key === "onclick" || key === "onchange" || key === "oninput" || key === "ontoggle") {
        made[key] = value;
      } else if (value !== null && value !== false) {
        made.setAttribute(key, value === true ? "" : value);
      }
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

  function drawing(name, attributes, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  const number = (value) => (typeof value === "number" ? String(+value.toPrecision(5)) : "");
  const words = (name) => name.replaceAll("_", " ");

  function unpack(id) {
    if (!opened.has(id)) opened.set(id, unpackNow(id));
    return opened.get(id);
  }

  async function unpackNow(id) {
    const packed = document.getElementById(id);
    if (!packed) return null;
    if (typeof DecompressionStream === "undefined") {
      throw new Error("This browser is too old to open the page's data (it lacks DecompressionStream).");
    }
    const bytes = Uint8Array.from(atob(packed.textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).json();
  }

  // --- the list ----------------------------------------------------------------------------------

  const filters = { text: "", model: "", problem: "", target: "", outcome: "" };

  function allRows() {
    const all = [];
    index.runs.forEach((run, runNumber) => {
      run.trajectories.forEach((of) => all.push({ run: runNumber, of }));
    });
    return all;
  }

  function matches({ of }) {
    if (filters.model && of.model !== filters.model) return false;
    if (filters.problem && of.problem !== filters.problem) return false;
    if (filters.target && of.target !== filters.target) return false;
    if (filters.outcome !== "" && !of.turns.some((turn) => turn[1] === +filters.outcome)) return false;
    if (!filters.text) return true;
    const text = [of.id, of.index, of.model, of.target, of.problem, of.prompt_tag, of.end].join(" ");
    return text.toLowerCase().includes(filters.text.toLowerCase());
  }

  function choice(key, label, values) {
    const options = values.map(([value, text]) => element("option", { value }, text));
    return element("select", {
      "aria-label": label,
      onchange: (event) => { filters[key] = event.target.value; firstRow = 0; showRows(); },
    }, element("option", { value: "" }, label), ...options);
  }

  function distinct(field) {
    return [...new Set(allRows().map(({ of }) => of[field]))].map((value) => [value, value]);
  }

  // The speedup that the whole page shows.
  const times = (speedup) => `${speedup.toFixed(3)}×${index.paired ? " (paired)" : ""}`;

  function best(of) {
    return of.turns.reduce((most, turn) => Math.max(most, turn[2] || 0), 0);
  }

  function square(row, turn) {
    const outcome = index.outcomes[turn[1]];
    const speedup = turn[2] > 0 ? `, ${times(turn[2])}` : "";
    const target = turn[3] ? ", target instruction executed" : "";
    const label = `turn ${turn[0]}: ${outcome.name}${speedup}${target}`;
    return element("button", {
      class: `square o${turn[1]}${turn[3] ? " target" : ""}`, title: label, "aria-label": label,
      "data-turn": `${row.run}-${row.of.index}-${turn[0]}`,
      onclick: () => { location.hash = `turn-${row.run}-${row.of.index}-${turn[0]}`; },
    }, outcome.letter);
  }

  function rowElement(row) {
    const of = row.of;
    const name = `${of.index}  ${of.id}: ${of.model}, ${of.target}, ${of.problem}, ${of.prompt_tag}`;
    const top = best(of);
    const run = index.runs.length > 1 ? `${index.runs[row.run].experiment}, ` : "";
    return element("div", { class: "row" },
      element("div", { class: "row-name" }, run + name),
      element("div", { class: "row-squares" }, ...of.turns.map((turn) => square(row, turn))),
      element("div", { class: "row-end" }, (top > 0 ? `best ${times(top)}, ` : "") + of.end));
  }

  function showRows() {
    rows = allRows().filter(matches);
    const last = Math.min(firstRow + kRowsAtOnce, rows.length);
    const list = document.getElementById("rows");
    list.replaceChildren(...rows.slice(firstRow, last).map(rowElement));
    const turnPage = (by) => () => { firstRow += by; showRows(); };
    document.getElementById("pages").replaceChildren(
      element("button", { class: "plain", disabled: firstRow === 0, onclick: turnPage(-kRowsAtOnce) }, "Earlier"),
      element("button", { class: "plain", disabled: last >= rows.length, onclick: turnPage(kRowsAtOnce) }, "Later"),
      element("span", { class: "muted" },
        rows.length === 0 ? "none" : `${firstRow + 1} to ${last} of ${rows.length} trajectories`));
    markChosen();
  }

  function showBrowser() {
    browser.replaceChildren(
      element("div", { class: "filters" },
        element("input", {
          type: "search", placeholder: "Find", "aria-label": "Find trajectories",
          oninput: (event) => { filters.text = event.target.value; firstRow = 0; showRows(); },
        }),
        choice("model", "All models", distinct("model")),
        choice("target", "All targets", distinct("target")),
        choice("problem", "All problems", distinct("problem")),
        choice("outcome", "All outcomes", index.outcomes.map((outcome, i) => [i, outcome.name]))),
      element("div", { class: "rows", id: "rows" }),
      element("div", { class: "filters", id: "pages" }));
    showRows();
  }

  // --- one turn ----------------------------------------------------------------------------------

  function fact(name, value) {
    if (value === "" || value === null || value === undefined) return null;
    return element("div", { class: "fact" }, element("span", {}, name), element("b", {}, value));
  }

  function block(title, text, open, wrap) {
    if (!text) return null;
    return element("details", { open }, element("summary", {}, title),
      element("pre", { class: wrap ? "wrap" : "" }, text));
  }

  function table(header, lines, names) {
    const cell = (value, i) => element("td", { class: i < names ? "" : "n" }, value);
    return element("div", { class: "scroll", tabindex: "0" }, element("table", {},
      element("thead", {}, element("tr", {},
        ...header.map((name, i) => element("th", { class: i < names ? "" : "n" }, name)))),
      element("tbody", {}, ...lines.map((line) => element("tr", {}, ...line.map(cell))))));
  }

  // A column for each field the records have.
  function recordTable(records) {
    const fields = Object.keys(records[0]);
    const text = (field, value) => {
      if (typeof value === "boolean") return value ? "yes" : "no";
      return field === "address" ? `0x${value.toString(16)}` : String(value);
    };
    const isNumber = (field) => typeof records[0][field] === "number";
    fields.sort((one, other) => isNumber(one) - isNumber(other));
    return table(fields.map(words), records.map((record) => fields.map((field) => text(field, record[field]))),
      fields.filter((field) => !isNumber(field)).length);
  }

  function median(values) {
    const sorted = [...values].sort((one, other) => one - other);
    const middle = sorted.length >> 1;
    return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  // The samples of one side in their order, block after block.
  function samplePlot(timings, side) {
    const blocks = timings.filter((timing) => timing.side === side && timing.samples_ms.length > 0);
    const samples = blocks.flatMap((timing) => timing.samples_ms);
    if (samples.length === 0) return null;
    const least = Math.min(...samples);
    const most = Math.max(...samples);
    const room = most > least ? (most - least) * 0.08 : most * 0.01 || 1;
    const [width, height, left, right] = [700, 130, 64, 8];
    const x = (i) => left + ((i + 0.5) / samples.length) * (width - left - right);
    const y = (ms) => 8 + (1 - (ms - least + room) / (most - least + 2 * room)) * (height - 16);
    const svg = drawing("svg", {
      class: "plot", viewBox: `0 0 ${width} ${height}`, role: "img",
      "aria-label": `${side}: ${samples.length} samples, median ${number(median(samples))} ms`,
    });
    for (const ms of [least, median(samples), most]) {
      svg.append(drawing("path", { class: "grid", d: `M${left} ${y(ms)}H${width - right}` }));
    }
    const label = (ms, at) => svg.append(
      drawing("text", { class: "tick", x: left - 5, y: at, "text-anchor": "end" }, number(ms)));
    label(most, y(most) + 3);
    label(least, y(least) + 3);
    const middle = y(median(samples)) + 3;
    if (middle - y(most) > 12 && y(least) + 3 - middle > 9) label(median(samples), middle);
    let before = 0;
    for (const timing of blocks) {
      if (before > 0) {
        const at = (x(before - 1) + x(before)) / 2;
        svg.append(drawing("path", { class: "block-line", d: `M${at} 4V${height - 4}` }));
      }
      before += timing.samples_ms.length;
    }
    samples.forEach((ms, i) => svg.append(drawing("circle", {
      class: `dot-${side}`, cx: x(i).toFixed(1), cy: y(ms).toFixed(1), r: 2,
    })));
    return element("div", {}, element("p", { class: "muted" },
      `${side}: ${samples.length} samples in ${blocks.length} blocks, ms; median ${number(median(samples))}`), svg);
  }

  function timingBlock(timings) {
    if (!timings || timings.length === 0) return null;
    return element("details", { open: true }, element("summary", {}, "Timing samples"),
      samplePlot(timings, "candidate"), samplePlot(timings, "reference"));
  }

  function tableBlock(title, records, open) {
    if (!records || records.length === 0) return null;
    return element("details", { open }, element("summary", {}, title), recordTable(records));
  }

  function promptBlock(sha256) {
    if (!sha256 || !document.getElementById(`data-prompt-${sha256}`)) return null;
    const body = element("div", {});
    return element("details", {
      ontoggle: async (event) => {
        if (!event.target.open || body.childNodes.length > 0) return;
        body.replaceChildren(...promptTexts(await unpack(`data-prompt-${sha256}`)));
      },
    }, element("summary", {}, "Prompt"), body);
  }

  function promptTexts(text) {
    let messages = null;
    try { messages = JSON.parse(text); } catch (error) { /* shown as it is */ }
    if (!Array.isArray(messages)) return [element("pre", { class: "wrap" }, text)];
    return messages.flatMap((message) => [element("p", { class: "muted" }, String(message.role)),
      element("pre", { class: "wrap" }, String(message.content))]);
  }

  // What has a place of its own; every other field of the records is listed by itself.
  const kPlaced = new Set(["trajectory", "turn", "label", "cause", "feedback", "source", "compiler_output",
    "speedup", "paired_speedup", "candidate_latency_ms", "reference_latency_ms", "target_instruction",
    "flop_coverage", "instructions", "timings", "readings", "stages", "text", "reasoning", "finished_at_s"]);

  function otherFields(record) {
    return Object.entries(record || {}).filter(([name]) => !kPlaced.has(name)).map(([name, value]) => {
      const isObject = typeof value === "object" && value !== null;
      return fact(words(name), isObject ? JSON.stringify(value) : String(value));
    });
  }

  function mainFacts(turn) {
    const times = (value) => (value > 0 ? `${value.toFixed(3)}×` : "");
    const ms = (value) => (value > 0 ? `${number(value)} ms` : "");
    return [fact("outcome", turn.label), fact("cause", turn.cause), fact("speedup", times(turn.speedup)),
      fact("speedup, paired", times(turn.paired_speedup)), fact("candidate", ms(turn.candidate_latency_ms)),
      fact("reference", ms(turn.reference_latency_ms)), fact("target instruction", turn.target_instruction),
      fact("FLOP coverage", turn.flop_coverage >= 0 ? turn.flop_coverage.toFixed(3) : ""),
      fact("finished", turn.finished_at_s > 0 ? new Date(turn.finished_at_s * 1000).toLocaleString() : "")];
  }

  function stageFacts(stages) {
    return Object.entries(stages || {}).map(([name, seconds]) => fact(words(name), `${number(seconds)} s`));
  }

  function turnStory(turn, reply) {
    return [
      element("div", { class: "facts" }, ...mainFacts(turn)),
      block("Candidate", turn.source, true, false),
      block("Feedback given to the model", turn.feedback, true, true),
      block("Compiler", turn.compiler_output, turn.label === "Compilation error", true),
      timingBlock(turn.timings),
      tableBlock("Instructions of the target family", turn.instructions, true),
      tableBlock("Device around the timed calls", turn.readings, false),
      block("Reply", reply && reply.text, false, true),
      block("Reasoning", reply && reply.reasoning, false, true),
      promptBlock(reply && reply.prompt_sha256),
      element("details", {}, element("summary", {}, "Stages and further fields"),
        element("div", { class: "facts" }, ...stageFacts(turn.stages), ...otherFields(turn),
          ...otherFields(reply))),
    ];
  }

  function steps(run, of, position) {
    const button = (text, to) => element("button", {
      class: "plain", disabled: !of.turns[to],
      onclick: () => { location.hash = `turn-${run}-${of.index}-${of.turns[to][0]}`; },
    }, text);
    return element("div", { class: "filters" }, button("Turn before", position - 1),
      button("Next turn", position + 1),
      element("button", { class: "plain", onclick: () => { location.hash = "turns"; } }, "Close"));
  }

  function markChosen() {
    const chosen = /^#turn-(\d+-\d+-\d+)$/.exec(location.hash);
    for (const squareElement of browser.querySelectorAll(".square")) {
      squareElement.classList.toggle("chosen", !!chosen && squareElement.dataset.turn === chosen[1]);
    }
  }

  async function showStory() {
    markChosen();
    const place = /^#turn-(\d+)-(\d+)-(\d+)$/.exec(location.hash);
    if (!place) { story.replaceChildren(); return; }
    const [run, trajectory, turn] = place.slice(1).map(Number);
    const of = index.runs[run] && index.runs[run].trajectories[trajectory];
    const position = of ? of.turns.findIndex((entry) => entry[0] === turn) : -1;
    if (position < 0) {
      story.replaceChildren(element("p", {}, "There is no such turn in this page."));
      return;
    }
    const title = element("h3", {}, `Trajectory ${of.index} (${of.id}), turn ${turn}: ` +
      `${of.model}, ${of.target}, ${of.problem}, prompt '${of.prompt_tag}', replica ${of.replica}`);
    const details = await unpack(`data-${run}-${trajectory}`);
    const found = details && details.find((entry) => entry.turn.turn === turn);
    const body = found ? turnStory(found.turn, found.reply) : [element("p", { class: "note" },
      "The details of this trajectory were left out of this page. " +
      `Its file has them: ptxbatch show ${index.runs[run].file} ${of.index} ${turn}`)];
    story.replaceChildren(title, steps(run, of, position), ...body.filter((part) => part !== null));
    story.scrollIntoView({ block: "start" });
    story.focus({ preventScroll: true });
  }

  function failed(error) {
    browser.replaceChildren(element("p", { class: "note" }, String(error.message || error)));
  }

  unpack("data-index").then((data) => {
    index = data;
    showBrowser();
    window.addEventListener("hashchange", () => showStory().catch(failed));
    return showStory();
  }).catch(failed);
})();
