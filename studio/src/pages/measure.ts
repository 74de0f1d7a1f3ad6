// Experiments of the tribometer as figures, and runs as figures.
import { Client, live } from "../engine/client";
import type { ChartAnswer, Experiments, FigureSpec, Findings, Measurement, RunAnswer } from "../engine/types";
import type { Curve, Figure } from "../plot/figure";
import { shownUnit } from "../plot/scale";
import type { Contact } from "../state";

export interface Measured { measurement: Measurement; figures: Figure[]; draft: boolean }

const label = (name: string, unit: string) => (unit && unit !== "1" ? `${name} (${shownUnit(unit)})` : name);

export function figureOf(chart: ChartAnswer, arrays: Float64Array[]): Figure {
  const [x, ...ys] = chart.columns;
  return {
    title: chart.at ? `${chart.title}, ${chart.at}` : chart.title, xlabel: label(chart.x, x!.unit), ylabel: label(chart.y, ys[0]?.unit ?? "1"), xlog: chart.xlog, ylog: chart.ylog,
    curves: ys.slice(0, 1).map((c, i) => ({ label: c.name, x: arrays[x!.array]!, y: arrays[c.array]!, color: i, points: chart.points })),
  };
}

export interface Battery { sizes: Experiments["sizes"]; ms: number; of: Record<string, Measured> }
/// `draft`: a picture for a moving slider, with a rough tolerance.
export async function measure(contact: Contact, which: string[], client = live, draft = false): Promise<Battery> {
  const { json, arrays, ms } = await client.ask<Experiments>({ do: "experiments", which, draft, friction: { model: contact.model, ...contact.values } });
  const of: Record<string, Measured> = {};
  for (const m of json.measurements) of[m.experiment] = { measurement: numbers(m), figures: m.charts.map((c) => ({ ...figureOf(c, arrays), ...(draft ? { preview: true } : {}) })), draft };
  return { sizes: json.sizes, ms, of };
}
const infinite: Record<string, number> = { inf: Infinity, "-inf": -Infinity };
const numbers = (m: Measurement): Measurement => ({ ...m, quantities: m.quantities.map((q) => ({ ...q, value: infinite[String(q.value)] ?? q.value })) });
const sent = (m: Measurement) => ({ experiment: m.experiment, quantities: m.quantities.map((q) => ({ ...q, value: q.value === Infinity ? "inf" : q.value === -Infinity ? "-inf" : q.value })) });

/// The curves of Explore, and the other experiments that properties need. The properties are those of the whole battery: the remaining
/// experiments (steps, reversal, stick-slip, cycles) decide none.
export const curveExperiments = ["curve", "loops", "lag", "breakaway"];
const otherExperiments = ["drift", "breakaway", "curve", "energy", "lag", "dwell", "loops", "hold"]; // the longest first

/// Workers for the experiments of the properties, so that the curves do not wait. They begin when the sliders rest: two of them fill a
/// machine of two processors.
export class Bench {
  private workers = Array.from({ length: Math.max(2, Math.min(5, (navigator.hardwareConcurrency || 2) - 1)) }, () => new Client());
  /// Rows appear as their experiments end; `complete` is true in the last call. `measured` receives each result.
  async properties(contact: Contact, known: Battery, rows: (found: Findings, complete: boolean) => void, measured?: (one: Battery) => void): Promise<void> {
    const friction = { model: contact.model, ...contact.values }, measurements = Object.values(known.of).map((m) => sent(m.measurement));
    const queue = otherExperiments.filter((name) => !known.of[name]);
    let left = queue.length;
    const found = async () => (await live.ask<Findings>({ do: "findings", friction, measurements: [...measurements] })).json;
    const jobs = this.workers.map(async (worker) => {
      for (let name = queue.shift(); name; name = queue.shift()) {
        const one = await measure(contact, [name], worker);
        measurements.push(...Object.values(one.of).map((m) => sent(m.measurement)));
        measured?.(one);
        left -= 1;
        const complete = left === 0;
        rows(await found(), complete);
      }
    });
    await Promise.all([found().then((first) => rows(first, false)), ...jobs]); // one that is stopped does not leave the others unheard
  }
  warm(): void { for (const w of this.workers) void w.ask({ do: "nothing" }).catch(() => undefined); }
  stop(): void { for (const w of this.workers) w.stop(); }
}

/// Charts of one kind over each other: the same title, another `at`.
export function together(figures: Figure[], title: string, names?: string[]): Figure | undefined {
  const [head] = figures;
  if (!head) return undefined;
  const curves: Curve[] = figures.flatMap((f, i) => f.curves.map((c) => ({ ...c, label: names?.[i] ?? (f.title.includes(", ") ? f.title.slice(f.title.indexOf(", ") + 2) : c.label), color: i })));
  return { ...head, title, curves };
}

export interface Finished { answer: RunAnswer; columns: Map<string, Float64Array>; ms: number; events: { t: Float64Array; kind: Float64Array } }
export function finished(json: RunAnswer, arrays: Float64Array[], ms: number): Finished {
  return {
    answer: json, ms, columns: new Map(json.columns.map((c) => [c.name, arrays[c.array]!])),
    events: { t: arrays[json.events.t]!, kind: arrays[json.events.kind]! },
  };
}

/// Figures of a run, and curves of a figure, that are drawn: thousands would stop the page for seconds.
export const mostDrawn = 40;
export function runFigures(run: Finished): (Figure & { ascending: boolean })[] {
  const unit = (name: string) => run.answer.columns.find((c) => c.name === name)?.unit ?? "";
  const title = (name: string) => run.answer.columns.find((c) => c.name === name)?.title ?? name;
  const specs: Pick<FigureSpec, "x" | "y" | "title" | "xlabel" | "ylabel" | "legend" | "xlog" | "ylog" | "last">[] = run.answer.figures.length
    ? run.answer.figures
    : ["x", "v", "F"].filter((n) => run.columns.has(n)).map((n) => ({ x: "t", y: [n], title: title(n), xlabel: "", ylabel: "", legend: [], xlog: false, ylog: false, last: 1 }));
  return specs.slice(0, mostDrawn).flatMap((f) => {
    const x = run.columns.get(f.x), ys = f.y.filter((n) => run.columns.has(n)).slice(0, mostDrawn);
    if (!x || ys.length === 0) return [];
    const from = f.last < 1 ? Math.floor(x.length * (1 - f.last)) : 0, part = (a: Float64Array) => (from ? a.subarray(from) : a);
    return [{
      title: f.title || ys.map(title).join(", "), xlabel: f.xlabel || label(f.x, unit(f.x)),
      ylabel: f.ylabel || (ys.length === 1 ? label(ys[0]!, unit(ys[0]!)) : shownUnit(unit(ys[0]!)) || "value"), xlog: f.xlog, ylog: f.ylog,
      curves: ys.map((n, i) => ({ label: f.legend[i] ?? n, x: part(x), y: part(run.columns.get(n)!), color: i })), ascending: f.x === "t" && !f.xlog,
      ...(run.answer.draft ? { preview: true, ...(f.x === "t" ? { until: run.answer.draft.duration } : {}) } : {}),
    }];
  });
}
