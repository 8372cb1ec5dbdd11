// The map of a vault: regions as islands, communities as discs, notes as points.
//
// Reads the binary map once; ids, titles and edges come later, for one community or one note at a
// time. Draws with WebGL2 and only what is in view. Colours come from the style sheet.

const NONE = -1;
const MOST_LABELS = 90;
/** Number of colours of regions; the last one, grey, is for what no links join. */
const HUES = 7;
const root = document.getElementById("map");
const byId = (id) => document.getElementById(id);

/** Address of a part of the map, of the same time as the page. */
function address(path) {
  const url = new URL(root.dataset.base + path, location);
  if (root.dataset.asOf) url.searchParams.set("as_of", root.dataset.asOf);
  return url;
}

/** Address of a note, of the same time as the page. */
function noteAddress(note) {
  const as = root.dataset.asOf;
  return note.address ?? root.dataset.note + encodeURIComponent(note.id) + (as ? `?as_of=${encodeURIComponent(as)}` : "");
}

/** The bytes of an answer. A server of plain files does not say that they are compressed. */
async function unpacked(answer) {
  const bytes = await answer.arrayBuffer(), [first, second] = new Uint8Array(bytes);
  if (first !== 0x1f || second !== 0x8b) return bytes;
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

// ---- data -------------------------------------------------------------------------------------

/** Reads the binary form that `cm_map::encoded` writes. */
function decode(buffer, version) {
  const text = new TextDecoder();
  if (text.decode(new Uint8Array(buffer, 0, 6)) !== "cmmap1") throw new Error("unknown form of map");
  const length = new DataView(buffer).getUint32(8, true);
  const map = JSON.parse(text.decode(new Uint8Array(buffer, 12, length)));
  const n = map.notes;
  let at = 12 + length;
  const column = (Type, bytes) => {
    const found = new Type(buffer, at, n);
    at += n * bytes;
    return found;
  };
  map.x = column(Uint16Array, 2);
  map.y = column(Uint16Array, 2);
  map.type = column(Uint8Array, 1);
  map.state = column(Uint8Array, 1);
  map.age = column(Uint8Array, 1);
  map.degree = column(Uint8Array, 1);
  map.version = version;
  let first = 0;
  map.communities.forEach((community, number) => {
    Object.assign(community, { number, first, data: null });
    first += community.notes;
  });
  let next = 0;
  for (const region of map.regions) {
    region.members = map.communities.slice(next, next + region.communities);
    region.notes = region.members.reduce((sum, member) => sum + member.notes, 0);
    region.members.forEach((member) => (member.region = region));
    next += region.communities;
    region.hue = region.kind === "linked" ? hueOf(region, map.regions) : 8;
    region.label ||= region.kind === "unlinked" ? root.dataset.unlinked : root.dataset.small;
  }
  map.topic = new Uint8Array(n);
  for (const one of map.communities) map.topic.fill(one.region.hue, one.first, one.first + one.notes);
  return map;
}

/** The colour whose nearest region of the same colour is farthest away. */
function hueOf(region, regions) {
  const room = Array(HUES).fill(Infinity);
  for (const other of regions) {
    if (other.hue < HUES) room[other.hue] = Math.min(room[other.hue], Math.hypot(other.x - region.x, other.y - region.y) - other.r);
  }
  return room.indexOf(Math.max(...room));
}

const place = (map, note) => [
  (map.x[note] / 65535 * 2 - 1) * map.half,
  (map.y[note] / 65535 * 2 - 1) * map.half,
];

// ---- colours ----------------------------------------------------------------------------------

const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });

/** Resolves a CSS variable to red, green and blue from 0 to 1. */
function colour(name, fallback = "#888") {
  const value = getComputedStyle(root).getPropertyValue(name).trim() || fallback;
  probe.fillStyle = fallback;
  probe.fillStyle = value;
  probe.fillRect(0, 0, 1, 1);
  return [...probe.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => part / 255);
}

const mix = (a, b, share) => a.map((part, i) => part + (b[i] - part) * share);
const css = (rgb) => `rgb(${rgb.map((part) => Math.round(part * 255)).join(" ")})`;

const STATES = {
  proven: "--good", established: "--c1", active: "--c1", accepted: "--c1", candidate: "--warn",
  draft: "--warn", unverified: "--warn", proposed: "--warn", deprecated: "--bad", retired: "--bad",
  superseded: "--bad", rejected: "--bad", quarantined: "--bad",
};

const days = (age) => Math.round(2 ** (age / 21.5) - 1);

/** Names an age, which is a number of the map's scale, before the latest change. */
function span(age) {
  const count = days(age);
  const [number, unit] = count < 60 ? [count, "day"] : count < 700 ? [Math.round(count / 30.4), "month"] : [Math.round(count / 365), "year"];
  return count ? `${number} ${unit}${number === 1 ? "" : "s"}` : "latest";
}

