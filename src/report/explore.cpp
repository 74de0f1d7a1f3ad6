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
      const data = part('data'), grid = part('grid'), marks = part('marks'), old = part('ticks');
      if (!data || !old || data.classList.contains('map')) continue;
      const id = 'clip' + ++count;
      make(make(g, 'clipPath', { id }), 'rect', { x: 0, y: 0, width: w, height: h });
      const paths = [...data.querySelectorAll('path'), ...(marks ? marks.querySelectorAll('path') : [])].map(e => ({ e, d: e.getAttribute('d') }));
      const curves = [...data.querySelectorAll('path.curve')].map(e => ({ label: e.dataset.label, points:
        [...e.getAttribute('d').matchAll(pair)].map(m => [Number(m[2]), Number(m[3]), m[1] === 'L']) }));
      const p = { g, w, h, x0, x1, xlog, y0, y1, ylog, paths, curves, view: [0, 0, 1, 1], fresh: null };
      p.draw = () => {
        const [u, v, du, dv] = p.view, whole = du === 1 ? dv === 1 : false;
        const px = x => (x - u * w) / du, py = y => (y - v * h) / dv;
        for (const { e, d } of paths)
          e.setAttribute('d', whole ? d : d.replace(pair, (m, c, x, y) => c + px(x).toFixed(2) + ' ' + py(y).toFixed(2))
            .replace(single, (m, c, x) => c + (c === 'H' ? (x == w ? w : px(x)) : (y => y == h ? h : py(y))(x)).toFixed(2)));
        whole ? data.removeAttribute('clip-path') : data.setAttribute('clip-path', 'url(#' + id + ')');
        if (marks) marks.style.display = whole ? '' : 'none';
        grid.style.display = old.style.display = whole ? '' : 'none';
        if (p.fresh) p.fresh.remove();
        p.fresh = null;
        if (whole) return;
        p.fresh = make(g, 'g', { 'pointer-events': 'none' });
        const a = value(u, x0, x1, xlog), b = value(u + du, x0, x1, xlog), c = value(1 - v - dv, y0, y1, ylog), e = value(1 - v, y0, y1, ylog);
        const where = (t, lo, hi, log) => log ? Math.log(t / lo) / Math.log(hi / lo) : (t - lo) / (hi - lo);
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
      const pad = make(g, 'rect', { x: 0, y: 0, width: w, height: h, fill: 'transparent', class: 'pad' });
      let from = null;
      const at = event => {
        const m = g.getScreenCTM().inverse();
        return [Math.min(w, Math.max(0, event.clientX * m.a + event.clientY * m.c + m.e)), Math.min(h, Math.max(0, event.clientX * m.b + event.clientY * m.d + m.f))];
      };
      const hide = () => { for (const e of [dot, tip]) e.setAttribute('visibility', 'hidden'); };
      pad.addEventListener('pointermove', event => {
        const [x, y] = at(event);
        if (from) {
          hide();
          for (const [key, v] of Object.entries({ x: Math.min(x, from[0]), y: Math.min(y, from[1]), width: Math.abs(x - from[0]), height: Math.abs(y - from[1]), visibility: 'visible' })) box.setAttribute(key, v);
          return;
        }
        const [u, v, du, dv] = p.view;
        let best = null, least = 400;
        for (const curve of p.curves) curve.points.forEach((q, i) => {  // the nearest point of each piece of the line
          const e = q[2] ? curve.points[i - 1] : q, ex = (e[0] - q[0]) / du, ey = (e[1] - q[1]) / dv;
          const a = (q[0] - u * w) / du - x, b = (q[1] - v * h) / dv - y, l = ex * ex + ey * ey;
          const f = l > 0 ? Math.min(1, Math.max(0, -(a * ex + b * ey) / l)) : 0;
          const X = a + f * ex, Y = b + f * ey, r = X * X + Y * Y;
          if (least > r) { least = r; best = [[q[0] + f * (e[0] - q[0]), q[1] + f * (e[1] - q[1])], curve.label, X + x, Y + y]; }
        });
        if (!best) return hide();
        const X = value(best[0][0] / w, p.x0, p.x1, p.xlog), Y = value(1 - best[0][1] / h, p.y0, p.y1, p.ylog);
        line.textContent = (best[1] ? best[1].replace(/[_^]/g, '').replace(/[{}]/g, '') + ': ' : '') + shown(X) + ', ' + shown(Y);
        dot.setAttribute('cx', best[2]); dot.setAttribute('cy', best[3]);
        const size = line.getBBox(), left = best[2] + 8 + size.width > w ? best[2] - 10 - size.width : best[2] + 8, top = Math.max(10, best[3] - 6);
        line.setAttribute('x', left); line.setAttribute('y', top);
        for (const [key, v] of Object.entries({ x: left - 3, y: top - 8, width: size.width + 6, height: 11 })) back.setAttribute(key, v);
        for (const e of [dot, tip]) e.setAttribute('visibility', 'visible');
      });
      pad.addEventListener('pointerleave', () => { if (!from) hide(); });
      pad.addEventListener('pointerdown', event => { if (event.pointerType === 'mouse' ? event.button === 0 : false) { from = at(event); pad.setPointerCapture(event.pointerId); } });
      const zoom = (q, view) => { q.view = view; q.draw(); };
      pad.addEventListener('pointerup', event => {
        if (!from) return;
        const [x, y] = at(event), [a, b] = from;
        from = null;
        box.setAttribute('visibility', 'hidden');
        const wide = Math.abs(x - a), high = Math.abs(y - b), [u, v, du, dv] = p.view;
        if (6 > wide) return;
        const tall = high > 12;  // a flat rectangle zooms along x alone
        const next = [u + du * Math.min(x, a) / w, tall ? v + dv * Math.min(y, b) / h : v, du * wide / w, tall ? dv * high / h : dv];
        if (1e-4 > next[2] || 1e-4 > next[3]) return;
        for (const q of panels) {
          if (q === p) zoom(q, next);
          else if (q.x0 === p.x0 ? q.x1 === p.x1 ? q.xlog === p.xlog : false : false) zoom(q, [next[0], q.view[1], next[2], q.view[3]]);
        }
      });
      pad.addEventListener('dblclick', () => { for (const q of panels) zoom(q, [0, 0, 1, 1]); hide(); });
    }
    if (panels.length) {
      const hint = document.createElement('p');
      hint.className = 'quiet hint';
      hint.textContent = 'Point at a curve for its values; drag to zoom, double-click to reset.';
      const figure = svg.closest('figure');
      if (!figure.querySelector('.hint')) figure.appendChild(hint);
    }
  }
})();
)js";

}  // namespace bristle::report
