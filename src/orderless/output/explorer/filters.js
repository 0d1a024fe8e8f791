// Which functions are left, and how many would be.

const WANTS = ["any", "must", "not"];
const state = {
  want: FEATURES.map(() => "any"),
  ranges: new Map(), // measure -> [from, to], null: open
  brush: null, // {words, has: Uint8Array}
  rules: [], // {words, label, has: Uint8Array}
  chosen: [], // functions side by side
  sort: "objective",
  page: 0,
};
const past = [];
let left = [];
let counts = [];

/** Change what is asked for, so that it can be undone. */
function change(make) {
  past.push({
    want: [...state.want], ranges: new Map(state.ranges), brush: state.brush,
    rules: [...state.rules],
  });
  make();
  state.page = 0;
  refresh();
}

function undo() {
  const before = past.pop();
  if (before) Object.assign(state, before);
  state.page = 0;
  refresh();
}

/** Find the functions that are left, and for each feature how many would be by each wish. */
function judge() {
  const masks = [state.brush, ...state.rules].filter(Boolean).map((one) => one.has);
  const ranges = [...state.ranges].map(([name, ends]) => [MEASURE.get(name).values, ...ends]);
  counts = FEATURES.map(() => ({ any: 0, must: 0, not: 0 }));
  left = [];
  const F = FEATURES.length;
  for (let k = 0; k < N; k++) {
    if (!masks.every((has) => has[k])) continue;
    if (!ranges.every(([values, from, to]) => within(values[k], from, to))) continue;
    let failed = -1;
    let fails = 0;
    for (let f = 0; f < F; f++) {
      const wish = state.want[f];
      if (wish === "any" || (USES[k * F + f] === 1) === (wish === "must")) continue;
      failed = f;
      if (++fails > 1) break;
    }
    if (fails > 1) continue;
    if (fails === 0) left.push(k);
    for (let f = 0; f < F; f++) {
      if (fails === 1 && f !== failed) continue;
      counts[f].any++;
      counts[f][USES[k * F + f] === 1 ? "must" : "not"]++;
    }
  }
}

function within(value, from, to) {
  if (Number.isNaN(value)) return from === null && to === null;
  return (from === null || value >= from) && (to === null || value <= to);
}

/** Say in a sentence what is left. */
function sentence() {
  if (!left.length) return "No function is left: undo, or ask for less.";
  let trees = 0n;
  for (const k of left) trees += BigInt(SET.trees[k]);
  const all = [];
  const none = [];
  FEATURES.forEach((feature, f) => {
    if (!feature.columns.length) return;
    const n = left.filter((k) => uses(k, f)).length;
    if (n === left.length) all.push(feature.name);
    if (n === 0) none.push(feature.name);
  });
  const some = left.length === 1 ? "1 function" : `${grouped(left.length)} functions`;
  const parts = [`${some}, ${grouped(trees)} ${trees === 1n ? "tree" : "trees"}`];
  if (all.length) parts.push(`${left.length === 1 ? "it uses" : "all use"} ${listed(all)}`);
  if (none.length) parts.push(`${left.length === 1 ? "it does not use" : "none uses"} ${listed(none)}`);
  return `${parts.join("; ")}.`;
}

function listed(names) {
  const some = names.slice(0, 4);
  if (names.length > 4) return `${some.join(", ")} and ${names.length - 4} more`;
  if (some.length < 2) return some.join("");
  return `${some.slice(0, -1).join(", ")} and ${some.at(-1)}`;
}

/** What was chosen, in words: so that it can be done again. */
function choices() {
  const out = [];
  state.want.forEach((wish, f) => {
    if (wish === "must") out.push(`uses ${FEATURES[f].name}`);
    if (wish === "not") out.push(`does not use ${FEATURES[f].name}`);
  });
  for (const [name, [from, to]] of state.ranges) {
    if (from !== null) out.push(`${name} >= ${from}`);
    if (to !== null) out.push(`${name} <= ${to}`);
  }
  if (state.brush) out.push(state.brush.words);
  for (const rule of state.rules) out.push(rule.words);
  return out;
}

/** The functions that no other beats in two measures, of those that are left. */
function frontOf(x, y) {
  const loss = (one, k) => (one.better > 0 ? -one.values[k] : one.values[k]);
  const known = left.filter((k) => !Number.isNaN(x.values[k]) && !Number.isNaN(y.values[k]));
  known.sort((a, b) => loss(x, a) - loss(x, b) || loss(y, a) - loss(y, b));
  const out = [];
  let best = Infinity;
  let bestX = NaN;
  for (const k of known) {
    const value = loss(y, k);
    if (value < best || (value === best && loss(x, k) === bestX)) {
      if (value < best) bestX = loss(x, k);
      best = value;
      out.push(k);
    }
  }
  return out;
}

/** The functions that are left, in the order that was asked for. */
function ordered() {
  const { values, better } = MEASURE.get(state.sort);
  const sign = better > 0 ? -1 : 1;
  return [...left].sort((a, b) => {
    const [one, other] = [values[a], values[b]];
    if (Number.isNaN(one) || Number.isNaN(other)) return Number.isNaN(one) - Number.isNaN(other) || a - b;
    return sign * (one - other) || a - b;
  });
}

// -- words

function grouped(number) {
  return number.toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

function shownNumber(value, whole) {
  if (Number.isNaN(value)) return "–";
  return whole ? grouped(value) : String(Number(value.toPrecision(4)));
}

const NAMES = {
  objective: "objective", error: "training error", held_out_error: "held-out error",
  sensitivity: "sensitivity", specificity: "specificity", leaves: "leaves",
  n_features: "features", questions: "questions", coverage: "coverage", cost: "cost",
  agreement: "agreement", overruled: "overruled", n_trees: "trees",
};

function nameOf(measure) {
  return NAMES[measure] ?? measure;
}