/** Colours of the 256 values of a column, and the rows of the legend. */
function palette(map, by, theme) {
  const colours = Array(256).fill(theme.muted);
  let legend = [];
  if (by === "topic") theme.c.forEach((rgb, hue) => (colours[hue] = rgb));
  else if (by === "age") {
    // By rank, so that any spread of ages uses the whole range of colours.
    const counts = new Float64Array(256);
    for (const age of map.age) counts[age]++;
    const dated = map.notes - counts[255] || 1;
    const marks = [0, 0.5, 0.98];
    let before = 0;
    for (let age = 0; age < 255; age++) {
      const rank = (before + counts[age] / 2) / dated;
      before += counts[age];
      colours[age] = mix(theme.accent, theme.faint, Math.min(1, rank));
      if (marks.length && before / dated > marks[0]) {
        legend.push([span(age), colours[age]]);
        marks.shift();
      }
    }
    colours[255] = theme.faint;
  } else {
    const names = by === "state" ? map.states : map.types;
    const used = new Map();
    names.forEach((name, at) => {
      let rgb = at < 8 ? theme.c[at] : theme.muted;
      if (by === "state") rgb = STATES[name] ? colour(STATES[name]) : name ? theme.c[at % 8] : theme.muted;
      colours[at] = rgb;
      if (by === "type" && at >= 8) name = "other";
      used.set(name || "none", rgb);
    });
    legend = [...used];
  }
  return { colours, legend };
}

// ---- drawing ----------------------------------------------------------------------------------

const HEAD = "#version 300 es\nprecision highp float;\nuniform vec4 view;uniform vec2 size;";

const DISC = [`${HEAD}
layout(location=0) in vec3 disc;layout(location=1) in vec4 tint;layout(location=2) in vec2 grow;
out vec4 c;out vec2 at;out float radius;out float soft;
void main(){
  vec2 corner=vec2(gl_VertexID&1,gl_VertexID>>1)*2.-1.;
  radius=disc.z*view.x*size.x*.5+grow.x;soft=grow.y;
  at=corner*(radius+soft+1.);
  c=tint;
  gl_Position=vec4(disc.xy*view.xy+view.zw+at/size*2.,0,1);
}`, `${HEAD}
in vec4 c;in vec2 at;in float radius;in float soft;out vec4 o;
void main(){
  float edge=soft>0.?1.-smoothstep(radius-soft,radius+soft,length(at)):clamp(radius-length(at)+.5,0.,1.);
  o=vec4(c.rgb*c.a,c.a)*edge;
}`];

const LINE = [`${HEAD}
layout(location=0) in vec4 ends;layout(location=1) in vec4 tint;layout(location=2) in vec2 shape;
out vec4 c;out float side;out float half_;
const float N=14.;
void main(){
  float t=float(gl_VertexID>>1)/N;side=float(gl_VertexID&1)*2.-1.;
  vec2 a=(ends.xy*view.xy+view.zw)*size*.5,b=(ends.zw*view.xy+view.zw)*size*.5;
  vec2 d=b-a,n=vec2(-d.y,d.x)*shape.y;
  vec2 p=a+d*t+n*4.*t*(1.-t)*.5;
  vec2 tangent=d+n*2.*(1.-2.*t);
  vec2 across=vec2(-tangent.y,tangent.x)/max(length(tangent),1e-6);
  half_=shape.x*.5;side*=half_+1.;
  c=tint;
  gl_Position=vec4((p+across*side)/size*2.,0,1);
}`, `${HEAD}
in vec4 c;in float side;in float half_;out vec4 o;
void main(){o=vec4(c.rgb*c.a,c.a)*clamp(half_-abs(side)+.5,0.,1.);}`];

const POINT = [`${HEAD}
layout(location=0) in float x;layout(location=1) in float y;layout(location=2) in float value;
layout(location=3) in float degree;layout(location=4) in float age;
uniform sampler2D colours;uniform vec4 range;uniform float alpha;uniform float latest;
out vec4 c;out float d;
void main(){
  vec2 at=(vec2(x,y)*2.-1.)*range.x;
  float radius=(.36+.3*min(degree*255./110.,1.))*range.y*2.;
  d=clamp(radius,range.z,range.w);
  float seen=age*255.>latest?.12:1.;
  c=vec4(texelFetch(colours,ivec2(int(value*255.+.5),0),0).rgb,alpha*seen*min(1.,radius/range.z*.6+.4));
  gl_PointSize=d+1.5;
  gl_Position=vec4(at*view.xy+view.zw,0,1);
}`, `${HEAD}
in vec4 c;in float d;out vec4 o;
void main(){
  float r=length(gl_PointCoord-.5)*(d+1.5);
  o=vec4(c.rgb*c.a,c.a)*clamp(d*.5-r+.5,0.,1.);
}`];

const LINE_VERTICES = 30;

class Renderer {
  constructor(canvas) {
    this.canvas = canvas;
    const gl = canvas.getContext("webgl2", { antialias: false, alpha: false, powerPreference: "low-power" });
    if (!gl) throw new Error("no WebGL2");
    this.gl = gl;
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.disc = this.program(DISC);
    this.line = this.program(LINE);
    this.point = this.program(POINT);
    this.texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    this.scratch = { disc: this.instances([3, 4, 2]), line: this.instances([4, 4, 2]) };
  }

