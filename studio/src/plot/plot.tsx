// A figure on a canvas of its own, with pointer, keyboard, spoken values and files. Curves may turn back.
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { theme } from "../ui/theme";
import { across, box, draw, type Figure, type Pen, up, type View, whole } from "./figure";
import { type Axis, place, short, value } from "./scale";
import { Saves, Values } from "./parts";

export function pen(canvas: HTMLCanvasElement, width: number, height: number): Pen & CanvasRenderingContext2D {
  const ratio = Math.min(3, devicePixelRatio || 1), c = canvas.getContext("2d")!;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, width, height);
  return Object.assign(c, {
    clipTo(x: number, y: number, w: number, h: number) {
      c.beginPath();
      c.rect(x, y, w, h);
      c.clip();
    },
  });
}

export function useWidth(): [preact.RefObject<HTMLDivElement | null>, number] {
  const ref = useRef<HTMLDivElement>(null), [width, setWidth] = useState(0);
  useEffect(() => {
    const watch = new ResizeObserver((e) => setWidth(Math.round(e[0]!.contentRect.width)));
    watch.observe(ref.current!);
    return () => watch.disconnect();
  }, []);
  return [ref, width];
}

const zoomed = (a: Axis, at: number, by: number): Axis => {
  const lo = value(a, at - at * by), hi = value(a, at + (1 - at) * by);
  return Number.isFinite(lo) && Number.isFinite(hi) && hi - lo > 1e-12 * Math.max(Math.abs(lo), Math.abs(hi)) ? { ...a, lo, hi } : a;
};

interface Props { figure: Figure; height?: number; stale?: boolean; note?: string; name?: string }

