// The parts of the page: filters, exact ends, a function in words, the list.

const LETTERS = "ABCD";
const PER_PAGE = 25;
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

const WISHES = { any: "allowed", must: "required", not: "forbidden" };
const wishes = []; // {f, wish, input, number, whole}: made once, then only changed

function makeFilters() {
  const rows = FEATURES.map((feature, f) => {
    if (!feature.columns.length) return null;
    const choices = WANTS.map((wish) => {
      const input = make("input", { type: "radio", name: `want-${f}`, value: wish, onchange: () => change(() => { state.want[f] = wish; }) });
      const [number, whole] = [make("b"), make("i", { class: "whole" })];
      wishes.push({ f, wish, input, number, whole });
      return make("label", { class: "wish" }, input, make("span", { "aria-hidden": "true" }, `${WISHES[wish]} `, number, whole));
    });
    return make("fieldset", { class: "wishes", "data-feature": f }, make("legend", {}, bdi(feature.name)), ...choices);
  }).filter(Boolean);
  $("wants").replaceChildren(...rows);
}

function drawFilters() {
  for (const { f, wish, input, number } of wishes) {
    const n = grouped(counts[f][wish]);
    input.checked = state.want[f] === wish;
    if (number.textContent === n) continue;
    number.textContent = n;
    input.setAttribute("aria-label", `${FEATURES[f].name} ${WISHES[wish]}: ${n} functions`);
  }
}

/** Replace what is in an element, and keep the focus on what was in focus. */
function keepFocus(parent, children) {
  const active = document.activeElement;
  const at = parent.contains(active) && active.name ? `[name="${active.name}"][value="${CSS.escape(active.value)}"]` : null;
  parent.replaceChildren(...children);
  if (at) parent.querySelector(at)?.focus();
}

const limits = []; // {measure, which, input}

function makeRanges() {
  const rows = MEASURES.map((measure) => {
    const end = (which) => {
      const input = make("input", {
        type: "text", inputmode: "decimal", "data-measure": measure.name,
        placeholder: shownNumber(which ? measure.high : measure.low, measure.whole),
        "aria-label": `${nameOf(measure.name)} ${which ? "at most" : "at least"}`,
        onchange: () => setEnd(measure, which, input),
      });
      limits.push({ measure, which, input });
      return input;
    };
    return make("div", { class: "range-row" },
      make("span", { class: "measure" }, nameOf(measure.name)), end(0), make("span", {}, "to"), end(1));
  });
  $("ranges").replaceChildren(...rows);
}

function drawRanges() {
  for (const { measure, which, input } of limits) {
    const given = state.ranges.get(measure.name)?.[which] ?? "";
    if (input.value !== String(given)) input.value = given;
    input.removeAttribute("aria-invalid");
  }
}

function setEnd(measure, which, input) {
  const text = input.value.trim().replace(",", ".");
  const number = text === "" ? null : Number(text);
  if (Number.isNaN(number)) {
    input.setAttribute("aria-invalid", "true");
    return;
  }
  const ends = [...(state.ranges.get(measure.name) ?? [null, null])];
  ends[which] = number;
  change(() => {
    if (ends[0] === null && ends[1] === null) state.ranges.delete(measure.name);
    else state.ranges.set(measure.name, ends);
  });
}

// -- the exact ends of measures, where not all functions are shown

function makeEnds() {
  $("ends").hidden = !SET.ends.length;
  const cell = (end) => {
    if (!end) return make("td", {}, "–");
    const [value, exact, k] = end;
    const shown = shownNumber(value, Number.isInteger(value));
    return make("td", { class: "number", title: `exactly ${exact}` },
      make("button", { type: "button", class: "plain", "data-function": SET.fingerprints[k], "aria-label": `put the function with ${shown} beside others`, onclick: () => toggle(k) }, shown));
  };
  const rows = SET.ends.map(({ measure, smallest, largest }) =>
    make("tr", { "data-measure": measure }, make("th", { scope: "row" }, nameOf(measure)), cell(smallest), cell(largest)));
  const head = make("tr", {}, ...["measure", "smallest", "largest"].map((name) => make("th", { scope: "col" }, name)));
  $("ends-table").replaceChildren(make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
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
  const some = [...order.slice(state.page * PER_PAGE, (state.page + 1) * PER_PAGE)];
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

