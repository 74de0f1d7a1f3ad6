// Compare: pinned contacts over each other, their differences and their measures.
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { live, Newest } from "../engine/client";
import type { Findings, Problem, RunAnswer } from "../engine/types";
import { Plot } from "../plot/plot";
import { SeriesPlot } from "../plot/series";
import type { Figure } from "../plot/figure";
import { table } from "../plot/svg";
import { short, withUnit } from "../plot/scale";
import { contact, find, first, page, pins, type Pin, rig, scenarioText, typical } from "../state";
import { download } from "../ui/files";
import { Problems, problemsOf } from "../ui/problems";
import { type Battery, Bench, curveExperiments, type Finished, finished, measure } from "./measure";

interface Result { pin: Pin; battery?: Battery; run?: Finished; problems: Problem[]; properties?: Findings }
const bench = new Bench(), results = signal<Result[]>([]), jobs = new Newest(), counted = signal(0);

function compute(list: Pin[]): void {
  jobs.run(async () => {
    const known = new Map(results.value.map((r) => [r.pin.contact, r]));
    const out: Result[] = [];
    for (const pin of list) {
      const old = known.get(pin.contact);
      const one: Result = old ? { ...old, pin } : { pin, problems: [] };
      if (!old) {
        try {
          one.battery = await measure(pin.contact, curveExperiments);
        } catch (e) { one.problems = problemsOf(e); }
      }
      try {
        const { json, arrays, ms } = await live.ask<RunAnswer>({ do: "simulate", text: scenarioText(pin.contact, rig.value) });
        one.run = finished(json, arrays, ms);
      } catch (e) { one.problems = [...one.problems, ...problemsOf(e)]; }
      out.push(one);
      results.value = [...out];
    }
    results.value = out;
    counted.value += 1;
    let shown = out;
    for (const one of out) {
      if (one.properties || one.problems.length) continue;
      try {
        await bench.properties(one.pin.contact, one.battery!, (found, complete) => { if (complete) one.properties = found; });
        if (results.value !== shown) return;
        results.value = shown = [...shown];
      } catch { /* the table shows a dash */ }
    }
  });
}

/// Values of y at other x, linear in between; NaN outside.
function at(x: ArrayLike<number>, y: ArrayLike<number>, where: number): number {
  let lo = 0, hi = x.length - 1;
  if (hi < 0 || !(where >= x[0]! && where <= x[hi]!)) return NaN;
  while (hi - lo > 1) { const mid = (lo + hi) >> 1; if (x[mid]! <= where) lo = mid; else hi = mid; }
  const d = x[hi]! - x[lo]!;
  return d > 0 ? y[lo]! + ((y[hi]! - y[lo]!) * (where - x[lo]!)) / d : y[lo]!;
}

function overlay(list: Result[], title: string, pick: (r: Result) => Figure | undefined): Figure | undefined {
  const figures = list.map(pick), head = figures.find((f) => f);
  if (!head) return undefined;
  return { ...head, title, curves: figures.flatMap((f, i) => (f?.curves[0] ? [{ ...f.curves[0], label: list[i]!.pin.name, color: i }] : [])) };
}

export function Compare() {
  const list = pins.value, rows = results.value, [difference, setDifference] = useState(false);
  useEffect(() => compute(list), [list, rig.value]);
  const column = (r: Result, name: string): Figure | undefined => {
    const t = r.run?.columns.get("t"), y = r.run?.columns.get(name);
    return t && y ? { title: "", xlabel: "t (s)", ylabel: name === "F" ? "F (N)" : "x (m)", curves: [{ label: name, x: t, y }] } : undefined;
  };
  let steady = overlay(rows, "Steady friction", (r) => r.battery?.of["curve"]?.figures[0]);
  let force = overlay(rows, "Stick-slip: friction", (r) => column(r, "F"));
  let place = overlay(rows, "Stick-slip: position", (r) => column(r, "x"));
  if (difference && rows.length > 1) {
    const minusFirst = (f: Figure | undefined): Figure | undefined => {
      const base = f?.curves[0];
      return f && base ? { ...f, ylog: false, title: `${f.title}, minus ${base.label}`, curves: f.curves.slice(1).map((c) => ({ ...c, y: Float64Array.from(c.x as ArrayLike<number>, (x, i) => c.y[i]! - at(base.x, base.y, x)) })) } : undefined;
    };
    [steady, force, place] = [minusFirst(steady), minusFirst(force), minusFirst(place)];
  }
  const loops = overlay(rows, "Pre-sliding hysteresis", (r) => r.battery?.of["loops"]?.figures[0]);
  const lag = overlay(rows, "Friction lag", (r) => r.battery?.of["lag"]?.figures[0]);
  const examples = () => {
    pins.value = ["stribeck", "lugre", "dahl"].flatMap((name) => { const m = find(name); return m ? [{ name, contact: typical(m, first) }] : []; });
  };
  return (
    <div class="main" data-counted={counted.value}>
      <section class="card" aria-label="Pinned contacts">
        <h2>Pinned contacts</h2>
        {list.length === 0 && <p>Nothing is pinned. Explore has a button to pin the contact that it shows.</p>}
        <ul class="pins">
          {list.map((p, i) => (
            <li key={i} class="row">
              <span class={`swatch series-${(i % 8) + 1}`} aria-hidden="true" />
              <input type="text" value={p.name} aria-label={`Name of contact ${i + 1}`} maxLength={60} onChange={(e) => (pins.value = list.map((x, k) => (k === i ? { ...x, name: e.currentTarget.value } : x)))} />
              <span class="about grow">{p.contact.model}: {Object.entries(p.contact.values).slice(0, 8).map(([k, v]) => `${k} ${Array.isArray(v) ? v.map((x) => short(x, 3)).join(" ") : typeof v === "number" ? short(v, 3) : String(v)}`).join(", ")}</span>
              <button type="button" class="small" onClick={() => { contact.value = p.contact; page.value = "explore"; }}>Explore</button>
              <button type="button" class="small" aria-label={`Remove ${p.name}`} onClick={() => (pins.value = list.filter((_, k) => k !== i))}>Remove</button>
            </li>
          ))}
        </ul>
        <div class="row">
          <button type="button" disabled={list.length >= 8} onClick={() => (pins.value = [...list, { name: `${contact.value.model} ${list.length + 1}`, contact: contact.value }])}>Pin the contact of Explore</button>
          <button type="button" onClick={examples}>Stribeck, LuGre and Dahl</button>
          <label><input type="checkbox" checked={difference} disabled={list.length < 2} onChange={(e) => setDifference(e.currentTarget.checked)} /> Differences from the first</label>
        </div>
        {rows.map((r, i) => r.problems.length > 0 && <div key={i}><b>{r.pin.name}</b><Problems list={r.problems} /></div>)}
      </section>
      {rows.length > 0 && list.length > 0 && (
        <>
          <div class="plots">
            {steady && <Plot name="steady" figure={steady} />}
            {loops && <Plot name="loops" figure={loops} />}
            {place && (difference ? <SeriesPlot name="position" figure={place} /> : <Plot name="position" figure={place} />)}
            {force && <Plot name="force" figure={force} />}
            {lag && <Plot name="lag" figure={lag} />}
          </div>
          <Measures rows={rows} />
        </>
      )}
    </div>
  );
}