  program([vertex, fragment]) {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error("the shaders do not compile");
    const at = (name) => gl.getUniformLocation(program, name);
    return { program, view: at("view"), size: at("size"), range: at("range"), alpha: at("alpha"), latest: at("latest") };
  }

  /** A vertex array of one buffer with these numbers of floats for each instance. */
  instances(widths) {
    const gl = this.gl, array = gl.createVertexArray(), buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    const stride = widths.reduce((a, b) => a + b);
    let offset = 0;
    widths.forEach((width, at) => {
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, width, gl.FLOAT, false, stride * 4, offset * 4);
      gl.vertexAttribDivisor(at, 1);
      offset += width;
    });
    return { array, buffer, stride };
  }

  load(map) {
    const gl = this.gl;
    this.half = map.half;
    this.columns = {};
    for (const name of ["x", "y", "topic", "type", "state", "age", "degree"]) {
      this.columns[name] = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, this.columns[name]);
      gl.bufferData(gl.ARRAY_BUFFER, map[name], gl.STATIC_DRAW);
    }
  }

  /** Sets the column that decides the colours. */
  paint(by, colours) {
    const gl = this.gl;
    const bytes = new Uint8Array(colours.flatMap((rgb) => [...rgb.map((part) => part * 255), 255]));
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    this.points ??= gl.createVertexArray();
    gl.bindVertexArray(this.points);
    [["x", gl.UNSIGNED_SHORT], ["y", gl.UNSIGNED_SHORT], [by, gl.UNSIGNED_BYTE], ["degree", gl.UNSIGNED_BYTE], ["age", gl.UNSIGNED_BYTE]]
      .forEach(([name, type], at) => {
        gl.bindBuffer(gl.ARRAY_BUFFER, this.columns[name]);
        gl.enableVertexAttribArray(at);
        gl.vertexAttribPointer(at, 1, type, true, 0, 0);
      });
  }

  begin(camera, background) {
    const gl = this.gl, { width, height } = this.canvas;
    gl.viewport(0, 0, width, height);
    gl.clearColor(...background, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const x = 2 * camera.scale / width, y = -2 * camera.scale / height;
    this.view = [x, y, -camera.x * x, -camera.y * y];
    this.scale = camera.scale;
  }

  use({ program, view, size }) {
    this.gl.useProgram(program);
    this.gl.uniform4fv(view, this.view);
    this.gl.uniform2f(size, this.canvas.width, this.canvas.height);
  }

  draw(kind, floats) {
    if (!floats.length) return;
    const gl = this.gl, { array, buffer, stride } = this.scratch[kind];
    this.use(this[kind]);
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(floats), gl.STREAM_DRAW);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, kind === "disc" ? 4 : LINE_VERTICES, floats.length / stride);
  }

  /** Draws ranges of notes, each a first note and a number of notes. */
  drawPoints(ranges, alpha, latest, smallest, largest) {
    const gl = this.gl;
    this.use(this.point);
    gl.uniform4f(this.point.range, this.half, this.scale, smallest, largest);
    gl.uniform1f(this.point.alpha, alpha);
    gl.uniform1f(this.point.latest, latest);
    gl.bindVertexArray(this.points);
    for (const [first, count] of ranges) gl.drawArrays(gl.POINTS, first, count);
  }
}

// ---- labels -----------------------------------------------------------------------------------

/** HTML labels over the canvas. A label that would cover an earlier one is not shown. */
class Labels {
  constructor(layer) {
    this.layer = layer;
    this.elements = new Map();
    this.widths = new Map();
    this.measure = document.createElement("canvas").getContext("2d");
    this.font = getComputedStyle(layer).fontFamily;
  }

  width(text, size, weight) {
    const key = `${weight} ${size} ${text}`;
    if (!this.widths.has(key)) {
      this.measure.font = `${weight} ${size}px ${this.font}`;
      this.widths.set(key, this.measure.measureText(text).width);
    }
    return this.widths.get(key);
  }

  /** Shows labels in the order of their importance, none over a box of `taken`. */
  show(wanted, taken, width, height) {
    const shown = new Set();
    for (const { key, text, kind, x: anchor, y, size } of wanted) {
      if (shown.size >= MOST_LABELS) break;
      if (shown.has(key)) continue;
      const w = this.width(text, size, kind === "region" ? 600 : 400) + 10, h = size * 1.35;
      const x = anchor > 0 && anchor < width ? Math.min(Math.max(anchor, w / 2), Math.max(w / 2, width - w / 2)) : anchor;
      const box = [x - w / 2, y - h / 2, x + w / 2, y + h / 2].map(Math.round);
      if (box[2] < 8 || box[0] > width - 8 || box[3] < 0 || box[1] > height) continue;
      if (taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) continue;
      taken.push(box);
      shown.add(key);
      let element = this.elements.get(key);
      if (!element) {
        element = document.createElement("span");
        element.className = `map-label map-label-${kind}`;
        element.textContent = text;
        this.layer.append(element);
        this.elements.set(key, element);
      }
      element.style.fontSize = `${size}px`;
      element.style.transform = `translate(${Math.round(x)}px,${Math.round(y)}px) translate(-50%,-50%)`;
    }
    for (const [key, element] of this.elements) {
      if (!shown.has(key)) {
        element.remove();
        this.elements.delete(key);
      }
    }
  }
}

