// A pen that writes SVG, and files of figures.
import { draw, type Figure, type Pen, type Theme, whole, type View } from "./figure";

const escaped = (text: string) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const n = (v: number) => String(Math.round(v * 100) / 100);

class SvgPen implements Pen {
  strokeStyle: string | CanvasGradient | CanvasPattern = "#000"; fillStyle: string | CanvasGradient | CanvasPattern = "#000";
  lineWidth = 1; font = ""; globalAlpha = 1; textAlign: CanvasTextAlign = "left"; textBaseline: CanvasTextBaseline = "alphabetic";
  out: string[] = [];
  private path = ""; private dash: number[] = []; private groups: number[] = [0]; private clips = 0;
  private circle = "";
  beginPath() { this.path = ""; this.circle = ""; }
  moveTo(x: number, y: number) { this.path += `M${n(x)} ${n(y)}`; }
  lineTo(x: number, y: number) { this.path += `L${n(x)} ${n(y)}`; }
  arc(x: number, y: number, r: number) { this.circle = `<circle cx="${n(x)}" cy="${n(y)}" r="${n(r)}"`; }
  stroke() {
    if (!this.path) return;
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    this.out.push(`<path d="${this.path}" fill="none" stroke="${String(this.strokeStyle)}" stroke-width="${n(this.lineWidth)}" stroke-linejoin="round" opacity="${n(this.globalAlpha)}"${dash}/>`);
  }
  fill() {
    if (this.circle) this.out.push(`${this.circle} fill="${String(this.fillStyle)}"/>`);
  }
  fillText(text: string, x: number, y: number) {
    const anchor = { center: "middle", right: "end", end: "end", left: "start", start: "start" }[this.textAlign];
    const shift = { top: 0.8, hanging: 0.8, middle: 0.32, alphabetic: 0, ideographic: 0, bottom: -0.2 }[this.textBaseline] * 12;
    this.out.push(`<text x="${n(x)}" y="${n(y + shift)}" text-anchor="${anchor}" fill="${String(this.fillStyle)}">${escaped(text)}</text>`);
  }
  setLineDash(d: number[]) { this.dash = d; }
  private open(tag: string) { this.out.push(tag); this.groups[this.groups.length - 1]! += 1; }
  save() { this.groups.push(0); }
  restore() { for (let i = this.groups.pop() ?? 0; i > 0; --i) this.out.push("</g>"); }
  translate(x: number, y: number) { this.open(`<g transform="translate(${n(x)} ${n(y)})">`); }
  rotate(a: number) { this.open(`<g transform="rotate(${n((a * 180) / Math.PI)})">`); }
  clipTo(x: number, y: number, w: number, h: number) {
    const id = `clip${++this.clips}`;
    this.out.push(`<clipPath id="${id}"><rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}"/></clipPath>`);
    this.open(`<g clip-path="url(#${id})">`);
  }
}

const paper: Theme = {
  ink: "#1a1f27", muted: "#4b5563", grid: "#e2e5ea", card: "#ffffff", font: "12px sans-serif",
  palette: ["#1f5fc4", "#c2410c", "#0f766e", "#7c3aed", "#a16207", "#be185d", "#475569", "#15803d"],
};

export function svg(figure: Figure, view: View = whole(figure), width = 720, height = 420): string {
  const pen = new SvgPen(), head = 26, foot = figure.curves.length > 1 ? 24 : 0;
  draw(pen, width, height, figure, view, paper);
  const legend = figure.curves.length > 1
    ? figure.curves.map((c, i) => {
        const x = 70 + (i * (width - 90)) / figure.curves.length, color = paper.palette[(c.color ?? i) % paper.palette.length]!;
        return `<path d="M${n(x)} ${height + head + 8}h18" stroke="${color}" stroke-width="2"/><text x="${n(x + 24)}" y="${height + head + 12}" fill="${paper.ink}">${escaped(c.label)}</text>`;
      }).join("")
    : "";
  return `<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height + head + foot}" viewBox="0 0 ${width} ${height + head + foot}" font-family="sans-serif" font-size="12">` +
    `<rect width="100%" height="100%" fill="#fff"/><text x="${width / 2}" y="18" text-anchor="middle" font-size="14" font-weight="600" fill="${paper.ink}">${escaped(figure.title)}</text>` +
    `<g transform="translate(0 ${head})">${pen.out.join("")}</g>${legend}</svg>\n`;
}

export async function png(figure: Figure, view?: View): Promise<Blob> {
  const text = svg(figure, view), image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
  await image.decode();
  const canvas = document.createElement("canvas"), scale = 2;
  canvas.width = image.width * scale;
  canvas.height = image.height * scale;
  const pen = canvas.getContext("2d")!;
  pen.scale(scale, scale);
  pen.drawImage(image, 0, 0);
  return new Promise((done, fail) => canvas.toBlob((b) => (b ? done(b) : fail(new Error("no image"))), "image/png"));
}

const cell = (text: string) => {
  const safe = /^[=+@\t\r]|^-(?![\d.])/.test(text) ? `'${text}` : text; // a spreadsheet must not compute names
  return /[",\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
};
/// Columns side by side; curves with the same x share its column.
export function csv(figure: Figure): string {
  const heads: string[] = [], lists: ArrayLike<number>[] = [];
  let shared: ArrayLike<number> | undefined;
  for (const c of figure.curves) {
    if (c.x !== shared) {
      heads.push(figure.curves.length > 1 && shared ? `${figure.xlabel}, ${c.label}` : figure.xlabel);
      lists.push(c.x);
      shared = c.x;
    }
    heads.push(figure.curves.length > 1 ? c.label : figure.ylabel);
    lists.push(c.y);
  }
  return table(heads, lists);
}
export function table(heads: string[], lists: ArrayLike<number>[]): string {
  const rows = [heads.map(cell).join(",")], most = Math.max(0, ...lists.map((l) => l.length));
  for (let i = 0; i < most; ++i) rows.push(lists.map((l) => (i < l.length && Number.isFinite(l[i]!) ? String(l[i]!) : "")).join(","));
  return rows.join("\n") + "\n";
}