function Measures({ rows }: { rows: Result[] }) {
  const names: { key: string; title: string; unit: string; of: (r: Result) => number | null }[] = [];
  const add = (key: string, title: string, unit: string, of: (r: Result) => number | null) => names.push({ key, title, unit, of });
  const quantities = new Map<string, { experiment: string; unit: string; meaning: string }>();
  for (const r of rows) for (const [experiment, x] of Object.entries(r.battery?.of ?? {})) for (const q of x.measurement.quantities) quantities.set(q.name, { experiment, unit: q.unit, meaning: q.meaning });
  for (const [name, q] of quantities) add(name, q.meaning, q.unit, (r) => r.battery?.of[q.experiment]?.measurement.quantities.find((x) => x.name === name)?.value ?? null);
  const count = (kind: string) => (r: Result) => r.run?.answer.summary.events[kind] ?? null;
  add("slips", "slips in the stick-slip run", "1", count("slip+"));
  add("peak", "largest friction in the stick-slip run", "N", (r) => { const F = r.run?.columns.get("F"); return F ? F.reduce((a, b) => Math.max(a, Math.abs(b)), 0) : null; });
  add("loss", "friction work in the stick-slip run", "J", (r) => r.run?.answer.summary.energy["friction"] ?? null);
  const properties = Object.entries(rows.find((r) => r.properties)?.properties?.properties ?? {});
  const save = () => download("compare.csv", table(["contact", ...names.map((n) => n.key)], [Float64Array.from(rows, (_, i) => i + 1), ...names.map((n) => Float64Array.from(rows, (r) => n.of(r) ?? NaN))]), "text/csv");
  return (
    <section class="card" aria-label="Measures">
      <div class="row"><h2 class="grow">Measures</h2><button type="button" class="small" onClick={save}>Save CSV</button></div>
      <Rows title="Stick-slip and properties" rows={rows} lines={[
        ...names.filter((n) => !quantities.has(n.key)).map((n) => ({ title: n.title, of: (r: Result) => withUnit(n.of(r), n.unit) })),
        ...properties.map(([name, p]) => ({ title: p.title, of: (r: Result) => { const v = r.properties?.properties[name]; return !v || v.holds === null ? "–" : `${v.holds ? "yes" : "no"} ${v.number === null ? "" : short(v.number, 3)}`; } })),
      ]} />
      <details>
        <summary>All {quantities.size} numbers of the experiments</summary>
        <Rows title="Numbers of the experiments" rows={rows} lines={names.filter((n) => quantities.has(n.key)).map((n) => ({ title: n.title, of: (r: Result) => withUnit(n.of(r), n.unit) }))} />
      </details>
    </section>
  );
}

function Rows({ title, rows, lines }: { title: string; rows: Result[]; lines: { title: string; of: (r: Result) => string }[] }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={title}>
      <table>
        <thead><tr><th scope="col">Measure</th>{rows.map((r, i) => <th key={i} scope="col" class="num">{r.pin.name}</th>)}</tr></thead>
        <tbody>{lines.map((l, k) => <tr key={k}><th scope="row">{l.title}</th>{rows.map((r, i) => <td key={i} class="num">{l.of(r)}</td>)}</tr>)}</tbody>
      </table>
    </div>
  );
}
