// The builder: a first question, rules that must hold, and what is near a function.

const drafted = [];

function drawBuilder() {
  if ($("panel-build").hidden) return;
  const column = make("select", { id: "condition", "aria-label": "condition" },
    ...COLUMNS.flatMap((one, j) => [make("option", { value: `${j} 1` }, one.yes), make("option", { value: `${j} 0` }, one.no)]));
  const label = make("select", { id: "then", "aria-label": "then" }, ...SET.classes.map((name, c) => make("option", { value: c }, name)));
  const words = () => (drafted.length ? drafted.map(([j, one]) => (one ? COLUMNS[j].yes : COLUMNS[j].no)).join(" AND ") : "ALWAYS");
  const rule = make("div", {}, make("h3", {}, "A rule that must hold"),
    make("p", {}, "IF ", bdi(words())),
    make("div", { class: "tools" }, column, make("button", { type: "button", id: "and", onclick: () => {
      const [j, one] = column.value.split(" ").map(Number);
      drafted.push([j, one]);
      drawBuilder();
    } }, "add condition"), make("button", { type: "button", class: "plain", onclick: () => { drafted.length = 0; drawBuilder(); } }, "start again")),
    make("div", { class: "tools" }, "THEN ", label, make("button", { type: "button", id: "require", onclick: () => require(Number(label.value), words()) }, "require it")),
    make("ul", {}, ...state.rules.map((one) => make("li", {}, bdi(one.words), " ",
      make("button", { type: "button", class: "plain", onclick: () => change(() => { state.rules = state.rules.filter((other) => other !== one); }) }, "remove")))));
  $("build").replaceChildren(...firstQuestion(), rule, make("h3", {}, "From a function"), ...fromFunction());
}

/** A question that must be asked first: a feature, any of its conditions, or one condition. */
function firstQuestion() {
  if (!FIRST && !SET.live) return [];
  const set = (value) => {
    if (value === "") return change(() => { state.first = null; });
    const [kind, at] = [value[0], Number(value.slice(1))];
    const columns = kind === "f" ? FEATURES[at].columns : [at];
    const name = kind === "f" ? FEATURES[at].raw : SET.columns[at].name;
    const words = `first asks ${kind === "f" ? FEATURES[at].name : COLUMNS[at].yes}`;
    return change(() => { state.first = { value, words, name, has: FIRST && beginsWith(columns) }; });
  };
  const option = (value, words, columns) => {
    const n = FIRST ? beginsWith(columns).reduce((sum, one) => sum + one, 0) : null;
    // Where not all are shown, other functions of the set may begin so: their trees are counted.
    const counted = SET.live && !SET.all && value[0] === "f";
    return n === 0 && !counted ? null : make("option", { value, selected: state.first?.value === value }, n === null ? words : `${words} (${grouped(n)})`);
  };
  const options = FEATURES.flatMap((feature, f) => feature.columns.length === 0 ? [] : [
    option(`f${f}`, feature.name, feature.columns),
    ...(feature.columns.length > 1 ? feature.columns.map((j) => option(`c${j}`, `\u00a0\u00a0${COLUMNS[j].yes}`, [j])) : []),
  ]).filter(Boolean);
  const begins = `Functions that some tree of the set decides after asking this first; in brackets how many of ${SET.all ? "all" : "those that are shown"}.`;
  const words = [
    FIRST ? begins : "It is not known which of the functions that are shown can be asked so: they stay.",
    ...(SET.live && !SET.all ? ["Beside the filters stands how many of all trees of the set begin so, and meet the other wishes."] : []),
  ].join(" ");
  return [make("h3", {}, "What must be asked first"), make("div", { class: "tools" },
    make("select", { id: "first", "aria-label": "first question", onchange: (event) => set(event.target.value) },
      make("option", { value: "" }, "anything"), ...options)), make("p", { class: "quiet" }, words)];
}

function require(label, words) {
  const box = FEATURES.map(() => null);
  for (const [j, one] of drafted) {
    const { feature, ones } = COLUMNS[j];
    box[feature] = ones.map((is, bin) => (is === one && (box[feature] === null || box[feature][bin]) ? 1 : 0));
  }
  if (box.some((side) => side !== null && !side.includes(1))) {
    $("build-note").textContent = "These conditions contradict each other: no row meets them.";
    return;
  }
  $("build-note").textContent = "";
  const has = Uint8Array.from(TREES, (tree) => {
    const classes = classesIn(tree, [...box]);
    return classes.every((is, c) => is === (c === label)) ? 1 : 0;
  });
  drafted.length = 0;
  change(() => { state.rules = [...state.rules, { words: `IF ${words} THEN ${SET.classes[label]}`, label, has }]; });
}

function fromFunction() {
  if (!state.chosen.length) return [make("p", { class: "quiet" }, "Choose a function first.")];
  const k = state.chosen[0];
  const used = FEATURES.map((_, f) => f).filter((f) => uses(k, f));
  const without = make("select", { "aria-label": "feature", id: "without" }, ...used.map((f) => make("option", { value: f }, FEATURES[f].name)));
  const price = ["cost", "questions", "n_features", "leaves"].find((name) => MEASURE.has(name));
  const more = make("input", { type: "text", inputmode: "numeric", value: "1", id: "more", "aria-label": "wrong rows more" });
  return [
    make("div", { class: "tools" }, "The nearest to A that does not use ", without, make("button", { type: "button", id: "nearest", onclick: () => beside(nearest(k, Number(without.value))) }, "find it")),
    make("div", { class: "tools" }, `The one with the least ${nameOf(price)} and at most `, more, " more wrong training rows than A ", make("button", { type: "button", id: "cheapest", onclick: () => beside(cheapest(k, price, Number(more.value))) }, "find it")),
  ];
}

function beside(k) {
  $("build-note").textContent = k < 0 ? "None of the functions that are left is like that." : "";
  if (k >= 0 && !state.chosen.includes(k)) toggle(k);
}

/** Of the functions that are left the one that differs on the fewest rows, and lacks a feature. */
function nearest(k, feature) {
  let best = -1;
  let least = Infinity;
  for (const other of left) {
    if (other === k || uses(other, feature)) continue;
    const far = weightOf(differing(k, other));
    if (far < least) [best, least] = [other, far]; // of several the better objective
  }
  return best;
}

function cheapest(k, price, more) {
  const [errors, prices] = [MEASURE.get("error").values, MEASURE.get(price).values];
  const most = errors[k] * TOTAL + more + 1e-6;
  let best = -1;
  for (const other of left) {
    if (other === k || errors[other] * TOTAL > most) continue;
    if (best < 0 || prices[other] < prices[best]) best = other;
  }
  return best;
}

