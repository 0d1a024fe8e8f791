// The page: reads the form, and shows the advice. Text only ever enters as text.

const SIGNS = { " <= ": " ≤ ", " >= ": " ≥ ", " != ": " is not ", " = ": " is " };
const LISTED = 6; // outcomes that are shown at first
const NARROWS = "It narrows things down; more has to be asked after it.";
// What is said of a feature that need not be asked: within a width, it may still change the number.
const SPARE = PAGE.within == null ? "Makes no difference" : "Not needed";
const answer = document.getElementById("answer");
const verdict = document.getElementById("verdict");
const details = document.getElementById("details");
const peek = document.getElementById("peek");
const fields = [...document.querySelectorAll(".feature")];
const locked = new Set(); // features that cannot be changed
let locksShown = false;
const fieldOf = new Map(fields.map((field) => [Number(field.dataset.feature), field]));

// -- building blocks

function element(tag, name, ...content) {
  const out = document.createElement(tag);
  if (name) out.className = name;
  out.append(...content);
  return out;
}

/** Keep a name or label, and the direction that it is written in, to itself. */
function isolated(text, name = "") {
  return element("bdi", name, text);
}

function joined(nodes, word) {
  return nodes.flatMap((node, k) =>
    k === 0 ? [node] : [k === nodes.length - 1 ? ` ${word} ` : ", ", node],
  );
}

function labelsOf(labels, word = "or") {
  if (PAGE.numbers && labels.length > 1) {
    const ends = [labels[0], labels[labels.length - 1]];
    return joined(ends.map((label) => isolated(PAGE.classes[label], "class")), "to");
  }
  return joined(labels.map((label) => isolated(PAGE.classes[label], "class")), word);
}

function namesOf(features) {
  return joined(features.map((i) => isolated(PAGE.names[i], "name")), "and");
}

/** Say what is required of a feature. */
function condition(i, side) {
  const out = element("span", "condition");
  if (FEATURES[i].kind === "boolean") {
    out.append(isolated(PAGE.names[i], "name"), side.high === 1 ? ": yes" : ": no");
    return out;
  }
  const unit = PAGE.units[i];
  for (const [kind, text] of say(i, side)) {
    if (kind === "name") out.append(isolated(PAGE.names[i], "name"));
    else if (kind === "label") out.append(isolated(text, "label"));
    else if (kind === "number") out.append(element("span", "number", text));
    else out.append(SIGNS[text] || text);
  }
  if (unit && out.querySelector(".number")) out.append(" ", isolated(unit, "unit"));
  return out;
}

// -- reading the form

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Read a number; a decimal comma is as good as a point, where it cannot mean thousands. */
function numberIn(text) {
  const plain = text.trim().replace(/^\u2212/, "-");
  if (!plain) return null;
  const pointed = plain.replace(/^([+-]?\d*),(\d+)$/, "$1.$2");
  const number = NUMBER.test(pointed) ? Number(pointed) : NaN;
  if (!Number.isFinite(number)) {
    throw new RangeError(`“${plain.slice(0, 40)}” is not a number. Write it like 12.5.`);
  }
  if (/^[+-]?[1-9]\d{0,2},\d{3}$/.test(plain)) {
    const whole = plain.replace(",", "");
    throw new RangeError(`“${plain}” can mean ${pointed} or ${whole}. Write the one you mean.`);
  }
  return number;
}

/** Say how what was typed with a comma was read. */
function readAs(field) {
  const typed = [...field.querySelectorAll("input[type=text]")].map((input) => input.value);
  const commas = typed.filter((text) => text.includes(","));
  if (!commas.length) return "";
  try {
    return `Read as ${commas.map(numberIn).join(" and ")}.`;
  } catch {
    return "";
  }
}

function sideIn(i, field) {
  const feature = FEATURES[i];
  if (feature.kind === "boolean") {
    const text = field.querySelector("input:checked")?.value;
    return text ? readSide(i, Number(text)) : WHOLE[i];
  }
  if (feature.kind === "categorical") {
    const ticked = [...field.querySelectorAll(".choice input")].map((input) => input.checked);
    return ticked.includes(true) ? ticked : WHOLE[i];
  }
  if (field.querySelector(".missing input")?.checked) return { low: 1, high: 0, nan: true };
  if (field.querySelector(".range").hidden) {
    const number = numberIn(field.querySelector(".value").value);
    if (number === null) return WHOLE[i];
    if (feature.kind === "integer" && !Number.isInteger(number)) {
      throw new RangeError(`${number} is not a whole number.`);
    }
    return readSide(i, number);
  }
  const [from, to] = ["from", "to"].map((end) => numberIn(field.querySelector(`.${end}`).value));
  if (from === null && to === null) return WHOLE[i];
  if (from !== null && to !== null && from > to) {
    throw new RangeError(`A range goes from low to high, but ${from} is above ${to}.`);
  }
  if (feature.kind === "integer" && Math.ceil(from ?? -Infinity) > Math.floor(to ?? Infinity)) {
    throw new RangeError(`There is no whole number from ${from} to ${to}.`);
  }
  return readSide(i, { from, to });
}

