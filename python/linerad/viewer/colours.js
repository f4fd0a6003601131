// Colour maps and stretches. A colour map is a list of colours at equal steps (inferno, viridis and RdBu of matplotlib).
const COLOURS = {
  inferno: '000004060419120a32230c4c360961490b6a5a116e6c186e7f1e6c902568a22b62b3325ac33b4fd24644df5337ea632af3761bf8890cfb9d07fcb216f9c72ff4dd4ff1f179fcffa4',
  viridis: '440154471164482071472e7c443b843f48893a548c34608d2f6c8e2a768e26818e228b8d1f958b1fa08824aa832fb47c42be7158c76570cf578bd646a8db34c5e021e2e418fde725',
  grey: '000000ffffff',
  'red-blue': '0530611147811d5fa22b73b33a87bd4f9bc771b0d393c6deb1d5e7cce2efdeebf2eff3f5f8f1edfbe5d8fcd7c2f8bfa4f4a683e8896cdb6b55cc4c44bd2d35a81529870a2467001f',
};
const MISSING = [58, 62, 70]; // no value here

const colourTable = remembered((name) => {
  const text = COLOURS[name], n = text.length / 6, table = new Uint8Array(256 * 3);
  const part = (k, c) => parseInt(text.substr(6 * k + 2 * c, 2), 16);
  for (let i = 0; i < 256; i++) {
    const at = (i / 255) * (n - 1), k = Math.min(Math.floor(at), n - 2), f = at - k;
    for (let c = 0; c < 3; c++) table[3 * i + c] = Math.round((1 - f) * part(k, c) + f * part(k + 1, c));
  }
  return table;
});

// From 0..1 to 0..1, as in DS9: log and asinh also take zero.
const STRETCHES = {
  linear: (t) => t,
  sqrt: Math.sqrt,
  log: (t) => Math.log10(1 + 1000 * t) / Math.log10(1001),
  asinh: (t) => Math.asinh(10 * t) / Math.asinh(10),
};

function stretched(value, scale) {
  const t = (value - scale.low) / (scale.high - scale.low || 1);
  return STRETCHES[scale.stretch](Math.min(1, Math.max(0, t)));
}

// Numbers to an image; the first row is drawn at the bottom.
function paint(values, nx, ny, scale) {
  const table = colourTable(scale.colours), image = new ImageData(nx, ny), out = image.data;
  for (let y = 0; y < ny; y++)
    for (let x = 0; x < nx; x++) {
      const v = values[y * nx + x], at = 4 * ((ny - 1 - y) * nx + x);
      const k = Number.isNaN(v) ? -1 : 3 * Math.round(255 * stretched(v, scale));
      for (let c = 0; c < 3; c++) out[at + c] = k < 0 ? MISSING[c] : table[k + c];
      out[at + 3] = 255;
    }
  return image;
}
