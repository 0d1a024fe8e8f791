// Pictures on canvas: a map of the functions, and any two measures against each other.

const VIRIDIS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

class Picture {
  constructor(canvas, tip, place, decorate) {
    Object.assign(this, { canvas, tip, place, decorate, drag: null, points: [] });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", () => { this.drag = null; this.draw(); });
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  draw() {
    const { canvas } = this;
    const box = canvas.getBoundingClientRect();
    if (box.width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(box.width * ratio);
    canvas.height = Math.round(box.height * ratio);
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`);
    this.size = { width: box.width, height: box.height };
    const at = this.place(this.size, pen, colour);
    const there = new Uint8Array(N);
    for (const k of left) there[k] = 1;
    pen.fillStyle = colour("line");
    for (let k = 0; k < N; k++) if (!there[k]) pen.fillRect(at.x[k] - 1.5, at.y[k] - 1.5, 3, 3);
    drawPoints(pen, at);
    this.points = at;
    star(pen, at.x[BEST], at.y[BEST], colour);
    if (this.decorate) this.decorate(pen, at, colour);
    state.chosen.forEach((k, i) => mark(pen, at.x[k], at.y[k], LETTERS[i], colour));
    if (this.drag) frame(pen, this.drag, colour);
  }

  near(event) {
    const [x, y] = inside(event);
    let best = -1;
    let least = 14 * 14;
    for (const k of left) {
      const far = (this.points.x[k] - x) ** 2 + (this.points.y[k] - y) ** 2;
      if (far < least) [best, least] = [k, far];
    }
    return best;
  }

  move(event) {
    if (this.drag) {
      this.drag.to = inside(event);
      this.draw();
      return;
    }
    const k = this.near(event);
    this.tip.hidden = k < 0;
    if (k < 0) return;
    this.tip.replaceChildren(...describe(k));
    const [x, y] = inside(event);
    this.tip.style.left = `${Math.max(0, Math.min(x + 12, this.size.width - this.tip.offsetWidth))}px`;
    this.tip.style.top = `${y + 14}px`;
  }

  down(event) {
    this.drag = { from: inside(event), to: inside(event) };
    this.canvas.setPointerCapture(event.pointerId);
  }

  up(event) {
    const to = inside(event);
    const { from } = this.drag ?? { from: to };
    this.drag = null;
    if (Math.hypot(from[0] - to[0], from[1] - to[1]) < 6) {
      const k = this.near(event);
      if (k >= 0) toggle(k);
      return;
    }
    const [x0, x1] = [from[0], to[0]].sort((a, b) => a - b);
    const [y0, y1] = [from[1], to[1]].sort((a, b) => a - b);
    const has = new Uint8Array(N);
    let n = 0;
    for (const k of left) {
      const [x, y] = [this.points.x[k], this.points.y[k]];
      if (x >= x0 && x <= x1 && y >= y0 && y <= y1) {
        has[k] = 1;
        n++;
      }
    }
    if (n) change(() => { state.brush = { words: `${grouped(n)} that were marked in a picture`, has }; });
    else this.draw();
  }
}

function inside(event) {
  const box = event.currentTarget.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

/** Draw the functions that are left, the best last; many of them as squares, which are quicker. */
function drawPoints(pen, at) {
  const many = left.length > 3000;
  const colours = palette();
  const shades = Array.from({ length: SHADES }, () => []);
  for (const k of left) shades[SHADE[k]].push(k);
  for (let shade = SHADES - 1; shade >= 0; shade--) {
    pen.fillStyle = colours[shade];
    for (const k of shades[shade]) {
      if (many) pen.fillRect(at.x[k] - 1.75, at.y[k] - 1.75, 3.5, 3.5);
      else dot(pen, at.x[k], at.y[k], 3.5);
    }
  }
}

function dot(pen, x, y, radius) {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fill();
}

/** The best function. */
function star(pen, x, y, colour) {
  pen.fillStyle = colour("warm");
  pen.beginPath();
  for (let i = 0; i < 10; i++) {
    const [angle, far] = [(Math.PI * (i - 2.5)) / 5, i % 2 ? 3.5 : 8];
    pen.lineTo(x + far * Math.cos(angle), y + far * Math.sin(angle));
  }
  pen.fill();
}

function mark(pen, x, y, letter, colour) {
  pen.fillStyle = colour("card");
  pen.strokeStyle = colour("ink");
  pen.lineWidth = 1.5;
  pen.beginPath();
  pen.arc(x, y, 9, 0, 2 * Math.PI);
  pen.fill();
  pen.stroke();
  pen.fillStyle = colour("ink");
  pen.font = "600 11px system-ui, sans-serif";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(letter, x, y + 0.5);
}

function frame(pen, { from, to }, colour) {
  pen.strokeStyle = colour("accent");
  pen.lineWidth = 1.5;
  pen.setLineDash([4, 3]);
  pen.strokeRect(from[0], from[1], to[0] - from[0], to[1] - from[1]);
  pen.setLineDash([]);
}

// Colours by objective, in so many steps: dark is better on paper, bright on a dark screen.
const SHADES = 32;
const SHADE = (() => {
  const { values, low, high } = MEASURE.get("objective");
  return Uint8Array.from(values, (value) => (high > low ? Math.round(((value - low) / (high - low)) * (SHADES - 1)) : 0));
})();

function palette() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  return Array.from({ length: SHADES }, (_, step) => {
    const share = step / (SHADES - 1);
    const at = (dark ? 1 - share * 0.75 : share * 0.85) * (VIRIDIS.length - 1);
    const i = Math.min(Math.floor(at), VIRIDIS.length - 2);
    const mix = VIRIDIS[i].map((a, c) => Math.round(a + (VIRIDIS[i + 1][c] - a) * (at - i)));
    return `rgb(${mix.join(",")})`;
  });
}

/** A scale from the ends of a measure to two places. */
function scale({ low, high }, from, to) {
  const width = high - low || 1;
  return { low, high, at: (value) => from + ((value - low) / width) * (to - from) };
}

const MAP_ENDS = PLACES.map(endsOf);

/** Places on the map: one scale for both directions. */
function mapPlaces({ width, height }) {
  const [x, y] = MAP_ENDS;
  const size = Math.min((width - 48) / (x.high - x.low || 1), (height - 48) / (y.high - y.low || 1));
  const middle = [(x.low + x.high) / 2, (y.low + y.high) / 2];
  return {
    x: PLACES[0].map((value) => width / 2 + (value - middle[0]) * size),
    y: PLACES[1].map((value) => height / 2 - (value - middle[1]) * size),
  };
}

function scatterPlaces(xMeasure, yMeasure) {
  return ({ width, height }, pen, colour) => {
    const x = scale(xMeasure, 64, width - 20);
    const y = scale(yMeasure, height - 46, 18);
    axes(pen, colour, { width, height }, [x, xMeasure], [y, yMeasure]);
    return { x: xMeasure.values.map(x.at), y: yMeasure.values.map(y.at) };
  };
}

function axes(pen, colour, { width, height }, [x, xMeasure], [y, yMeasure]) {
  pen.strokeStyle = colour("edge");
  pen.fillStyle = colour("quiet");
  pen.lineWidth = 1;
  pen.font = "12px system-ui, sans-serif";
  pen.beginPath();
  pen.moveTo(56, 12);
  pen.lineTo(56, height - 38);
  pen.lineTo(width - 12, height - 38);
  pen.stroke();
  pen.textAlign = "center";
  pen.textBaseline = "top";
  for (const value of ticks(x)) pen.fillText(value, x.at(value), height - 33);
  pen.fillText(nameOf(xMeasure.name), (56 + width) / 2, height - 16);
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (const value of ticks(y)) pen.fillText(value, 50, y.at(value));
  pen.save();
  pen.translate(10, height / 2 - 18);
  pen.rotate(-Math.PI / 2);
  pen.textAlign = "center";
  pen.fillText(nameOf(yMeasure.name), 0, 0);
  pen.restore();
}

function ticks({ low, high }) {
  const rough = (high - low) / 4 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((one) => one >= rough);
  const out = [];
  for (let at = Math.ceil(low / step); at * step <= high + step * 1e-9; at++) {
    out.push(Number((at * step).toPrecision(6)));
  }
  return out;
}

/** Draw the functions that no other beats as a staircase. */
function drawFront(xMeasure, yMeasure) {
  return (pen, at, colour) => {
    if (!xMeasure.better || !yMeasure.better || xMeasure === yMeasure) return;
    const front = frontOf(xMeasure, yMeasure);
    pen.strokeStyle = colour("warm");
    pen.lineWidth = 1.5;
    pen.beginPath();
    front.forEach((k, i) => {
      if (i === 0) pen.moveTo(at.x[k], at.y[k]);
      else {
        pen.lineTo(at.x[k], at.y[front[i - 1]]);
        pen.lineTo(at.x[k], at.y[k]);
      }
    });
    pen.stroke();
    for (const k of front) {
      pen.beginPath();
      pen.arc(at.x[k], at.y[k], 5.5, 0, 2 * Math.PI);
      pen.stroke();
    }
  };
}
