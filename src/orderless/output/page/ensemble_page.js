// What the page says of a sum of trees; in words, from its answer so far.

const LONGER = 20 * Math.max(PAGE.limit, 500); // milliseconds, where a person asks for it
const MANY = 8; // features that are named at once
const VERDICT = ["glance", "trees", "verdict"]; // the steps that make one
const STATES = {
  certain: "✓ Certain",
  open: "Not certain yet",
  undecided: "Undecided",
  working: "Working it out …",
};

const OFFERED = {
  decide: (row, limit = PAGE.limit) => {
    const answer = worked(read(row), VERDICT, limit);
    return LABELS && stateOf(answer) === "certain" ? MODEL.classes[labelsIn(answer.found)[0]] : null;
  },
  possibleClasses: (row, limit = PAGE.limit) => {
    const { found } = worked(read(row), [...VERDICT, "classes"], limit);
    return MODEL.classes.filter((_, label) => found.state && found.state[label] === YES);
  },
  advise: (row, limit = PAGE.limit) => {
    const answer = worked(read(row), [...VERDICT, "classes", "next", "range"], limit);
    return {
      state: stateOf(answer),
      classes: labelsIn(answer.found).map((label) => MODEL.classes[label]),
      matters: answer.matters.map((i) => FEATURES[i].name),
      next: answer.next === null ? null : FEATURES[answer.next].name,
      range: answer.range ? rangeIn(answer.range) : null,
    };
  },
};

/** Give what is shown: the class that is certain, those that are possible, or those not ruled out. */
function shownLabels({ found }) {
  const yes = MODEL.classes.flatMap((_, label) => (found.state && found.state[label] === YES ? [label] : []));
  return yes.length > 1 ? yes : labelsIn(found);
}

/** Whether classes leave the answer open. */
function isOpen(labels) {
  return labels.length > 1;
}

function isWorking(answer) {
  const over = answer.done.has("verdict") || answer.late.has("verdict");
  return !over && stateOf(answer) === "undecided";
}

/** Decide on the classes of style, and on what fields say, as the rest of the page does. */
function seen(answer) {
  const state = isWorking(answer) ? "working" : stateOf(answer);
  answer.settled = state === "certain";
  if (answer.settled) answer.matters = [];
  return state;
}

function summary(answer) {
  const state = seen(answer);
  if (state === "working") return [STATES.working];
  const said = LABELS ? labelsOf(shownLabels(answer)) : numberWords(answer);
  if (state === "certain") return ["✓ Certain: ", ...said];
  if (answer.next === null) return [`${STATES[state]}: `, ...said];
  return ["Ask next: ", isolated(PAGE.names[answer.next], "name")];
}

function verdictOf(answer, box) {
  const state = seen(answer);
  const rest = [];
  if (state === "certain") rest.push(...whatever(box));
  if (LABELS && state === "open") rest.push(element("p", "rest", ...openWords(answer)));
  if (state === "undecided") rest.push(...undecidedWords(answer));
  if (answer.range) rest.push(...rangeShown(answer));
  const what = LABELS ? labelsOf(shownLabels(answer)) : numberWords(answer);
  return { state: STATES[state], what: state === "working" ? [] : what, rest };
}

function openWords({ found, done, late }) {
  const unknown = found.state.flatMap((state, label) => (state === OPEN || state === HIDDEN ? [label] : []));
  if (!unknown.length) return ["are possible."];
  const names = labelsOf(unknown, "and");
  const over = done.has("classes") || late.has("classes");
  if (over) return ["are possible. Not ruled out: ", ...names, "."];
  return ["are possible; looking at ", ...names, " …"];
}

function undecidedWords({ found, late }) {
  const hidden = (found.state || []).includes(HIDDEN) && !late.has("verdict");
  const open = LABELS ? ": none of these is ruled out" : "";
  const why = hidden
    ? "Some ways to fill in the rest are so near to the boundary that the model’s own rounding decides."
    : `Not worked out in the time that an answer has${open}. Filling in more helps.`;
  if (hidden) return [element("p", "rest", why)];
  const again = element("button", "", "Search longer");
  again.type = "button";
  again.id = "longer";
  again.addEventListener("click", () => {
    const { box, faults } = boxIn();
    consider(box, (advice) => show(box, advice, faults), LONGER);
  });
  return [element("p", "rest", why), again];
}

// -- numbers

/** Give the range that is proven, and the ends that were found, as numbers that people read. */
function rangeIn({ low, high }) {
  const slack = MODEL.slack[PAGE.gauge];
  const rising = (a, b) => a - b; // the link may turn it round
  const proven = [low.far - slack, high.far + slack].map((units) => linked(fromUnits(units))).sort(rising);
  const cells = [low.cell, high.cell].filter((cell) => cell);
  const reached = cells.map((cell) => linked(sums(cell)[PAGE.gauge])).sort(rising);
  return { proven, reached, exact: low.near === low.far && high.near === high.far };
}

/** Write a number rounded outwards, so that what is said stays true: down (-1) or up (1). */
function outwards(number, sign) {
  if (!Number.isFinite(number)) return number > 0 ? "∞" : "−∞";
  const shown = PAGE.percent ? number * 100 : number;
  const size = Math.max(Math.abs(PAGE.scale[0]), Math.abs(PAGE.scale[1]), 1e-300);
  const digits = PAGE.percent ? 1 : Math.min(Math.max(3 - Math.floor(Math.log10(size)), 0), 20);
  const unit = 10 ** digits;
  const whole = Math.round(shown * unit);
  const near = Math.abs(whole - shown * unit) < 1e-6; // what rounding of the link may add
  const rounded = (near ? whole : sign < 0 ? Math.floor(shown * unit) : Math.ceil(shown * unit)) / unit;
  const text = (rounded + 0).toFixed(digits);
  const short = text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  return PAGE.percent ? `${short} %` : short;
}

