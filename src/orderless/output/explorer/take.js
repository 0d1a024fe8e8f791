// Taking a function along: as a model, as code, as a page, with a line that says where it comes from.

const FILES = { json: ["json", "Model (JSON)"], sql: ["sql", "SQL"], sklearn: ["py", "scikit-learn (Python)"], python: ["py", "The choice again (Python)"], page: ["html", "Page to fill in"], summary: ["html", "Summary to print"], report: ["html", "Report"] };

function drawTake() {
  if ($("panel-take").hidden) return;
  if (!state.chosen.length) {
    $("take").replaceChildren(make("p", { class: "quiet" }, "Choose a function in a picture or in the list."));
    return;
  }
  const parts = state.chosen.map((k, i) => {
    const name = SET.fingerprints[k];
    const short = name.slice(0, 8);
    const button = (kind) => make("button", { type: "button", "data-take": name, "data-as": kind, onclick: () => take(k, kind) }, FILES[kind][1]);
    const kinds = ["json", "sql", "sklearn", "python", "page", "summary", ...(SET.live?.takes.includes("report") ? ["report"] : [])];
    const lines = [`orderless report ${short}.json --as page -o page.html`, `orderless report ${short}.json --data data.csv --target y -o report.html`, `orderless export ${short}.json --format sql --dialect postgres`];
    return make("section", {}, make("h3", {}, LETTERS[i]), ruleList(k), make("p", { class: "origin quiet" }, bdi(originOf(k))),
      make("div", { class: "tools" }, ...kinds.map(button)),
      make("pre", { tabindex: "0" }, pythonOf(k)),
      make("p", { class: "quiet" }, SET.live?.takes.includes("report") ? "In a shell, with the model:" : "The summary has what this page knows; the full report, and other kinds of SQL, are written in a shell, with the model:"),
      make("pre", { tabindex: "0", class: "shell" }, lines.join("\n")));
  });
  $("take").replaceChildren(make("p", { id: "take-note", role: "status", class: "fault" }), ...parts);
}

/** From which set, and by which choices, a function comes. */
function originOf(k) {
  const chosen = choices();
  const how = chosen.length ? ` Chosen among the functions such that: ${chosen.join("; ")}.` : " Chosen among all functions that were shown.";
  return `Function ${SET.fingerprints[k]} of ${SET.made}. ${SET.about}${how}`;
}

/** Python that makes the same choices and ends with the function. */
function pythonOf(k) {
  const quoted = (text) => JSON.stringify(text);
  const names = (wish) => FEATURES.filter((_, f) => state.want[f] === wish).map(({ raw }) => quoted(raw)).join(", ");
  const where = [...state.ranges].flatMap(([name, [from, to]]) => [...(from === null ? [] : [quoted(`${name} >= ${from}`)]), ...(to === null ? [] : [quoted(`${name} <= ${to}`)])]);
  const given = [SET.judged, names("must") && `using=[${names("must")}]`, names("not") && `without=[${names("not")}]`, state.first?.has && `first=${quoted(state.first.name)}`, where.length && `where=[${where.join(", ")}]`].filter(Boolean);
  const lines = ["import orderless as ol", "", `found = ${SET.made}`];
  if (SET.again) lines.push(`table = ol.choose(${["found", ...given].join(", ")})`);
  for (const one of [...state.rules, ...(state.brush ? [state.brush] : [])]) lines.push(`# and by hand: ${one.words.replace(/\s+/g, " ")}`);
  if (SET.again) lines.push(`tree = found.functions()[${quoted(SET.fingerprints[k])}].tree`);
  else lines.push(`tree = ol.Tree.from_json(open(${quoted(`${SET.fingerprints[k].slice(0, 8)}.json`)}).read())`);
  lines.push('ol.write_page(tree, "page.html")  # to fill in', "tree.to_sql(), tree.to_sklearn()  # and ol.report(tree, X, y)");
  return `${lines.join("\n")}\n`;
}

function comment(sign, text) {
  return text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).map((line) => `${sign} ${line}`).join("\n");
}

/** SQL that gives the class where it is certain, and NULL elsewhere. */
function sqlOf(k) {
  const { yes, no, labels } = SET.sql;
  const leaves = []; // [label, what rules the leaf out: some step that certainly goes the other way]
  const walk = (tree, out) => {
    if (tree.label !== undefined) return leaves.push([tree.label, out]);
    walk(tree.yes, [...out, no[tree.column]]);
    return walk(tree.no, [...out, yes[tree.column]]);
  };
  walk(TREES[k], []);
  const there = [...new Set(leaves.map(([label]) => label))].sort((a, b) => a - b);
  if (there.length === 1) return labels[there[0]];
  const cases = there.map((label) => {
    const others = leaves.filter(([own]) => own !== label).map(([, out]) => `(${out.join(" OR ")})`);
    return `  WHEN ${others.join("\n    AND ")}\n    THEN ${labels[label]}`;
  });
  return `CASE\n${cases.join("\n")}\nEND`;
}

/** Python that makes the classifier of scikit-learn. */
function sklearnOf(k) {
  const model = JSON.stringify(JSON.stringify(modelOf(k)));
  return `${comment("#", originOf(k))}\nimport orderless as ol\n\ntree = ol.Tree.from_json(${model})\nmodel = tree.to_sklearn()  # a fitted DecisionTreeClassifier; it takes complete rows\n`;
}

async function take(k, kind) {
  const own = ["page", "summary", "report"].includes(kind) ? `-${kind}` : ""; // three kinds of HTML
  const file = `${SET.fingerprints[k].slice(0, 8)}${own}.${FILES[kind][0]}`;
  try {
    save(file, await textOf(k, kind));
    $("take-note").textContent = "";
  } catch (fault) {
    $("take-note").textContent = fault.message;
  }
}

async function textOf(k, kind) {
  if (kind === "python") return `${comment("#", originOf(k))}\n${pythonOf(k)}`;
  if (kind === "summary") return summaryOf(k);
  if (SET.live) return (await ask("/take", { as: kind, function: SET.fingerprints[k], origin: originOf(k) })).text();
  if (kind === "json") return JSON.stringify(modelOf(k));
  if (kind === "sklearn") return sklearnOf(k);
  if (kind === "page") return formOf(k);
  if (SET.sql.fault) throw new Error(SET.sql.fault);
  return `${comment("--", originOf(k))}\n-- For DuckDB; for others: orderless export model.json --format sql --dialect NAME\n${sqlOf(k)}\n`;
}

function save(name, text) {
  const href = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  const link = make("a", { download: name, href });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
