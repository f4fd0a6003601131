// The cube as a volume (x, y, velocity) in WebGL2: for every pixel of the screen the brightest value along the line of
// sight, or the sum of the light. Dragging turns it, wheel and pinch zoom.
const VERTEX = `#version 300 es
in vec2 corner; out vec2 at;
void main() { at = corner; gl_Position = vec4(corner, 0.0, 1.0); }`;

// Rays are parallel; the box reaches from -half to half.
const FRAGMENT = `#version 300 es
precision highp float; precision highp sampler3D;
in vec2 at; out vec4 colour;
uniform sampler3D volume; uniform sampler2D colours; uniform mat3 turn; uniform vec3 half_size; uniform vec2 view;
uniform bool sum;
void main() {
  vec3 start = turn * vec3(at * view, 2.0), way = turn * vec3(0.0, 0.0, -1.0);
  vec3 a = (-half_size - start) / way, b = (half_size - start) / way;
  vec3 near = min(a, b), far = max(a, b);
  float from = max(max(near.x, near.y), near.z), to = min(min(far.x, far.y), far.z);
  if (from >= to) { colour = vec4(0.063, 0.078, 0.102, 1.0); return; }
  const int n = 256;
  float most = 0.0, total = 0.0;
  for (int i = 0; i < n; i++) {
    vec3 p = start + way * mix(from, to, (float(i) + 0.5) / float(n));
    float v = texture(volume, p / (2.0 * half_size) + 0.5).r;
    most = max(most, v);
    total += v;
  }
  float t = sum ? 1.0 - exp(-6.0 * total * (to - from) / float(n)) : most;
  colour = vec4(texture(colours, vec2(clamp(t, 0.0, 1.0), 0.5)).rgb, 1.0);
}`;

class VolumeView {
  constructor(canvas, overlay, note) {
    Object.assign(this, { canvas, overlay, angles: [0.6, 0.45], zoom: 1, sum: false, fills: 0 });
    this.gl = canvas.getContext('webgl2', { preserveDrawingBuffer: true });
    if (!this.gl) {
      note.textContent = 'This browser has no WebGL2, so the volume is not shown; everything else works.';
      note.hidden = false;
      canvas.parentElement.hidden = true;
      return;
    }
    this.build();
    this.listen();
  }