/** Give the box of the whole form; what cannot be read counts as unknown, and is marked. */
function boxIn() {
  const faults = [];
  const box = FEATURES.map((_, i) => {
    const field = fieldOf.get(i);
    let [side, said] = [WHOLE[i], ""];
    try {
      side = sideIn(i, field);
    } catch (fault) {
      said = fault.message;
      faults.push(i);
    }
    const read = field.querySelector(".read");
    if (read) {
      const shown = readAs(field);
      if (read.textContent !== shown) read.textContent = shown;
    }
    const place = field.querySelector(".fault");
    if (place && place.textContent !== said) place.textContent = said;
    for (const input of field.querySelectorAll("input[type=text]")) {
      if (said) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    }
    return side;
  });
  return { box, faults };
}

// -- showing the advice

function update() {
  const { box, faults } = boxIn();
  consider(box, (advice) => show(box, advice, faults));
}

function show(box, advice, faults) {
  answer.setAttribute("aria-busy", String(Boolean(advice.busy)));
  showVerdict(box, advice, faults);
  details.replaceChildren(...detailsOf(advice, box));
  for (const [i, field] of fieldOf) mark(i, field, box, advice);
  peek.replaceChildren(...summary(advice));
}

function showVerdict(box, advice, faults) {
  const { state, what, rest } = verdictOf(advice, box);
  const parts = [element("p", "state", state), element("p", "what", ...what), ...rest];
  if (faults.length) {
    const are = faults.length === 1 ? "cannot be read and counts" : "cannot be read and count";
    parts.push(element("p", "warning", ...namesOf(faults), ` ${are} as unknown.`));
  }
  const shown = element("div", "", ...parts);
  answer.classList.toggle("certain", advice.settled);
  if (verdict.innerHTML !== shown.innerHTML) verdict.replaceChildren(...parts);
}

/** Say that the unknown values do not matter, if there are some. */
function whatever(box) {
  const unknown = box.filter((side, i) => isWhole(i, side)).length;
  if (!unknown) return [];
  const rest = unknown === 1 ? "the unknown value is" : `the ${unknown} unknown values are`;
  return [element("p", "rest", `whatever ${rest}.`)];
}

/** List the conditions of a reason. */
function reasonList(sides) {
  const given = PAGE.order.filter((i) => !isWhole(i, sides[i]));
  if (!given.length) return [element("p", "", "The answer is the same whatever the values are.")];
  return [
    element("ul", "reason", ...given.map((i) => element("li", "", condition(i, sides[i])))),
    element("p", "quiet", "This alone settles it; everything else makes no difference."),
  ];
}

function changesOf(others) {
  if (!others.length) {
    return [element("p", "", "No change of a single value would change it.")];
  }
  const place = element("div", "changes");
  const fill = () => place.replaceChildren(...changesLeft(others));
  fill();
  return [place, locks([...new Set(others.map(({ i }) => i))], fill)];
}

/** List the changes of what is not locked. */
function changesLeft(others) {
  const left = others.filter(({ i }) => !locked.has(i));
  if (!left.length) {
    return [element("p", "", "No change of a single value that can be changed would change it.")];
  }
  const items = left.map(({ i, side, labels }) =>
    element("li", "", condition(i, side), ...outcome(labels)),
  );
  return [element("p", "quiet", "One value at a time, with everything else as it is:"), ...listed(items)];
}

/** Offer a lock for each feature: what cannot be changed is not listed. */
function locks(features, changed) {
  const boxes = features.map((i) => {
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = locked.has(i);
    box.addEventListener("change", () => {
      if (box.checked) locked.add(i);
      else locked.delete(i);
      changed();
    });
    return element("label", "choice lock", box, element("span", "", isolated(PAGE.names[i], "name")));
  });
  const head = element("summary", "", "Lock what cannot be changed");
  const out = element("details", "locks", head);
  out.append(element("div", "choices", ...boxes));
  out.open = locksShown;
  // Known with the click: "toggle" comes later, perhaps after the list has been drawn again.
  head.addEventListener("click", () => (locksShown = !out.open));
  out.addEventListener("toggle", () => (locksShown = out.isConnected ? out.open : locksShown));
  return out;
}

/** Show the first items of a list, and the rest on demand. */
function listed(items) {
  const first = element("ul", "outcomes", ...items.slice(0, LISTED));
  if (items.length <= LISTED) return [first];
  const rest = element("ul", "outcomes", ...items.slice(LISTED));
  const more = element("summary", "", `${items.length - LISTED} more`);
  return [first, element("details", "", more, rest)];
}

function outcome(labels) {
  const arrow = element("span", "", " → ");
  arrow.setAttribute("aria-hidden", "true");
  const leads = [arrow, element("span", "hidden", " leads to ")];
  if (!isOpen(labels)) return [...leads, ...labelsOf(labels)];
  return [...leads, element("span", "quiet", "still open: "), ...labelsOf(labels)];
}