const shortened = (text, most) => (text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text);

// ---- the map ----------------------------------------------------------------------------------

class VaultMap {
  constructor() {
    this.canvas = root.querySelector("canvas");
    this.renderer = new Renderer(this.canvas);
    this.labels = new Labels(root.querySelector(".map-labels"));
    this.tip = root.querySelector(".map-tip");
    this.panel = byId("map-notes");
    this.camera = { x: 0, y: 0, scale: 1 };
    this.by = byId("map-colour").value;
    this.hover = { note: NONE, community: null, near: null };
    this.focus = null;
    this.hits = [];
    this.latest = 255;
    this.readTheme();
  }

  /** Reads the map. Does nothing if it is the one that is shown; a newer one keeps the view. */
  async load() {
    const answer = await fetch(address("map.bin"));
    if (!answer.ok) throw new Error(`the map could not be read (${answer.status})`);
    const version = answer.headers.get("etag"), isFirst = !this.map;
    if (!isFirst && version === this.map.version) return;
    this.map = decode(await unpacked(answer), version);
    this.hover = { note: NONE, community: null, near: null };
    this.focus = null;
    this.hits = [];
    this.renderer.load(this.map);
    this.recolour();
    this.resize();
    if (isFirst) this.fit();
    else if (byId("map-find").value) this.find(byId("map-find").value);
    root.dataset.state = "ready";
  }

  /** Reads JSON; a newer map replaces this one. */
  async json(path) {
    const answer = await fetch(address(path), { headers: { accept: "application/json" } });
    if (!answer.ok) return null;
    const part = await answer.json();
    if (part.version && this.map.version && !this.map.version.includes(part.version)) {
      await this.load();
      return null;
    }
    return part;
  }

  readTheme() {
    const [bg, panel, line, text, muted, accent] =
      ["--bg", "--panel", "--line", "--text", "--muted", "--accent"].map((name) => colour(name));
    const dark = bg[0] + bg[1] + bg[2] < 1.5;
    const c = Array.from({ length: 8 }, (_, at) => colour(`--c${at + 1}`, "#68a"));
    this.theme = { bg, panel, line, text, muted, accent, c, dark, faint: mix(bg, muted, dark ? 0.35 : 0.3) };
  }

  recolour() {
    const { colours, legend } = palette(this.map, this.by, this.theme);
    this.colours = colours;
    this.renderer.paint(this.by, colours);
    this.tint();
    const list = root.querySelector(".map-legend");
    list.replaceChildren(...legend.map(([name, rgb]) => {
      const item = document.createElement("li"), swatch = document.createElement("i");
      swatch.style.backgroundColor = css(rgb);
      item.append(swatch, name.replaceAll("_", " "));
      return item;
    }));
    this.redraw();
  }

  /** Gives each community the mean age, or the colour that it has more of than the whole map. */
  tint() {
    const { map, by, colours, theme } = this, column = map[by];
    const count = (values) => {
      const counts = new Float64Array(256);
      for (const value of values) counts[value] += 1 / values.length;
      return counts;
    };
    const all = count(column);
    for (const one of map.communities) {
      const own = count(column.subarray(one.first, one.first + one.notes));
      one.tint = [0, 0, 0];
      if (by === "age") own.forEach((share, value) => colours[value].forEach((part, i) => (one.tint[i] += part * share)));
      else {
        const lead = own.map((share, value) => share - all[value]), most = lead.indexOf(Math.max(...lead));
        one.tint = by === "topic" ? colours[column[one.first]] : mix(theme.muted, colours[most], Math.min(1, 0.3 + 3 * lead[most]));
      }
    }
  }

  // -- camera --

  resize() {
    const ratio = Math.min(devicePixelRatio || 1, 2), { clientWidth, clientHeight } = this.canvas;
    const before = this.ratio ?? ratio;
    this.ratio = ratio;
    this.canvas.width = Math.max(1, Math.round(clientWidth * ratio));
    this.canvas.height = Math.max(1, Math.round(clientHeight * ratio));
    this.camera.scale *= ratio / before;
    this.redraw();
  }

  /** The camera that shows a disc. */
  around({ x, y, r }, share = 0.9) {
    return { x, y, scale: Math.min(this.canvas.width, this.canvas.height) * share / (2 * r) };
  }

  whole() {
    const box = [Infinity, Infinity, -Infinity, -Infinity];
    for (const { x, y, r } of this.map.regions) {
      box[0] = Math.min(box[0], x - r), box[1] = Math.min(box[1], y - r);
      box[2] = Math.max(box[2], x + r), box[3] = Math.max(box[3], y + r);
    }
    const [w, h] = [box[2] - box[0] || 2, box[3] - box[1] || 2];
    const below = 34 * this.ratio;
    const scale = Math.min(40 * this.ratio, this.canvas.width * 0.94 / w, (this.canvas.height * 0.96 - below - 16 * this.ratio) / h);
    return { x: (box[0] + box[2]) / 2 || 0, y: ((box[1] + box[3]) / 2 || 0) + (below - 12 * this.ratio) / 2 / scale, scale };
  }

