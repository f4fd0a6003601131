// The state of the page. Everything that is drawn follows from `state`.
const find = (id) => document.getElementById(id);
const told = JSON.parse(find('cubes').textContent);
const state = {
  mode: 'channel', channel: 0, first: 0, last: 0, mask: 0.02, box: null, pinned: false, cut: null, across: 1,
  tool: 'pixel', stretch: 'linear', stretched: false, colours: null, limits: 'cube', low: 0, high: 1, film: null,
};
const MODES = ['channel', 'moment0', 'moment1', 'moment2', 'peak', 'error'];
let cube, map, spectrumPlot, cutPlot, volume;

const isPixel = (box) => box.x0 === box.x1 && box.y0 === box.y1;
const isDeep = () => cube.nv > 1 && cube.nx * cube.ny > 1; // there is something to cut
const clamp = (v, low, high) => Math.min(high, Math.max(low, v));

// What is slow to compute, by the number of the cube and what else it depends on.
const momentOf = remembered((index, ...rest) => cube.moment(...rest));
const peakOf = remembered((index, ...rest) => cube.peak(...rest));
const spectrumOf = remembered((index, box) => cube.spectrum(box));
const fillVolume = remembered((index, scale) => volume.fill(cube, scale));
const diagramOf = remembered((index, ...rest) => cube.cut(...rest));

// The map of the current mode: {values, label, unit, signed}.
function picture() {
  const { first, last, mask, channel } = state, { unit, index } = cube;
  switch (state.mode) {
    case 'channel': return { values: cube.plane(channel), label: withUnit('intensity', unit), unit };
    case 'error': return { values: cube.plane(channel, cube.error), label: withUnit('standard error', unit), unit };
    case 'peak': return { values: peakOf(index, first, last), label: withUnit('peak', unit), unit };
    case 'moment0': {
      const whole = `${unit} km/s`.trim();
      return { values: momentOf(index, 0, first, last, 0), label: withUnit('moment 0', whole), unit: whole };
    }
    case 'moment1': {
      const values = momentOf(index, 1, first, last, mask);
      return { values, label: 'mean velocity [km/s]', unit: 'km/s', signed: true };
    }
    default: return { values: momentOf(index, 2, first, last, mask), label: 'dispersion [km/s]', unit: 'km/s' };
  }
}

// The systemic velocity; where it is not known, the mean velocity of all light.
const middleVelocity = remembered(() => {
  if (cube.systemic !== null) return cube.systemic;
  let sum = 0, light = 0;
  cube.spectrum(cube.whole).mean.forEach((v, k) => {
    if (!(v > 0)) return;
    sum += v * cube.width[k] * cube.velocity[k];
    light += v * cube.width[k];
  });
  return light ? sum / light : 0;
});

function scaleOf(shown) {
  const colours = state.colours || (shown.signed ? 'red-blue' : state.mode === 'moment2' ? 'viridis' : 'inferno');
  const stretch = shown.unit === 'km/s' ? 'linear' : state.stretch;
  if (state.limits === 'hand') return { low: state.low, high: state.high, stretch, colours };
  if (shown.signed) {
    const middle = middleVelocity(cube.index), away = shown.values.map((v) => Math.abs(v - middle));
    const reach = Math.max(quantile(away, 0.99) || 0, 0.25 * cube.width[0]); // less than that is no difference
    return { low: middle - reach, high: middle + reach, stretch, colours };
  }
  if (state.mode === 'moment2') {
    const [low, high] = [0.005, 0.995].map((share) => quantile(shown.values, share) || 0);
    return { low: Math.min(low, high - 0.1 * cube.width[0]), high: high || 1, stretch, colours };
  }
  const whole = state.limits === 'cube' ? { channel: cube.range, error: cube.errorRange }[state.mode] : null;
  let [low, high] = whole || rangeOf(shown.values);
  if (!whole) high = usualTop(shown.values, high);
  if (high - low < 1e-5 * Math.abs(high)) [low, high] = [Math.min(0, low), Math.max(0, high)]; // the same everywhere
  if ((low > 0 && low < 0.5 * high) || (low < 0 && -low < 0.01 * high)) low = 0;
  return { low, high: high > low ? high : low + 1, stretch, colours };
}

