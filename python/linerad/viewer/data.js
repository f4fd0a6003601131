// The cubes of the page: unpacked numbers, and what is computed from them.
async function unpack(layer, count, perChannel) {
  const text = atob(document.getElementById('block' + layer.block).textContent), packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const values = new Float32Array(count), parts = Math.ceil(layer.bits / 8);
  for (let k = 0, i = 0; i < count; k++) {
    const low = layer.low[k], step = layer.step[k];
    for (const end = i + perChannel; i < end; i++) {
      let q = bytes[i];
      for (let part = 1; part < parts; part++) q += bytes[part * count + i] * 256 ** part;
      values[i] = q === 0 ? NaN : low + step * (q - 1);
    }
  }
  return values;
}

// Remembers the last result of something slow: it is made again only when what it depends on has changed.
function remembered(make) {
  let key = null, kept;
  return (...what) => {
    const now = JSON.stringify(what);
    if (now !== key) [kept, key] = [make(...what), now];
    return kept;
  };
}

// The upper end of a scale: the largest value, unless a few (a star) are far above all others.
function usualTop(values, high) {
  const some = Math.ceil(values.length / 2e5), lit = values.filter((v, i) => i % some === 0 && v > 1e-6 * high);
  const usual = quantile(lit, 0.995);
  return lit.length >= 100 && high > 50 * usual ? usual : high;
}

function rangeOf(values) {
  let low = Infinity, high = -Infinity;
  for (const v of values) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return low <= high ? [low, high] : [0, 1];
}

// The value below which this share of the values lies.
function quantile(values, share) {
  const known = Float32Array.from(values).filter((v) => !Number.isNaN(v)).sort();
  return known.length ? known[Math.round(share * (known.length - 1))] : NaN;
}

class Cube {
  static async load(told) {
    const cube = Object.assign(new Cube(), told);
    [cube.nv, cube.ny, cube.nx] = told.shape;
    const plane = cube.nx * cube.ny, count = plane * cube.nv;
    cube.data = await unpack(told.values, count, plane);
    cube.error = told.errors ? await unpack(told.errors, count, plane) : null;
    cube.range = rangeOf(cube.data);
    cube.range[1] = usualTop(cube.data, cube.range[1]);
    cube.errorRange = cube.error ? rangeOf(cube.error) : null;
    cube.whole = { x0: 0, y0: 0, x1: cube.nx - 1, y1: cube.ny - 1 };
    return cube;
  }

  // The stretch that suits the cube: logarithmic if few pixels are bright, unless noise goes below zero.
  suits() {
    const [low, high] = this.range, some = Math.ceil(this.data.length / 1e5);
    if (!(high > 0) || low < -0.01 * high) return 'linear';
    const lit = this.data.filter((v, i) => i % some === 0 && v > 1e-3 * high);
    return high > 12 * quantile(lit, 0.75) ? 'log' : 'linear';
  }

  plane(k, layer = this.data) {
    return layer.subarray(k * this.nx * this.ny, (k + 1) * this.nx * this.ny);
  }

  inside(x, y) {
    return x >= 0 && y >= 0 && x < this.nx && y < this.ny;
  }

  // Mean over a box of pixels, ends included, and its error: pixels are taken as independent.
  spectrum(box) {
    const mean = new Float64Array(this.nv), error = this.error ? new Float64Array(this.nv) : null;
    for (let k = 0; k < this.nv; k++) {
      let n = 0, sum = 0, squares = 0;
      for (let y = box.y0; y <= box.y1; y++)
        for (let x = box.x0; x <= box.x1; x++) {
          const i = (k * this.ny + y) * this.nx + x;
          if (Number.isNaN(this.data[i])) continue;
          n++;
          sum += this.data[i];
          if (error) squares += this.error[i] ** 2;
        }
      mean[k] = n ? sum / n : NaN;
      if (error) error[k] = n ? Math.sqrt(squares) / n : NaN;
    }
    return { mean, error };
  }

