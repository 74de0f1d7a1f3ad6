// A figure drawn on a canvas or, through the same calls, as SVG. Curves may turn back (loops).
import { type Axis, extent, labels, padded, place, ticks, type Values } from "./scale";

export interface Curve {
  label: string; x: Values; y: Values;
  color?: number;      // index in the palette
  dash?: boolean; points?: boolean; faint?: boolean; width?: number;
}
export interface Figure {
  title: string; xlabel: string; ylabel: string; curves: Curve[]; xlog?: boolean; ylog?: boolean;
  marks?: number[];    // vertical lines
  equal?: boolean;
  preview?: boolean;   // less exact curves; the exact ones follow
  until?: number;      // end of the x axis, if the curves end before
}
export interface View { x: Axis; y: Axis }
export interface Theme { ink: string; muted: string; grid: string; card: string; palette: string[]; font: string }

/// The calls of a canvas context that are used; SvgPen has them too.
export interface Pen {
  strokeStyle: string | CanvasGradient | CanvasPattern; fillStyle: string | CanvasGradient | CanvasPattern; lineWidth: number; font: string; globalAlpha: number;
  textAlign: CanvasTextAlign; textBaseline: CanvasTextBaseline;
  beginPath(): void; moveTo(x: number, y: number): void; lineTo(x: number, y: number): void; stroke(): void; fill(): void;
  arc(x: number, y: number, r: number, a: number, b: number): void;
  fillText(text: string, x: number, y: number): void; setLineDash(d: number[]): void; save(): void; restore(): void;
  translate(x: number, y: number): void; rotate(a: number): void;
  clipTo(x: number, y: number, w: number, h: number): void;
}
export interface Box { left: number; top: number; width: number; height: number }

export function whole(figure: Figure): View {
  const xlog = !!figure.xlog, ylog = !!figure.ylog;
  const x = padded(...extent(figure.curves.map((c) => c.x), xlog), xlog);
  const y = padded(...extent(figure.curves.map((c) => c.y), ylog), ylog);
  return { x, y };
}

export function box(width: number, height: number): Box {
  const left = 62, top = 10, right = 14, bottom = 44;
  return { left, top, width: Math.max(20, width - left - right), height: Math.max(20, height - top - bottom) };
}

export const across = (v: View, b: Box, x: number): number => b.left + place(v.x, x) * b.width;
export const up = (v: View, b: Box, y: number): number => b.top + (1 - place(v.y, y)) * b.height;

export function draw(pen: Pen, width: number, height: number, figure: Figure, view: View, theme: Theme): void {
  const b = box(width, height);
  pen.font = theme.font;
  pen.lineWidth = 1;
  const xs = ticks(view.x, Math.max(2, Math.floor(b.width / 80))), ys = ticks(view.y, Math.max(2, Math.floor(b.height / 42)));
  pen.strokeStyle = theme.grid;
  for (const t of xs) line(pen, across(view, b, t), b.top, across(view, b, t), b.top + b.height);
  for (const t of ys) line(pen, b.left, up(view, b, t), b.left + b.width, up(view, b, t));
  pen.fillStyle = theme.muted;
  pen.textAlign = "center";
  pen.textBaseline = "top";
  labels(xs, view.x.log).forEach((text, i) => pen.fillText(text, across(view, b, xs[i]!), b.top + b.height + 6));
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  labels(ys, view.y.log).forEach((text, i) => pen.fillText(text, b.left - 7, up(view, b, ys[i]!)));
  pen.fillStyle = theme.ink;
  pen.textAlign = "center";
  pen.textBaseline = "bottom";
  pen.fillText(figure.xlabel, b.left + b.width / 2, height - 4);
  pen.save();
  pen.translate(12, b.top + b.height / 2);
  pen.rotate(-Math.PI / 2);
  pen.textBaseline = "middle";
  pen.fillText(figure.ylabel, 0, 0);
  pen.restore();
  pen.save();
  pen.clipTo(b.left, b.top, b.width, b.height);
  if (figure.marks) {
    pen.strokeStyle = theme.grid;
    for (const m of figure.marks) line(pen, across(view, b, m), b.top, across(view, b, m), b.top + b.height);
  }
  figure.curves.forEach((c, i) => curve(pen, c, theme.palette[(c.color ?? i) % theme.palette.length]!, view, b));
  pen.restore();
}

function line(pen: Pen, x1: number, y1: number, x2: number, y2: number) {
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}

function curve(pen: Pen, c: Curve, color: string, view: View, b: Box) {
  pen.globalAlpha = c.faint ? 0.45 : 1;
  pen.strokeStyle = pen.fillStyle = color;
  pen.lineWidth = c.width ?? 1.75;
  pen.setLineDash(c.dash ? [6, 4] : []);
  pen.beginPath();
  let begun = false, lastX = NaN, lastY = NaN;
  const n = Math.min(c.x.length, c.y.length);
  for (let i = 0; i < n; ++i) {
    const X = across(view, b, c.x[i]!), Y = up(view, b, c.y[i]!);
    if (!Number.isFinite(X) || !Number.isFinite(Y)) {
      begun = false;
      continue;
    }
    if (begun && !c.points && Math.abs(X - lastX) < 0.25 && Math.abs(Y - lastY) < 0.25 && i < n - 1) continue;
    if (!c.points) begun ? pen.lineTo(X, Y) : pen.moveTo(X, Y);
    begun = true;
    lastX = X;
    lastY = Y;
  }
  pen.stroke();
  pen.setLineDash([]);
  if (c.points) {
    for (let i = 0; i < n; ++i) {
      const X = across(view, b, c.x[i]!), Y = up(view, b, c.y[i]!);
      if (!Number.isFinite(X) || !Number.isFinite(Y)) continue;
      pen.beginPath();
      pen.arc(X, Y, 2.6, 0, 2 * Math.PI);
      pen.fill();
    }
  }
  pen.globalAlpha = 1;
}