// Channels in the cut have the scale of the whole cube, or that given by hand for channels.
function cubeScale() {
  const hand = state.limits === 'hand' && state.mode === 'channel';
  const [low, high] = hand ? [state.low, state.high] : cube.range;
  const base = !hand && low > -0.01 * high && low < 0.5 * high ? 0 : low, colours = state.colours || 'inferno';
  return { low: base, high: high > base ? high : base + 1, stretch: state.stretch, colours };
}

// The volume shows what is brighter than the noise: as far above zero as the lowest value is below it.
function volumeScale(scale) {
  const noisy = scale.low < 0 && -scale.low < 0.5 * scale.high && state.limits !== 'hand';
  return noisy ? { ...scale, low: -scale.low } : scale;
}

function draw() {
  const shown = picture(), scale = scaleOf(shown), channels = cubeScale();
  state.shown = shown;
  map.draw(cube, shown.values, scale, shown.label, { box: state.box, cut: state.cut, across: state.across });
  state.spectrum = spectrumOf(cube.index, state.box);
  const name = isPixel(state.box) ? 'intensity' : 'mean';
  spectrumPlot.draw(cube, state.spectrum, name, state.channel, state.first, state.last);
  if (isDeep()) {
    state.diagram = diagramOf(cube.index, state.cut, state.across);
    cutPlot.draw(cube, state.diagram, channels, state.channel);
    fillVolume(cube.index, volumeScale(channels));
    volume.draw(state.channel);
  }
  write(scale);
}

function write(scale) {
  const v = cube.velocity[state.channel], b = state.box;
  find('velocity').textContent = cube.speed(v);
  find('channel-number').textContent = `channel ${state.channel + 1} of ${cube.nv}`;
  find('slider').value = state.channel;
  const [x, y] = cube.offset((b.x0 + b.x1) / 2, (b.y0 + b.y1) / 2), unit = cube.sky_unit;
  const value = state.spectrum.mean[state.channel], error = state.spectrum.error;
  const size = `${b.x1 - b.x0 + 1} × ${b.y1 - b.y0 + 1}`, held = state.pinned ? ', held' : '';
  const place = isPixel(b) ? `pixel (${b.x0 + 1}, ${b.y0 + 1})` : `mean of ${size} pixels`;
  find('spectrum-of').textContent = `${place} at (${number(x, 3)}, ${number(y, 3)}) ${unit}${held}`;
  const plain = error ? `${number(value)} ± ${amount(error[state.channel], cube.unit, 2)}` : amount(value, cube.unit);
  find('value').textContent = `${plain} at ${cube.speed(v)}`;
  if (document.activeElement !== find('low')) find('low').value = parseFloat(scale.low.toPrecision(4));
  if (document.activeElement !== find('high')) find('high').value = parseFloat(scale.high.toPrecision(4));
  find('limits').value = state.limits;
  find('colours').value = state.colours || 'auto';
  find('stretch').value = state.stretch;
  for (const kind of ['mode', 'tool'])
    for (const button of document.querySelectorAll(`[data-${kind}]`))
      button.setAttribute('aria-pressed', button.dataset[kind] === state[kind]);
  find('map').style.touchAction = state.tool === 'pixel' ? 'pan-y' : 'none'; // fingers scroll, or draw
  find('play').textContent = state.film ? 'Pause' : 'Play';
}

let waiting = false;
function refresh() { // at most once per frame of the screen
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; draw(); });
}

function set(changes) {
  Object.assign(state, changes);
  refresh();
}

function showChannel(k) {
  set({ channel: clamp(k, 0, cube.nv - 1), mode: state.mode === 'error' ? 'error' : 'channel' });
}

function setMode(mode) {
  if (mode === 'error' && !cube.error) return;
  set({ mode, limits: state.limits === 'hand' ? 'cube' : state.limits });
}

function play() {
  if (state.film) {
    clearInterval(state.film);
    set({ film: null });
    return;
  }
  const next = () => showChannel((state.channel + 1) % cube.nv);
  set({ film: setInterval(next, 1000 / Number(find('speed').value)) });
}

