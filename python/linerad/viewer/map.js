// The map: a channel or a moment, with axes, beam, compass, scale bar, colour bar, and the box and cut that were chosen.
const [LEFT, RIGHT, TOP, BOTTOM] = [56, 74, 8, 42]; // room for axes and the colour bar

class SkyMap {
  constructor(canvas) {
    this.canvas = canvas;
  }

  draw(cube, values, scale, label, marks) {
    const tall = Math.abs((cube.ny * cube.step[1]) / (cube.nx * cube.step[0]));
    const shape = Math.min(4, Math.max(0.25, tall)); // a strip would be a line
    const most = Math.max(320, 0.78 * window.innerHeight); // all of the map fits on the screen
    const wanted = (this.canvas.clientWidth - LEFT - RIGHT) * shape + TOP + BOTTOM;
    this.canvas.style.height = `${Math.round(Math.min(wanted, most))}px`;
    const { pen, w, h } = prepare(this.canvas);
    pen.clearRect(0, 0, w, h);
    const wide = Math.min(w - LEFT - RIGHT, (h - TOP - BOTTOM) / shape);
    this.box = { x: LEFT + 0.5 * (w - LEFT - RIGHT - wide), y: TOP, w: wide, h: wide * shape };
    this.cube = cube;
    drawImage(pen, paint(values, cube.nx, cube.ny, scale), this.box);
    const [left, low] = cube.offset(-0.5, -0.5), [right, high] = cube.offset(cube.nx - 0.5, cube.ny - 0.5);
    const names = cube.labels.map((name) => `${name} [${cube.sky_unit}]`);
    frame(pen, this.box, [left, right], [low, high], names);
    this.drawMarks(pen, marks);
    outlined(pen, (write, stroke) => {
      if (cube.beam) this.drawBeam(pen, stroke);
      if (cube.angles) this.drawCompass(pen, write, stroke);
      this.drawLength(pen, write, stroke);
    });
    this.drawScale(pen, scale, label, w);
  }

  screen(x, y) {
    const { box, cube } = this;
    return [box.x + ((x + 0.5) / cube.nx) * box.w, box.y + box.h - ((y + 0.5) / cube.ny) * box.h];
  }

  pixel(event, whole = true) {
    const [px, py] = pointerAt(this.canvas, event), { box, cube } = this;
    const x = ((px - box.x) / box.w) * cube.nx - 0.5, y = ((box.y + box.h - py) / box.h) * cube.ny - 0.5;
    return whole ? [Math.round(x), Math.round(y)] : [x, y];
  }

  drawMarks(pen, { box, cut, across }) {
    pen.save();
    pen.shadowColor = '#000';
    pen.shadowBlur = 2;
    pen.lineWidth = 1.5;
    pen.strokeStyle = ACCENT;
    const [x0, y0] = this.screen(box.x0 - 0.5, box.y0 - 0.5), [x1, y1] = this.screen(box.x1 + 0.5, box.y1 + 0.5);
    const grow = Math.max(0, 3 - 0.5 * Math.abs(x1 - x0)); // a pixel may be too small to see
    pen.strokeRect(x0 - grow, y1 - grow, x1 - x0 + 2 * grow, y0 - y1 + 2 * grow);
    const a = this.screen(cut.x0, cut.y0), b = this.screen(cut.x1, cut.y1);
    pen.strokeStyle = MARK;
    if (across > 1) {
      pen.globalAlpha = 0.35;
      pen.lineWidth = (across * this.box.w) / this.cube.nx;
      line(pen, ...a, ...b);
      pen.globalAlpha = 1;
      pen.lineWidth = 1.5;
    }
    line(pen, ...a, ...b);
    pen.fillStyle = MARK;
    pen.beginPath();
    pen.arc(...a, 3.5, 0, 2 * Math.PI); // the left end of the diagram
    pen.fill();
    pen.restore();
  }

  // Position angle from north to east: to the left where the first step is negative.
  drawBeam(pen, stroke) {
    const { cube, box } = this, [major, minor, angle] = cube.beam;
    const size = box.w / Math.abs(cube.nx * cube.step[0]), turn = (angle * Math.PI) / 180, [n, e] = [cube.north, cube.east];
    const dir = [n[0] * Math.cos(turn) + e[0] * Math.sin(turn), n[1] * Math.cos(turn) + e[1] * Math.sin(turn)];
    const r = 0.5 * major * size;
    pen.beginPath();
    pen.ellipse(box.x + 8 + r, box.y + box.h - 8 - r, r, 0.5 * minor * size, Math.atan2(-dir[1], dir[0]), 0, 2 * Math.PI);
    stroke();
  }