  fit() {
    this.camera = this.whole();
    this.redraw();
  }

  /** Moves the camera within a third of a second, at once if the reader wants no motion. */
  fly(to) {
    cancelAnimationFrame(this.flight);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.camera = to;
      return this.redraw();
    }
    const from = { ...this.camera }, start = performance.now();
    const step = (now) => {
      const t = Math.min(1, Math.max(0, (now - start) / 350)), ease = 1 - (1 - t) ** 3;
      const scale = from.scale * (to.scale / from.scale) ** ease;
      // The places keep pace with the scale, so that the target stays in view.
      const pace = Math.abs(to.scale - from.scale) > 1e-9 ? (1 / scale - 1 / from.scale) / (1 / to.scale - 1 / from.scale) : ease;
      this.camera = { x: from.x + (to.x - from.x) * pace, y: from.y + (to.y - from.y) * pace, scale };
      this.redraw();
      if (t < 1) this.flight = requestAnimationFrame(step);
    };
    this.flight = requestAnimationFrame(step);
  }

  zoom(factor, x = this.canvas.width / 2, y = this.canvas.height / 2) {
    const low = this.whole().scale * 0.6;
    const scale = Math.min(Math.max(this.camera.scale * factor, low), 90 * this.ratio);
    const [wx, wy] = this.world(x, y);
    this.camera = {
      scale,
      x: wx - (x - this.canvas.width / 2) / scale,
      y: wy - (y - this.canvas.height / 2) / scale,
    };
    this.redraw();
  }

  pan(dx, dy) {
    const far = this.map.half, clamp = (value) => Math.min(far, Math.max(-far, value));
    this.camera = {
      ...this.camera,
      x: clamp(this.camera.x - dx / this.camera.scale),
      y: clamp(this.camera.y - dy / this.camera.scale),
    };
    this.redraw();
  }

  world(x, y) {
    const { camera, canvas } = this;
    return [camera.x + (x - canvas.width / 2) / camera.scale, camera.y + (y - canvas.height / 2) / camera.scale];
  }

  screen(x, y) {
    const { camera, canvas } = this;
    return [(x - camera.x) * camera.scale + canvas.width / 2, (y - camera.y) * camera.scale + canvas.height / 2];
  }

  inView({ x, y, r }, margin = 0) {
    const [sx, sy] = this.screen(x, y), reach = r * this.camera.scale + margin;
    return sx + reach > 0 && sy + reach > 0 && sx - reach < this.canvas.width && sy - reach < this.canvas.height;
  }

  // -- picture --

  redraw() {
    this.pending ??= requestAnimationFrame(() => {
      this.pending = null;
      if (this.map) this.paint();
    });
  }

  paint() {
    const { renderer, theme, camera, ratio } = this;
    const regions = this.map.regions.filter((region) => this.inView(region, 20));
    const communities = regions.flatMap((region) => region.members).filter((one) => this.inView(one, 20));
    const step = camera.scale * 1.77 / ratio;
    const near = Math.min(1, Math.max(0, (step - 1.5) / 3));
    renderer.begin(camera, theme.bg);
    renderer.draw("line", this.linkLines(this.map.region_links, this.map.regions, 0.5, true));
    renderer.draw("disc", this.islands(communities));
    renderer.draw("line", this.linkLines(this.map.links, this.map.communities, 0.4, false));
    renderer.draw("disc", this.fills(communities, near));
    renderer.draw("line", this.edgeLines());
    if (near > 0) {
      const ranges = [];
      for (const { first, notes } of communities) {
        const last = ranges.at(-1);
        if (last && last[0] + last[1] === first) last[1] += notes;
        else ranges.push([first, notes]);
      }
      renderer.drawPoints(ranges, near, this.latest, 1.6 * ratio, 22 * ratio);
    }
    renderer.draw("disc", this.marks());
    this.showLabels(regions, communities, step);
    this.loadVisible(communities);
  }

  /** The communities of a region, grown until they touch, are its island. */
  islands(communities) {
    const { theme, ratio } = this, floats = [];
    for (const grow of [1.1 * ratio, 0]) {
      for (const one of communities) {
        const coast = mix(mix(theme.bg, theme.muted, 0.34), one.tint, 0.35);
        const land = mix(theme.panel, one.tint, theme.dark ? 0.12 : 0.09);
        const reach = one.r + (one.region.communities > 1 ? 1.9 : 0);
        floats.push(one.x, one.y, reach, ...(grow ? coast : land), 1, grow, 0);
      }
    }
    return floats;
  }

  fills(communities, near) {
    const { theme } = this, floats = [], strength = (theme.dark ? 0.42 : 0.45) * (1 - near) + 0.12;
    for (const one of communities) {
      const lit = one === this.hover.community || one === this.focus ? 0.1 : 0;
      floats.push(one.x, one.y, one.r, ...one.tint, strength + lit, 0, 0);
    }
    return floats;
  }

  /** Sums of edges between regions or between communities of one region. */
  linkLines(links, ends, alpha, between) {
    const floats = [], { theme, ratio } = this;
    const sorted = [...links].sort((a, b) => b[2] - a[2]), most = sorted[0]?.[2] ?? 1;
    const rgb = mix(theme.bg, theme.muted, 0.6);
    // The heaviest ones only: more would hide the map.
    for (const [from, to, weight] of between ? sorted.slice(0, Math.max(24, ends.length)) : sorted) {
      const [a, b] = [ends[from], ends[to]];
      if (!between && (a.region !== b.region || Math.max(a.r, b.r) * this.camera.scale < 16 * ratio)) continue;
      const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, r: Math.hypot(a.x - b.x, a.y - b.y) / 2 };
      if (!this.inView(middle)) continue;
      const share = Math.sqrt(weight / most);
      floats.push(a.x, a.y, b.x, b.y, ...rgb, alpha * (0.25 + 0.75 * share), (0.7 + 1.9 * share) * ratio, between ? 0.16 : 0);
    }
    return floats;
  }

  /** Edges of the community in focus and of the neighbourhood under the pointer. */
  edgeLines() {
    const floats = [], { theme, ratio } = this;
    const add = (part, rgb, alpha, width) => {
      for (const [from, to] of part.edges) {
        const [a, b] = [place(this.map, part.notes[from].place), place(this.map, part.notes[to].place)];
        floats.push(...a, ...b, ...rgb, alpha(part.notes[from], part.notes[to]), width * ratio, 0.06);
      }
    };
    const shown = this.focus ?? this.hover.community;
    if (shown?.data && shown.r * this.camera.scale > 60 * ratio) {
      add(shown.data, mix(theme.bg, theme.text, 0.6), () => (theme.dark ? 0.3 : 0.26) * (this.hover.near ? 0.4 : 1), 0.9);
    }
    const { near, note } = this.hover;
    if (near) add(near, theme.accent, (a, b) => (a.place === note || b.place === note ? 0.95 : 0.2), 1.5);
    return floats;
  }

  /** Rings around hits and the neighbourhood under the pointer. */
  marks() {
    const floats = [], { theme, ratio, camera } = this;
    const ring = (note, rgb, pixels) => {
      const [x, y] = place(this.map, note);
      const own = Math.min(11 * ratio, Math.max(1.5 * ratio, 0.5 * camera.scale));
      floats.push(x, y, 0, ...rgb, 1, own + pixels * ratio, 0);
      floats.push(x, y, 0, ...theme.bg, 1, own + (pixels - 1.6) * ratio, 0);
      floats.push(x, y, 0, ...this.colours[this.map[this.by][note]], 1, own, 0);
    };
    for (const hit of this.hits) {
      const [x, y] = place(this.map, hit.place);
      floats.push(x, y, 0, ...theme.accent, 0.3, 13 * ratio, 6 * ratio);
      ring(hit.place, theme.accent, 4);
    }
    for (const other of this.hover.near?.notes ?? []) {
      if (other.place !== this.hover.note) ring(other.place, theme.accent, 2.4);
    }
    if (this.hover.note !== NONE) ring(this.hover.note, theme.text, 3.6);
    return floats;
  }

  showLabels(regions, communities, step) {
    const { ratio, camera } = this, wanted = [];
    const add = (key, text, kind, x, y, size, dy = 0) => {
      const [sx, sy] = this.screen(x, y);
      wanted.push({ key, text, kind, x: sx / ratio, y: sy / ratio + dy, size });
    };
    for (const hit of this.hits.slice(0, 10)) add(`n${hit.place}`, shortened(hit.title, 30), "hit", ...place(this.map, hit.place), 12, -18);
    const sorted = [...regions].sort((a, b) => b.notes - a.notes);
    // Labels are wider than small islands; a few of them are enough to find one's way.
    for (const [rank, region] of sorted.entries()) {
      const r = region.r * camera.scale / ratio;
      if (r < 12 || r > 900 || (r < 40 && rank >= 28)) continue;
      const size = Math.round(Math.min(17, Math.max(11.5, 9.5 + r / 22)));
      // Above the island where notes are visible, so that the label hides none of them.
      const above = r > 130 || step > 3;
      add(`r${region.members[0].number}`, shortened(region.label, Math.max(20, Math.round(r / 2.6))), "region", region.x, region.y - (above ? region.r : 0), size, above ? -size * 0.45 : 0);
    }
    for (const one of communities) {
      const r = one.r * camera.scale / ratio;
      if (one.region.communities === 1 || r < 44) continue;
      add(`c${one.number}`, shortened(one.label, Math.round(r / 3.2)), "community", one.x, one.y - one.r, r > 160 ? 13 : 12);
    }
    const points = step > 30 ? this.addTitles(communities, step, add) : [];
    this.labels.show(wanted, [...this.covered(), ...points], this.canvas.width / ratio, this.canvas.height / ratio);
  }

  /** Parts of the canvas under the legend, the buttons and the list of notes, in CSS pixels. */
  covered() {
    const origin = this.canvas.getBoundingClientRect();
    return [...root.querySelectorAll(".map-legend, .map-zoom, .map-notes")].map((element) => {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      return [left - origin.left, top - origin.top, right - origin.left, bottom - origin.top];
    });
  }

  /** Adds titles below the points of notes. Returns the boxes of the points, which stay free. */
  addTitles(communities, step, add) {
    const { ratio, camera } = this, points = [];
    for (const { data } of communities) {
      for (const note of data?.notes ?? []) {
        const [x, y] = place(this.map, note.place);
        if (!this.inView({ x, y, r: 1 })) continue;
        const radius = Math.min(11, (0.36 + 0.3 * Math.min(this.map.degree[note.place] / 110, 1)) * camera.scale / ratio);
        const [sx, sy] = this.screen(x, y).map((pixels) => pixels / ratio);
        points.push([sx - radius, sy - radius, sx + radius, sy + radius]);
        add(`n${note.place}`, shortened(note.title, Math.max(16, Math.round(step / 2.6))), "note", x, y, 11, radius + 8.5);
      }
    }
    return points;
  }

  /** Loads the notes of communities that are large on the screen. */
  loadVisible(communities) {
    const large = communities.filter((one) => one.r * this.camera.scale > 150 * this.ratio && this.inView(one, -60));
    large.slice(0, 8).forEach((one) => this.notesOf(one));
  }

  async notesOf(community) {
    if (!community.loading) {
      community.loading = this.json(`community/${community.number}`).then((part) => {
        community.data = part;
        if (!part) community.loading = null;
        this.redraw();
        return part;
      });
    }
    return community.loading;
  }

  // -- pointer --

  /** The community and the note at a point of the canvas. */
  pick(x, y) {
    const [wx, wy] = this.world(x, y);
    const community = this.map.communities.find((one) => Math.hypot(one.x - wx, one.y - wy) <= one.r);
    if (!community || this.camera.scale * 1.77 / this.ratio < 4) return [community ?? null, NONE];
    let best = NONE, least = Math.max(0.8, 6 * this.ratio / this.camera.scale);
    for (let note = community.first; note < community.first + community.notes; note++) {
      const [nx, ny] = place(this.map, note), distance = Math.hypot(nx - wx, ny - wy);
      if (distance < least) [best, least] = [note, distance];
    }
    return [community, best];
  }

  async point(x, y) {
    const [community, note] = this.pick(x, y);
    this.canvas.style.cursor = note !== NONE ? "pointer" : community ? "zoom-in" : "grab";
    return this.light(community, note, x, y);
  }

  /** Names a note or community beside a point of the canvas, and lights up the note's neighbourhood. */
  async light(community, note, x, y) {
    if (community === this.hover.community && note === this.hover.note) return;
    const hover = (this.hover = { community, note, near: null });
    this.redraw();
    this.showTip(community ? `${community.label} · ${community.notes} notes` : "", x, y);
    if (note === NONE) return;
    const part = await this.notesOf(community), found = part?.notes[note - community.first];
    if (this.hover !== hover || !found) return;
    this.showTip(`${found.title} · ${found.type.replaceAll("_", " ")}`, x, y);
    await new Promise((done) => setTimeout(done, 90));
    if (this.hover !== hover || "files" in root.dataset) return;
    hover.near = await this.json(`near/${encodeURIComponent(found.id)}`);
    if (this.hover === hover) this.redraw();
  }

  showTip(text, x, y) {
    const { tip, ratio } = this;
    tip.textContent = text;
    tip.hidden = !text;
    if (!text) return;
    const left = Math.min(x / ratio + 14, this.canvas.clientWidth - tip.offsetWidth - 6);
    const top = Math.min(y / ratio + 16, this.canvas.clientHeight - tip.offsetHeight - 6);
    tip.style.transform = `translate(${Math.max(4, left)}px,${Math.max(4, top)}px)`;
  }

  async press(x, y) {
    const [community, note] = this.pick(x, y);
    if (note !== NONE) {
      const part = await this.notesOf(community), found = part?.notes[note - community.first];
      if (found) location.assign(noteAddress(found));
    } else if (community) {
      const whole = community.region.r * this.camera.scale < this.canvas.height * 0.3;
      if (whole && community.region.communities > 1) this.fly(this.around(community.region));
      else this.show(community);
    } else {
      this.focus = null;
      this.redraw();
    }
  }

  /** Moves to a community and lists its notes. */
  async show(community) {
    this.focus = community;
    this.fly(this.around(community, 0.8));
    const part = await this.notesOf(community);
    if (!part || this.focus !== community) return;
    const heading = document.createElement("h2"), list = document.createElement("ul");
    heading.textContent = community.label;
    list.append(...part.notes.slice(0, 60).map((note) => {
      const item = document.createElement("li"), link = document.createElement("a");
      link.href = noteAddress(note);
      link.textContent = note.title;
      const light = () => this.light(community, note.place, ...this.screen(...place(this.map, note.place)));
      link.addEventListener("focus", light);
      link.addEventListener("pointerenter", light);
      item.append(link);
      return item;
    }));
    this.panel.replaceChildren(heading, list);
    this.panel.hidden = false;
  }

  async find(text) {
    const query = text.trim();
    const part = query ? await this.json(`find?q=${encodeURIComponent(query)}`) : { notes: [] };
    if (byId("map-find").value.trim() !== query) return;
    this.hits = part?.notes ?? [];
    byId("map-hits").textContent = query ? `${this.hits.length} found` : "";
    const places = this.hits.map((hit) => place(this.map, hit.place));
    if (places.length && !places.some(([x, y]) => this.inView({ x, y, r: 0 }))) {
      this.fly({ x: places[0][0], y: places[0][1], scale: this.camera.scale });
    }
    this.redraw();
  }
}

