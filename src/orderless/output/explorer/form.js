// Files for people: the page to fill in, put together as orderless writes it, and a summary to print.

/** Put texts into the holes of a text. */
function filled(text, texts) {
  const parts = text.split("\0");
  return parts.map((one, i) => (i % 2 ? texts[one] : one)).join("");
}

function escaped(text) {
  const codes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&#39;", '"': "&#34;" };
  return text.replace(/[&<>'"]/g, (sign) => codes[sign]);
}

/** The page to fill in of a function. */
function formOf(k) {
  const { form } = SET;
  if (form.fault) throw new Error(form.fault);
  const { feature, threshold, when_true, when_false, leaf_class, nan_true, sets } = modelOf(k);
  if (leaf_class.filter((label) => label >= 0).length > form.limit) {
    throw new Error(`A page is written for at most ${grouped(form.limit)} leaves.`);
  }
  const asked = [...new Set(feature.filter((f) => f >= 0))].sort((a, b) => form.rank[a] - form.rank[b]);
  const cuts = new Map(asked.map((f) => [f, cutsOf(k, f)]));
  const test = (at) => {
    const f = feature[at];
    if (sets?.[at]) return listOf(sets[at]);
    return threshold[at] === -Infinity ? -1 : cuts.get(f).filter(([cut]) => cut < threshold[at]).length;
  };
  const nodes = feature.map((f, at) =>
    f < 0 ? listOf([leaf_class[at]]) : listOf([asked.indexOf(f), test(at), nan_true?.[at] ?? false, when_true[at], when_false[at]]));
  const features = asked.map((f) => filled(form.features[f].model, {
    cuts: listOf(cuts.get(f).map(([, cut]) => cut)), words: listOf(cuts.get(f).map(([, , words]) => words)),
  }));
  const order = asked.map((_, at) => at).sort((a, b) => asked[a] - asked[b]);
  const lines = (texts) => texts.map((text) => `    ${text},\n`).join("");
  const script = filled(form.script, {
    features: lines(features), nodes: lines(nodes), names: listOf(asked.map((f) => form.features[f].name)),
    units: listOf(asked.map(() => '""')), order: listOf(order), weights: listOf(feature.map(() => 1)),
  });
  const fields = order.map((at) => filled(form.features[asked[at]].field, { at }));
  return filled(form.page, {
    hash: hashOf(script), script, description: escaped(originOf(k)), fields: fields.join("") || form.nothing,
    fingerprint: SET.fingerprints[k],
  });
}

function listOf(texts) {
  return `[${texts.join(", ")}]`;
}

/** The cuts of a function on a feature, in order: as numbers, as the model has them, in words. */
function cutsOf(k, f) {
  const own = [...new Set(columnsOf(TREES[k]))].filter((j) => SET.columns[j].feature === f && SET.form.cuts[j]);
  const each = new Map(own.map((j) => [SET.columns[j].threshold, SET.form.cuts[j]]));
  return [...each].sort(([a], [b]) => a - b).map(([number, texts]) => [number, ...texts]);
}

// -- a summary

/** What this file knows of a function, as a page to print; the report of orderless knows more. */
function summaryOf(k) {
  const short = SET.fingerprints[k].slice(0, 8);
  const style = document.querySelector("style").textContent;
  const title = `A function chosen from ${document.title}`;
  const parts = [
    make("p", { class: "lead origin" }, bdi(originOf(k))),
    make("h2", {}, "Rules"), ruleList(k),
    make("h2", {}, "Measures"), measureList(k),
    make("h2", {}, "As a tree"), make("div", { class: "tree" }, branch(reordered(k, []).tree)),
    make("h2", {}, "On the training rows"), rightAndWrong(k),
    ...rowsSaid(k),
    make("h2", {}, "More"),
    make("p", {}, "This is what the page of the set knows. The report has coverage, importance and costs, and is written from the model and the data:"),
    make("pre", { tabindex: "0" }, `orderless report ${short}.json --data data.csv --target y -o report.html`),
    ...[...document.querySelectorAll("footer p")].slice(0, -1).map((one) => make("p", { class: "quiet" }, one.textContent)),
  ];
  const body = parts.map((one) => one.outerHTML).join("\n");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '${hashOf(style)}'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="orderless">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body class="summary">
<header><h1><bdi>${escaped(title)}</bdi></h1></header>
<main>
${body}
</main>
</body>
</html>
`;
}

/** What a box has that is moved by keyboard where it is wider than the page. */
function scrolled(words) {
  return { tabindex: "0", role: "region", "aria-label": words };
}

/** How many training rows of each class get each class. */
function rightAndWrong(k) {
  const masks = rowMasks(k);
  const weight = (mask, c) => rowsIn(mask).reduce((sum, i) => sum + WEIGHTS[c][i], 0);
  const head = make("tr", {}, make("th", { scope: "col" }, "truly"), ...SET.classes.map((name) => make("th", { scope: "col" }, "decided: ", bdi(name))));
  const body = SET.classes.map((name, c) => make("tr", {}, make("th", { scope: "row" }, bdi(name)), ...masks.map((mask) => {
    const n = weight(mask, c);
    return make("td", { class: "number" }, shownNumber(n, Number.isInteger(n)));
  })));
  return make("div", { class: "rows", ...scrolled("training rows by class") }, make("table", { class: "truth" }, make("thead", {}, head), make("tbody", {}, ...body)));
}

/** What the function says of the rows of the table that was given. */
function rowsSaid(k) {
  if (!GIVEN) return [];
  const some = Array.from({ length: Math.min(GIVEN.n, MOST_ROWS) }, (_, i) => i);
  const columns = [...SET.table.columns];
  const head = make("tr", {}, ...["row", "decided", ...columns.map(({ name }) => name)].map((name) => make("th", { scope: "col" }, bdi(name))));
  const body = some.map((i) => make("tr", {}, make("td", { class: "number" }, grouped(i + 1)), make("td", {}, bdi(SET.classes[labelOf(k, i, GIVEN)])),
    ...columns.map(({ texts, at }) => make("td", {}, bdi(texts[at[i]])))));
  const words = GIVEN.n > some.length ? `The first ${grouped(some.length)} of ${grouped(GIVEN.n)} rows` : "The rows";
  return [make("h2", {}, "Rows"), make("p", { class: "quiet" }, `${words} of the table that was given.`),
    make("div", { class: "rows", ...scrolled("rows") }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...body)))];
}

// -- the name of a script

/** The SHA-256 of a text (FIPS 180-4), as a content security policy names it. */
function hashOf(text) {
  const bytes = new TextEncoder().encode(text);
  const words = new Uint32Array((((bytes.length + 8) >>> 6) + 1) << 4);
  bytes.forEach((byte, i) => { words[i >>> 2] |= byte << (24 - 8 * (i & 3)); });
  words[bytes.length >>> 2] |= 0x80 << (24 - 8 * (bytes.length & 3));
  words[words.length - 2] = Math.floor(bytes.length / 2 ** 29);
  words[words.length - 1] = bytes.length << 3;
  const [begin, add] = hashConstants();
  const hash = Uint32Array.from(begin);
  const turned = (x, n) => (x >>> n) | (x << (32 - n));
  const w = new Uint32Array(64);
  for (let start = 0; start < words.length; start += 16) {
    let [a, b, c, d, e, f, g, h] = hash;
    for (let t = 0; t < 64; t++) {
      if (t < 16) w[t] = words[start + t];
      else {
        const [x, y] = [w[t - 15], w[t - 2]];
        w[t] = w[t - 16] + w[t - 7] + (turned(x, 7) ^ turned(x, 18) ^ (x >>> 3)) + (turned(y, 17) ^ turned(y, 19) ^ (y >>> 10));
      }
      const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + add[t] + w[t]) | 0;
      const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((value, i) => { hash[i] += value; });
  }
  const out = [...hash].flatMap((word) => [word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255]);
  return `sha256-${btoa(String.fromCharCode(...out))}`;
}

/** The first 32 bits behind the point of square roots of 8 primes, and of cube roots of 64. */
function hashConstants() {
  const primes = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime)) primes.push(n);
  const bits = (root) => Math.floor((root % 1) * 2 ** 32);
  return [primes.slice(0, 8).map((p) => bits(Math.sqrt(p))), Uint32Array.from(primes, (p) => bits(Math.cbrt(p)))];
}
