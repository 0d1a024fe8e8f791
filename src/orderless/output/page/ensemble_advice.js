// What the page says about a box of a sum of trees. Each step has so many milliseconds; the steps run
// in short slices, so that the page stays responsive, and what is not worked out in time is said to be
// undecided, with what is proven.

// How long each step may take, in times of what an answer has.
const LIMITS = { glance: 1, trees: 4, verdict: 1, classes: 1, next: 2, reason: 2, range: 1, changes: 2 };
const SLICE = 30; // milliseconds of work before the page may breathe
const PAUSE = 1;

/** Give an answer in which nothing is worked out yet. */
function begun(box) {
  return { box, found: {}, range: null, matters: [], next: null, done: new Set(), late: new Set() };
}

/** Give the steps that make an answer, in order: each has a name and its work. */
function stepsOf(answer) {
  const isCertain = () => LABELS > 0 && stateOf(answer) === "certain";
  return Object.entries({
    glance: function* () {
      if (LABELS) yield* glance(answer.box, answer.found);
    },
    trees: function* () {
      answer.problem = yield* restricted(answer.box);
      answer.matters = asked(answer.problem);
      if (PAGE.gauge !== null) answer.range = yield* bounded(answer.problem);
    },
    verdict: function* () {
      if (answer.problem && LABELS) yield* possibleIn(answer.problem, answer.found, 2);
    },
    classes: function* () {
      if (answer.problem && LABELS > 2) yield* possibleIn(answer.problem, answer.found);
    },
    next: function* () {
      if (!answer.problem || stateOf(answer) === "certain") return;
      yield* chosen(answer);
      if (answer.next === null) return;
      answer.outcomes = [];
      if (LABELS) yield* outcomesOf(answer.problem, answer.next, answer.outcomes);
    },
    reason: function* () {
      if (isCertain()) yield* reasonOf(answer);
    },
    range: function* () {
      if (answer.range) yield* narrowed(answer.problem, answer.range);
    },
    changes: function* () {
      if (isCertain()) yield* changesIn(answer);
    },
  });
}

/** Say how it stands: certain, open (two classes are possible) or undecided; of numbers, certain
 *  where no tree is left that varies. */
function stateOf({ found, problem }) {
  if (!LABELS) return problem ? (problem.trees.length ? "open" : "certain") : "undecided";
  const states = found.state || [];
  const yes = states.filter((state) => state === YES).length;
  if (yes > 1) return "open";
  return yes === 1 && states.filter((state) => state === NO).length === LABELS - 1 ? "certain" : "undecided";
}

/** Work through steps in one go, each for so long; for programs, which can wait. */
function worked(box, names, limit) {
  const answer = begun(box);
  for (const [name, work] of stepsOf(answer)) {
    if (!names.includes(name)) continue;
    const end = performance.now() + limit;
    const steps = work();
    while (!steps.next().done) if (performance.now() > end) break;
  }
  return answer;
}

let turn = 0;

/** Work out an answer in slices, and tell it whenever more is known; a newer question ends it. */
function consider(box, tell, limit = PAGE.limit) {
  turn += 1;
  const own = turn;
  const answer = begun(box);
  const steps = stepsOf(answer);
  let [running, spent] = [null, 0];
  const slice = () => {
    if (own !== turn) return;
    const begin = performance.now();
    let [now, changed] = [begin, false];
    while (steps.length && now - begin < SLICE) {
      const [name, work] = steps[0];
      running ??= work();
      const over = running.next().done;
      const before = now;
      now = performance.now();
      spent += now - before;
      if (!over && spent < limit * LIMITS[name]) continue;
      (over ? answer.done : answer.late).add(name);
      [running, spent, changed] = [null, 0, true];
      steps.shift();
    }
    answer.busy = steps.length > 0;
    if (steps.length) setTimeout(slice, PAUSE);
    if (changed || fresh) tell(answer);
    fresh = false;
  };
  let fresh = true;
  slice();
}

// -- what to ask next

