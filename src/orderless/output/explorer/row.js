// One row: how the functions that are left vote on it, and what to ask next.

const MOST_WALKS = 200_000; // of trees, to find out what to ask next

const row = FEATURES.map(() => "");

function drawRowForm() {
  const fields = FEATURES.map((feature, f) => {
    if (!feature.columns.length) return null;
    const set = (event) => { row[f] = event.target.value; drawVotes(); };
    const id = `value-${f}`;
    let input = make("input", { id, type: "text", inputmode: "decimal", placeholder: "unknown", oninput: set });
    if (feature.kind === "boolean") {
      input = make("select", { id, onchange: set }, ...[["", "unknown"], ["1", "yes"], ["0", "no"]].map(([value, words]) => make("option", { value }, words)));
    } else if (feature.kind === "categorical") {
      input = make("select", { id, onchange: set }, make("option", { value: "" }, "unknown"), ...feature.labels.map((name, at) => make("option", { value: at }, name)));
    }
    return make("div", { class: "field" }, make("label", { for: id }, bdi(feature.name)), input);
  }).filter(Boolean);
  $("values").replaceChildren(...fields);
}

function drawVotes() {
  if ($("panel-row").hidden) return;
  const box = [];
  const faults = [];
  FEATURES.forEach((feature, f) => {
    try {
      box.push(feature.columns.length ? sideOf(f, row[f]) : null);
    } catch (fault) {
      box.push(null);
      faults.push(`${feature.name}: ${fault.message}`);
    }
    $(`value-${f}`)?.toggleAttribute("aria-invalid", faults.at(-1)?.startsWith(`${feature.name}:`) ?? false);
  });
  const { certain, open } = votesIn(box);
  const lines = SET.classes.map((name, c) => make("li", { "data-class": c }, `${grouped(certain[c])} of ${grouped(left.length)} functions are certain: `, make("strong", { class: `class-${c % 10}` }, bdi(name))));
  lines.push(make("li", { "data-class": "open" }, open ? `${grouped(open)} depend on what is unknown` : "none depends on what is unknown"));
  const more = [];
  if (faults.length) more.push(make("p", { class: "fault" }, faults.join("; ")));
  const work = left.length * FEATURES.reduce((sum, feature) => sum + feature.bins, 0);
  if (open && work > MOST_WALKS) {
    more.push(make("p", { class: "quiet" }, "What to ask next is worked out when fewer functions are left."));
  } else if (open) {
    const ask = askNext(box);
    if (ask) more.push(make("p", { id: "ask" }, "Ask next: ", make("strong", {}, bdi(FEATURES[ask.feature].name)), `. It leaves ${shownNumber(ask.open, false)} functions open on average over its answers.`));
  } else if (left.length) {
    const n = certain.filter(Boolean).length;
    more.push(make("p", {}, n === 1 ? "All functions agree." : "The functions disagree, and no missing value can change that."));
  }
  $("votes").replaceChildren(make("ul", {}, ...lines), ...more);
}

function votesIn(box) {
  const certain = SET.classes.map(() => 0);
  let open = 0;
  for (const k of left) {
    const classes = classesIn(TREES[k], [...box]);
    const one = classes.indexOf(true);
    if (classes.lastIndexOf(true) === one) certain[one]++;
    else open++;
  }
  return { certain, open };
}

/** The unknown feature whose answers, each as likely, leave the fewest functions open. */
function askNext(box) {
  let best = null;
  FEATURES.forEach((feature, f) => {
    if (box[f] !== null || !feature.columns.length) return;
    let sum = 0;
    for (let bin = 0; bin < feature.bins; bin++) {
      const inner = [...box];
      inner[f] = feature.patterns.map((_, at) => (at === bin ? 1 : 0));
      sum += votesIn(inner).open;
    }
    const open = sum / feature.bins;
    if (best === null || open < best.open) best = { feature: f, open };
  });
  return best;
}

