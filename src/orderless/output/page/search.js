// The search for a completion whose sums meet all of some requirements, as in docs/algorithms: every
// tree's best leaf gives the bound; the regret of a bin, what is lost against the bound by being in
// it, says which bins can be left out and where to branch. All sums are of whole numbers below 2^53.

/** Search a restricted sum, best side first; `visit` is shown cells and says when to stop.
 *
 * A requirement {plus, minus, target} asks that score plus - score minus >= target (-1: no score);
 * its target may rise on the way. Gives whether it was stopped; if not, no cell that meets the
 * requirements was left out that has other leaves than one that was shown. */
function* search(problem, requirements, visit) {
  const wanted = requirements.map((one) => ({ one, ...gains(problem, one) }));
  const stack = [{ box: problem.full, list: problem.rows.map((_, k) => k), start: problem.start, by: -1 }];
  const work = workspace(problem);
  while (stack.length) {
    yield stack;
    const node = { ...stack.pop() };
    const tight = narrow(problem, wanted, node, work);
    if (tight < 0) continue;
    node.bound = work.bound;
    if (visit(agreed(problem, node))) return true;
    if (node.list.length === problem.trees.length) continue; // one leaf each: that was all of it
    const [worse, better] = halves(problem, node, work);
    stack.push(worse, better);
  }
  return false;
}

function gains({ trees, start, rows, base }, { plus, minus }) {
  const gain = new Float64Array(rows.length);
  const of = (tree, row, score) => (score < 0 ? 0 : valueOf(UNITS, tree, row, score));
  trees.forEach((tree, t) => {
    for (let k = start[t]; k < start[t + 1]; k += 1) {
      gain[k] = of(tree, rows[k], plus) - of(tree, rows[k], minus);
    }
  });
  const begin = (plus < 0 ? 0 : base[plus]) - (minus < 0 ? 0 : base[minus]);
  return { gain, begin };
}

function workspace({ wordStart, sideFeature }) {
  const slots = 32 * wordStart[wordStart.length - 1];
  return {
    meets: new Uint8Array(sideFeature.length), // per side: whether it meets the box
    covers: new Uint8Array(sideFeature.length),
    regret: new Float64Array(slots), // per bin
    left: new Float64Array(slots), // of all bins up to this one
    right: new Float64Array(slots), // of all bins beyond it
    own: new Float64Array(slots),
    open: new Int32Array(slots / 32),
    split: new Uint8Array(wordStart.length), // per feature: whether a tree still asks about it
    bound: Infinity,
  };
}

/** Leave out leaves and bins that cannot meet the requirements, until nothing changes. Give the
 *  requirement that is hardest to meet; -1 if none of the box can meet them all. */
function narrow(problem, wanted, node, work) {
  for (;;) {
    if (!filter(problem, node, work)) return -1;
    let tight = -1;
    let room = Infinity;
    wanted.forEach(({ one, gain, begin }, j) => {
      const bound = begin + bestSum(node, gain, j === node.by);
      if (bound - one.target < room) [tight, room, work.bound] = [j, bound - one.target, bound];
    });
    if (room < 0) return -1;
    const { gain } = wanted[tight];
    if (node.by !== tight) sortLeaves(node, gain);
    node.by = tight;
    dropLeaves(node, gain, room);
    measure(problem, node, gain, work);
    if (!dropBins(problem, node, room, work)) return tight;
  }
}

/** Keep the leaves that meet the box; false if a tree has none. */
function filter({ sideFeature, sideAt, words, wordStart, sides, sideStart, trees }, node, work) {
  const { box } = node;
  for (let s = 0; s < sideFeature.length; s += 1) {
    const from = wordStart[sideFeature[s]];
    let some = 0;
    let rest = 0;
    for (let k = sideAt[s]; k < sideAt[s + 1]; k += 1) {
      const own = box[from + k - sideAt[s]];
      some |= own & words[k];
      rest |= own & ~words[k];
    }
    work.meets[s] = some ? 1 : 0;
    work.covers[s] = rest ? 0 : 1;
  }
  const list = new Int32Array(node.list.length);
  const start = new Int32Array(trees.length + 1);
  let n = 0;
  for (let t = 0; t < trees.length; t += 1) {
    for (let k = node.start[t]; k < node.start[t + 1]; k += 1) {
      const leaf = node.list[k];
      let inside = 1;
      for (let s = sideStart[leaf]; inside && s < sideStart[leaf + 1]; s += 1) inside = work.meets[sides[s]];
      if (inside) list[n++] = leaf;
    }
    start[t + 1] = n;
    if (n === start[t]) return false;
  }
  node.list = list.subarray(0, n);
  node.start = start;
  return true;
}

function bestSum({ list, start }, gain, sorted) {
  let sum = 0;
  for (let t = 0; t + 1 < start.length; t += 1) {
    let best = gain[list[start[t]]];
    for (let k = start[t] + 1; !sorted && k < start[t + 1]; k += 1) best = Math.max(best, gain[list[k]]);
    sum += best;
  }
  return sum;
}

function sortLeaves({ list, start }, gain) {
  for (let t = 0; t + 1 < start.length; t += 1) {
    if (start[t + 1] - start[t] > 1) {
      list.subarray(start[t], start[t + 1]).sort((a, b) => gain[b] - gain[a] || a - b);
    }
  }
}

