// Explore: every parameter of a model as a slider, all curves live.
import { computed, signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { Client, live, Newest, wasStopped } from "../engine/client";
import type { Findings, Problem, RunAnswer } from "../engine/types";
import type { Figure } from "../plot/figure";
import { Placeholder, Plot } from "../plot/plot";
import { SeriesPlot } from "../plot/series";
import { short, withUnit } from "../plot/scale";
import { contact, type Contact, model, open, page, pins, rig, type Rig, scenarioText } from "../state";
import { ModelChoice, Parameters } from "../ui/contact";
import { NumberField } from "../ui/number";
import { Problems, problemsOf } from "../ui/problems";
import { TakeAway } from "../ui/take";
import { type Battery, Bench, curveExperiments, type Finished, finished, measure, type Measured, runFigures, together } from "./measure";

// The break-away force and the stick-slip run take some models a tenth of a second: the other curves do not wait for them, and a
// moving slider shows a preview of these two, and of the others where they take long. The exact ones follow when the sliders rest; all
// numbers are theirs.
const inTime = 40; // ms for a preview; what takes less than a quarter of it needs none
const slowRuns = new Set<string>(), rampTimes = new Map<string, number>(), curveTimes = new Map<string, number>(); // by model; ms of the exact ones
const exact = new Client(), exacts = new Newest(() => exact.stop(), 0);
let refining = 0; // timer
const rider = new Client(), rides = new Newest(() => rider.stop());
const ramp = new Client(), ramps = new Newest(() => ramp.stop()), breakaway = signal<{ of: Contact; battery?: Battery | undefined; failed?: boolean } | undefined>(undefined);
const bench = new Bench(), curves = new Newest(() => live.stop()), table = new Newest(() => bench.stop(), 0);
const battery = signal<Battery | undefined>(undefined), run = signal<Finished | undefined>(undefined);
const problems = signal<Problem[]>([]), runProblems = signal<Problem[]>([]);
const properties = signal<{ answer: Findings; complete: boolean; ms: number } | undefined>(undefined), tableState = signal<"busy" | "ready" | "failed">("busy");
const sizes = computed(() => battery.value?.sizes);
const latency = signal(0), settled = signal(0), rideLatency = signal(0), rampLatency = signal(0);
const rode = signal<{ of: Contact; rig: Rig } | undefined>(undefined); // by the run that is shown
let measured: Contact | undefined; // of the curves
let resting = 0; // timer
let tabulated: Contact | undefined, tabulating: Contact | undefined;

/// Resolves when the plots have drawn what has just changed: they do so before the next task. Times of a slider end there.
const drawn = () => new Promise<void>((done) => setTimeout(done));

function compute(): void {
  const c = contact.value, r = rig.value, begin = performance.now();
  // The steady force of a random model is a mean of many samples; the lag takes some others long. A population takes seconds in any case.
  const took = curveTimes.get(c.model) ?? 0, draft = model.value?.random === true || (took > inTime / 2 && took < 10 * inTime);
  clearTimeout(refining);
  if (exacts.busy) exact.stop();
  if (table.busy && tabulating !== c) bench.stop();
  if (tabulated !== c) tableState.value = "busy";
  rides.run(async () => {
    try {
      const { json, arrays, ms } = await rider.ask<RunAnswer>({ do: "simulate", text: scenarioText(c, r), within: inTime, exact: !slowRuns.has(c.model) });
      run.value = finished(json, arrays, ms);
      runProblems.value = [];
      if (json.draft) {
        slowRuns.add(c.model);
        refine(c, r);
      }
    } catch (e) {
      if (wasStopped(e)) return;
      runProblems.value = problemsOf(e);
    }
    await drawn();
    rideLatency.value = performance.now() - begin;
    rode.value = { of: c, rig: r };
  });
  if (measured === c && battery.value && problems.value.length === 0) { // another block on the spring
    settled.value += 1;
    rest(c);
    return;
  }
  curves.run(async () => {
    try {
      battery.value = await measure(c, ["curve", "loops", "lag"], live, draft);
      if (!draft) curveTimes.set(c.model, battery.value.ms);
      measured = c;
      problems.value = [];
    } catch (e) {
      if (wasStopped(e)) return;
      problems.value = problemsOf(e);
    }
    await drawn();
    latency.value = performance.now() - begin;
    settled.value += 1;
    rest(c);
  });
  if (breakaway.value?.of === c) return;
  ramps.run(async () => {
    try {
      const draft = !((rampTimes.get(c.model) ?? Infinity) <= inTime / 2), battery = await measure(c, ["breakaway"], ramp, draft);
      breakaway.value = { of: c, battery };
      if (!draft) rampTimes.set(c.model, battery.ms);
    } catch (e) {
      if (wasStopped(e)) return;
      breakaway.value = { of: c, battery: breakaway.value?.battery, failed: true }; // the curves report the problem
    }
    await drawn();
    rampLatency.value = performance.now() - begin;
    rest(c);
  });
}

/// The whole run with the tolerance of the command.
function refine(c: Contact, r: Rig): void {
  clearTimeout(refining);
  refining = setTimeout(() => exacts.run(async () => {
    if (contact.value !== c || rig.value !== r) return;
    try {
      const { json, arrays, ms } = await exact.ask<RunAnswer>({ do: "simulate", text: scenarioText(c, r) });
      if (ms < inTime / 8) slowRuns.delete(c.model);
      if (contact.value !== c || rig.value !== r) return;
      run.value = finished(json, arrays, ms);
      runProblems.value = [];
    } catch (e) {
      if (!wasStopped(e) && contact.value === c && rig.value === r) runProblems.value = problemsOf(e);
    }
  }), 120);
}

const exactly = (b: Battery | undefined): Battery["of"] => Object.fromEntries(Object.entries(b?.of ?? {}).filter(([, m]) => !m.draft));

/// The table follows when the sliders rest.
function rest(c: Contact): void {
  const b = battery.value, more = breakaway.value;
  if (contact.value !== c || measured !== c || problems.value.length || !b || more?.of !== c || more.failed || !more.battery) return;
  if (tabulated === c ? tableState.value === "ready" : tabulating === c && table.busy) return; // another block on the spring
  clearTimeout(resting);
  tableState.value = "busy";
  const all = { ...b, of: { ...exactly(b), ...exactly(more.battery) } };
  resting = setTimeout(() => table.run(() => tabulate(c, all)), 120);
}

async function tabulate(c: Contact, b: Battery): Promise<void> {
  if (contact.value !== c) return;
  tabulating = c;
  const from = performance.now();
  try {
    await bench.properties(c, b, (answer, complete) => {
      if (contact.value === c) properties.value = { answer, complete, ms: performance.now() - from };
    }, (one) => {
      const b = battery.value;
      if (b && contact.value === c && Object.keys(one.of).some((name) => b.of[name])) battery.value = { ...b, of: { ...b.of, ...one.of } };
      if (one.of["lag"]) curveTimes.set(c.model, one.ms);
      if (!one.of["breakaway"]) return;
      rampTimes.set(c.model, one.ms);
      if (contact.value === c) breakaway.value = { of: c, battery: one };
    });
    if (contact.value !== c) return;
    tabulated = c;
    tableState.value = "ready";
  } catch (e) { if (!wasStopped(e)) tableState.value = "failed"; }
}

const rigFields: [keyof Rig, string, string][] = [
  ["mass", "kg", "mass of the block"], ["stiffness", "N/m", "spring between drive and block"],
  ["velocity", "m/s", "velocity of the drive"], ["duration", "s", "length of the run"],
];
const rigTypical: Rig = { mass: 1, stiffness: 2, velocity: 0.1, duration: 20 };

const curveTitles = ["Steady friction (Stribeck curve)", "Pre-sliding hysteresis", "Friction lag", "Break-away force over force rate"]; // of curveExperiments

/// The figure of a measurement, the same object as long as the measurement is: plots draw again by identity.
function useFigure(m: Measured | undefined, title: string, all = false): Figure | undefined {
  return useMemo(() => (m && all ? together(m.figures, title) : m?.figures[0] && { ...m.figures[0], title }), [m]);
}

export function Explore() {
  const c = contact.value, r = rig.value, followed = rode.value?.of === c && rode.value.rig === r;
  useLayoutEffect(compute, [c, r]);
  useEffect(() => () => { if (curves.busy) live.stop(); if (rides.busy) rider.stop(); if (ramps.busy) ramp.stop(); clearTimeout(refining); if (exacts.busy) exact.stop(); if (table.busy) bench.stop(); }, []); // other pages do not wait for a population
  return (
    <div class="split" data-settled={settled.value} data-latency={latency.value.toFixed(1)} data-rode={String(followed)} data-ride-latency={rideLatency.value.toFixed(1)}
      data-ramped={String(breakaway.value?.of === c)} data-ramp-latency={rampLatency.value.toFixed(1)}>
      <Side />
      <div class="main">
        <Curves />
        <Ride />
        <Numbers />
        <Properties />
        <TakeAway />
      </div>
    </div>
  );
}

// Parts with signals of their own: what has not changed is not rendered again.
function Side() {
  const c = contact.value, r = rig.value, m = model.value;
  return (
    <section class="card side" aria-label="Contact">
      <ModelChoice value={c} onChange={(v) => (contact.value = v)} />
      {m && <details class="more"><summary>Equations</summary><pre tabIndex={0} aria-label="Equations">{m.equations}</pre></details>}
      <h2>Parameters</h2>
      <Parameters value={c} onChange={(v) => (contact.value = v)} sizes={sizes.value} />
      <Problems list={problems.value} />
      <h2>Block on a spring</h2>
      {rigFields.map(([name, unit, meaning]) => (
        <NumberField key={name} name={`rig.${name}`} label={name} unit={unit} meaning={meaning} value={r[name]} min={1e-30} reference={rigTypical[name]}
          onChange={(v) => v !== undefined && (rig.value = { ...r, [name]: v })} />
      ))}
      <div class="row">
        <button type="button" onClick={() => { pins.value = [...pins.value.slice(-7), { name: `${c.model} ${pins.value.length + 1}`, contact: c }]; }}>Pin for Compare{pins.value.length ? ` (${pins.value.length})` : ""}</button>
        <button type="button" onClick={() => { open("stick-slip", scenarioText(c, r), false); page.value = "experiment"; }}>Open in Experiment</button>
      </div>
    </section>
  );
}

function Curves() {
  const c = contact.value, b = battery.value, late = breakaway.value, bad = problems.value.length > 0, old = bad || measured !== c;
  const figures = curveExperiments.map((name, i) => useFigure((name === "breakaway" ? late?.battery : b)?.of[name], curveTitles[i]!, name === "lag"));
  const failures = [...Object.values(b?.of ?? {}), ...Object.values(late?.battery?.of ?? {})].filter((x) => x.measurement.failure);
  return (
    <>
      <div class="plots">
        {curveExperiments.map((name, i) => figures[i]
          ? <Plot key={name} name={name} figure={figures[i]} stale={name === "breakaway" ? bad || late?.of !== c || late.failed === true : old} />
          : <Placeholder key={name} title={curveTitles[i]!} />)}
      </div>
      {failures.map((f) => <p key={f.measurement.experiment} class="problems">{f.measurement.experiment}: {f.measurement.failure}</p>)}
    </>
  );
}

function Ride() {
  const bad = problems.value.length > 0, followed = rode.value?.of === contact.value && rode.value.rig === rig.value, shown = run.value;
  const figures = useMemo(() => (shown ? runFigures(shown).map((f) => ({ ...f, name: `run-${f.title}`, title: `Stick-slip: ${f.title.toLowerCase()}` })) : []), [shown]);
  return (
    <>
      <section class="plots" aria-label="Stick-slip">
        {!shown && ["position", "friction"].map((n) => <Placeholder key={n} title={`Stick-slip: ${n}`} height={210} />)}
        {figures.map((f) => <SeriesPlot key={f.name} name={f.name} figure={f} stale={bad || !followed || runProblems.value.length > 0} height={210} />)}
      </section>
      {!bad && <Problems list={runProblems.value} />}
      {shown && <RunNumbers run={shown} />}
    </>
  );
}

function RunNumbers({ run: r }: { run: Finished }) {
  const s = r.answer.summary, draft = r.answer.draft;
  if (draft) return (
    <p class="card note" data-draft={draft.until / draft.duration}>
      Stick-slip run: a preview{draft.until < draft.duration ? ` up to t = ${short(draft.until, 3)} s` : ""}; the exact run and its numbers follow when the sliders rest.
    </p>
  );
  return (
    <p class="card note" data-run={JSON.stringify(s.final)}>
      Stick-slip run: {s.events["slip+"]} slips, {s.events["stick"]} sticks; end: {Object.entries(s.final).slice(0, 5).map(([k, v]) => `${k} = ${short(v, 6)}`).join(", ")};
      energy balance within {short(s.energy["error"], 2)}; computed in {short(r.ms, 3)} ms.
    </p>
  );
}

function Numbers() {
  if (!battery.value) return null;
  const rows = Object.values({ ...exactly(battery.value), ...exactly(breakaway.value?.battery) }).flatMap((x) => x.measurement.quantities.filter((v) => v.value !== null));
  return (
    <details class="card">
      <summary>Measured numbers ({rows.length})</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label="Measured numbers">
        <table>
          <thead><tr><th scope="col">Quantity</th><th scope="col" class="num">Value</th><th scope="col">Meaning</th></tr></thead>
          <tbody>{rows.map((v, i) => <tr key={i}><td>{v.name.replace(/_/g, " ")}</td><td class="num">{withUnit(v.value, v.unit)}</td><td>{v.meaning}</td></tr>)}</tbody>
        </table>
      </div>
    </details>
  );
}

export function Properties() {
  const p = properties.value, [why, setWhy] = useState("");
  return (
    <section class={`card${tableState.value === "busy" ? " stale" : ""}`} aria-label="Properties" data-properties={tableState.value} data-ms={p?.ms.toFixed(0)}>
      <h2>Properties, measured</h2>
      <p class="about" role="status">{tableState.value === "busy" ? (problems.value.length ? "" : "Experiments are running…") : tableState.value === "failed" ? "The experiments failed." : p ? `Eight experiments in ${short(p.ms, 3)} ms` : ""}</p>
      <ul class="verdicts">
        {p && Object.entries(p.answer.properties).map(([name, v]) => (
          <li key={name} class={v.holds === null ? "unknown" : v.holds ? "yes" : "no"}>
            <button type="button" class="verdict" aria-expanded={why === name} onClick={() => setWhy(why === name ? "" : name)}>
              <span class="mark" aria-hidden="true">{v.holds === null ? (p.complete ? "?" : "…") : v.holds ? "✓" : "✕"}</span>
              <span>{v.title}<span class="said">: {v.holds === null ? (p.complete ? "unknown" : "not measured yet") : v.holds ? "yes" : "no"}</span>{v.detail ? ` (${v.detail})` : ""}</span>
              <span class="num">{short(v.number, 3)}</span>
            </button>
            {why === name && <p class="about">{v.rule}{v.threshold !== null ? `; limit ${short(v.threshold, 3)}` : ""}{v.declared !== null ? `; the model header declares ${v.declared ? "yes" : "no"}` : ""}{v.note ? `; ${v.note}` : ""}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}
