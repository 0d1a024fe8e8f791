// The parts of the page: filters, list, functions side by side, builder, one row, taking it along.

const LETTERS = "ABCD";
const PER_PAGE = 25;
const MOST_WALKS = 200_000; // of trees, to find out what to ask next
const $ = (id) => document.getElementById(id);

/** Make an element: its class or attributes, and what is in it; text is never markup. */
function make(tag, given = {}, ...inner) {
  const out = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (name.startsWith("on")) out.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null) out.setAttribute(name, value === true ? "" : value);
  }
  out.append(...inner);
  return out;
}

function bdi(text) {
  return make("bdi", {}, text);
}

// -- filters

function drawFilters() {
  const rows = FEATURES.map((feature, f) => {
    if (!feature.columns.length) return null;
    const choices = WANTS.map((wish) => {
      const n = counts[f][wish];
      const words = { any: "allowed", must: "required", not: "forbidden" }[wish];
      return make("label", { class: "wish" },
        make("input", {
          type: "radio", name: `want-${f}`, value: wish, checked: state.want[f] === wish,
          onchange: () => change(() => { state.want[f] = wish; }),
          "aria-label": `${feature.name} ${words}: ${grouped(n)} functions`,
        }),
        make("span", { "aria-hidden": "true" }, `${words} `, make("b", {}, grouped(n))));
    });
    return make("fieldset", { class: "wishes", "data-feature": f }, make("legend", {}, bdi(feature.name)), ...choices);
  }).filter(Boolean);
  keepFocus($("wants"), rows);
}

/** Replace what is in an element, and keep the focus on what was in focus. */
function keepFocus(parent, children) {
  const active = document.activeElement;
  const at = parent.contains(active) ? `[name="${active.name}"][value="${CSS.escape(active.value)}"]` : null;
  parent.replaceChildren(...children);
  if (at) parent.querySelector(at)?.focus();
}

function drawRanges() {
  const rows = MEASURES.map((measure) => {
    const { low, high } = spread(measure.values, 0, 1);
    const given = state.ranges.get(measure.name) ?? [null, null];
    const end = (which) => make("input", {
      type: "text", inputmode: "decimal", value: given[which] ?? "", "data-measure": measure.name,
      placeholder: shownNumber(which ? high : low, measure.whole),
      "aria-label": `${nameOf(measure.name)} ${which ? "at most" : "at least"}`,
      onchange: (event) => setEnd(measure, which, event.target),
    });
    return make("div", { class: "range-row" },
      make("span", { class: "measure" }, nameOf(measure.name)), end(0), make("span", {}, "to"), end(1));
  });
  $("ranges").replaceChildren(...rows);
}

function setEnd(measure, which, input) {
  const text = input.value.trim().replace(",", ".");
  const number = text === "" ? null : Number(text);
  input.toggleAttribute("aria-invalid", Number.isNaN(number));
  if (Number.isNaN(number)) return;
  const ends = [...(state.ranges.get(measure.name) ?? [null, null])];
  ends[which] = number;
  change(() => {
    if (ends[0] === null && ends[1] === null) state.ranges.delete(measure.name);
    else state.ranges.set(measure.name, ends);
  });
}

// -- a function in words

function ruleList(k, others = []) {
  const known = new Set(others.flatMap((o) => rulesOf(o).map((rule) => JSON.stringify(rule))));
  return make("ul", { class: "rules" }, ...rulesOf(k).map((rule) => {
    const words = rule.conditions.length ? `IF ${rule.conditions.join(" AND ")}` : "ALWAYS";
    const text = [bdi(words), " THEN ", make("strong", { class: `class-${rule.label % 10}` }, bdi(SET.classes[rule.label]))];
    const differs = others.length && !known.has(JSON.stringify(rule));
    return make("li", {}, ...(differs ? [make("mark", {}, ...text)] : text));
  }));
}

function describe(k) {
  const measures = ["objective", "error", "leaves", "coverage"].filter((name) => MEASURE.has(name));
  const line = measures.map((name) => {
    const measure = MEASURE.get(name);
    return `${nameOf(name)} ${shownNumber(measure.values[k], measure.whole)}`;
  });
  return [ruleList(k), make("p", { class: "quiet" }, line.join(" · "))];
}

