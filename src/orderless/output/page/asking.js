// What to ask next of a sum of trees: the rule of ens.ask_next (src/orderless/questions/asking.py), to
// the last bit, so that both ask the same. What is changed here is changed there.

const DRAWS = 64; // completions that look random

/** Choose the feature that narrows the scores most, per cost, among those that are seen to matter:
 *  changed alone, they change the class of some completion. Until one is found it is the first. */
function* chosen(answer) {
  const { problem, box, found } = answer;
  const rank = yield* ranked(problem);
  if (!rank.length) return;
  [answer.next] = rank;
  if (!LABELS) return;
  const [draws, other] = drawn(box);
  const inDraws = (i) => turned(draws, i, (k) => [other[k][i]]);
  if (yield* inDraws(rank[0])) return;
  const way = stateOf(answer) === "open" ? yield* between(problem, found) : [];
  for (const i of rank) {
    const values = problem.bins[i].map((side) => cellsOf(i, side)[0]);
    if ((yield* inDraws(i)) || (yield* turned(way, i, () => values))) {
      answer.next = i;
      return;
    }
  }
}

/** Order the features that are still asked about: first the one whose bin, once known, leaves the
 *  least range of the scores open, on average over its bins; with costs, the one that gains most per
 *  cost. Ranges are sums over the trees, as bounds are; of equals the first by name. */
function* ranked(problem) {
  const { bins, wordStart } = problem;
  const ranges = [];
  for (let score = 0; score < SCORES; score += 1) {
    const low = boundsOf(problem, score, -1);
    yield;
    ranges.push([low, boundsOf(problem, score, 1)]);
    yield;
  }
  const width = (ends) => ends.reduce((sum, [low, high]) => sum + BigInt(high - low), 0n);
  const now = width(ranges.map(([low, high]) => [-low.bound, high.bound]));
  const rank = asked(problem).map((i) => {
    let [open, all] = [0n, 0];
    bins[i].forEach((side, b) => {
      const at = 32 * wordStart[i] + b;
      const ends = ranges.map(([low, high]) => [low.regret[at] - low.bound, high.bound - high.regret[at]]);
      const many = cellsOf(i, side).length;
      all += many;
      if (!isSettled(ends)) open += BigInt(many) * width(ends);
    });
    const gain = Number(BigInt(all) * now - open) / all;
    return { i, gain, score: PAGE.costs && gain ? gain / PAGE.costs[i] : gain };
  });
  const falling = (a, b) => Number(b > a) - Number(b < a); // infinite ones are equal
  return rank
    .sort((a, b) => falling(a.score, b.score) || falling(a.gain, b.gain) || a.i - b.i)
    .map(({ i }) => i);
}

/** Bound a score (sign 1: above, -1: below), and give what each bin takes away from the bound. */
function boundsOf(problem, score, sign) {
  const { gain, begin } = gains(problem, sign > 0 ? { plus: score, minus: -1 } : { plus: -1, minus: score });
  const node = { box: problem.full, list: problem.rows.map((_, k) => k), start: problem.start };
  const work = workspace(problem);
  filter(problem, node, work);
  sortLeaves(node, gain);
  measure(problem, node, gain, work);
  return { bound: begin + bestSum(node, gain, true), regret: work.regret };
}

/** Tell whether ranges of the scores, in units, leave one class only. */
function isSettled(ends) {
  const { slack, wholeCuts } = MODEL;
  if (!LABELS) return ends[0][0] === ends[0][1];
  if (!LARGEST) {
    const above = ([low, high]) => wholeCuts.map((cut) => [low - slack[0] > cut, high + slack[0] > cut]);
    return !MODEL.window && above(ends[0]).every(([low, high]) => low === high);
  }
  const wins = (c) => ends.every(([, high], d) => d === c || ends[c][0] - high > slack[c] + slack[d]);
  return !MODEL.window && ends.some((_, c) => wins(c));
}

/** Give one value for each bin of the model that a side has, in their order; categories that no tree
 *  tells apart are one bin. */
function cellsOf(i, side) {
  if (!Array.isArray(side)) {
    const numbers = Array.from({ length: Math.max(side.high - side.low + 1, 0) }, (_, k) => side.low + k);
    return side.nan ? [...numbers, NAN[i]] : numbers;
  }
  const first = [];
  side.forEach((on, code) => {
    if (on) first[MODEL.groups[i][code]] ??= code;
  });
  return first.filter((code) => code !== undefined);
}

// -- what matters

/** Tell whether a feature, changed alone, changes the class of one of some cells. */
function* turned(cells, i, values) {
  for (let k = 0; k < cells.length; k += 1) {
    const label = labelOf(sums(cells[k]));
    yield;
    if (label < 0) continue;
    for (const value of values(k)) {
      if (value === cells[k][i]) continue;
      const then = labelOf(sums(replaced(cells[k], i, value)));
      if (then >= 0 && then !== label) return true;
      yield;
    }
  }
  return false;
}

/** Draw completions of a box, and as many others; they look random and are always the same. */
function drawn(box) {
  const inside = box.map((side, i) => cellsOf(i, side));
  let seed = 1;
  const share = () => (seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff) / 2 ** 31;
  const one = () => inside.map((own) => own[Math.floor(share() * own.length)]);
  return [0, 1].map(() => Array.from({ length: DRAWS }, one));
}

/** Go from the first completion of the first class that is possible to that of the second, one
 *  feature after the other; give all on the way. */
function* between(problem, found) {
  const labels = found.state.flatMap((state, label) => (state === YES ? [label] : [])).slice(0, 2);
  const ends = [];
  for (const label of labels) ends.push(yield* firstOf(problem, label, found.cells[label]));
  const way = [ends[0]];
  ends[1].forEach((bin, i) => {
    const last = way[way.length - 1];
    if (last[i] !== bin) way.push(replaced(last, i, bin));
  });
  return way;
}

/** Find the first completion of a class, by its bin of the first feature, then of the second, and so
 *  on: the same whatever a search comes upon. A bin is looked for by halving. */
function* firstOf(problem, label, known) {
  let [cell, here] = [known, problem];
  for (let i = 0; i < FEATURES.length; i += 1) {
    let bins = inOrder(problem, i);
    const values = problem.bins[i].map((side) => cellsOf(i, side)[0]);
    const place = () => bins.findIndex((b) => meets(problem.bins[i][b], single(i, cell[i])));
    while (place() > 0) {
      const of = (b) => labelOf(sums(replaced(cell, i, values[b])));
      const near = bins.findIndex((b) => of(b) === label);
      if (near < place()) {
        cell = replaced(cell, i, values[bins[near]]);
        continue;
      }
      const few = bins.slice(0, (1 + place()) >> 1);
      const found = {};
      yield* reach(among(here, i, few), label, found, shower(found));
      if (found.state[label] === YES) cell = found.cells[label];
      else bins = bins.slice(few.length);
    }
    here = only(here, i, bins[0]);
    cell = replaced(cell, i, values[bins[0]]);
  }
  return cell;
}

/** Give the bins that the box tells apart, by number, in the order of the model's. */
function inOrder({ bins }, i) {
  const groups = MODEL.groups[i];
  const first = (b) => (groups ? groups[cellsOf(i, bins[i][b])[0]] : b);
  return bins[i].map((_, b) => b).sort((a, b) => first(a) - first(b));
}

/** Give a bin of a cell as a side. */
function single(i, bin) {
  if (MODEL.groups[i]) return FEATURES[i].labels.map((_, code) => code === bin);
  return bin === NAN[i] ? { low: 1, high: 0, nan: true } : { low: bin, high: bin, nan: false };
}