function numberWords({ range, problem }) {
  if (!range) return [];
  if (!problem.trees.length) return [isolated(String(Number(onlyNumber(problem).toPrecision(7))), "class")];
  const { proven } = rangeIn(range);
  const ends = [outwards(proven[0], -1), outwards(proven[1], 1)];
  return joined(ends.map((text) => isolated(text, "class")), "to");
}

/** Give the number of a box in which no tree varies. */
function onlyNumber(problem) {
  return linked(sums(problem.bins.map((_, i) => someOf(i, allowed(problem, i))))[0]);
}

function rangeShown({ range, late }) {
  const { proven, reached, exact } = rangeIn(range);
  const [low, high] = [outwards(proven[0], -1), outwards(proven[1], 1)];
  const out = [];
  if (LABELS) {
    const said = low === high ? low : `${low} to ${high}`;
    out.push(element("p", "rest measure", isolated(PAGE.measure), `: ${said}`));
  }
  if (!exact && late.has("range")) {
    const words = reached.map((number) => outwards(number, -1)).join(" to ");
    out.push(element("p", "rest quiet", `Proven, but perhaps too wide: ${words} was reached in the time.`));
  }
  const clip = (number) => Math.min(Math.max(number, PAGE.scale[0]), PAGE.scale[1]);
  const ends = PAGE.scale.map((number, k) => outwards(number, k ? 1 : -1));
  if (PAGE.scale[0] < PAGE.scale[1]) {
    out.push(drawGauge(PAGE.scale, ends, proven.map(clip), reached.map(clip)));
  }
  return out;
}

// -- details

function detailsOf(answer, box) {
  const state = seen(answer);
  if (state === "working") return [];
  const longest = answer.busy ? [element("p", "quiet busy", "Still working …")] : [];
  return [...(state === "certain" ? settled(answer, box) : open(answer, box)), ...longest];
}

function settled({ reason: sides, changes: others, done, late }, box) {
  const out = [];
  if (sides && (done.has("reason") || late.has("reason"))) {
    out.push(element("h3", "", "Because"), ...reasonList(sides));
    const longer = "It may be longer than it has to be: the time ran out.";
    if (late.has("reason")) out.push(element("p", "quiet", longer));
  }
  if (others && (done.has("changes") || others.length) && !sides.every((side, i) => isWhole(i, side))) {
    out.push(element("h3", "", "What would change it"), ...changesOf(others));
    if (late.has("changes")) out.push(element("p", "quiet", "Not every value was tried in the time."));
  }
  return [...out, ...named("Not needed", spareIn(box, []))];
}

function open(answer, box) {
  const { next, outcomes: each, matters, done, late } = answer;
  const out = [];
  if (next !== null) {
    out.push(element("h3", "", "Ask next"), nextButton(next));
    if (each && each.length > 1) out.push(...outcomeList(next, each));
    else if (done.has("next")) out.push(element("p", "quiet", NARROWS));
    if (each && late.has("next")) out.push(element("p", "quiet", "Not every value was tried in the time."));
  }
  out.push(...ways(answer));
  const others = matters.filter((i) => i !== next);
  return [
    ...out,
    ...(others.length > MANY ? folded(others) : named("Some trees still ask about", others)),
    ...(answer.problem ? named(SPARE, spareIn(box, matters)) : []),
  ];
}

function folded(features) {
  const more = element("summary", "", `Some trees still ask about ${features.length} other features`);
  return [element("details", "", more, element("p", "", ...namesOf(features), "."))];
}

/** Say what one feature decides if the rest is filled in in some way: of two ways with different
 *  classes, as near to each other as the search can take them. */
function ways({ found, problem }) {
  const cells = (found.cells || []).filter((cell) => cell);
  const pair = problem && cells.length > 1 ? closest(cells[0], cells[1]) : null;
  if (!pair) return [];
  const differ = PAGE.order.filter((i) => pair.cells[0][i] !== pair.cells[1][i]);
  const alike = PAGE.order.filter((i) => !differ.includes(i) && problem.bins[i].length > 1);
  const said = (i, cell) => condition(i, binWith(problem, i, cell[i]));
  const items =
    differ.length === 1
      ? alongside(problem, pair.cells, differ[0])
      : pair.cells.map((cell, k) =>
          element("li", "", ...joined(differ.map((i) => said(i, cell)), "and"), ...outcome([pair.labels[k]])),
        );
  const out = [element("h3", "", "It can go either way"), ...listed(items)];
  if (alike.length) {
    const are = alike.length === 1 ? "value is this" : "values are these";
    const more = element("summary", "", `if the other unknown ${are}`);
    const rest = alike.map((i) => element("li", "", said(i, pair.cells[0])));
    out.push(element("details", "", more, element("ul", "", ...rest)));
  }
  return out;
}

/** Say for which values of a feature two cells that are alike otherwise keep their classes. */
function alongside(problem, cells, i) {
  const labelAt = (side) => labelOf(sums(replaced(cells[0], i, someBin(i, side))));
  const groups = grouped(problem.bins[i].map((side) => ({ side, labels: [labelAt(side)] })));
  return cells
    .map((cell) => groups.find(({ side }) => meets(side, binWith(problem, i, cell[i]))))
    .map(({ side, labels }) => element("li", "", condition(i, side), ...outcome(labels)));
}

/** Give the values that the trees do not tell apart from this one, in the box. */
function binWith({ bins }, i, bin) {
  return bins[i].find((side) =>
    Array.isArray(side) ? side[bin] : bin === NAN[i] ? side.nan : side.low <= bin && bin <= side.high,
  );
}