function toggle(k) {
  const at = state.chosen.indexOf(k);
  if (at >= 0) state.chosen.splice(at, 1);
  else if (state.chosen.length < LETTERS.length) state.chosen.push(k);
  else state.chosen.splice(0, state.chosen.length, ...state.chosen.slice(1), k);
  refresh();
}

// -- the list

function drawList() {
  if ($("view-list").hidden) return;
  const order = ordered();
  const pages = Math.max(1, Math.ceil(order.length / PER_PAGE));
  state.page = Math.min(state.page, pages - 1);
  const some = order.slice(state.page * PER_PAGE, (state.page + 1) * PER_PAGE);
  const head = make("tr", {}, make("th", { scope: "col" }, "beside"), make("th", { scope: "col" }, "rules"),
    ...MEASURES.map((measure) => make("th", { scope: "col", "aria-sort": state.sort === measure.name ? (measure.better > 0 ? "descending" : "ascending") : "none" },
      make("button", { type: "button", class: "plain", onclick: () => { state.sort = measure.name; state.page = 0; drawList(); } }, nameOf(measure.name)))));
  const body = some.map((k) => make("tr", { "data-function": SET.fingerprints[k] },
    make("td", {}, make("input", {
      type: "checkbox", checked: state.chosen.includes(k), onchange: () => toggle(k), value: k, name: "beside",
      "aria-label": `put function ${k + 1} beside others`,
    })),
    make("td", { class: "words" }, ruleList(k)),
    ...MEASURES.map(({ values, whole }) => make("td", { class: "number" }, shownNumber(values[k], whole)))));
  const table = make("table", {}, make("thead", {}, head), make("tbody", {}, ...body));
  keepFocus($("table"), [table]);
  $("page").textContent = order.length ? `${grouped(state.page * PER_PAGE + 1)} to ${grouped(Math.min(order.length, (state.page + 1) * PER_PAGE))} of ${grouped(order.length)}` : "none";
  $("before").disabled = state.page === 0;
  $("after").disabled = state.page >= pages - 1;
}

// -- side by side

function drawCompare() {
  if ($("panel-compare").hidden) return;
  const { chosen } = state;
  if (!chosen.length) {
    $("compare").replaceChildren(make("p", { class: "quiet" }, "Choose functions in a picture or in the list: up to four stand here side by side."));
    return;
  }
  const cards = chosen.map((k, i) => make("article", { class: "function", "data-function": SET.fingerprints[k] },
    make("h3", {}, `${LETTERS[i]} `, make("button", { type: "button", class: "plain", onclick: () => toggle(k), "aria-label": `remove ${LETTERS[i]}` }, "remove")),
    ruleList(k, chosen.filter((o) => o !== k)), measureList(k), treeBox(k, i)));
  const pairs = [];
  for (let a = 0; a < chosen.length; a++) for (let b = a + 1; b < chosen.length; b++) pairs.push(pairBox(a, b));
  $("compare").replaceChildren(make("div", { class: "cards" }, ...cards), ...pairs);
}

function measureList(k) {
  return make("dl", {}, ...MEASURES.flatMap(({ name, values, whole }) =>
    [make("dt", {}, nameOf(name)), make("dd", { "data-measure": name }, shownNumber(values[k], whole))]));
}

function treeBox(k, i) {
  const asked = [...new Set(columnsOf(TREES[k]))];
  const shown = make("div", { class: "tree" });
  const draw = (first) => {
    const tree = reordered(k, first);
    const n = questionsOf(tree);
    shown.replaceChildren(branch(tree), make("p", { class: "quiet" }, `${shownNumber(n, false)} questions on average`));
  };
  const choice = make("select", { "aria-label": `first question of ${LETTERS[i]}`, onchange: (event) => draw(event.target.value === "" ? null : Number(event.target.value)) },
    make("option", { value: "" }, "fewest questions"),
    ...asked.map((column) => make("option", { value: column }, `first: ${COLUMNS[column].yes}`)));
  draw(null);
  return make("details", {}, make("summary", {}, "As a tree"), choice, shown);
}