async function choose(index) {
  const loaded = await Cube.load(told[index]), before = cube;
  if (Number(find('cube').value) !== index) return; // another one has been chosen meanwhile
  cube = Object.assign(loaded, { told: told[index], index });
  const same = before && before.nx === cube.nx && before.ny === cube.ny;
  if (!same) {
    state.box = { x0: cube.nx >> 1, x1: cube.nx >> 1, y0: cube.ny >> 1, y1: cube.ny >> 1 };
    const [x, y] = [0.5 * (cube.nx - 1), 0.5 * (cube.ny - 1)];
    state.cut = cube.nx > 1 ? { x0: 0, y0: y, x1: cube.nx - 1, y1: y } : { x0: x, y0: 0, x1: x, y1: cube.ny - 1 };
  }
  if (!before || before.nv !== cube.nv) {
    let most = 0, best = -Infinity;
    cube.spectrum(cube.whole).mean.forEach((v, k) => { if (v > best) [best, most] = [v, k]; });
    Object.assign(state, { channel: most, first: 0, last: cube.nv - 1 });
  }
  state.mask = cube.faintest();
  if (!state.stretched) state.stretch = cube.suits();
  if (state.mode === 'error' && !cube.error) state.mode = 'channel';
  if (state.limits === 'hand') state.limits = 'cube';
  describe();
  draw();
}

function describe() {
  const degrees = (v) => `${minus(String(Number(v.toFixed(5))))}°`, { values, errors } = cube.told;
  const centre = cube.centre ? `, centred on ${cube.centre.map(degrees).join(', ')}` : '';
  const sides = new Set(cube.step.map((side) => number(Math.abs(side), 3))); // one of squares
  const pixels = `${cube.nx} × ${cube.ny} pixels of ${[...sides].join(' × ')} ${cube.sky_unit}`;
  find('title').textContent = cube.title;
  find('facts').textContent = `${pixels}, ${cube.nv} channel${cube.nv > 1 ? 's' : ''} of ${number(cube.width[0], 3)} km/s${centre}`;
  const least = (layer) => amount(atMost(layer.accuracy), cube.unit, 2);
  find('accuracy').textContent = `Values are stored in ${values.bits} bits, scaled channel by channel: they differ from the file ` +
    `by at most ${least(values)}${errors ? `, and errors by at most ${least(errors)}` : ''}.`;
  find('notes').textContent = cube.notes.join('; ');
  find('slider').max = cube.nv - 1;
  find('mask').value = Number((100 * state.mask).toPrecision(2));
  find('from').value = Number(cube.edges[state.first].toPrecision(8));
  find('to').value = Number(cube.edges[state.last + 1].toPrecision(8));
  document.querySelector('[data-mode=error]').hidden = !cube.error;
  for (const id of ['pv-panel', 'volume-panel']) find(id).hidden = !isDeep();
}

// Channels with their centres in this range of velocities.
function chooseRange() {
  const from = parseFloat(find('from').value), to = parseFloat(find('to').value);
  const inside = cube.velocity.map((v, k) => k).filter((k) => cube.velocity[k] >= from && cube.velocity[k] <= to);
  find('range-note').textContent = inside.length ? '' : 'no channel in this range';
  if (inside.length) set({ first: inside[0], last: inside[inside.length - 1] });
}

async function start() {
  if (!('DecompressionStream' in window)) throw new Error('this browser is too old: it has no DecompressionStream (2023)');
  told.forEach((one, k) => find('cube').add(new Option(one.name, k)));
  find('cube-choice').hidden = told.length < 2;
  for (const name of Object.keys(STRETCHES)) find('stretch').add(new Option(name, name));
  for (const name of ['auto', ...Object.keys(COLOURS)]) find('colours').add(new Option(name, name));
  map = new SkyMap(find('map'));
  spectrumPlot = new SpectrumPlot(find('spectrum'), showChannel);
  cutPlot = new CutPlot(find('pv'));
  volume = new VolumeView(find('volume'), find('volume-frame'), find('volume-note'));
  await choose(0);
  listenToMap();
  listenToControls();
  listenToKeys();
  new ResizeObserver(refresh).observe(document.body);
  find('busy').hidden = true;
  window.linerad = { state, map, volume, get cube() { return cube; } }; // for the console and for tests
}

start().catch((failure) => {
  find('busy').textContent = `The page cannot be shown: ${failure.message}`;
  console.error(failure);
});
