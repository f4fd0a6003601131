// Drawing helpers: canvases as fine as the screen, ticks, numbers, frames with axes.
const INK = '#d7dce3', FAINT = '#6d7683', ACCENT = '#5cc8ff', MARK = '#ffb347';

function prepare(canvas) {
  const ratio = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
  canvas.width = Math.max(1, Math.round(w * ratio));
  canvas.height = Math.max(1, Math.round(h * ratio));
  const pen = canvas.getContext('2d');
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.font = '12px system-ui, sans-serif';
  pen.lineWidth = 1;
  return { pen, w, h };
}

function ticks(low, high, number) {
  const span = high - low;
  if (!(span > 0)) return [low];
  const raw = span / Math.max(1, number), power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((m) => m * power >= raw * 0.999);
  const out = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * span; k++) out.push(k * step);
  return out;
}

// With as many decimals as their steps need.
function tickTexts(values) {
  const step = values.length > 1 ? Math.abs(values[1] - values[0]) : 0, most = Math.max(...values.map(Math.abs));
  if (!(step >= 1e-4) || most >= 1e6) return values.map((v) => number(v));
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return values.map((v) => minus(v.toFixed(decimals)));
}

function number(value, digits = 4) {
  if (Number.isNaN(value)) return 'no value';
  const size = Math.abs(value);
  if (size >= 1e5 || (size > 0 && size < 1e-3))
    return minus(value.toExponential(digits - 1).replace(/\.?0*e\+?/, 'e'));
  return minus(String(parseFloat(value.toPrecision(digits))));
}

const raised = (power) => String(power).replace(/./g, (letter) => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(letter)]);

// A number with its unit; units may begin with a power of ten.
const amount = (value, unit, digits) => `${number(value, digits)}${unit.startsWith('10') ? ' ×' : ''} ${unit}`.trim();

// Two digits, rounded up: a limit that holds.
function atMost(value) {
  if (!(value > 0)) return 0;
  const step = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((Math.ceil((value / step) * (1 - 1e-12)) * step).toPrecision(2));
}

const withUnit = (name, unit) => (unit ? `${name} [${unit}]` : name);
const minus = (text) => text.replace(/-/g, '\u2212');

// Axes around box = {x, y, w, h}; ends of the axes may run either way. Returns functions from values to the screen.
function frame(pen, box, xs, ys, labels) {
  const toX = (v) => box.x + ((v - xs[0]) / (xs[1] - xs[0])) * box.w;
  const toY = (v) => box.y + box.h - ((v - ys[0]) / (ys[1] - ys[0])) * box.h;
  pen.strokeStyle = FAINT;
  pen.strokeRect(box.x + 0.5, box.y + 0.5, box.w - 1, box.h - 1);
  pen.fillStyle = INK;
  pen.textAlign = 'center';
  pen.textBaseline = 'top';
  const across = ticks(Math.min(...xs), Math.max(...xs), box.w / 55);
  const up = ticks(Math.min(...ys), Math.max(...ys), box.h / 45);
  tickTexts(across).forEach((text, i) => {
    line(pen, toX(across[i]), box.y + box.h, toX(across[i]), box.y + box.h - 5);
    pen.fillText(text, toX(across[i]), box.y + box.h + 4);
  });
  pen.fillText(labels[0], box.x + box.w / 2, box.y + box.h + 20);
  pen.textAlign = 'right';
  pen.textBaseline = 'middle';
  tickTexts(up).forEach((text, i) => {
    line(pen, box.x, toY(up[i]), box.x + 5, toY(up[i]));
    pen.fillText(text, box.x - 5, toY(up[i]));
  });
  writeUp(pen, labels[1], 12, box);
  return { toX, toY };
}

// A label from the bottom up, centred on the box, as long as there is room; without its unit if that does not fit.
function writeUp(pen, text, x, box) {
  const room = box.h + 40, size = (name) => pen.measureText(name).width;
  pen.save();
  const normal = pen.font;
  if (size(text) > room) pen.font = '10px system-ui, sans-serif';
  const fits = size(text) > room ? text.replace(/ \[.*/, '') : text;
  if (fits !== text) pen.font = normal;
  pen.translate(x, Math.max(box.y + box.h / 2, size(fits) / 2 + 2));
  pen.rotate(-Math.PI / 2);
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.fillText(fits, 0, 0);
  pen.restore();
}

function line(pen, x0, y0, x1, y1, stroke = () => pen.stroke()) {
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  stroke();
}

function drawImage(pen, image, box) {
  const sheet = document.createElement('canvas');
  sheet.width = image.width;
  sheet.height = image.height;
  sheet.getContext('2d').putImageData(image, 0, 0);
  pen.imageSmoothingEnabled = false;
  pen.drawImage(sheet, box.x, box.y, box.w, box.h);
}

// White text and lines with a dark outline, seen on any colour: `draw` gets functions that write and stroke.
function outlined(pen, draw) {
  const stroke = () => {
    const width = pen.lineWidth;
    pen.strokeStyle = 'rgba(0,0,0,0.75)';
    pen.lineWidth = width + 2;
    pen.stroke();
    pen.strokeStyle = '#fff';
    pen.lineWidth = width;
    pen.stroke();
  };
  const write = (text, x, y) => {
    const width = pen.lineWidth;
    pen.lineWidth = 3;
    pen.lineJoin = 'round';
    pen.strokeStyle = 'rgba(0,0,0,0.75)';
    pen.strokeText(text, x, y);
    pen.fillStyle = '#fff';
    pen.fillText(text, x, y);
    pen.lineWidth = width;
  };
  pen.save();
  draw(write, stroke);
  pen.restore();
}

function pointerAt(canvas, event) {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}
