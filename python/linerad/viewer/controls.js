// Pointer, buttons and keys: each of them changes `state` through set().
function listenToMap() {
  const canvas = find('map');
  let start = null;
  const pixel = (x, y) => ({ x0: x, x1: x, y0: y, y1: y });
  const span = (a, b) => {
    const x = [a[0], b[0]].map((v) => clamp(v, 0, cube.nx - 1)), y = [a[1], b[1]].map((v) => clamp(v, 0, cube.ny - 1));
    return { x0: Math.min(...x), x1: Math.max(...x), y0: Math.min(...y), y1: Math.max(...y) };
  };
  canvas.addEventListener('pointerdown', (e) => {
    const at = map.pixel(e);
    if (!cube.inside(...at)) return;
    start = state.tool === 'cut' ? map.pixel(e, false) : at;
    canvas.setPointerCapture(e.pointerId);
    if (state.tool === 'pixel') {
      const again = state.pinned && state.box.x0 === at[0] && state.box.y0 === at[1];
      set({ box: pixel(...at), pinned: !again });
    } else if (state.tool === 'box') set({ box: pixel(...at), pinned: true });
  });
  canvas.addEventListener('pointermove', (e) => {
    const at = map.pixel(e), here = cube.inside(...at);
    if (here) readMap(at);
    if (state.tool === 'box' && start) set({ box: span(start, at), pinned: true });
    else if (state.tool === 'cut' && start) {
      const [x, y] = map.pixel(e, false), [x1, y1] = [clamp(x, -0.5, cube.nx - 0.5), clamp(y, -0.5, cube.ny - 0.5)];
      if (Math.hypot(x1 - start[0], y1 - start[1]) > 1) set({ cut: { x0: start[0], y0: start[1], x1, y1 } });
    } else if (state.tool === 'pixel' && here && (start || !state.pinned)) set({ box: pixel(...at) });
  });
  for (const name of ['pointerup', 'pointercancel']) canvas.addEventListener(name, () => { start = null; });
}

function readMap([x, y]) {
  const [dx, dy] = cube.offset(x, y), v = state.shown.values[y * cube.nx + x];
  const value = Number.isNaN(v) ? 'no value' : amount(v, state.shown.unit);
  find('pointer').textContent = `(${number(dx, 3)}, ${number(dy, 3)}) ${cube.sky_unit}: ${value}`;
}

function save(name, text) {
  const link = document.createElement('a');
  link.href = text;
  link.download = name;
  link.click();
}

function saveSpectrum() {
  const { mean, error } = state.spectrum, rows = [`# ${cube.title}; ${find('spectrum-of').textContent}`,
    `# velocity [km/s], mean [${cube.unit}]${error ? ', error' : ''}`];
  mean.forEach((v, k) => {
    const numbers = [cube.velocity[k], v, ...(error ? [error[k]] : [])];
    rows.push(numbers.map((n) => Number(n.toPrecision(7))).join(', '));
  });
  save('spectrum.csv', URL.createObjectURL(new Blob([rows.join('\n') + '\n'], { type: 'text/csv' })));
}

function listenToControls() {
  const on = (id, name, act) => find(id).addEventListener(name, act);
  const hand = () => {
    const low = parseFloat(find('low').value), high = parseFloat(find('high').value);
    if (high > low) set({ low, high, limits: 'hand' });
  };
  on('slider', 'input', (e) => showChannel(Number(e.target.value)));
  on('play', 'click', play);
  on('speed', 'change', () => { if (state.film) { play(); play(); } });
  on('cube', 'change', (e) => choose(Number(e.target.value)));
  on('stretch', 'change', (e) => set({ stretch: e.target.value, stretched: true }));
  on('colours', 'change', (e) => set({ colours: e.target.value === 'auto' ? null : e.target.value }));
  on('limits', 'change', (e) => (e.target.value === 'hand' ? hand() : set({ limits: e.target.value })));
  on('low', 'change', hand);
  on('high', 'change', hand);
  on('from', 'change', chooseRange);
  on('to', 'change', chooseRange);
  on('mask', 'change', (e) => set({ mask: clamp(parseFloat(e.target.value) || 0, 0, 100) / 100 }));
  on('across', 'change', (e) => set({ across: clamp(Math.round(Number(e.target.value)) || 1, 1, 99) }));
  on('projection', 'change', (e) => { volume.sum = e.target.value === 'sum'; volume.draw(); });
  on('save-spectrum', 'click', saveSpectrum);
  on('save-map', 'click', () => save('map.png', find('map').toDataURL('image/png')));
  on('whole', 'click', () => set({ box: cube.whole, pinned: true }));
  on('pv', 'pointermove', (e) => {
    const found = cutPlot.value(e, cube, state.diagram);
    if (!found) return;
    const place = `${number(found.offset, 3)} ${cube.sky_unit}, ${cube.speed(found.velocity)}`;
    find('pv-value').textContent = `${amount(found.value, cube.unit)} at ${place}`;
  });
  for (const button of document.querySelectorAll('[data-mode]'))
    button.addEventListener('click', () => setMode(button.dataset.mode));
  for (const button of document.querySelectorAll('[data-tool]'))
    button.addEventListener('click', () => set({ tool: button.dataset.tool }));
}

function moveBox(dx, dy) {
  const b = state.box;
  if (b.x0 + dx < 0 || b.y0 + dy < 0 || b.x1 + dx >= cube.nx || b.y1 + dy >= cube.ny) return;
  set({ box: { x0: b.x0 + dx, x1: b.x1 + dx, y0: b.y0 + dy, y1: b.y1 + dy }, pinned: true });
}

function listenToKeys() {
  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  const tools = { x: 'pixel', b: 'box', c: 'cut' }, nextOf = (list, one) => list[(list.indexOf(one) + 1) % list.length];
  document.addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.matches('input:not([type=range]), select')) return;
    const way = arrows[e.key];
    if (way && e.shiftKey) moveBox(...way);
    else if (way && way[0]) showChannel(state.channel + way[0]);
    else if (e.key === 'Home' || e.key === 'End') showChannel(e.key === 'Home' ? 0 : cube.nv - 1);
    else if (e.key === ' ' && !e.target.matches('button, summary')) play();
    else if (e.key >= '1' && e.key <= '6') setMode(MODES[e.key - 1]);
    else if (e.key === 's') set({ stretch: nextOf(Object.keys(STRETCHES), state.stretch), stretched: true });
    else if (tools[e.key]) set({ tool: tools[e.key] });
    else if (e.key === 'Escape') set({ pinned: false });
    else return;
    e.preventDefault();
  });
}