  drawCompass(pen, write, stroke) {
    const { box, cube } = this, at = [box.x + box.w - 26, box.y + 34];
    pen.font = '11px system-ui, sans-serif';
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    for (const [name, way] of [['N', cube.north], ['E', cube.east]]) {
      const long = Math.hypot(...way), [x, y] = [way[0] / long, -way[1] / long];
      line(pen, at[0], at[1], at[0] + 14 * x, at[1] + 14 * y, stroke);
      write(name, at[0] + 21 * x, at[1] + 21 * y);
    }
  }

  // A round length below a third of the image; with a distance, a length at the object.
  drawLength(pen, write, stroke) {
    const { box, cube } = this, limit = 0.33 * cube.nx * Math.abs(cube.step[0]);
    const perUnit = cube.distance && cube.arcsec ? (cube.distance * cube.arcsec * Math.PI) / 648000 : null; // pc
    const units = [['Mpc', 1e6, 0.5], ['kpc', 1e3, 0.5], ['pc', 1, 0.01], ['au', Math.PI / 648000, 0]]; // with the least length
    const [name, size] = perUnit ? units.find(([, s, least]) => limit * perUnit > least * s) : [cube.sky_unit, 1];
    const most = perUnit ? (limit * perUnit) / size : limit, power = 10 ** Math.floor(Math.log10(most));
    const length = power * [5, 2, 1].find((m) => m * power <= most * (1 + 1e-9));
    const shown = perUnit ? (length * size) / perUnit : length;
    const px = (shown / (cube.nx * Math.abs(cube.step[0]))) * box.w, right = box.x + box.w - 10, low = box.y + box.h - 12;
    pen.lineWidth = 2;
    line(pen, right - px, low, right, low, stroke);
    pen.textAlign = 'right';
    pen.textBaseline = 'bottom';
    write(`${number(length)} ${name}`, right, low - 4);
  }

  // The colours in equal steps, with the values where they have them.
  drawScale(pen, scale, label, w) {
    const { box } = this, bar = { x: Math.min(box.x + box.w + 10, w - RIGHT + 10), y: box.y, w: 12, h: box.h };
    const colours = Float32Array.from({ length: 128 }, (_, i) => (i + 0.5) / 128);
    drawImage(pen, paint(colours, 1, 128, { ...scale, low: 0, high: 1, stretch: 'linear' }), bar);
    pen.strokeStyle = FAINT;
    pen.strokeRect(bar.x + 0.5, bar.y + 0.5, bar.w - 1, bar.h - 1);
    pen.fillStyle = INK;
    pen.textAlign = 'left';
    pen.textBaseline = 'middle';
    const size = Math.max(Math.abs(scale.low), Math.abs(scale.high));
    const power = size < 0.01 || size >= 1e5 ? Math.floor(Math.log10(size)) : 0, linear = scale.stretch === 'linear';
    const all = linear ? ticks(scale.low, scale.high, box.h / 45) : roundValues(scale.low, scale.high);
    const parts = all.map((t) => t / 10 ** power), texts = linear ? tickTexts(parts) : parts.map((t) => number(t, 3));
    let free = Infinity;
    all.forEach((t, i) => {
      const y = bar.y + bar.h * (1 - stretched(t, scale));
      if (y > free - 20) return;
      pen.fillText(texts[i], bar.x + 16, y);
      free = y;
    });
    if (power) pen.fillText(`× 10${raised(power)}`, bar.x, bar.y + bar.h + 12);
    writeUp(pen, label, w - 9, box);
  }
}

// Zero, and 1, 2 and 5 times powers of ten, of both signs.
function roundValues(low, high) {
  const top = Math.floor(Math.log10(Math.max(Math.abs(low), Math.abs(high)) || 1)), out = [0];
  for (let n = top - 4; n <= top; n++) for (const m of [1, 2, 5]) out.push(m * 10 ** n, -m * 10 ** n);
  return out.filter((v) => v >= low && v <= high).sort((a, b) => a - b);
}