function branch(tree) {
  if (tree.label !== undefined) return make("span", { class: `leaf class-${tree.label % 10}` }, bdi(SET.classes[tree.label]));
  const { yes, no } = COLUMNS[tree.column];
  const side = (words, child) => make("li", {}, bdi(words), ": ", branch(child));
  return make("ul", { class: "branch" }, side(yes, tree.yes), side(no, tree.no));
}

function pairBox(a, b) {
  const mask = differing(state.chosen[a], state.chosen[b]);
  const weight = weightOf(mask);
  const words = `${LETTERS[a]} and ${LETTERS[b]} differ on ${shownNumber(weight, Number.isInteger(weight))} of ${shownNumber(TOTAL, Number.isInteger(TOTAL))} training rows (${shownNumber((100 * weight) / TOTAL, false)}%).`;
  const rows = rowsIn(mask);
  const used = [...new Set([...columnsOf(TREES[state.chosen[a]]), ...columnsOf(TREES[state.chosen[b]])])];
  const kinds = new Map();
  for (const i of rows) {
    const key = used.map((j) => (BITS[j * WORDS + (i >>> 5)] >>> (i & 31)) & 1).join("");
    const sums = kinds.get(key) ?? SET.classes.map(() => 0);
    sums.forEach((_, c) => { sums[c] += WEIGHTS[c][i]; });
    kinds.set(key, sums);
  }
  const size = (sums) => sums.reduce((x, y) => x + y, 0);
  const lines = [...kinds].sort((x, y) => size(y[1]) - size(x[1])).slice(0, 8).map(([key, sums]) =>
    make("li", {}, bdi(used.map((j, at) => (key[at] === "1" ? COLUMNS[j].yes : COLUMNS[j].no)).join(" AND ")),
      `; truly ${sums.map((n, c) => `${SET.classes[c]}: ${shownNumber(n, Number.isInteger(n))}`).join(", ")}`));
  const more = kinds.size > 8 ? [make("p", { class: "quiet" }, `and ${kinds.size - 8} kinds of rows more`)] : [];
  return make("section", { class: "pair" }, make("p", {}, words), make("ul", {}, ...lines), ...more);
}

// -- builder

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
  $("build").replaceChildren(rule, make("h3", {}, "From a function"), ...fromFunction());
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
    make("div", { class: "tools" }, `The fewest ${nameOf(price)} with at most `, more, " more wrong training rows than A ", make("button", { type: "button", id: "cheapest", onclick: () => beside(cheapest(k, price, Number(more.value))) }, "find it")),
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
    if (far < least) [best, least] = [other, far];
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

// -- one row

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

// -- taking it along

function drawTake() {
  if ($("panel-take").hidden) return;
  if (!state.chosen.length) {
    $("take").replaceChildren(make("p", { class: "quiet" }, "Choose a function in a picture or in the list."));
    return;
  }
  const parts = state.chosen.map((k, i) => {
    const name = SET.fingerprints[k];
    const chosen = choices();
    const lines = [
      ...(chosen.length ? [`# Chosen among functions such that: ${chosen.join("; ")}`] : []),
      `found = ${SET.made}`,
      `tree = found.function("${name}").tree`,
      'ol.write_page(tree, "page.html")  # to fill in',
      'ol.report(tree, X, y, "report.html")',
      "tree.to_sklearn(); tree.to_sql(); tree.to_javascript()",
    ];
    return make("section", {}, make("h3", {}, LETTERS[i]), ruleList(k),
      make("div", { class: "tools" },
        make("button", { type: "button", "data-take": name, onclick: () => save(`${name.slice(0, 8)}.json`, JSON.stringify(modelOf(k))) }, "Save as model (JSON)"),
        make("button", { type: "button", onclick: () => save(`${name.slice(0, 8)}.py`, `import orderless as ol\n\n${lines.join("\n")}\n`) }, "Save as Python")),
      make("pre", { tabindex: "0" }, lines.join("\n")),
      make("p", { class: "quiet" }, `In a shell: orderless explain ${name.slice(0, 8)}.json, orderless export ${name.slice(0, 8)}.json --to sql, orderless app ${name.slice(0, 8)}.json`));
  });
  $("take").replaceChildren(...parts);
}

function save(name, text) {
  const link = make("a", { download: name, href: URL.createObjectURL(new Blob([text], { type: "application/octet-stream" })) });
  document.body.append(link);
  link.click();
  link.remove();
}
