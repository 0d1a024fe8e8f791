// What this machine counts: all trees of the set that meet the wishes, where not all are shown.

const VIEWS = new Map([["leaves", "max_leaves"], ["n_features", "max_features"], ["objective", "objective"]]);
let asked = 0; // questions; an answer to an older one is not shown

async function ask(path, content) {
  const answer = await fetch(path, {
    method: "POST", body: JSON.stringify(content), cache: "no-store", credentials: "omit", redirect: "error",
    headers: { "Content-Type": "application/json", "X-Orderless-Token": SET.live.token },
  });
  if (!answer.ok) throw new Error(await answer.text());
  return answer;
}

/** The wishes as views of the set, and those that are none. */
function wishesOfAll() {
  const names = (wish) => FEATURES.filter((_, f) => state.want[f] === wish).map(({ raw }) => raw);
  const out = { must: names("must"), not: names("not") };
  const not = [];
  for (const [name, [from, to]] of state.ranges) {
    if (from !== null) not.push(`${name} >= ${from}`);
    if (to === null) continue;
    if (!VIEWS.has(name)) not.push(`${name} <= ${to}`);
    else out[VIEWS.get(name)] = name === "objective" ? String(to) : Math.max(Math.floor(to), name === "leaves" ? 1 : 0);
  }
  if (state.first) out.first = state.first.name;
  return { out, not: [...not, ...state.rules.map(({ words }) => words), ...(state.brush ? [state.brush.words] : [])] };
}

async function drawLive() {
  if (!SET.live || SET.all) return;
  const own = ++asked;
  const { out, not } = wishesOfAll();
  const say = (words) => { if (own === asked) $("whole").textContent = words; };
  try {
    const { trees } = await (await ask("/count", out)).json();
    const rest = not.length ? ` Not counted: ${not.join("; ")}.` : "";
    say(`Of all trees of the set ${grouped(trees)} ${trees === "1" ? "meets" : "meet"} the wishes.${rest}`);
    if (own !== asked) return;
    const { each } = await (await ask("/count", { ...out, each: true })).json();
    if (own !== asked) return;
    for (const { f, wish, whole } of wishes) {
      const n = each[FEATURES[f].raw]?.[WANTS.indexOf(wish)];
      whole.textContent = n === undefined ? "" : ` of all trees ${shortCount(n)}`;
    }
  } catch (fault) {
    say(`All trees of the set are not counted: ${fault.message}`);
  }
}

/** A count of any size, for people. */
function shortCount(digits) {
  if (digits.length <= 9) return grouped(digits);
  return `${digits[0]}.${digits.slice(1, 3)} × 10^${digits.length - 1}`;
}
