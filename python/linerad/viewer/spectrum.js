// The spectrum of a pixel or box, as steps, with a band of one standard error, the current channel and the channels that
// moments use.
class SpectrumPlot {
  constructor(canvas, onChannel) {
    this.canvas = canvas;
    const choose = (event) => {
      if (!this.box || !(event.buttons & 1)) return;
      const at = (pointerAt(canvas, event)[0] - this.box.x) / this.box.w, v = this.ends[0] + at * (this.ends[1] - this.ends[0]);
      const k = this.edges.findIndex((edge) => edge > v) - 1;
      onChannel(k < 0 ? (v < this.edges[0] ? 0 : this.edges.length - 2) : k);
    };
    canvas.addEventListener('pointerdown', choose);
    canvas.addEventListener('pointermove', choose);
  }

  draw(cube, spectrum, name, channel, first, last) {
    const { pen, w, h } = prepare(this.canvas), { mean, error } = spectrum;
    pen.clearRect(0, 0, w, h);
    this.box = { x: 62, y: 8, w: w - 72, h: h - 50 };
    this.edges = cube.edges;
    this.ends = [cube.edges[0], cube.edges[cube.nv]];
    const around = (sign) => mean.map((v, k) => v + sign * (error ? error[k] : 0));
    let low = Math.min(0, rangeOf(around(-1))[0]), high = Math.max(0, rangeOf(around(1))[1]);
    if (!(high > low)) high = low + 1;
    const room = 0.06 * (high - low);
    const { toX, toY } = frame(pen, this.box, this.ends, [low - (low < 0 ? room : 0), high + room],
      ['radio velocity [km/s], receding > 0', withUnit(name, cube.unit)]);
    const xs = cube.edges.map(toX);
    if (first > 0 || last < cube.nv - 1) {
      pen.fillStyle = 'rgba(255,255,255,0.06)';
      pen.fillRect(xs[first], this.box.y, xs[last + 1] - xs[first], this.box.h);
    }
    pen.fillStyle = 'rgba(255,179,71,0.35)';
    pen.fillRect(xs[channel], this.box.y, Math.max(1, xs[channel + 1] - xs[channel]), this.box.h);
    if (error) {
      pen.fillStyle = 'rgba(92,200,255,0.28)';
      for (let k = 0; k < cube.nv; k++) {
        const y = toY(mean[k] + error[k]);
        pen.fillRect(xs[k], y, xs[k + 1] - xs[k], toY(mean[k] - error[k]) - y);
      }
    }
    pen.strokeStyle = ACCENT;
    pen.lineWidth = 1.5;
    pen.beginPath();
    let down = false;
    mean.forEach((v, k) => {
      if (Number.isNaN(v)) { down = false; return; }
      if (down) pen.lineTo(xs[k], toY(v));
      else pen.moveTo(xs[k], toY(v));
      pen.lineTo(xs[k + 1], toY(v));
      down = true;
    });
    pen.stroke();
  }
}
