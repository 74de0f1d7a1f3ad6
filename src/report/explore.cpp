#include "report/explore.hpp"

namespace bristle::report {

// Reads the paths of the figures, so that a page contains each number once. No '<' and no '&': pages are well-formed XML.
const char* const explore_script = R"js(
(() => {
  const NS = 'http://www.w3.org/2000/svg';
  const make = (parent, name, attributes, text) => {
    const e = document.createElementNS(NS, name);
    for (const key in attributes) e.setAttribute(key, attributes[key]);
    if (text !== undefined) e.textContent = text;
    return parent.appendChild(e);
  };
  const shown = v => {
    const a = Math.abs(v);
    return a !== 0 ? (a >= 1e5 || 1e-3 > a ? v.toExponential(3) : String(+v.toPrecision(5))) : '0';
  };
  const value = (f, a, b, log) => log ? a * Math.pow(b / a, f) : a + (b - a) * f;
  const exact = (f, a, b, log) => {  // the figure resolves some 1e-4 of an axis: less is zero
    const v = value(f, a, b, log);
    return log ? v : 1e-4 * Math.abs(b - a) > Math.abs(v) ? 0 : v;
  };
  const where = (t, lo, hi, log) => log ? Math.log(t / lo) / Math.log(hi / lo) : (t - lo) / (hi - lo);
  const inside = (x, lo, hi) => Math.min(hi, Math.max(lo, x));
  const plain = label => {
    const text = label.replace(/[_^]/g, '').replace(/[{}]/g, '');
    return text ? (text.length > 40 ? text.slice(0, 39) + '\u2026' : text) + ': ' : '';
  };
  const ticks = (a, b, log, most) => {
    const out = [];
    if (log) {
      const first = Math.floor(Math.log10(a)), last = Math.floor(Math.log10(b) + 1e-9);
      for (const digits of [[1], [1, 2, 5]]) {
        out.length = 0;
        for (let e = first; last >= e; ++e) for (const k of digits) {
          const t = k * Math.pow(10, e);
          if (t >= a * (1 - 1e-9) ? b * (1 + 1e-9) >= t : false) out.push(t);
        }
        if (out.length > 2) return out;
      }
      if (b > 2 * a) return out;
      out.length = 0;
    }
    const raw = (b - a) / most, ten = Math.pow(10, Math.floor(Math.log10(raw)));
    const step = [1, 2, 2.5, 5, 10].find(k => k * ten >= raw * (1 - 1e-9)) * ten;
    for (let k = Math.ceil(a / step - 1e-9); b / step + 1e-9 >= k; ++k) out.push(k * step);
    return out;
  };
  const text_of = v => { const a = Math.abs(v); return v !== 0 ? (a >= 1e5 || 1e-3 > a ? v.toExponential(2) : String(+v.toPrecision(6))) : '0'; };
  const number = '(-?[0-9.]+)';
  const pair = new RegExp('([ML])' + number + ' ' + number, 'g'), single = new RegExp('([HV])' + number, 'g');
  let count = 0;
  for (const svg of document.querySelectorAll('figure svg')) {
    const panels = [];
    for (const g of svg.querySelectorAll('g.panel')) {
      const [w, h, x0, x1, xlog, y0, y1, ylog] = g.dataset.axes.split(' ').map(Number);
      const part = name => g.querySelector(':scope > .' + name);
      const data = part('data'), grid = part('grid'), marks = part('marks'), old = part('ticks'), labels = part('labels'), legend = part('legend');
      const map = data ? data.querySelector(':scope > .cells') : null;
      if (!data || !old || (map ? false : data.classList.contains('map'))) continue;
      const id = 'clip' + ++count;
      make(make(g, 'clipPath', { id }), 'rect', { x: 0, y: 0, width: w, height: h });
      const paths = [...data.querySelectorAll('path'), ...(marks ? marks.querySelectorAll('path') : [])].map(e => ({ e, d: e.getAttribute('d') }));
      const curves = [...data.querySelectorAll('path.curve')].map(e => ({ label: e.dataset.label, points:
        [...e.getAttribute('d').matchAll(pair)].map(m => [Number(m[2]), Number(m[3]), m[1] === 'L']) }));
      for (const c of curves) c.length = c.points.reduce((sum, q, i) => sum + (q[2] ? Math.hypot(q[0] - c.points[i - 1][0], q[1] - c.points[i - 1][1]) : 0), 0);
      const numbers = name => map.dataset[name].split(' ').map(Number);
      const cells = map ? { x: numbers('x'), y: numbers('y'), z: numbers('z'), i: 0, j: 0 } : null;
      const p = { g, w, h, x0, x1, xlog, y0, y1, ylog, paths, curves, cells, view: [0, 0, 1, 1], fresh: null };
      p.draw = () => {
        const [u, v, du, dv] = p.view, whole = du === 1 ? dv === 1 : false;
        const px = x => (x - u * w) / du, py = y => (y - v * h) / dv;
        for (const { e, d } of paths)
          e.setAttribute('d', whole ? d : d.replace(pair, (m, c, x, y) => c + px(x).toFixed(2) + ' ' + py(y).toFixed(2))
            .replace(single, (m, c, x) => c + (c === 'H' ? (x == w ? w : px(x)) : (y => y == h ? h : py(y))(x)).toFixed(2)));
        whole ? data.removeAttribute('clip-path') : data.setAttribute('clip-path', 'url(#' + id + ')');
        for (const e of [marks, labels]) if (e) e.style.display = whole ? '' : 'none';
        if (legend) legend.style.opacity = whole ? '' : 0.4;
        grid.style.display = old.style.display = whole ? '' : 'none';
        if (p.fresh) p.fresh.remove();
        p.fresh = null;
        if (whole) return;
        p.fresh = make(g, 'g', { 'pointer-events': 'none' });
        const a = value(u, x0, x1, xlog), b = value(u + du, x0, x1, xlog), c = value(1 - v - dv, y0, y1, ylog), e = value(1 - v, y0, y1, ylog);
        for (const t of ticks(a, b, xlog, 6)) {
          const x = w * where(t, a, b, xlog);
          make(p.fresh, 'path', { d: 'M' + x + ' 0V' + (h + 3), stroke: '#888', 'stroke-width': 0.3 });
          make(p.fresh, 'text', { x, y: h + 11.4, 'text-anchor': 'middle', 'font-size': old.classList.contains('bare') ? 6 : 8 }, text_of(t));
        }
        for (const t of ticks(c, e, ylog, 5)) {
          const y = h * (1 - where(t, c, e, ylog));
          make(p.fresh, 'path', { d: 'M-3 ' + y + 'H' + w, stroke: '#888', 'stroke-width': 0.3 });
          make(p.fresh, 'text', { x: -5, y: y + 2.8, 'text-anchor': 'end', 'font-size': 8 }, text_of(t));
        }
      };
      panels.push(p);
    }
    for (const p of panels) {
      const { g, w, h } = p;
      const dot = make(g, 'circle', { r: 2.6, fill: 'none', stroke: '#000', 'stroke-width': 0.8, visibility: 'hidden', 'pointer-events': 'none' });
      const tip = make(g, 'g', { visibility: 'hidden', 'pointer-events': 'none' });
      const back = make(tip, 'rect', { fill: '#fff', 'fill-opacity': 0.92, stroke: '#999', 'stroke-width': 0.4, rx: 2 });
      const line = make(tip, 'text', { 'font-size': 8 });
      const box = make(g, 'rect', { fill: '#08f', 'fill-opacity': 0.12, stroke: '#08f', 'stroke-width': 0.5, visibility: 'hidden', 'pointer-events': 'none' });
      const pad = make(g, 'rect', { x: 0, y: 0, width: w, height: h, fill: 'transparent', class: 'pad', tabindex: 0 });
      let from = null, key = null;  // corner of a rectangle; curve of the keyboard and the fraction of its length
      const at = event => {
        const m = g.getScreenCTM().inverse();
        return [inside(event.clientX * m.a + event.clientY * m.c + m.e, 0, w), inside(event.clientX * m.b + event.clientY * m.d + m.f, 0, h)];
      };
      const hide = () => { for (const e of [dot, tip]) e.setAttribute('visibility', 'hidden'); };
      const show = (x, y, text) => {
        line.textContent = text;
        dot.setAttribute('cx', x); dot.setAttribute('cy', y);
        const size = line.getBBox(), left = Math.max(3, x + 8 + size.width > w ? x - 10 - size.width : x + 8), top = inside(y - 6, 10, h);
        line.setAttribute('x', left); line.setAttribute('y', top);
        for (const [key, v] of Object.entries({ x: left - 3, y: top - 8, width: size.width + 6, height: 11 })) back.setAttribute(key, v);
        for (const e of [dot, tip]) e.setAttribute('visibility', 'visible');
      };
      const tell = (label, x, y) => {  // a point of the whole panel
        const [u, v, du, dv] = p.view;
        const X = exact(x / w, p.x0, p.x1, p.xlog), Y = exact(1 - y / h, p.y0, p.y1, p.ylog);
        show((x - u * w) / du, (y - v * h) / dv, plain(label) + shown(X) + ', ' + shown(Y));
      };
      const tell_cell = () => {
        const c = p.cells, z = c.z[c.i * c.y.length + c.j];
        show(w * where(c.x[c.i], p.x0, p.x1, p.xlog), h * (1 - where(c.y[c.j], p.y0, p.y1, p.ylog)),
          shown(c.x[c.i]) + ', ' + shown(c.y[c.j]) + ': ' + (isNaN(z) ? 'no value' : shown(z)));
      };
      const nearest = (values, f, lo, hi, log) => {
        let best = 0;
        values.forEach((t, i) => { if (Math.abs(where(values[best], lo, hi, log) - f) > Math.abs(where(t, lo, hi, log) - f)) best = i; });
        return best;
      };
      const look = (x, y) => {
        if (p.cells) {
          p.cells.i = nearest(p.cells.x, x / w, p.x0, p.x1, p.xlog);
          p.cells.j = nearest(p.cells.y, 1 - y / h, p.y0, p.y1, p.ylog);
          return tell_cell();
        }
        const [u, v, du, dv] = p.view;
        let best = null, least = 400;
        for (const curve of p.curves) curve.points.forEach((q, i) => {  // the nearest point of each piece of the line
          const e = q[2] ? curve.points[i - 1] : q, ex = (e[0] - q[0]) / du, ey = (e[1] - q[1]) / dv;
          const a = (q[0] - u * w) / du - x, b = (q[1] - v * h) / dv - y, l = ex * ex + ey * ey;
          const f = l > 0 ? inside(-(a * ex + b * ey) / l, 0, 1) : 0;
          const X = a + f * ex, Y = b + f * ey, r = X * X + Y * Y;
          if (least > r) { least = r; best = [curve.label, q[0] + f * (e[0] - q[0]), q[1] + f * (e[1] - q[1])]; }
        });
        best ? tell(...best) : hide();
      };
      const zoom = (q, view) => { q.view = view; q.draw(); };
      const zoom_all = next => {
        if (1e-4 > next[2] || 1e-4 > next[3]) return;
        for (const q of panels) {
          if (q === p) zoom(q, next);
          else if (q.cells ? false : q.x0 === p.x0 ? q.x1 === p.x1 ? q.xlog === p.xlog : false : false) zoom(q, [next[0], q.view[1], next[2], q.view[3]]);
        }
      };
      const reset = () => { for (const q of panels) if (!q.cells) zoom(q, [0, 0, 1, 1]); hide(); };
      pad.addEventListener('pointermove', event => {
        const [x, y] = at(event);
        if (!from) return look(x, y);
        hide();
        for (const [key, v] of Object.entries({ x: Math.min(x, from[0]), y: Math.min(y, from[1]), width: Math.abs(x - from[0]), height: Math.abs(y - from[1]), visibility: 'visible' })) box.setAttribute(key, v);
      });
      pad.addEventListener('pointerleave', event => { if (event.pointerType === 'mouse' ? !from : false) hide(); });
      pad.addEventListener('pointerdown', event => {
        if (event.pointerType !== 'mouse') return look(...at(event));
        if (event.button !== 0 || p.cells) return;
        from = at(event);
        pad.setPointerCapture(event.pointerId);
      });
      pad.addEventListener('pointerup', event => {
        if (!from) return;
        const [x, y] = at(event), [a, b] = from;
        from = null;
        box.setAttribute('visibility', 'hidden');
        const wide = Math.abs(x - a), high = Math.abs(y - b), [u, v, du, dv] = p.view;
        if (6 > wide) return;
        const tall = high > 12;  // a flat rectangle zooms along x alone
        zoom_all([u + du * Math.min(x, a) / w, tall ? v + dv * Math.min(y, b) / h : v, du * wide / w, tall ? dv * high / h : dv]);
      });
      pad.addEventListener('dblclick', reset);
      pad.addEventListener('blur', hide);
      // Arrows move along a curve, in small steps with Shift, and to the next curve; + and - zoom, 0 and Escape reset.
      const along = (curve, s) => {
        let rest = s * curve.length, last = curve.points[0];
        for (const q of curve.points) {
          const l = q[2] ? Math.hypot(q[0] - last[0], q[1] - last[1]) : 0;
          if (l > 0 ? l >= rest : false) return [last[0] + (q[0] - last[0]) * rest / l, last[1] + (q[1] - last[1]) * rest / l];
          rest -= l;
          last = q;
        }
        return last;
      };
      const walk = (right, down, size) => {
        if (p.cells) {
          p.cells.i = inside(p.cells.i + right, 0, p.cells.x.length - 1);
          p.cells.j = inside(p.cells.j - down, 0, p.cells.y.length - 1);
          return tell_cell();
        }
        const drawn = p.curves.filter(c => c.points.length), n = drawn.length;
        if (!n) return;
        key = key ? [(key[0] + down + n) % n, inside(key[1] + right * size, 0, 1)] : [0, 0];
        tell(drawn[key[0]].label, ...along(drawn[key[0]], key[1]));
      };
      const closer = factor => {
        if (p.cells) return;
        const drawn = p.curves.filter(c => c.points.length), [u, v, du, dv] = p.view, to = inside(du * factor, 0, 1);
        const middle = key ? along(drawn[key[0]], key[1])[0] / w : u + du / 2;
        zoom_all([inside(middle - to / 2, 0, 1 - to), v, to, dv]);
        if (key) walk(0, 0, 0);
      };
      pad.addEventListener('keydown', event => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const size = event.shiftKey ? 1e-3 : 1e-2;
        const act = { ArrowRight: () => walk(1, 0, size), ArrowLeft: () => walk(-1, 0, size), ArrowDown: () => walk(0, 1, size), ArrowUp: () => walk(0, -1, size),
          '+': () => closer(0.5), '=': () => closer(0.5), '-': () => closer(2), '0': reset, Escape: reset }[event.key];
        if (!act) return;
        event.preventDefault();
        act();
      });
    }
    if (panels.length) {
      const hint = document.createElement('p');
      hint.className = 'quiet hint';
      const map = panels.every(p => p.cells), touch = matchMedia('(hover: none)').matches;
      hint.textContent = touch ? 'Tap a ' + (map ? 'cell for its value.' : 'curve for its values.')
        : map ? 'Point at a cell for its value.' : 'Point at a curve for its values; drag to zoom, double-click to reset. Keys: arrows, +, \u2212, 0.';
      const figure = svg.closest('figure');
      if (!figure.querySelector('.hint')) figure.appendChild(hint);
    }
  }
})();
)js";

}  // namespace bristle::report
