// Check a certificate of orderless: docs/certificates says what it is. No dependencies.
// Node: node check_certificate.js FILE (exit code 0 valid, 4 not valid, 5 undecided).
// Browser: checkCertificate(text) gives {verdict: "valid" | "invalid" | "undecided", lines}.
"use strict";

const checkCertificate = (() => {
  class Invalid extends Error {}
  class Undecided extends Error {}
  const need = (holds, message) => { if (!holds) throw new Invalid(message); };
  const isObject = (x) => x !== null && typeof x === "object" && !Array.isArray(x);
  const has = (x, key) => Object.prototype.hasOwnProperty.call(x, key);
  const get = (x, key, other) => isObject(x) && has(x, key) ? x[key] : other;
  const list = (x, key) => { const own = get(x, key); need(Array.isArray(own), key + " is missing"); return own; };
  const text = (x, key) => { const own = get(x, key); need(typeof own === "string", key + " is missing"); return own; };
  const flag = (x, key) => { const own = get(x, key, false); need(typeof own === "boolean", key); return own; };
  const number = (x) => { need(typeof x === "number" && Number.isFinite(x), "a number is missing"); return x; };
  const whole = (x, below = 2 ** 53) => {
    need(Number.isInteger(number(x)) && x >= 0 && x < below, x + " is out of range");
    return x + 0; // -0 is 0
  };
  const keysAre = (x, ...names) => isObject(x) && Object.keys(x).sort().join() === names.sort().join();
  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
  const labels = (given) => {
    const out = given.map((x) => {
      if (typeof x !== "string" && typeof x !== "boolean") number(x);
      return typeof x + " " + (x === 0 ? 0 : x);
    });
    need(new Set(out).size === out.length, "a label is there twice");
    return out;
  };
  // Whether numbers are exactly 0 .. n - 1, in any order.
  const isRange = (numbers, from, n) => {
    const own = [...numbers].sort((a, b) => a - b);
    return own.length === n - from && own.every((x, i) => x === from + i);
  };
  const bit = (b) => 1n << BigInt(b);
  const low = (bits) => bits & -bits;
  const fill = (bits) => { // all between the first and the last
    if (bits === 0n) return 0n;
    return bit(bits.toString(2).length) - low(bits);
  };

  class Feature {
    constructor(feature, bins) {
      this.ordered = feature.kind !== "categorical";
      this.missing = flag(feature, "nan");
      this.nan = 0n;
      need(keysAre(bins, "feature", this.ordered ? "cuts" : "values"), "wrong bins");
      if (this.ordered) {
        this.cuts = list(bins, "cuts").map(number);
        need(this.cuts.every((cut, i) => i === 0 || this.cuts[i - 1] < cut), "cuts must rise");
        need(this.cuts.every((cut) => isValue(cut, feature)), "a cut is not a value");
        this.numbers = bit(this.cuts.length + 1) - 1n;
        this.width = this.cuts.length + 1 + (this.missing ? 1 : 0);
        if (this.missing) this.nan = this.numbers + 1n;
        return;
      }
      this.labels = labels(feature.categories);
      this.flags = [["other", flag(feature, "other")], ["missing", this.missing]];
      this.n = this.labels.length + sum(this.flags.map(([, own]) => (own ? 1 : 0)));
      this.groups = list(bins, "values").map((group) => {
        need(Array.isArray(group) && group.length > 0, "an empty bin");
        return group.map((value) => whole(value, this.n));
      });
      need(isRange(this.groups.flat(), 0, this.n), "a value is not in one bin");
      this.width = this.groups.length;
    }
    among(values) {
      let out = 0n;
      this.groups.forEach((group, b) => {
        const share = group.filter((value) => values.has(value)).length;
        need(share === 0 || share === group.length, "part of a bin");
        if (share > 0) out |= bit(b);
      });
      return out;
    }
    upTo(cut) {
      const at = this.cuts.indexOf(cut + 0);
      need(at >= 0, cut + " is not a cut");
      return bit(at + 1) - 1n;
    }
    side(given) {
      const known = ["feature", "missing", ...(this.ordered ? ["above", "at_most"] : ["among", "other"])];
      need(Object.keys(given).every((key) => known.includes(key)), "unknown entry");
      if (!this.ordered) {
        const among = get(given, "among", []);
        need(Array.isArray(among), "among");
        const places = labels(among).map((own) => this.labels.indexOf(own));
        need(!places.includes(-1), "wrong category");
        const values = new Set(places);
        let place = this.labels.length;
        for (const [name, allowed] of this.flags) {
          const inside = flag(given, name);
          need(allowed || !inside, "wrong " + name);
          if (inside) values.add(place);
          if (allowed) place += 1;
        }
        return this.among(values);
      }
      if (get(given, "missing") === "only") {
        need(this.missing && Object.keys(given).length === 2, "wrong missing");
        return this.nan;
      }
      const missing = flag(given, "missing");
      need(this.missing || !missing, "wrong missing");
      const below = has(given, "above") ? this.upTo(number(given.above)) : 0n;
      const upto = has(given, "at_most") ? this.upTo(number(given.at_most)) : this.numbers;
      need((upto & ~below) !== 0n, "an empty condition");
      return (upto & ~below) | (missing ? this.nan : 0n);
    }
    nextTo(bits) {
      const numbers = bits & ~this.nan;
      const out = [];
      for (let b = 0; b < this.width; b += 1) {
        const one = bit(b);
        if ((bits & one) !== 0n) continue;
        const free = !this.ordered || numbers === 0n || one === this.nan;
        if (free || (((one << 1n) | (one >> 1n)) & numbers) !== 0n) out.push(one);
      }
      return out;
    }
    around(a, b) {
      return this.ordered ? a | b | fill((a | b) & ~this.nan) : a | b;
    }
    together(a, b) {
      if (!this.ordered) return [a | b];
      const numbers = (a | b) & ~this.nan;
      const nan = (a | b) & this.nan;
      const out = [(a & ~this.nan) | nan, (b & ~this.nan) | nan];
      return fill(numbers) === numbers ? [...out, a | b] : out;
    }
  }

  const isValue = (cut, feature) => {
    if (feature.kind === "boolean") return cut === 0;
    const values = get(feature, "values", "float64");
    if (values === "float32") return cut === -(2 ** 128) || Math.fround(cut) === cut;
    return values !== "integer" || Number.isInteger(cut);
  };

  class About {
    constructor(content, limit) {
      this.left = limit;
      this.nClasses = labels(list(content, "classes")).length;
      need(this.nClasses > 0, "no classes");
      const features = list(get(content, "space"), "features");
      const names = features.map((feature) => text(feature, "name"));
      need(!names.includes("") && new Set(names).size === names.length, "names must differ");
      for (const feature of features) {
        const kind = text(feature, "kind");
        need(["numeric", "boolean", "categorical"].includes(kind), "unknown kind");
        need(!flag(feature, "nan") || kind !== "boolean", "a boolean is never missing");
        const values = kind === "numeric" ? get(feature, "values", "float64") : "float64";
        need(["float64", "float32", "integer"].includes(values), "unknown values");
        if (kind !== "categorical") continue;
        need(labels(list(feature, "categories")).length > 0, "no categories");
        flag(feature, "other");
      }
      const bins = list(content, "bins");
      this.names = new Map(bins.map((own, k) => [text(own, "feature"), k]));
      need(this.names.size === bins.length && [...this.names.keys()].every((n) => names.includes(n)), "wrong bins");
      this.place = new Map([...this.names].map(([name, k]) => [names.indexOf(name), k]));
      this.bins = bins.map((own) => new Feature(features[names.indexOf(own.feature)], own));
      this.whole = this.bins.map((own) => bit(own.width) - 1n);
    }
    step(steps = 1) {
      this.left -= steps;
      if (this.left < 0) throw new Undecided("checking takes too many steps");
    }
    terms(given) {
      need(Array.isArray(given) && given.length === this.nClasses, "one list per class");
      return given.map((own) => {
        need(Array.isArray(own), "a list of terms is missing");
        return own.map((term) => this.term(term));
      });
    }
    term(given) {
      need(Array.isArray(given), "a term must be a list");
      const box = [...this.whole];
      const seen = new Set();
      for (const condition of given) {
        const name = text(condition, "feature");
        need(this.names.has(name) && !seen.has(name), "wrong feature");
        seen.add(name);
        box[this.names.get(name)] = this.bins[this.names.get(name)].side(condition);
      }
      need(box.every((bits) => bits !== 0n), "an empty condition");
      return box;
    }
    cell(given) {
      need(Array.isArray(given) && given.length === this.bins.length, "wrong cell");
      return given.map((b, k) => bit(whole(b, this.bins[k].width)));
    }
  }

  const replaced = (box, k, bits) => box.map((own, i) => (i === k ? bits : own));
  const inside = (a, b) => a.every((bits, k) => (bits & ~b[k]) === 0n);

  class Tree {
    constructor(about, given) {
      const feature = list(given, "feature");
      const n = feature.length;
      const sets = get(given, "sets", {});
      const names = ["threshold", "when_true", "when_false", "leaf_class"];
      const arrays = Object.fromEntries(names.map((name) => [name, list(given, name)]));
      arrays.nan_true = get(given, "nan_true", Array(n).fill(false));
      need(isObject(sets) && Array.isArray(arrays.nan_true), "wrong arrays");
      need(n > 0 && Object.values(arrays).every((own) => own.length === n), "lengths");
      const children = [];
      this.about = about;
      this.nodes = feature.map((own, i) => {
        if (number(own) === -1) return {k: -1, label: whole(arrays.leaf_class[i], about.nClasses)};
        const k = about.place.get(whole(own));
        need(k !== undefined, "a node asks about a feature without bins");
        const holds = Tree.holds(about.bins[k], arrays, i, get(sets, String(i), []));
        const [yes, no] = [whole(arrays.when_true[i], n), whole(arrays.when_false[i], n)];
        children.push(yes, no);
        return {k, holds, yes, no};
      });
      need(isRange(children, 1, n), "the nodes are not a tree");
    }
    static holds(own, arrays, i, values) {
      if (!own.ordered) {
        need(Array.isArray(values), "a set must be a list");
        return own.among(new Set(values.map((value) => whole(value, own.n))));
      }
      const cut = arrays.threshold[i];
      need(typeof arrays.nan_true[i] === "boolean", "nan_true");
      const nan = arrays.nan_true[i] ? own.nan : 0n;
      if (cut === "inf" || cut === "-inf") return (cut === "inf" ? own.numbers : 0n) | nan;
      return own.upTo(number(cut)) | nan;
    }
    leaves(start) {
      const out = [];
      const todo = [[0, start]];
      while (todo.length > 0) {
        this.about.step();
        const [at, box] = todo.pop();
        const node = this.nodes[at];
        if (node.k < 0) {
          out.push([node.label, box]);
          continue;
        }
        for (const [child, bits] of [[node.yes, box[node.k] & node.holds], [node.no, box[node.k] & ~node.holds]]) {
          if (bits !== 0n) todo.push([child, replaced(box, node.k, bits)]);
        }
      }
      return out;
    }
    only(box) { // the class that is given on a box; -1 if there are several
      const met = new Set(this.leaves(box).map(([own]) => own));
      return met.size === 1 ? [...met][0] : -1;
    }
  }

  class Form {
    constructor(about, content) {
      this.about = about;
      this.tree = new Tree(about, content.tree);
      this.rules = about.terms(content.rules);
      need(has(content, "reasons") && has(content, "complete"), "reasons are missing");
      const stated = content.reasons !== null;
      need(stated === (content.complete !== null), "complete goes with reasons");
      this.reasons = stated ? about.terms(content.reasons) : [];
      this.complete = stated ? list(content, "complete") : Array(about.nClasses).fill(false);
      this.fewest = list(content, "fewest");
      need(this.complete.length === about.nClasses && this.fewest.length === about.nClasses, "one entry per class");
      need(this.complete.every((own) => typeof own === "boolean"), "complete");
    }
    check() {
      const out = ["The rules decide as the tree on every row; none can be widened."];
      this.rules.forEach((terms, c) => {
        this.widest(c, terms);
        this.covered(c, terms);
      });
      this.reasons.forEach((terms, c) => {
        need(new Set(terms.map(String)).size === terms.length, "a reason is there twice");
        this.widest(c, terms);
        if (this.complete[c]) {
          this.covered(c, terms);
          this.closed(terms);
        }
        const which = this.complete[c] ? "these are all" : "not stated whether these are all";
        out.push(`Reasons of class ${c}: ${terms.length}; ${which}.`);
      });
      this.fewest.forEach((given, c) => {
        let stated = "not stated how many are needed";
        if (given !== null) {
          need(keysAre(given, "bound", "proof"), "wrong proof");
          const bound = whole(given.bound, this.rules[c].length + 1);
          this.prove(c, given.proof, bound, []);
          stated = `at least ${bound} needed`;
        }
        out.push(`Rules of class ${c}: ${this.rules[c].length}; ${stated}.`);
      });
      return this.reasons.length > 0 ? out : [...out, "Not stated: reasons."];
    }
    widest(c, terms) {
      for (const box of terms) {
        need(this.tree.only(box) === c, "a rule or reason holds where the class is another");
        this.about.bins.forEach((own, k) => {
          for (const one of own.nextTo(box[k])) {
            need(this.tree.only(replaced(box, k, one)) !== c, "a rule or reason can be widened");
          }
        });
      }
    }
    covered(c, terms) {
      const leaves = this.tree.leaves(this.about.whole).filter(([own]) => own === c);
      const todo = leaves.map(([, box]) => [box, terms]);
      while (todo.length > 0) {
        const [box, all] = todo.pop();
        this.about.step(all.length + 1);
        const near = all.filter((term) => term.every((bits, k) => (bits & box[k]) !== 0n));
        need(near.length > 0, "some rows of a class are in none of its rules");
        if (near.some((term) => inside(box, term))) continue;
        const k = near[0].findIndex((bits, i) => (box[i] & ~bits) !== 0n);
        for (const bits of [box[k] & near[0][k], box[k] & ~near[0][k]]) todo.push([replaced(box, k, bits), near]);
      }
    }
    closed(terms) {
      terms.forEach((p, i) => terms.slice(0, i).forEach((q) => {
        this.about.step();
        const common = p.map((bits, k) => bits & q[k]);
        const apart = [...common.keys()].filter((k) => common[k] === 0n);
        if (apart.length > 1) return;
        for (const k of apart.length === 1 ? apart : common.keys()) {
          for (const bits of this.about.bins[k].together(p[k], q[k])) {
            const join = replaced(common, k, bits);
            if (bits === 0n || inside(join, p) || inside(join, q)) continue;
            this.about.step(terms.length);
            need(terms.some((one) => inside(join, one)), "a reason is missing");
          }
        }
      }));
    }
    prove(c, proof, k, chosen) {
      const split = keysAre(proof, "branches", "cell");
      need(split || keysAre(proof, "cells"), "wrong proof");
      const cells = (split ? [proof.cell] : list(proof, "cells")).map((cell) => this.about.cell(cell));
      for (const cell of cells) {
        this.about.step(chosen.length);
        need(this.tree.only(cell) === c, "a cell is of another class");
        need(!chosen.some((box) => inside(cell, box)), "a cell is covered");
      }
      if (split) {
        need(this.complete[c], "branches need all reasons");
        const holding = this.reasons[c].filter((box) => inside(cells[0], box));
        need(list(proof, "branches").length === holding.length, "a branch is missing");
        holding.forEach((box, i) => this.prove(c, proof.branches[i], k - 1, [...chosen, box]));
        return;
      }
      need(cells.length >= k, "too few cells");
      cells.forEach((a, i) => cells.slice(0, i).forEach((b) => {
        const box = this.about.bins.map((own, f) => own.around(a[f], b[f]));
        need(this.tree.only(box) !== c, "two cells fit into one rule");
      }));
    }
  }

  class Policy {
    constructor(about, content) {
      this.about = about;
      this.content = content;
      this.tree = new Tree(about, content.tree);
      const purchases = list(content, "purchases");
      this.buys = purchases.map((given) => {
        need(keysAre(given, "cost", "features", "name") && text(given, "name") !== "", "wrong purchase");
        const features = list(given, "features").map((k) => whole(k, about.bins.length));
        need(features.length > 0, "an empty purchase");
        return features;
      });
      this.costs = purchases.map((given) => BigInt(whole(given.cost)));
      need(isRange(this.buys.flat(), 0, about.bins.length), "wrong purchases");
      const unit = list(content, "unit").map((part) => whole(part));
      need(unit.length === 2 && unit[1] > 0, "wrong unit");
      this.unit = unit.join("/");
      this.rows = list(content, "rows").map((row) => {
        need(Array.isArray(row) && row.length > 0 && whole(row[0]) > 0, "a row has no weight");
        about.cell(row.slice(1));
        return {weight: BigInt(row[0]), cell: row.slice(1)};
      });
      need(new Set(this.rows.map((row) => row.cell.join())).size === this.rows.length, "a row is there twice");
      this.worst = content.objective === "worst";
      need(this.worst || content.objective === "expected", "unknown objective");
      this.memory = new Map();
    }
    only(known) {
      return this.tree.only(known.map((b, k) => (b < 0 ? this.about.whole[k] : bit(b))));
    }
    check() {
      const start = this.about.bins.map(() => -1);
      const found = this.walk(start);
      for (const [name, value] of Object.entries(found)) {
        need(BigInt(whole(this.content[name])) === value, name + " is wrong: it is " + value);
      }
      const total = this.rows.reduce((all, row) => all + row.weight, 0n);
      const out = [`${total} rows cost ${found.cost} x ${this.unit} together, and the dearest ` +
                   `${found.worst} x ${this.unit}.`,
                   `${found.determined} of them end with the tree's answer, none with another.`];
      need(has(this.content, "bound"), "bound is missing");
      if (this.content.bound === null) return [...out, "Not stated: how cheap it can be."];
      const bound = BigInt(whole(this.content.bound));
      if (this.buys.length > 300) throw new Undecided("there are too many purchases");
      need(bound <= this.least(start, this.rows), "it can be cheaper than the bound");
      return [...out, `Nothing that always ends with the answer costs less than ${bound}.`];
    }
    walk(start) {
      const nodes = list(this.content, "nodes");
      need(nodes.length > 0, "no nodes");
      const children = [];
      const found = {cost: 0n, worst: 0n, determined: 0n};
      const todo = [{at: 0, known: start, rows: this.rows, spent: 0n}];
      while (todo.length > 0) {
        const {at, known, rows, spent} = todo.pop();
        this.about.step(rows.length + 1);
        const node = nodes[at];
        const weight = rows.reduce((all, row) => all + row.weight, 0n);
        if (keysAre(node, "answers", "ask")) {
          const p = whole(node.ask, this.buys.length);
          for (const [to, after, own] of this.answers(this.buys[p], list(node, "answers"), known, rows)) {
            children.push(whole(to, nodes.length));
            todo.push({at: to, known: after, rows: own, spent: spent + this.costs[p]});
          }
          need(children.length < nodes.length, "a node is the answer of two");
          continue;
        }
        need(keysAre(node, "decision") || (keysAre(node, "open") && node.open === true), "wrong node");
        if (has(node, "decision")) {
          need(this.only(known) === whole(node.decision, this.about.nClasses), "a decision is not the tree's");
          found.determined += weight;
        }
        found.cost += weight * spent;
        if (rows.length > 0 && spent > found.worst) found.worst = spent;
      }
      need(isRange(children, 1, nodes.length), "the nodes are not a tree");
      return found;
    }
    answers(features, given, known, rows) {
      need(features.every((k) => known[k] < 0), "something is bought twice");
      const widths = features.map((k) => this.about.bins[k].width);
      need(given.length === widths.reduce((a, b) => a * b, 1), "an answer is missing");
      const seen = new Set();
      const out = given.map((answer) => {
        need(Array.isArray(answer) && answer.length === features.length + 1, "wrong answer");
        const after = [...known];
        features.forEach((k, i) => { after[k] = whole(answer[i], widths[i]); });
        seen.add(answer.slice(0, -1).join());
        const own = rows.filter((row) => features.every((k) => row.cell[k] === after[k]));
        return [answer[answer.length - 1], after, own];
      });
      need(seen.size === given.length, "an answer is there twice");
      return out;
    }
    least(known, rows) {
      const key = known.join();
      if (this.memory.has(key)) return this.memory.get(key);
      this.about.step(rows.length + 1);
      let best = rows.length === 0 || this.only(known) >= 0 ? 0n : -1n;
      const weight = this.worst ? 1n : rows.reduce((all, row) => all + row.weight, 0n);
      const order = [...this.buys.keys()].sort((a, b) => Number(this.costs[a] - this.costs[b]));
      for (const p of order) {
        let total = this.costs[p] * weight;
        if (known[this.buys[p][0]] >= 0 || (best >= 0n && best <= total)) continue;
        const parts = new Map();
        for (const row of rows) {
          const after = known.map((b, k) => (this.buys[p].includes(k) ? row.cell[k] : b));
          const name = after.join();
          if (!parts.has(name)) parts.set(name, [after, []]);
          parts.get(name)[1].push(row);
        }
        this.about.step(rows.length);
        const rest = [...parts.values()].map(([after, own]) => this.least(after, own));
        total += rest.reduce((a, b) => (this.worst ? (a > b ? a : b) : a + b), 0n);
        if (best < 0n || total < best) best = total;
      }
      this.memory.set(key, best);
      return best;
    }
  }

  const same = (about, content) => {
    const given = list(content, "trees");
    need(given.length === 2, "two trees are needed");
    const [one, other] = given.map((tree) => new Tree(about, tree));
    for (const [own, box] of one.leaves(about.whole)) need(other.only(box) === own, "the two trees differ");
    return ["Both trees give every row the same class."];
  };

  return (source, limit = 20000000) => {
    try {
      const content = JSON.parse(source);
      need(get(content, "format") === "orderless-certificate", "unknown format");
      need(get(content, "version") === 1, "unknown version");
      need(["form", "same", "policy"].includes(get(content, "claim")), "unknown claim");
      const about = new About(content, limit);
      if (content.claim === "same") return {verdict: "valid", lines: same(about, content)};
      const own = content.claim === "form" ? new Form(about, content) : new Policy(about, content);
      return {verdict: "valid", lines: own.check()};
    } catch (fault) {
      const verdict = fault instanceof Undecided ? "undecided" : "invalid";
      return {verdict, lines: [String(fault.message)]};
    }
  };
})();

if (typeof module !== "undefined" && typeof require !== "undefined") {
  module.exports = {checkCertificate};
  if (require.main === module) {
    const found = checkCertificate(require("fs").readFileSync(process.argv[2], "utf8"));
    const names = {valid: "Valid.", invalid: "Not valid.", undecided: "Undecided."};
    console.log([...found.lines, names[found.verdict]].join("\n"));
    process.exitCode = {valid: 0, invalid: 4, undecided: 5}[found.verdict];
  }
}