// ---- controls ---------------------------------------------------------------------------------

/** Pointers, wheel and keys of the canvas. */
function listen(map) {
  const { canvas } = map, down = new Map();
  let moved = 0;
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return [(event.clientX - box.left) * map.ratio, (event.clientY - box.top) * map.ratio];
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    canvas.setPointerCapture(event.pointerId);
    cancelAnimationFrame(map.flight);
    down.set(event.pointerId, at(event));
    if (down.size === 1) moved = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const now = at(event), before = down.get(event.pointerId);
    if (!before) return map.point(...now);
    const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
    down.set(event.pointerId, now);
    moved += Math.abs(now[0] - before[0]) + Math.abs(now[1] - before[1]);
    if (!other) return map.pan(now[0] - before[0], now[1] - before[1]);
    const spread = (point) => Math.hypot(point[0] - other[0], point[1] - other[1]);
    map.zoom(spread(now) / Math.max(1, spread(before)), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
    map.pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (down.delete(event.pointerId) && !down.size && moved < 6 * map.ratio) map.press(...at(event));
  });
  canvas.addEventListener("pointercancel", (event) => down.delete(event.pointerId));
  canvas.addEventListener("pointerleave", () => {
    map.hover = { note: NONE, community: null, near: null };
    map.showTip("");
    map.redraw();
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    map.zoom(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0016)), ...at(event));
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => keyPressed(map, event));
  map.panel.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    canvas.focus();
    keyPressed(map, event);
  });
}

