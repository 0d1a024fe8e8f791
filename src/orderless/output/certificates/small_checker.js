// Check a certificate of orderless. Written from docs/certificates alone; needs no other file.
// Node: node check_certificate.js FILE (exit code 0 valid, 4 invalid, 5 undecided).
// Browser: checkCertificate(text) gives {verdict: "valid" | "invalid" | "undecided", lines}.
"use strict";

const checkCertificate = (() => {
  class Undecided extends Error {}
  const need = (holds, message) => { if (!holds) throw new Error(message); };
  const array = (given) => {
    need(Array.isArray(given), "a list is missing");
    return given;
  };
  const texts = (given) => {
    need(given.every((text) => typeof text === "string"), "a text is missing");
    need(new Set(given).size === given.length, "a text is there twice");
    return given;
  };
  const isObject = (x) => x !== null && typeof x === "object" && !Array.isArray(x);
  const whole = (given, below = 2 ** 53, least = 0) => {
    const fits = Number.isInteger(given) && given >= least && given < below;
    need(fits, "a whole number is missing, or out of range");
    return given + 0; // -0 is 0
  };
  // The entries of an object that must have these and no others.
  const entries = (given, names) => {
    const own = new Map(isObject(given) ? Object.entries(given) : []);
    const all = isObject(given) && own.size === names.length && names.every((name) => own.has(name));
    need(all, "an object has other entries than it must");
    return names.map((name) => own.get(name));
  };
  const found = (map, name) => {
    need(map.has(name), "an unknown name");
    return map.get(name);
  };
  const places = (names) => new Map(texts(names).map((name, place) => [name, place]));
  // A box: per feature its bins, as bits; a cell has one bit of each.
  const bit = (b) => 1n << BigInt(b);
  const replaced = (box, k, bits) => box.map((own, i) => (i === k ? bits : own));
  const inside = (a, b) => a.every((bits, k) => (bits & ~b[k]) === 0n);
  const isSubset = (some, all) => some.every((own) => all.includes(own));

  class Checker {
    constructor(content, limit) {
      const names = ["format", "version", "claim", "classes", "features", "trees", "stated"];
      const [format, version, claim, classes, features, trees, stated] = entries(content, names);
      need(format === "orderless-certificate" && version === 2, "unknown format or version");
      need(["form", "same", "policy"].includes(claim), "unknown claim");
      Object.assign(this, {left: limit, claim, stated, classes: places(array(classes))});
      const cut = array(features).map((feature) => entries(feature, ["name", "cuts", "sets"]));
      this.names = places(cut.map(([name]) => name));
      this.inOrder = []; // by feature the bins between cuts, as bits
      this.width = []; // by feature how many bins it has
      for (const [, cuts, sets] of cut) {
        const numbers = cuts === null ? [] : array(cuts);
        need(numbers.every((x, i) => Number.isFinite(x) && (i === 0 || numbers[i - 1] < x)), "cuts must rise");
        texts(array(sets).flatMap(array));
        const between = cuts === null ? 0 : numbers.length + 1;
        need(sets.every((own) => own.length > 0) && between + sets.length > 0, "an empty bin, or no bins");
        this.inOrder.push(bit(between) - 1n);
        this.width.push(between + sets.length);
      }
      this.all = this.width.map((width) => bit(width) - 1n);
      need(array(trees).length === (claim === "form" ? 1 : 2), "the wrong number of trees");
      const ends = claim === "policy" ? new Map([...this.classes, [null, -1]]) : this.classes;
      this.trees = trees.map((own, i) => this.tree(array(own), i > 0 ? ends : this.classes));
    }
    tree(given, ends) {
      need(given.length > 0, "a tree without nodes");
      return given.map((node, i) => {
        if (!Array.isArray(node)) return {label: found(ends, node)};
        need(node.length === 4, "a node must have four parts");
        const k = found(this.names, node[0]);
        const [yes, no] = node.slice(2).map((child) => whole(child, given.length, i + 1));
        return {k, holds: this.bits(k, node[1]), yes, no};
      });
    }
    bits(k, given) {
      const fits = typeof given === "string" && given.length === this.width[k] && /^[01]+$/.test(given);
      need(fits, "a text of 0 and 1 is missing");
      return BigInt("0b" + [...given].reverse().join(""));
    }
    box(given) {
      need(isObject(given), "a box must be an object");
      const box = [...this.all];
      for (const [name, text] of Object.entries(given)) {
        const k = found(this.names, name);
        box[k] = this.bits(k, text);
        need(box[k] !== 0n && this.filled(k, box[k]) === box[k], "bins that make no side of a box");
      }
      return box;
    }
    cell(given) {
      need(array(given).length === this.width.length, "a cell has a bin of each feature");
      return given.map((b, k) => bit(whole(b, this.width[k])));
    }
    step(steps = 1) {
      this.left -= steps;
      if (this.left < 0) throw new Undecided("checking takes too many steps");
    }
    filled(k, bits) { // the smallest side of a box around bins: those in order have no gap
      const ordered = bits & this.inOrder[k];
      return ordered === 0n ? bits : bits | (bit(ordered.toString(2).length) - (ordered & -ordered));
    }
    * leaves(start, tree = 0) { // the leaves that a box meets: the class, and what they have in common
      const todo = [[0, start]];
      while (todo.length > 0) {
        this.step();
        const [at, box] = todo.pop();
        const {label, k, holds, yes, no} = this.trees[tree][at];
        if (label !== undefined) {
          yield [label, box];
          continue;
        }
        for (const [child, bits] of [[yes, box[k] & holds], [no, box[k] & ~holds]]) {
          if (bits !== 0n) todo.push([child, replaced(box, k, bits)]);
        }
      }
    }
    gives(c, box) { // whether the first tree gives a class on a whole box
      for (const [own] of this.leaves(box)) if (own !== c) return false;
      return true;
    }

    // -- "same": two trees -----------------------------------------------------------------------

    same() {
      if (this.claim === "same") entries(this.stated, []);
      for (const [c, box] of this.leaves(this.all, 1)) {
        need(c < 0 || this.gives(c, box), "the two trees differ");
      }
      return ["Both trees give every row the same class."];
    }

    // -- "form": rules and reasons ---------------------------------------------------------------

    form() {
      const out = ["The rules decide as the tree on every row; none can be widened."];
      entries(this.stated, [...this.classes.keys()]).forEach((given, c) => {
        const names = ["rules", "reasons", "complete", "bound", "proof"];
        const [rules, reasons, complete, bound, proof] = entries(given, names);
        const boxes = [rules, reasons].map((own) => array(own).map((box) => this.box(box)));
        for (const box of boxes.flat()) this.widest(c, box);
        this.covered(c, boxes[0]);
        need(typeof complete === "boolean", "'complete' must be true or false");
        const [written, all] = boxes.map((own) => own.map(String));
        need(new Set(all).size === all.length, "a reason is there twice");
        if (complete) {
          need(isSubset(written, all), "a rule is not among all reasons");
          this.closed(boxes[1]);
        }
        this.prove(c, proof, whole(bound, rules.length + 1), [], complete ? boxes[1] : []);
        out.push(`Rules of class ${c}: ${rules.length}; at least ${bound} needed. Reasons: ` +
                 `${reasons.length}; ${complete ? "these are all" : "perhaps not all"}.`);
      });
      return out;
    }
    widest(c, box) { // the class is given on a box, and on none with one more bin
      need(this.gives(c, box), "a rule or reason holds where the class is another");
      box.forEach((bits, k) => {
        for (let b = 0; b < this.width[k]; b += 1) {
          const more = bits | bit(b);
          if (more === bits || this.filled(k, more) !== more) continue;
          need(!this.gives(c, replaced(box, k, bit(b))), "a rule or reason can be widened");
        }
      });
    }
    covered(c, rules) { // cut what is left of a class until it lies in a rule
      const todo = [];
      for (const [own, box] of this.leaves(this.all)) if (own === c) todo.push([box, rules]);
      while (todo.length > 0) {
        const [box, all] = todo.pop();
        this.step(all.length + 1);
        const near = all.filter((rule) => rule.every((bits, k) => (bits & box[k]) !== 0n));
        need(near.length > 0, "some rows of a class are in none of its rules");
        if (near.some((rule) => inside(box, rule))) continue;
        const k = near[0].findIndex((bits, i) => (box[i] & ~bits) !== 0n);
        for (const bits of [box[k] & near[0][k], box[k] & ~near[0][k]]) todo.push([replaced(box, k, bits), near]);
      }
    }
    closed(reasons) { // the joins of any two reasons lie in one
      reasons.forEach((p, i) => reasons.slice(0, i).forEach((q) => {
        this.step();
        const common = p.map((bits, k) => bits & q[k]);
        const apart = [...common.keys()].filter((k) => common[k] === 0n);
        if (apart.length > 1) return;
        for (const k of apart.length === 1 ? apart : common.keys()) {
          const free = (p[k] | q[k]) & ~this.inOrder[k];
          for (const bits of [p[k] | q[k], p[k] | free, q[k] | free]) {
            const join = replaced(common, k, bits);
            if (this.filled(k, bits) !== bits || inside(join, p) || inside(join, q)) continue;
            this.step(reasons.length);
            need(reasons.some((one) => inside(join, one)), "a reason is missing");
          }
        }
      }));
    }
    prove(c, proof, k, chosen, reasons) { // k more rules are needed for what is left open
      need(array(proof).length === 2, "a proof has two lists");
      const [cells, branches] = [array(proof[0]).map((cell) => this.cell(cell)), array(proof[1])];
      for (const cell of cells) {
        this.step(chosen.length);
        need(this.gives(c, cell), "a cell is of another class");
        need(!chosen.some((box) => inside(cell, box)), "a cell is covered");
      }
      if (branches.length > 0) {
        const holding = reasons.filter((box) => inside(cells[0], box));
        need(holding.length === branches.length, "a branch is missing");
        holding.forEach((box, i) => this.prove(c, branches[i], k - 1, [...chosen, box], reasons));
        return;
      }
      need(cells.length >= k, "too few cells");
      cells.forEach((a, i) => cells.slice(0, i).forEach((b) => {
        const around = a.map((bits, f) => this.filled(f, bits | b[f]));
        need(!this.gives(c, around), "two cells fit into one rule");
      }));
    }

    // -- "policy": what it costs to get the tree's answer ----------------------------------------

    policy() {
      this.same();
      const names = ["purchases", "unit", "rows", "cost", "worst", "determined", "objective", "bound"];
      const [purchases, parts, given, ...totals] = entries(this.stated, names);
      const unit = array(parts).map((part) => whole(part, 2 ** 53, 1)).join("/");
      need(parts.length === 2, "wrong unit");
      const bound = BigInt(whole(totals.pop()));
      this.objective = totals.pop();
      need(["expected", "worst"].includes(this.objective), "unknown objective");
      this.buys = array(purchases).map((own) => {
        const features = array(own).slice(1).map((name) => found(this.names, name));
        return {price: BigInt(whole(own[0])), features};
      });
      const of = new Map(this.buys.flatMap((own) => own.features.map((k) => [k, own])));
      const count = this.buys.reduce((sum, own) => sum + own.features.length, 0);
      need(of.size === this.names.size && count === of.size, "wrong purchases");
      const rows = array(given).map((row) => {
        const weight = BigInt(whole(array(row)[0], 2 ** 53, 1));
        return {weight, cell: this.cell(row.slice(1))};
      });
      let [cost, worst, determined] = [0n, 0n, 0n];
      for (const {weight, cell} of rows) {
        const paid = new Set();
        let node = this.trees[1][0];
        for (; node.label === undefined; node = this.trees[1][(cell[node.k] & node.holds) !== 0n ? node.yes : node.no]) {
          this.step();
          paid.add(of.get(node.k));
        }
        const spent = [...paid].reduce((sum, own) => sum + own.price, 0n);
        cost += weight * spent;
        if (spent > worst) worst = spent;
        if (node.label >= 0) determined += weight;
      }
      const fits = totals.map((own) => whole(own)).join() === [cost, worst, determined].join();
      need(fits, `cost, worst, determined are ${cost}, ${worst}, ${determined}`);
      this.memory = new Map();
      need(bound === 0n || bound <= this.least(this.all, rows), "it can be cheaper than the bound");
      const all = rows.reduce((sum, row) => sum + row.weight, 0n);
      return [
        `${all} rows cost ${cost} x ${unit} together, the dearest ${worst} x ${unit}.`,
        `${determined} of them end with the tree's answer, none with another.`,
        `Nothing that always ends with the answer costs less than ${bound} (${this.objective}).`,
      ];
    }
    least(box, rows) { // the least that has to be paid from here on, trying all purchases
      const key = box.join();
      if (this.memory.has(key)) return this.memory.get(key);
      this.step(rows.length + 1);
      const met = new Set();
      for (const [c] of this.leaves(box)) met.add(c);
      let best = rows.length === 0 || met.size === 1 ? 0n : -1n;
      const weight = this.objective === "worst" ? 1n : rows.reduce((sum, row) => sum + row.weight, 0n);
      for (const {price, features} of this.buys) {
        const known = features.every((k) => (box[k] & (box[k] - 1n)) === 0n);
        if (known || (best >= 0n && best <= price * weight)) continue;
        const parts = new Map();
        for (const row of rows) {
          const after = box.map((own, k) => (features.includes(k) ? row.cell[k] : own));
          if (!parts.has(after.join())) parts.set(after.join(), [after, []]);
          parts.get(after.join())[1].push(row);
        }
        this.step(rows.length);
        const rest = [...parts.values()].map(([after, own]) => this.least(after, own));
        const more = (a, b) => (this.objective !== "worst" ? a + b : a > b ? a : b);
        const total = price * weight + rest.reduce(more, 0n);
        if (best < 0n || total < best) best = total;
      }
      this.memory.set(key, best);
      return best;
    }
  }

  return (source, limit = 20000000) => {
    try {
      const own = new Checker(JSON.parse(source), limit);
      return {verdict: "valid", lines: own[own.claim]()};
    } catch (fault) { // a RangeError: nested too deeply for the stack
      const open = fault instanceof Undecided || fault instanceof RangeError;
      return {verdict: open ? "undecided" : "invalid", lines: [String(fault.message)]};
    }
  };
})();

if (typeof module !== "undefined" && typeof require !== "undefined") {
  module.exports = {checkCertificate};
  if (require.main === module) {
    const {verdict, lines} = checkCertificate(require("fs").readFileSync(process.argv[2], "utf8"));
    console.log([...lines, verdict[0].toUpperCase() + verdict.slice(1) + "."].join("\n"));
    process.exitCode = {valid: 0, invalid: 4, undecided: 5}[verdict];
  }
}