function nextButton(next) {
  const go = element("button", "next", isolated(PAGE.names[next], "name"));
  go.type = "button";
  go.addEventListener("click", () => focusOn(next));
  return go;
}

function outcomeList(next, each) {
  return listed(each.map(({ side, labels }) => element("li", "", condition(next, side), ...outcome(labels))));
}

/** Name features under a heading; nothing if there are none. */
function named(heading, features) {
  if (!features.length) return [];
  return [element("h3", "", heading), element("p", "", ...namesOf(features), ".")];
}

/** Give the unknown features that make no difference. */
function spareIn(box, matters) {
  return PAGE.order.filter((i) => !matters.includes(i) && isWhole(i, box[i]));
}

function focusOn(i) {
  const field = fieldOf.get(i);
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  field.scrollIntoView({ block: "center", behavior: calm ? "auto" : "smooth" });
  const inputs = [...field.querySelectorAll("input")].filter((input) => !input.closest("[hidden]"));
  (inputs.find((input) => input.checked) || inputs[0]).focus({ preventScroll: true });
}

function mark(i, field, box, { next, matters }) {
  const known = !isWhole(i, box[i]);
  const spare = !known && !matters.includes(i);
  const said = i === next ? "Ask next" : spare ? SPARE : "";
  const note = field.querySelector(".note");
  if (note.textContent !== said) note.textContent = said;
  field.classList.toggle("next", i === next);
  field.classList.toggle("spare", spare);
  field.classList.toggle("known", known);
  const scale = field.querySelector(".scale");
  if (scale) drawScale(scale, i, box[i], known);
}

// -- what a person does

function setRange(field, on) {
  field.querySelector(".range").hidden = !on;
  field.querySelector(".exact").hidden = on;
  field.querySelector(".toggle").setAttribute("aria-pressed", String(on));
}

/** Show the categories in which the text occurs, and those that are chosen. */
function find(field, text) {
  const wanted = text.trim().toLocaleLowerCase();
  let hits = 0;
  for (const choice of field.querySelectorAll(".choice")) {
    const hit = choice.textContent.toLocaleLowerCase().includes(wanted);
    choice.hidden = !hit && !choice.querySelector("input").checked;
    hits += hit;
  }
  const said = wanted ? `${hits} ${hits === 1 ? "value contains" : "values contain"} “${text.trim()}”.` : "";
  field.querySelector(".found").textContent = said;
}

function setMissing(field, on) {
  for (const input of field.querySelectorAll("input[type=text], .toggle")) input.disabled = on;
}

function clear() {
  document.getElementById("form").reset();
  locked.clear();
  for (const field of fields) {
    if (field.querySelector(".range")) setRange(field, false);
    if (field.querySelector(".missing")) setMissing(field, false);
    if (field.querySelector(".find")) find(field, "");
  }
  update();
}

function fillIn(example) {
  clear();
  for (const [i, value] of example) {
    const field = fieldOf.get(i);
    const { kind } = FEATURES[i];
    if (kind === "boolean") field.querySelector(`input[value="${value}"]`).checked = true;
    else if (kind === "categorical") field.querySelectorAll(".choice input")[value].checked = true;
    else if (value === null) {
      field.querySelector(".missing input").checked = true;
      setMissing(field, true);
    } else field.querySelector(".value").value = value;
  }
  update();
}

for (const field of fields) {
  const toggle = field.querySelector(".toggle");
  toggle?.addEventListener("click", () => {
    const on = toggle.getAttribute("aria-pressed") !== "true";
    const [value, from, to] = ["value", "from", "to"].map((name) => field.querySelector(`.${name}`));
    if (on && value.value) from.value = to.value = value.value; // what was known stays known
    if (!on) value.value = from.value === to.value ? from.value : "";
    if (!on) from.value = to.value = "";
    setRange(field, on);
    (on ? from : value).focus();
    update();
  });
  const search = field.querySelector(".find");
  search?.addEventListener("input", () => find(field, search.value));
  const missing = field.querySelector(".missing input");
  missing?.addEventListener("change", () => setMissing(field, missing.checked));
}
document.getElementById("form").addEventListener("input", update);
document.getElementById("form").addEventListener("change", update);
document.getElementById("form").addEventListener("submit", (event) => event.preventDefault());
document.getElementById("clear").addEventListener("click", () => {
  clear();
  fields[0]?.querySelector("input").focus();
});
const examples = document.getElementById("example");
examples?.addEventListener("change", () => {
  const chosen = examples.value;
  if (chosen) fillIn(PAGE.examples[Number(chosen)]);
  else clear();
  examples.value = chosen;
});
window.addEventListener("pageshow", clear);
window.addEventListener("resize", () => document.querySelectorAll(".scale").forEach(spread));
clear();

globalThis.orderless = Object.freeze(OFFERED);
