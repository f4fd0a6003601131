// Position-velocity diagram: offset from the middle of the cut against velocity. The dot on the map is at its left end.
class CutPlot {
  constructor(canvas) {
    this.canvas = canvas;
  }

  draw(cube, cut, scale, channel) {
    const { pen, w, h } = prepare(this.canvas);
    pen.clearRect(0, 0, w, h);
    const box = { x: 62, y: 8, w: w - 72, h: h - 50 };
    this.box = box;
    const image = paint(cut.values, cut.n, cube.nv, scale), half = (0.5 * cut.length) / (cut.n - 1);
    drawImage(pen, image, box);
    const ends = [cube.edges[0], cube.edges[cube.nv]];
    const { toY } = frame(pen, box, [-0.5 * cut.length - half, 0.5 * cut.length + half], ends,
      [`offset from the middle of the cut [${cube.sky_unit}]`, 'radio velocity [km/s]']);
    pen.strokeStyle = MARK;
    pen.globalAlpha = 0.7;
    line(pen, box.x, toY(cube.velocity[channel]), box.x + box.w, toY(cube.velocity[channel]));
    pen.globalAlpha = 1;
  }

  value(event, cube, cut) {
    const [px, py] = pointerAt(this.canvas, event), { box } = this;
    const s = Math.floor(((px - box.x) / box.w) * cut.n), k = Math.floor(((box.y + box.h - py) / box.h) * cube.nv);
    if (s < 0 || k < 0 || s >= cut.n || k >= cube.nv) return null;
    return { value: cut.values[k * cut.n + s], velocity: cube.velocity[k], offset: (s / (cut.n - 1) - 0.5) * cut.length };
  }
}