/** Give the features that a tree still asks about in the box; no other can make a difference. */
function asked({ sideFeature }) {
  const found = new Set(sideFeature);
  return PAGE.order.filter((i) => found.has(i));
}

/** Find what each answer to a feature leads to, bins with the same outcome together. */
function* outcomesOf(problem, i, out) {
  const pairs = [];
  for (let b = 0; b < problem.bins[i].length; b += 1) {
    const found = {};
    yield* possibleIn(only(problem, i, b), found);
    pairs.push({ side: problem.bins[i][b], labels: labelsIn(found) });
    out.splice(0, out.length, ...grouped(pairs));
  }
}

/** Give the classes that are not ruled out. */
function labelsIn({ state = Array(LABELS).fill(OPEN) }) {
  return state.flatMap((one, label) => (one === NO ? [] : [label]));
}

// -- how far the scores go

/** Bound the score that is shown: the one there is, or that of the second class of two. */
function* bounded(problem) {
  const low = { far: -boundsOf(problem, PAGE.gauge, -1).bound };
  yield;
  return { low, high: { far: boundsOf(problem, PAGE.gauge, 1).bound } };
}

function* narrowed(problem, range) {
  let running = [extreme(problem, PAGE.gauge, -1, range.low), extreme(problem, PAGE.gauge, 1, range.high)];
  while (running.length) {
    running = running.filter((one) => !one.next().done); // both ends in turn
    yield;
  }
}

// -- why it is certain

function* stays(box, label) {
  const found = {};
  yield* possibleIn(yield* restricted(box), found, 2);
  return found.state.every((state, k) => state === (k === label ? YES : NO));
}

/** Release one known feature after the other, and then widen what is left, as long as the answer
 *  stays certain. Whatever is reached in time is a reason; in the end none of it can be left out. */
function* reasonOf(answer) {
  const [label] = labelsIn(answer.found);
  answer.reason = answer.box.slice();
  for (const i of [...PAGE.order].reverse()) {
    if (isWhole(i, answer.reason[i])) continue;
    const wider = replaced(answer.reason, i, WHOLE[i]);
    if (yield* stays(wider, label)) answer.reason = wider;
  }
  for (const i of PAGE.order) {
    if (!isWhole(i, answer.reason[i])) yield* widenedIn(answer, i, label);
  }
}

function* widenedIn(answer, i, label) {
  const side = answer.reason[i];
  const keep = function* (wider) {
    const box = replaced(answer.reason, i, wider);
    if (!(yield* stays(box, label))) return false;
    answer.reason = box;
    return true;
  };
  if (Array.isArray(side)) {
    for (let code = 0; code < side.length; code += 1) {
      if (!answer.reason[i][code]) yield* keep(answer.reason[i].map((on, k) => on || k === code));
    }
    return;
  }
  if (WHOLE[i].nan && !side.nan) yield* keep({ ...side, nan: true });
  if (side.low > side.high) return; // only NaN is known
  yield* farthest(side.low, 0, (low) => keep({ ...answer.reason[i], low }));
  yield* farthest(side.high, WHOLE[i].high, (high) => keep({ ...answer.reason[i], high }));
}

/** Find the farthest end that can be kept, by halving: if one can, so can all before it. */
function* farthest(from, to, keep) {
  let [good, bad] = [from, to + Math.sign(to - from || 1)];
  let next = to;
  while (next !== good) {
    if (yield* keep(next)) good = next;
    else bad = next;
    next = good + Math.trunc((bad - good) / 2);
  }
}

/** Find the values of one known feature that alone would change the answer, one feature after the
 *  other; those that the reason asks about can. */
function* changesIn(answer) {
  const [label] = labelsIn(answer.found);
  answer.changes = [];
  for (const i of PAGE.order) {
    if (isWhole(i, answer.box[i]) || !answer.reason || isWhole(i, answer.reason[i])) continue;
    const out = [];
    yield* outcomesOf(yield* restricted(replaced(answer.box, i, WHOLE[i])), i, out);
    const others = out.filter(({ labels }) => labels.length > 1 || labels[0] !== label);
    answer.changes.push(...others.map((one) => ({ i, ...one })));
  }
}