  // Moments over channels first..last: SUM I dv, SUM I v dv / SUM I dv, and the dispersion. Where |moment 0| is below
  // `mask` of the largest, the other two have no value.
  moment(order, first, last, mask) {
    const n = this.nx * this.ny, middle = 0.5 * (this.velocity[first] + this.velocity[last]);
    const sums = [0, 1, 2].map(() => new Float64Array(n)), known = new Uint8Array(n);
    for (let k = first; k <= last; k++) {
      const away = this.velocity[k] - middle, plane = this.plane(k), width = this.width[k];
      for (let i = 0; i < n; i++) {
        if (Number.isNaN(plane[i])) continue;
        const light = plane[i] * width;
        known[i] = 1;
        sums[0][i] += light;
        sums[1][i] += light * away;
        sums[2][i] += light * away * away;
      }
    }
    const zero = Float32Array.from(sums[0], (v, i) => (known[i] ? v : NaN));
    if (order === 0) return zero;
    const [low, high] = rangeOf(zero), least = mask * Math.max(-low, usualTop(zero, high));
    return zero.map((light, i) => {
      if (!(Math.abs(light) > least)) return NaN;
      const mean = sums[1][i] / sums[0][i];
      return order === 1 ? middle + mean : Math.sqrt(sums[2][i] / sums[0][i] - mean * mean);
    });
  }

  // Below this share of the largest moment 0, the others mean nothing: 2 %, or four times the noise, which is seen where
  // moment 0 is negative (if it is not negative as a rule, in absorption).
  faintest() {
    const zero = this.moment(0, 0, this.nv - 1, 0), most = usualTop(zero, rangeOf(zero)[1]);
    const below = zero.filter((v) => v < 0);
    if (!(most > 0) || below.length < 0.01 * zero.length || below.length > 0.6 * zero.length) return 0.02;
    const noise = Math.sqrt(below.reduce((sum, v) => sum + v * v, 0) / below.length);
    return Math.min(0.5, Math.max(0.02, (4 * noise) / most));
  }

  peak(first, last) {
    const n = this.nx * this.ny, out = new Float32Array(n).fill(NaN);
    for (let k = first; k <= last; k++)
      for (let i = 0; i < n; i++) {
        const v = this.data[k * n + i];
        if (v > out[i] || (Number.isNaN(out[i]) && !Number.isNaN(v))) out[i] = v;
      }
    return out;
  }

  // Between pixel centres, linear in both directions; outside and next to missing values there is none.
  at(k, x, y) {
    const x0 = Math.min(Math.max(Math.floor(x), 0), Math.max(this.nx - 2, 0));
    const y0 = Math.min(Math.max(Math.floor(y), 0), Math.max(this.ny - 2, 0));
    if (x < -0.5 || y < -0.5 || x > this.nx - 0.5 || y > this.ny - 0.5) return NaN;
    const x1 = Math.min(x0 + 1, this.nx - 1), y1 = Math.min(y0 + 1, this.ny - 1);
    const fx = Math.min(Math.max(x - x0, 0), 1), fy = Math.min(Math.max(y - y0, 0), 1);
    const p = this.plane(k);
    let sum = 0;
    for (const [row, v] of [[y0, 1 - fy], [y1, fy]])
      for (const [column, u] of [[x0, 1 - fx], [x1, fx]])
        if (u * v > 1e-6) sum += u * v * p[row * this.nx + column]; // a corner without a share may have no value
    return sum;
  }

  // Position-velocity diagram along a line, mean over `across` pixels beside it: values [channel, position].
  cut(line, across) {
    const dx = line.x1 - line.x0, dy = line.y1 - line.y0, long = Math.hypot(dx, dy) || 1;
    const n = Math.max(2, Math.round(long) + 1), values = new Float32Array(n * this.nv);
    for (let k = 0; k < this.nv; k++)
      for (let s = 0; s < n; s++) {
        let sum = 0, count = 0;
        for (let w = 0; w < across; w++) {
          const off = w - 0.5 * (across - 1), f = s / (n - 1);
          const v = this.at(k, line.x0 + f * dx - (off * dy) / long, line.y0 + f * dy + (off * dx) / long);
          if (!Number.isNaN(v)) { sum += v; count++; }
        }
        values[k * n + s] = count ? sum / count : NaN;
      }
    const length = Math.hypot(dx * this.step[0], dy * this.step[1]);
    return { values, n, length };
  }

  // A velocity with the decimals that tell channels apart.
  speed(v) {
    return minus(`${v.toFixed(Math.max(0, Math.min(4, 1 - Math.floor(Math.log10(this.width[0]) + 1e-6))))} km/s`);
  }

  offset(x, y) {
    return [(x - 0.5 * (this.nx - 1)) * this.step[0], (y - 0.5 * (this.ny - 1)) * this.step[1]];
  }
}
