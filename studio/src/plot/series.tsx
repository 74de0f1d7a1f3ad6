// Curves over one ascending x, drawn by uPlot: quick with many rows, zoom by dragging, one cursor for all curves.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { theme } from "../ui/theme";
import type { Figure } from "./figure";
import { Legend, useWidth } from "./plot";
import { Saves, Values } from "./parts";
import { isFlat, labels, padded, short } from "./scale";

interface Props { figure: Figure; height?: number; stale?: boolean; name?: string; cursor?: number | undefined }

/// All curves of the figure share the first x.
export function SeriesPlot({ figure, height = 230, stale, name, cursor }: Props) {
  const [holder, width] = useWidth(), plot = useRef<uPlot | undefined>(undefined), id = useId();
  const [row, setRow] = useState<number | undefined>(), [curve, setCurve] = useState(0), [zoomed, setZoomed] = useState(false);
  const marks = useRef<number[] | undefined>(undefined);
  marks.current = figure.marks;
  const until = useRef<number | undefined>(undefined);
  until.current = figure.until;
  const look = theme.value, x = figure.curves[0]?.x ?? [];
  const shape = `${figure.curves.length}|${figure.xlabel}|${figure.ylabel}|${figure.curves.map((c) => `${c.color}${c.dash}${c.points}`).join()}|${look.ink}|${look.palette[0]}|${height}|${!!figure.ylog}`;
  const data = useMemo(() => [x, ...figure.curves.map((c) => c.y)] as unknown as uPlot.AlignedData, [figure]);

  useLayoutEffect(() => {
    if (!holder.current || width === 0) return;
    const axis = { stroke: look.ink, grid: { stroke: look.grid, width: 1 }, ticks: { stroke: look.grid }, font: look.font, labelFont: look.font };
    const options: uPlot.Options = {
      width, height, legend: { show: false },
      cursor: { drag: { x: true, y: false, uni: 20 }, points: { size: 7 } },
      scales: {
        x: { time: false, range: (_u, lo, hi) => [lo, Math.max(hi, until.current ?? hi)] },
        y: figure.ylog ? { distr: 3 } : { range: (_u, lo, hi) => {
          if (lo === null || hi === null) return [0, 1];
          if (!isFlat(lo, hi)) return uPlot.rangeNum(lo, hi, 0.1, true);
          const a = padded(lo, hi, false);
          return [a.lo, a.hi];
        } },
      },
      axes: [
        { ...axis, label: figure.xlabel, labelSize: 18, size: 34, values: (_u, v) => labels(v, false) },
        { ...axis, label: figure.ylabel, labelSize: 18, size: 52, values: (_u, v) => labels(v.filter((t) => t !== null), !!figure.ylog) },
      ],
      series: [{ label: figure.xlabel }, ...figure.curves.map((c, i) => ({
        label: c.label, stroke: look.palette[(c.color ?? i) % 8]!, width: c.points ? 0 : 1.6, ...(c.dash ? { dash: [6, 4] } : {}),
        points: { show: !!c.points, size: 4, fill: look.palette[(c.color ?? i) % 8]! },
      }))],
      hooks: {
        drawClear: [(u) => { // events, behind the curves
          const list = marks.current;
          if (!list?.length) return;
          u.ctx.save();
          u.ctx.strokeStyle = look.muted;
          u.ctx.globalAlpha = 0.35;
          u.ctx.lineWidth = 1;
          u.ctx.beginPath();
          for (const t of list) {
            const X = Math.round(u.valToPos(t, "x", true));
            if (X < u.bbox.left || X > u.bbox.left + u.bbox.width) continue;
            u.ctx.moveTo(X, u.bbox.top);
            u.ctx.lineTo(X, u.bbox.top + u.bbox.height);
          }
          u.ctx.stroke();
          u.ctx.restore();
        }],
        setCursor: [(u) => setRow(u.cursor.idx ?? undefined)],
        setScale: [(u, key) => {
          const xs = u.data[0];
          if (key === "x" && xs.length > 1) setZoomed((u.scales["x"]!.min ?? 0) > xs[0]! || (u.scales["x"]!.max ?? 0) < xs[xs.length - 1]!);
        }],
      },
    };
    const made = new uPlot(options, data, holder.current);
    plot.current = made;
    return () => {
      made.destroy();
      plot.current = undefined;
    };
  }, [shape, width === 0]);
  useLayoutEffect(() => { if (plot.current && plot.current.data !== data) plot.current.setData(data, true); }, [data]);
  useLayoutEffect(() => { if (width) plot.current?.setSize({ width, height }); }, [width, height]);
  useEffect(() => { if (cursor !== undefined) move(cursor); }, [cursor]);

  const move = (to: number) => {
    const u = plot.current, at = Math.max(0, Math.min(x.length - 1, to));
    if (!u || x.length === 0) return;
    u.setCursor({ left: u.valToPos(x[at]!, "x"), top: u.valToPos(figure.curves[curve]?.y[at] ?? 0, "y") });
    setRow(at);
  };
  const reset = () => plot.current?.setScale("x", { min: x[0]!, max: x[x.length - 1]! });
  const key = (e: KeyboardEvent) => {
    const step = Math.max(1, Math.round(x.length / (e.shiftKey ? 20 : 200))), u = plot.current;
    const zoom = (by: number) => {
      if (!u) return;
      const lo = u.scales["x"]!.min!, hi = u.scales["x"]!.max!, at = x[row ?? Math.floor(x.length / 2)]!;
      u.setScale("x", { min: Math.max(x[0]!, at - (at - lo) * by), max: Math.min(x[x.length - 1]!, at + (hi - at) * by) });
    };
    switch (e.key) {
      case "ArrowRight": move((row ?? -step) + step); break;
      case "ArrowLeft": move((row ?? 0) - step); break;
      case "ArrowDown": setCurve((curve + 1) % figure.curves.length); break;
      case "ArrowUp": setCurve((curve + figure.curves.length - 1) % figure.curves.length); break;
      case "Home": move(0); break;
      case "End": move(x.length - 1); break;
      case "+": case "=": zoom(0.5); break;
      case "-": zoom(2); break;
      case "0": case "Escape": reset(); setRow(undefined); break;
      default: return;
    }
    e.preventDefault();
  };
  const said = row !== undefined && row < x.length
    ? `${figure.xlabel} ${short(x[row]!, 5)}: ${figure.curves.map((c) => `${figure.curves.length > 1 ? c.label : figure.ylabel} ${short(c.y[row]!, 5)}`).join(", ")}`
    : "";
  return (
    <figure class={`plot${stale ? " stale" : ""}${figure.preview ? " preview" : ""}`} data-plot={name ?? figure.title}>
      <figcaption><span class="title">{figure.title}</span><Saves figure={figure} /></figcaption>
      <div ref={holder} class="area" style={{ height: `${height}px` }} tabIndex={0} role="application" aria-roledescription="plot"
        aria-label={`${figure.title}: ${figure.ylabel} over ${figure.xlabel}`} aria-describedby={`${id}-help`} onKeyDown={key} onDblClick={reset} />
      <div class="below">
        <Legend figure={figure} />
        <output class="readout" aria-live="polite">{said}</output>
        {zoomed && <button type="button" class="small" onClick={reset}>Whole figure</button>}
      </div>
      <span id={`${id}-help`} hidden>Arrow keys move the cursor, plus and minus zoom, Escape shows the whole figure.</span>
      <Values figure={figure} />
    </figure>
  );
}