export function Plot({ figure, height = 260, stale, note, name }: Props) {
  const [holder, width] = useWidth(), canvas = useRef<HTMLCanvasElement>(null), id = useId();
  const [view, setView] = useState<View | undefined>(), [at, setAt] = useState<{ curve: number; row: number } | undefined>();
  const [drag, setDrag] = useState<{ x: number; y: number; x2: number; y2: number } | undefined>();
  const all = useMemo(() => whole(figure), [figure]), shown = view ?? all, look = theme.value;
  const selected = at && figure.curves[at.curve] && at.row < figure.curves[at.curve]!.x.length ? at : undefined;

  useLayoutEffect(() => {
    if (!canvas.current || width === 0) return;
    const p = pen(canvas.current, width, height);
    draw(p, width, height, figure, shown, look);
    const b = box(width, height);
    if (selected) {
      const c = figure.curves[selected.curve]!, X = across(shown, b, c.x[selected.row]!), Y = up(shown, b, c.y[selected.row]!);
      p.strokeStyle = look.ink;
      p.lineWidth = 1.5;
      p.beginPath();
      p.arc(X, Y, 5, 0, 2 * Math.PI);
      p.stroke();
    }
    if (drag) {
      p.fillStyle = look.ink;
      p.globalAlpha = 0.12;
      p.fillRect(Math.min(drag.x, drag.x2), Math.min(drag.y, drag.y2), Math.abs(drag.x2 - drag.x), Math.abs(drag.y2 - drag.y));
      p.globalAlpha = 1;
    }
  }, [figure, shown, width, height, look, selected, drag]);

  const where = (e: PointerEvent) => {
    const r = canvas.current!.getBoundingClientRect();
    return { x: e.clientX - r.left, y: e.clientY - r.top };
  };
  const nearest = (X: number, Y: number) => {
    const b = box(width, height);
    let best: { curve: number; row: number } | undefined, least = 40 * 40;
    figure.curves.forEach((c, curve) => {
      for (let row = 0; row < c.x.length; ++row) {
        const dx = across(shown, b, c.x[row]!) - X, dy = up(shown, b, c.y[row]!) - Y, d = dx * dx + dy * dy;
        if (d < least) {
          least = d;
          best = { curve, row };
        }
      }
    });
    return best;
  };
  const move = (e: PointerEvent) => {
    const p = where(e);
    if (drag) setDrag({ ...drag, x2: p.x, y2: p.y });
    else setAt(nearest(p.x, p.y));
  };
  const finish = () => {
    if (drag && Math.abs(drag.x2 - drag.x) > 6 && Math.abs(drag.y2 - drag.y) > 6) {
      const b = box(width, height), px = (x: number) => (x - b.left) / b.width, py = (y: number) => 1 - (y - b.top) / b.height;
      setView({
        x: { ...shown.x, lo: value(shown.x, px(Math.min(drag.x, drag.x2))), hi: value(shown.x, px(Math.max(drag.x, drag.x2))) },
        y: { ...shown.y, lo: value(shown.y, py(Math.max(drag.y, drag.y2))), hi: value(shown.y, py(Math.min(drag.y, drag.y2))) },
      });
    }
    setDrag(undefined);
  };
  const key = (e: KeyboardEvent) => {
    const now = selected ?? { curve: 0, row: 0 }, c = figure.curves[now.curve];
    if (!c) return;
    const step = e.shiftKey ? Math.max(1, Math.round(c.x.length / 20)) : Math.max(1, Math.round(c.x.length / 200));
    const go = (row: number) => setAt({ curve: now.curve, row: Math.max(0, Math.min(c.x.length - 1, row)) });
    const turn = (by: number) => setAt({ curve: (now.curve + by + figure.curves.length) % figure.curves.length, row: 0 });
    const px = place(shown.x, c.x[now.row]!), py = place(shown.y, c.y[now.row]!);
    switch (e.key) {
      case "ArrowRight": go(selected ? now.row + step : 0); break;
      case "ArrowLeft": go(now.row - step); break;
      case "ArrowDown": turn(1); break;
      case "ArrowUp": turn(-1); break;
      case "Home": go(0); break;
      case "End": go(c.x.length - 1); break;
      case "+": case "=": setView({ x: zoomed(shown.x, px, 0.6), y: zoomed(shown.y, py, 0.6) }); break;
      case "-": setView({ x: zoomed(shown.x, px, 1 / 0.6), y: zoomed(shown.y, py, 1 / 0.6) }); break;
      case "0": case "Escape": setView(undefined); setAt(undefined); break;
      default: return;
    }
    e.preventDefault();
  };
  const c = selected && figure.curves[selected.curve];
  const said = c ? `${figure.curves.length > 1 ? `${c.label}: ` : ""}${figure.xlabel} ${short(c.x[selected.row]!, 5)}, ${figure.ylabel} ${short(c.y[selected.row]!, 5)}` : "";
  return (
    <figure class={`plot${stale ? " stale" : ""}${figure.preview ? " preview" : ""}`} data-plot={name ?? figure.title}>
      <figcaption>
        <span class="title">{figure.title}</span>
        <Saves figure={figure} view={view} />
      </figcaption>
      <div ref={holder} class="area" style={{ height: `${height}px` }} tabIndex={0} role="application" aria-roledescription="plot"
        aria-label={`${figure.title}: ${figure.ylabel} over ${figure.xlabel}`} aria-describedby={`${id}-help`}
        onKeyDown={key} onPointerMove={move} onPointerLeave={() => !drag && setAt(undefined)}
        onPointerDown={(e) => {
          if (e.pointerType === "touch") return setAt(nearest(where(e).x, where(e).y));
          const p = where(e);
          setDrag({ x: p.x, y: p.y, x2: p.x, y2: p.y });
          (e.currentTarget as HTMLElement).setPointerCapture(e.pointerId);
        }}
        onPointerUp={finish} onDblClick={() => setView(undefined)}>
        <canvas ref={canvas} aria-hidden="true" style={{ width: `${width}px`, height: `${height}px` }} />
      </div>
      <div class="below">
        <Legend figure={figure} />
        <output class="readout" aria-live="polite">{said || note || ""}</output>
        {view && <button type="button" class="small" onClick={() => setView(undefined)}>Whole figure</button>}
      </div>
      <span id={`${id}-help`} hidden>Arrow keys move along the curve and between curves, plus and minus zoom, Escape shows the whole figure.</span>
      <Values figure={figure} />
    </figure>
  );
}

export function Legend({ figure }: { figure: Figure }) {
  if (figure.curves.length < 2) return null;
  return (
    <ul class="legend">
      {figure.curves.map((c, i) => (
        <li key={c.label + i}><span class={`swatch series-${((c.color ?? i) % 8) + 1}${c.dash ? " dashed" : ""}`} aria-hidden="true" />{c.label}</li>
      ))}
    </ul>
  );
}

/// The place of a plot that is not computed yet: nothing moves when it appears.
export function Placeholder({ title, height = 260 }: { title: string; height?: number }) {
  return (
    <figure class="plot" aria-busy="true">
      <figcaption><span class="title">{title}</span></figcaption>
      <div class="area" style={{ height: `${height}px` }} />
      <div class="below"><span class="readout">computing…</span></div>
      <div class="values">&nbsp;</div>
    </figure>
  );
}
