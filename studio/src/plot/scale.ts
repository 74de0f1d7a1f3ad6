// Axes: limits, ticks and texts of numbers.
export type Values = ArrayLike<number>;

export interface Axis { lo: number; hi: number; log: boolean }

export function extent(lists: Values[], log: boolean): [number, number] {
  let lo = Infinity, hi = -Infinity;
  for (const list of lists) {
    for (let i = 0; i < list.length; ++i) {
      const v = list[i]!;
      if (!Number.isFinite(v) || (log && v <= 0)) continue;
      if (v < lo) lo = v;
      if (v > hi) hi = v;
    }
  }
  return lo <= hi ? [lo, hi] : log ? [0.1, 1] : [0, 1];
}

/// A range of rounding alone, as that of a constant force, is a single value.
export const isFlat = (lo: number, hi: number): boolean => hi - lo <= 1e-9 * Math.max(Math.abs(lo), Math.abs(hi));

export function padded(lo: number, hi: number, log: boolean): Axis {
  if (log) {
    const by = Math.max((Math.log10(hi) - Math.log10(lo)) * 0.03, isFlat(lo, hi) ? 0.5 : 0);
    return { lo: lo * 10 ** -by, hi: hi * 10 ** by, log };
  }
  const by = isFlat(lo, hi) ? Math.max(Math.abs(lo), Math.abs(hi)) * 0.1 || 1 : (hi - lo) * 0.05;
  return { lo: lo - by, hi: hi + by, log };
}

/// 0 to 1 along the axis.
export const place = (a: Axis, v: number): number =>
  a.log ? (Math.log10(v) - Math.log10(a.lo)) / (Math.log10(a.hi) - Math.log10(a.lo)) : (v - a.lo) / (a.hi - a.lo);
export const value = (a: Axis, p: number): number => (a.log ? a.lo * (a.hi / a.lo) ** p : a.lo + p * (a.hi - a.lo));

export function ticks(a: Axis, about: number): number[] {
  const out: number[] = [];
  if (a.log) {
    const from = Math.ceil(Math.log10(a.lo) - 1e-9), to = Math.floor(Math.log10(a.hi) + 1e-9);
    if (to - from >= 1) {
      const every = Math.max(1, Math.ceil((to - from + 1) / about));
      for (let e = from; e <= to; e += every) out.push(10 ** e);
      return out;
    }
  }
  const raw = (a.hi - a.lo) / Math.max(1, about);
  if (!(raw > 1e-14 * Math.max(Math.abs(a.lo), Math.abs(a.hi))) || !Number.isFinite(raw)) return [a.lo]; // steps below rounding never end
  const power = 10 ** Math.floor(Math.log10(raw)), step = [1, 2, 5, 10].find((m) => m * power >= raw * 0.999)! * power;
  for (let k = Math.ceil(a.lo / step - 1e-9); k * step <= a.hi + step * 1e-9; ++k) out.push(k === 0 ? 0 : k * step);
  return out;
}

const superscript = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const raised = (n: number) => (n < 0 ? "⁻" : "") + [...String(Math.abs(n))].map((d) => superscript[Number(d)]).join("");

/// Texts of ticks, with the same number of decimals.
export function labels(marks: number[], log: boolean): string[] {
  if (log) {
    return marks.map((m) => {
      const e = Math.log10(m), k = Math.round(e);
      return Math.abs(e - k) < 1e-6 && Math.abs(k) > 2 ? `10${raised(k)}` : short(m, 3);
    });
  }
  const step = marks.length > 1 ? Math.abs(marks[1]! - marks[0]!) : Math.abs(marks[0] ?? 1);
  const size = Math.max(...marks.map(Math.abs), 0);
  if (size !== 0 && (size >= 1e5 || size < 1e-3)) {
    const digits = Math.max(0, Math.min(6, Math.ceil(Math.log10(size / step) - 1e-9)));
    return marks.map((m) => (m === 0 ? "0" : minus(m.toExponential(digits)).replace(/e([+-]?)0*(\d+)/, (_, s: string, e: string) => `·10${raised(Number(s + e))}`)));
  }
  const decimals = step > 0 ? Math.max(0, Math.min(9, -Math.floor(Math.log10(step) + 1e-9))) : 0;
  return marks.map((m) => minus(m.toFixed(decimals)));
}

export const minus = (text: string): string => text.replace(/^-/, "−");

/// A number with few digits, for people.
export function short(v: number | null | undefined, digits = 4): string {
  if (v === null || v === undefined || Number.isNaN(v)) return "–";
  if (!Number.isFinite(v)) return v > 0 ? "∞" : "−∞";
  if (v === 0) return "0";
  const size = Math.abs(v);
  const text = size >= 1e5 || size < 1e-3 ? Number(v.toPrecision(digits)).toExponential() : String(Number(v.toPrecision(digits)));
  return minus(text).replace("e+", "e");
}
export const withUnit = (v: number | null | undefined, unit: string, digits = 4): string =>
  unit && unit !== "1" ? `${short(v, digits)} ${shownUnit(unit)}` : short(v, digits);
export const shownUnit = (unit: string): string =>
  unit === "1" ? "" : unit.replace(/\^(-?\d)/g, (_, d: string) => (d === "2" ? "²" : d === "3" ? "³" : `^${d}`)).replace(/ /g, " ").replace("degC", "°C");
