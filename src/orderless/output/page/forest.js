// What a sum of trees says about a box: the classes that are possible, with a cell for each; how far
// a score can go; a reason. Work that may take long is a generator, which yields between its steps;
// what it has found so far stands in the object that it was given.

const OPEN = 0; // of a class: not known yet
const YES = 1; // a cell has it
const NO = 2; // proven: no cell has it
const HIDDEN = 3; // only cells within the library's rounding may have it
const GLANCES = 32; // cells that are looked at before a search

/** Find out which classes are possible; with `most`, until so many are. */
function* possibleIn(problem, found, most = Infinity) {
  const show = shower(found);
  show(problem.bins.map((_, i) => someOf(i, allowed(problem, i))));
  for (let label = 0; label < LABELS; label += 1) {
    if (found.state.filter((state) => state === YES).length >= most) return;
    if (found.state[label] === OPEN) yield* reach(problem, label, found, show);
  }
}

/** Give what notes the class of a cell, and tells it. */
function shower(found) {
  found.state ??= Array(LABELS).fill(OPEN);
  found.cells ??= Array(LABELS).fill(null);
  return (cell) => {
    const label = labelOf(sums(cell));
    if (label >= 0 && !found.cells[label]) [found.cells[label], found.state[label]] = [cell, YES];
    return label;
  };
}

/** Look at some cells of a box, before any search: most open boxes show two classes at once. The
 *  cells look random and are always the same. */
function* glance(box, found) {
  const show = shower(found);
  let seed = 1;
  for (let k = 0; k < GLANCES && found.state.filter((state) => state === YES).length < 2; k += 1) {
    show(box.map((side, i) => {
      seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
      return binAt(i, side, seed / 2 ** 31);
    }));
    yield;
  }
}

/** Give the bin of a side that lies at a share, from 0 to below 1, of all that it has. */
function binAt(i, side, share) {
  if (Array.isArray(side)) {
    const codes = side.flatMap((on, code) => (on ? [code] : []));
    return codes[Math.floor(share * codes.length)];
  }
  const many = Math.max(side.high - side.low + 1, 0);
  const at = Math.floor(share * (many + Number(side.nan)));
  return at < many ? side.low + at : NAN[i];
}

/** Find a cell of a class, or prove that there is none. */
function* reach(problem, label, found, show) {
  const needed = required(label);
  let hidden = false;
  const visit = (cell) => {
    const said = show(cell);
    hidden ||= said < 0;
    return said === label;
  };
  let first = true;
  const visitNear = (cell) => {
    if (visit(cell)) return true;
    if (!first) return false;
    first = false; // once, from where the best leaves agree
    return visit(ascended(problem, needed, cell));
  };
  if (yield* search(problem, needed, visitNear)) return;
  found.state[label] = hidden ? HIDDEN : NO;
}

/** Change one feature after the other to the bin in which the least margin is largest. */
function ascended(problem, needed, cell) {
  let here = cell.slice();
  let best = -Infinity;
  for (let round = 0; round < 8; round += 1) {
    const before = best;
    for (let i = 0; i < here.length; i += 1) {
      const bins = allowed(problem, i).map((side) => someBin(i, side));
      if (bins.length < 2) continue;
      const totals = swept(problem, here, i, bins);
      bins.forEach((bin, k) => {
        const of = (score) => (score < 0 ? 0 : totals[k * SCORES + score]);
        const least = Math.min(...needed.map(({ plus, minus, target }) => of(plus) - of(minus) - target));
        if (least > best) [best, here[i]] = [least, bin];
      });
      here = here.slice();
    }
    if (best === before) return here;
  }
  return here;
}

/** Give the sums, in units, of a cell with each of some bins of a feature. */
function swept({ trees, base }, cell, i, bins) {
  const totals = new Float64Array(bins.length * SCORES);
  for (let k = 0; k < totals.length; k += 1) totals[k] = base[k % SCORES];
  const every = bins.map((_, k) => k);
  const go = (tree, at, some) => {
    while (WHAT[at] >= 0) {
      const condition = WHAT[at];
      if (ASKED[condition] === i) {
        const yes = some.filter((k) => holds(condition, bins[k]));
        if (yes.length && yes.length < some.length) {
          go(tree, at + 1, yes);
          some = some.filter((k) => !yes.includes(k));
          at = OTHERWISE[at];
        } else at = yes.length ? at + 1 : OTHERWISE[at];
      } else at = holds(condition, cell[ASKED[condition]]) ? at + 1 : OTHERWISE[at];
    }
    for (const k of some) {
      for (let score = 0; score < SCORES; score += 1) {
        totals[k * SCORES + score] += valueOf(UNITS, tree, -1 - WHAT[at], score);
      }
    }
  };
  for (const tree of trees) go(tree, MODEL.roots[tree], every);
  return totals;
}

/** Find how high a score goes (sign 1), or how low (-1): `far` is proven, and given as far as bounds
 *  tell; `near` was found in a cell. Both are in units, and equal in the end. */
function* extreme(problem, score, sign, found) {
  const requirement = { plus: sign > 0 ? score : -1, minus: sign > 0 ? -1 : score, target: 0 };
  const outer = sign * found.far;
  let best = -Infinity;
  const visit = (cell) => {
    const value = sign * unitsOf(problem, cell, score);
    if (value > best) {
      [best, found.near, found.cell] = [value, sign * value, cell];
      requirement.target = value + 1;
    }
    return best >= outer;
  };
  const begin = problem.bins.map((_, i) => someOf(i, allowed(problem, i)));
  const over = visit(ascended(problem, [requirement], begin));
  yield;
  if (!over) {
    for (const stack of search(problem, [requirement], visit)) {
      const open = stack.flatMap(({ bound = outer }) => bound);
      if (open.length) found.far = sign * Math.max(best, ...open);
      yield;
    }
  }
  found.far = found.near;
}

function unitsOf({ trees, base }, cell, score) {
  let sum = base[score];
  for (const tree of trees) sum += valueOf(UNITS, tree, reached(tree, cell), score);
  return sum;
}

/** Take two cells of different classes together, one feature after the other, until one step changes
 *  the class; cells within the library's rounding are passed over. */
function closest(first, second) {
  let [sure, label] = [first, labelOf(sums(first))];
  const here = first.slice();
  for (let i = 0; i < first.length; i += 1) {
    if (here[i] === second[i]) continue;
    here[i] = second[i];
    const then = labelOf(sums(here));
    if (then < 0) continue;
    if (then !== label) return { cells: [sure, here], labels: [label, then] };
    sure = here.slice();
  }
  return null;
}