function keyPressed(map, event) {
  const step = 60 * map.ratio;
  const keys = {
    ArrowLeft: () => map.pan(step, 0),
    ArrowRight: () => map.pan(-step, 0),
    ArrowUp: () => map.pan(0, step),
    ArrowDown: () => map.pan(0, -step),
    "+": () => map.zoom(1.4),
    "=": () => map.zoom(1.4),
    "-": () => map.zoom(1 / 1.4),
    0: () => map.fly(map.whole()),
    Enter: () => {
      const [community, note] = map.pick(map.canvas.width / 2, map.canvas.height / 2);
      if (community) map.show(community).then(() => map.panel.querySelectorAll("a")[note === NONE ? 0 : note - community.first]?.focus());
    },
    Escape: () => {
      map.focus = null;
      map.panel.hidden = true;
      map.fly(map.whole());
    },
  };
  if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
  event.preventDefault();
  event.stopPropagation();
  keys[event.key]();
}

function connect(map) {
  listen(map);
  byId("map-colour").addEventListener("change", (event) => {
    map.by = event.target.value;
    map.recolour();
  });
  byId("map-since").addEventListener("input", (event) => {
    const share = Number(event.target.value);
    map.latest = share >= 100 ? 255 : Math.round(share * 2.2);
    byId("map-since-text").textContent = share >= 100 ? "ever" : `within ${span(Math.max(map.latest, 22))}`;
    map.redraw();
  });
  let wait;
  byId("map-find").addEventListener("input", (event) => {
    clearTimeout(wait);
    wait = setTimeout(() => map.find(event.target.value), 120);
  });
  byId("map-find").addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    const first = map.hits[0];
    if (!first) return;
    map.fly({ ...map.around({ r: 12 }), x: place(map.map, first.place)[0], y: place(map.map, first.place)[1] });
    map.canvas.focus();
  });
  for (const [id, act] of [["map-in", () => map.zoom(1.5)], ["map-out", () => map.zoom(1 / 1.5)], ["map-fit", () => map.fly(map.whole())]]) {
    byId(id).addEventListener("click", act);
  }
  for (const button of document.querySelectorAll("[data-community]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      map.canvas.scrollIntoView({ block: "nearest" });
      map.show(map.map.communities[Number(button.dataset.community)]);
    });
  }
  if (!root.dataset.asOf && !("files" in root.dataset)) {
    const events = new EventSource("/events");
    let later;
    events.addEventListener("change", () => {
      clearTimeout(later);
      later = setTimeout(() => map.load().catch(() => {}), 800);
    });
    addEventListener("pagehide", () => events.close());
  }
  const themed = () => {
    map.readTheme();
    map.recolour();
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", themed);
  new MutationObserver(themed).observe(document.documentElement, { attributes: true });
  new ResizeObserver(() => map.resize()).observe(map.canvas);
}

function fail(why) {
  root.dataset.state = "failed";
  byId("map-message").textContent = why;
}

if (root) {
  try {
    const map = new VaultMap();
    map.load().then(() => connect(map)).catch((error) => fail(`${error.message}. The table below has the same notes.`));
    root.map = map;
  } catch {
    fail("This browser cannot draw the map, because it has no WebGL2. The table below has the same notes.");
  }
}