/** Drop the leaves that lose more than there is room for. */
function dropLeaves(node, gain, room) {
  const { list, start } = node;
  const from = start.slice();
  let n = 0;
  for (let t = 0; t + 1 < from.length; t += 1) {
    const least = gain[list[from[t]]] - room;
    for (let k = from[t]; k < from[t + 1] && gain[list[k]] >= least; k += 1) list[n++] = list[k];
    start[t + 1] = n;
  }
  node.list = list.subarray(0, n);
}

/** Give per bin its regret, and per cut those of both sides; features that nobody asks have none. */
function measure(problem, { box, list, start }, gain, work) {
  const { sides, sideStart, sideFeature } = problem;
  for (const array of [work.regret, work.left, work.right, work.split]) array.fill(0);
  for (let t = 0; t + 1 < start.length; t += 1) {
    const best = list[start[t]];
    for (let s = sideStart[best]; s < sideStart[best + 1]; s += 1) {
      if (work.covers[sides[s]]) continue;
      paint(problem, box, list, start[t], start[t + 1], gain, sideFeature[sides[s]], work);
    }
    for (let k = start[t]; start[t + 1] - start[t] > 1 && k < start[t + 1]; k += 1) {
      for (let s = sideStart[list[k]]; s < sideStart[list[k] + 1]; s += 1) {
        if (!work.covers[sides[s]]) work.split[sideFeature[sides[s]]] = 1;
      }
    }
  }
}

/** Add what one tree loses in each bin of a feature; its leaves come best first. */
function paint(problem, box, list, from, to, gain, i, work) {
  const { sides, sideStart, sideFeature, sideAt, words, wordStart } = problem;
  const first = wordStart[i];
  const last = wordStart[i + 1];
  const begin = 32 * first;
  const end = begin + problem.bins[i].length;
  const { own, open, regret, left, right } = work;
  own.fill(Infinity, begin, end);
  for (let w = first; w < last; w += 1) open[w] = box[w];
  let rest = 1;
  for (let k = from; rest && k < to; k += 1) {
    const loss = gain[list[from]] - gain[list[k]];
    let side = -1;
    for (let s = sideStart[list[k]]; s < sideStart[list[k] + 1]; s += 1) {
      if (sideFeature[sides[s]] === i) side = sideAt[sides[s]];
    }
    rest = 0;
    for (let w = first; w < last; w += 1) {
      let hit = side < 0 ? open[w] : open[w] & words[side + w - first];
      open[w] &= ~hit;
      rest |= open[w];
      for (; hit; hit &= hit - 1) own[32 * w + 31 - Math.clz32(hit & -hit)] = loss;
    }
  }
  let least = Infinity;
  for (let b = begin; b < end; b += 1) {
    if (own[b] < least) least = own[b];
    if (hasBit(box, 0, b)) regret[b] += own[b];
    left[b] += least;
  }
  least = Infinity;
  for (let b = end - 1; b >= begin; b -= 1) {
    right[b] += least;
    if (own[b] < least) least = own[b];
  }
}

/** Leave out the bins whose regret is more than there is room for; tell whether there were any. */
function dropBins({ wordStart }, node, room, { regret }) {
  let box = null;
  for (let b = 0; b < 32 * wordStart[wordStart.length - 1]; b += 1) {
    if (regret[b] <= room || !hasBit(node.box, 0, b)) continue;
    box ??= node.box.slice();
    box[b >> 5] &= ~(1 << (b & 31));
  }
  if (box) node.box = box;
  return box !== null;
}

/** Give a cell in which trees have their best leaves, as far as they agree with those before them. */
function agreed(problem, { box, list, start }) {
  const { sides, sideStart, sideFeature, sideAt, words, wordStart, bins, trees } = problem;
  const here = box.slice();
  const fits = (s) => {
    const from = wordStart[sideFeature[s]];
    for (let k = sideAt[s]; k < sideAt[s + 1]; k += 1) if (here[from + k - sideAt[s]] & words[k]) return true;
    return false;
  };
  for (let t = 0; t < trees.length; t += 1) {
    for (let k = start[t]; k < start[t + 1]; k += 1) {
      const own = sides.subarray(sideStart[list[k]], sideStart[list[k] + 1]);
      if (!own.every(fits)) continue;
      for (const s of own) {
        const from = wordStart[sideFeature[s]];
        for (let w = sideAt[s]; w < sideAt[s + 1]; w += 1) here[from + w - sideAt[s]] &= words[w];
      }
      break;
    }
  }
  return bins.map((own, i) => someBin(i, own[own.findIndex((_, b) => hasBit(here, wordStart[i], b))]));
}

/** Cut the box in two where both sides lose much; the side that loses more comes first. */
function halves({ wordStart, bins }, { box, list, start, by, bound }, work) {
  let best = { score: -1 };
  bins.forEach((own, i) => {
    if (!work.split[i]) return;
    const on = own.flatMap((_, b) => (hasBit(box, wordStart[i], b) ? [32 * wordStart[i] + b] : []));
    for (const b of on.slice(0, -1)) {
      const score = (work.left[b] + 1) * (work.right[b] + 1);
      if (score > best.score) best = { score, i, b };
    }
  });
  const { i, b } = best;
  const sides = [box.slice(), box.slice()];
  for (let k = 32 * wordStart[i]; k < 32 * wordStart[i + 1]; k += 1) {
    sides[k <= b ? 1 : 0][k >> 5] &= ~(1 << (k & 31));
  }
  const [low, high] = sides.map((half) => ({ box: half, list, start, by, bound }));
  return work.left[b] > work.right[b] ? [low, high] : [high, low];
}