  build() {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.bindAttribLocation(program, 0, 'corner');
    gl.linkProgram(program);
    gl.useProgram(program);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 3, -1, -1, 3]), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    this.place = (name) => gl.getUniformLocation(program, name);
    this.volume = this.texture(0, gl.TEXTURE_3D, gl.LINEAR);
    this.colours = this.texture(1, gl.TEXTURE_2D, gl.LINEAR);
    gl.uniform1i(this.place('volume'), 0);
    gl.uniform1i(this.place('colours'), 1);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  }

  texture(unit, kind, filter) {
    const gl = this.gl, made = gl.createTexture();
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(kind, made);
    for (const name of ['MIN_FILTER', 'MAG_FILTER']) gl.texParameteri(kind, gl['TEXTURE_' + name], filter);
    for (const name of ['S', 'T', 'R']) gl.texParameteri(kind, gl['TEXTURE_WRAP_' + name], gl.CLAMP_TO_EDGE);
    return made;
  }

  listen() {
    const held = new Map();
    let apart = 0;
    const on = (name, act) => this.overlay.addEventListener(name, act);
    on('pointerdown', (e) => { held.set(e.pointerId, e); this.overlay.setPointerCapture(e.pointerId); apart = 0; });
    on('pointermove', (e) => {
      const was = held.get(e.pointerId);
      if (!was) return;
      held.set(e.pointerId, e);
      if (held.size === 1) this.rotate((e.clientX - was.clientX) / 120, (e.clientY - was.clientY) / 120);
      if (held.size !== 2) return;
      const [a, b] = [...held.values()], now = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
      if (apart) this.scaleBy(now / apart);
      apart = now;
    });
    for (const name of ['pointerup', 'pointercancel']) on(name, (e) => held.delete(e.pointerId));
    on('wheel', (e) => { e.preventDefault(); this.scaleBy(Math.exp(-e.deltaY / 600)); });
    on('keydown', (e) => {
      const turns = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[e.key];
      if (turns) this.rotate(...turns);
      else if (e.key === '+' || e.key === '-') this.scaleBy(e.key === '+' ? 1.1 : 1 / 1.1);
      else return;
      e.preventDefault();
      e.stopPropagation();
    });
  }

  rotate(around, over) {
    this.angles = [this.angles[0] + around, Math.min(Math.PI / 2, Math.max(-Math.PI / 2, this.angles[1] + over))];
    this.draw();
  }

  scaleBy(factor) {
    this.zoom = Math.min(8, Math.max(0.5, this.zoom * factor));
    this.draw();
  }

  // Numbers between the ends of the colour scale, stretched, in 8 bits; every n-th pixel of cubes too long for the device.
  fill(cube, scale) {
    if (!this.gl) return;
    const gl = this.gl, most = gl.getParameter(gl.MAX_3D_TEXTURE_SIZE), skip = (n) => Math.ceil(n / most);
    const [sx, sy, sv] = [skip(cube.nx), skip(cube.ny), skip(cube.nv)];
    const [nx, ny, nv] = [Math.ceil(cube.nx / sx), Math.ceil(cube.ny / sy), Math.ceil(cube.nv / sv)];
    const bytes = new Uint8Array(nx * ny * nv);
    let at = 0;
    for (let k = 0; k < nv; k++)
      for (let y = 0; y < ny; y++)
        for (let x = 0; x < nx; x++) {
          const v = cube.data[(k * sv * cube.ny + y * sy) * cube.nx + x * sx];
          bytes[at++] = Number.isNaN(v) ? 0 : Math.round(255 * stretched(v, scale));
        }
    gl.activeTexture(gl.TEXTURE0);
    gl.texImage3D(gl.TEXTURE_3D, 0, gl.R8, nx, ny, nv, 0, gl.RED, gl.UNSIGNED_BYTE, bytes);
    gl.activeTexture(gl.TEXTURE1);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGB, 256, 1, 0, gl.RGB, gl.UNSIGNED_BYTE, colourTable(scale.colours));
    this.cube = cube;
    this.fills++;
    const wide = cube.nx * Math.abs(cube.step[0]), tall = cube.ny * Math.abs(cube.step[1]), size = Math.max(wide, tall);
    this.half = [(0.5 * wide) / size, (0.5 * tall) / size, 0.5];
  }

  // Columns: directions of the screen in the coordinates of the box (x right, y up, velocity away from the viewer).
  matrix() {
    const [a, b] = this.angles, [ca, sa, cb, sb] = [Math.cos(a), Math.sin(a), Math.cos(b), Math.sin(b)];
    return [[ca, 0, sa], [-sa * sb, cb, ca * sb], [-sa * cb, -sb, ca * cb]];
  }

  // The light is drawn only when it has changed, the frame with the current channel always.
  draw(channel = this.channel) {
    if (!this.gl || !this.cube) return;
    this.channel = channel;
    const w = this.overlay.clientWidth, h = this.overlay.clientHeight;
    const reach = 0.92 / this.zoom, small = Math.min(w, h), view = [(reach * w) / small, (reach * h) / small];
    const key = JSON.stringify([w, h, view, this.angles, this.sum, this.fills]);
    if (key !== this.drawn) this.drawLight(w, h, view);
    this.drawn = key;
    this.drawFrame(view);
  }

  drawLight(w, h, view) {
    const gl = this.gl;
    this.canvas.width = Math.max(1, w);
    this.canvas.height = Math.max(1, h);
    gl.viewport(0, 0, w, h);
    gl.uniformMatrix3fv(this.place('turn'), false, new Float32Array(this.matrix().flat()));
    gl.uniform3fv(this.place('half_size'), this.half);
    gl.uniform2fv(this.place('view'), view);
    gl.uniform1i(this.place('sum'), this.sum ? 1 : 0);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  // Edges of the box with the names of its axes, and the current channel.
  drawFrame(view) {
    const { pen, w, h } = prepare(this.overlay), turn = this.matrix(), half = this.half, cube = this.cube;
    pen.clearRect(0, 0, w, h);
    const dot = (p, q) => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    const show = (p) => {
      const at = p.map((v, axis) => v * half[axis]);
      return [(0.5 + (0.5 * dot(at, turn[0])) / view[0]) * w, (0.5 - (0.5 * dot(at, turn[1])) / view[1]) * h];
    };
    const edge = (p, q) => line(pen, ...show(p), ...show(q));
    pen.strokeStyle = 'rgba(215,220,227,0.45)';
    for (const a of [-1, 1]) for (const b of [-1, 1]) {
      edge([-1, a, b], [1, a, b]);
      edge([a, -1, b], [a, 1, b]);
      edge([a, b, -1], [a, b, 1]);
    }
    const ends = [cube.edges[0], cube.edges[cube.nv]];
    const at = (2 * (cube.velocity[this.channel] - ends[0])) / (ends[1] - ends[0]) - 1;
    pen.strokeStyle = MARK;
    const loop = [[-1, -1, at], [1, -1, at], [1, 1, at], [-1, 1, at]];
    loop.forEach((p, i) => edge(p, loop[(i + 1) % 4]));
    outlined(pen, (write) => {
      pen.textAlign = 'center';
      pen.textBaseline = 'middle';
      write(cube.labels[0], ...show([0, -1.12, -1]));
      write(cube.labels[1], ...show([-1.15, 0, -1]));
      write(`${number(ends[0], 3)} km/s`, ...show([1.1, -1.1, -1]));
      write(`${number(ends[1], 3)} km/s`, ...show([1.1, -1.1, 1]));
    });
  }
}
