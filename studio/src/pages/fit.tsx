// Fit: a recording is read in the page, roles are guessed and editable, models are fitted in workers.
import { signal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Client } from "../engine/client";
import type { FitAnswer, FitRow, Problem, RecordingAnswer } from "../engine/types";
import { Plot } from "../plot/plot";
import type { Figure } from "../plot/figure";
import { short, shownUnit, withUnit } from "../plot/scale";
import { contact, find, leftOut, models, notice, open, page, typical } from "../state";
import { download, plain } from "../ui/files";
import { Problems, problemsOf } from "../ui/problems";

const reader = new Client(), judge = new Client();
const most = 200 * 2 ** 20;
const roles = ["t", "x", "v", "F", "mu", "u", "N", "T", "sigma", "load"] as const;
const meaning: Record<string, string> = {
  t: "time", x: "position", v: "velocity", F: "friction force", mu: "friction coefficient", u: "actuator force", N: "normal load", T: "temperature", sigma: "standard deviation", load: "transmitted force",
};
const quickList = ["coulomb_tanh", "stribeck_tanh", "dahl", "lugre", "maxwell_slip", "gms"];

interface Loaded { name: string; bytes: ArrayBuffer }
const file = signal<Loaded | undefined>(undefined), reading = signal<{ answer: RecordingAnswer; arrays: Float64Array[] } | undefined>(undefined);
const columns = signal<Record<string, string>>({}), problems = signal<Problem[]>([]), state = signal<"empty" | "reading" | "read" | "fitting" | "fitted" | "failed">("empty");
const provisional = signal<{ model: string; row?: FitRow; message?: string }[]>([]), answer = signal<{ json: FitAnswer; arrays: Float64Array[] } | undefined>(undefined);
const progress = signal({ done: 0, about: "" }), which = signal<"quick" | "all" | "own">("quick"), chosen = signal<string[]>(quickList);
let workers: Client[] = [];

async function load(f: File | undefined): Promise<void> {
  if (!f) return;
  stop();
  answer.value = reading.value = undefined;
  provisional.value = [];
  columns.value = {};
  if (f.size > most) {
    problems.value = [{ where: f.name, line: 0, text: `has ${short(f.size / 2 ** 20, 3)} MiB; at most ${most >> 20} MiB are accepted here, 'bristle identify' reads longer files` }];
    state.value = "failed";
    return;
  }
  file.value = { name: f.name.replace(/[/\\]/g, "_"), bytes: await f.arrayBuffer() };
  reader.forget();
  judge.forget();
  await read();
}

async function read(): Promise<void> {
  const f = file.value;
  if (!f) return;
  state.value = "reading";
  try {
    await reader.file(f.name, f.bytes);
    const { json, arrays } = await reader.ask<RecordingAnswer>({ do: "recording", name: f.name, columns: columns.value });
    reading.value = { answer: json, arrays };
    problems.value = json.problems ?? [];
    state.value = problems.value.length ? "failed" : "read";
  } catch (e) {
    reading.value = undefined;
    problems.value = problemsOf(e);
    state.value = "failed";
  }
}

const names = (): string[] => {
  const fits = (models.value?.models ?? []).filter((m) => m.fits).flatMap((m) => m.variants);
  return which.value === "quick" ? quickList.filter((n) => fits.includes(n)) : which.value === "own" ? fits.filter((n) => chosen.value.includes(n)) : fits;
};

/// Each model alone in a worker, for a table that grows; all together in another one, for the ranking of the command.
async function fit(): Promise<void> {
  const f = file.value, list = names();
  if (!f || list.length === 0) return;
  stop();
  state.value = "fitting";
  answer.value = undefined;
  progress.value = { done: 0, about: "" };
  provisional.value = list.map((model) => ({ model }));
  const request = { do: "identify", files: [f.name], columns: columns.value }, queue = [...list];
  const set = (model: string, more: { row?: FitRow; message?: string }) => (provisional.value = provisional.value.map((p) => (p.model === model ? { ...p, ...more } : p)));
  const pool = Array.from({ length: Math.max(1, Math.min(4, (navigator.hardwareConcurrency || 2) - 1, list.length)) }, () => new Client());
  workers = pool;
  if (list.length > 1) {
    for (const w of pool) {
      void (async () => {
        await w.file(f.name, f.bytes);
        for (let model = queue.shift(); model && workers === pool; model = queue.shift()) {
          try {
            const { json } = await w.ask<FitAnswer>({ ...request, models: [model], seconds: 60 });
            const row = json.fits[0], failed = json.failed?.[0];
            if (workers === pool) set(model, row ? { row } : { message: failed?.message ?? json.notes[0] ?? "not fitted" });
          } catch (e) { if (workers === pool) set(model, { message: problemsOf(e)[0]?.text ?? "" }); }
        }
        w.forget();
      })();
    }
  }
  try {
    await judge.file(f.name, f.bytes);
    const { json, arrays } = await judge.ask<FitAnswer>({ ...request, ...(which.value === "all" ? {} : { models: list }) }, (done, about) => (progress.value = { done, about }));
    answer.value = { json, arrays };
    state.value = "fitted";
    problems.value = [];
  } catch (e) {
    if (workers !== pool) return;
    problems.value = problemsOf(e);
    state.value = "failed";
  }
  stop();
}
function stop(): void {
  for (const w of workers) w.stop();
  workers = [];
  if (state.value === "fitting") { judge.stop(); state.value = "read"; }
}

async function demo(): Promise<void> { // a recording of the page itself
  const m = find("lugre");
  if (!m) return;
  const text = `[friction]\nmodel = "lugre"\nFc = 1.0\nFs = 1.4\nvs = 0.01\nsigma0 = 1000.0\nsigma1 = 10.0\nkv = 0.5\n[friction.effects]\nnoise = 0.01\nnoise_frequency = 50\nseed = 2\n[system]\nkind = "prescribed"\n[drive]\nkind = "sine"\nof = "position"\namplitude = 0.05\nfrequency = 0.2\n[solver]\nduration = 20\noutput_step = 0.01\n`;
  const { json, arrays } = await reader.ask<{ columns: { name: string; array: number }[] }>({ do: "simulate", text });
  const use = ["t", "x", "v", "F"].map((n) => arrays[json.columns.find((c) => c.name === n)!.array]!);
  let csv = "t_s,x_m,v_m/s,F_N\n";
  for (let i = 0; i < use[0]!.length; ++i) csv += use.map((a) => String(a[i])).join(",") + "\n";
  await load(new File([csv], "example.csv", { type: "text/csv" }));
}

export function Fit() {
  const [over, setOver] = useState(false), r = reading.value, a = answer.value;
  const busy = state.value === "fitting";
  return (
    <div class="main" data-state={state.value}>
      <section class="card" aria-label="Recording">
        <div class={`drop${over ? " over" : ""}`} onDragOver={(e) => { e.preventDefault(); setOver(true); }} onDragLeave={() => setOver(false)}
          onDrop={(e) => { e.preventDefault(); setOver(false); void load(e.dataTransfer?.files[0]); }}>
          <p><b>Drop a recording here</b>: CSV or JSON with time, motion and force, or points of steady sliding.</p>
          <div class="row" style={{ justifyContent: "center" }}>
            <label class="file">Choose a file <input type="file" accept=".csv,.txt,.tsv,.dat,.json" aria-label="Recording" onChange={(e) => { const f = e.currentTarget.files?.[0]; void load(f); e.currentTarget.value = ""; }} /></label>
            <button type="button" onClick={() => void demo()}>Use an example</button>
          </div>
          <p class="about">The file stays in this page.</p>
        </div>
        {state.value === "reading" && <p role="status">Reading {file.value?.name}…</p>}
        <Problems list={problems.value} />
        {r && <Roles answer={r.answer} />}
      </section>
      {r && !r.answer.problems && (
        <>
          <Recording r={r} />
          <section class="card" aria-label="Models">
            <div class="row">
              <label>Models <select value={which.value} disabled={busy} onChange={(e) => (which.value = e.currentTarget.value as "quick" | "all" | "own")}>
                <option value="quick">six common ones</option><option value="all">all that the data allow</option><option value="own">own choice</option>
              </select></label>
              {busy ? <button type="button" onClick={stop}>Stop</button> : <button type="button" class="primary" onClick={() => void fit()}>Fit</button>}
              {busy && <progress class="grow" max={1} value={progress.value.done} aria-label="Progress of the ranking" />}
            </div>
            {which.value === "own" && (
              <fieldset><legend>Models to fit</legend><div class="row">
                {(models.value?.models ?? []).filter((m) => m.fits).flatMap((m) => m.variants).map((n) => (
                  <label key={n}><input type="checkbox" checked={chosen.value.includes(n)} onChange={(e) => (chosen.value = e.currentTarget.checked ? [...chosen.value, n] : chosen.value.filter((x) => x !== n))} /> {n}</label>
                ))}
              </div></fieldset>
            )}
            {busy && <Provisional />}
          </section>
        </>
      )}
      {a && r && <Ranking a={a} r={r} />}
    </div>
  );
}

function Roles({ answer: r }: { answer: RecordingAnswer }) {
  const [skip, setSkip] = useState<Record<string, string>>(columns.value);
  useEffect(() => setSkip(columns.value), [r]);
  const commit = (role: string, expression: string) => {
    const next = { ...columns.value };
    if (expression.trim() === (r.roles[role] ?? "")) return;
    next[role] = expression.trim() || "none";
    columns.value = next;
    void read();
  };
  return (
    <details open={!!r.problems}>
      <summary>Columns: {Object.entries(r.roles).map(([k, v]) => `${k} = ${v}`).join(", ") || "no roles found"}</summary>
      <p class="about">The file has {r.file?.map((c) => (c.unit ? `${c.name} (${c.unit})` : c.name)).join(", ")}. A role takes a column or an expression such as −torque_Nm or x/1000; empty: no column.</p>
      <div class="cards">
        {roles.map((role) => (
          <label key={role} class="keyrow"><span><b>{role}</b> <span class="about">{meaning[role]}</span></span>
            <input type="text" list="columns" spellcheck={false} autoComplete="off" value={skip[role] ?? r.roles[role] ?? ""} onInput={(e) => setSkip({ ...skip, [role]: e.currentTarget.value })}
              onBlur={(e) => commit(role, e.currentTarget.value)} onKeyDown={(e) => { if (e.key === "Enter") commit(role, e.currentTarget.value); }} /></label>
        ))}
      </div>
      <datalist id="columns">{r.file?.map((c) => <option key={c.name} value={c.name} />)}</datalist>
      <ul class="about">{r.findings.map((f, i) => <li key={i} class={f.warning ? "warn" : ""}>{f.text}</li>)}</ul>
    </details>
  );
}

const thin = (list: Float64Array, n = 4000): Float64Array => {
  if (list.length <= n) return list;
  const every = Math.ceil(list.length / n);
  return list.filter((_, i) => i % every === 0);
};

function Recording({ r }: { r: { answer: RecordingAnswer; arrays: Float64Array[] } }) {
  const j = r.answer, get = (i: number) => thin(r.arrays[i]!), ylabel = `${j.quantity} (${shownUnit(j.unit)})`, v = get(j.v), y = get(j.y), t = get(j.t);
  const figures = useMemo(() => {
    const out: Figure[] = [];
    if (!j.steady) out.push({ title: "Recording", xlabel: "t (s)", ylabel, curves: [{ label: j.quantity, x: t, y }] });
    if (v.length) out.push({ title: `${j.quantity[0]!.toUpperCase()}${j.quantity.slice(1)} over velocity`, xlabel: j.rotational ? "v (rad/s)" : "v (m/s)", ylabel, curves: [{ label: j.quantity, x: v, y, points: j.steady, width: 1 }] });
    return out;
  }, [r]);
  return (
    <section aria-label="Data">
      <p class="about" data-rows={j.rows}>{j.rows} rows{r.arrays[j.y]!.length > y.length ? `, of which ${y.length} are drawn` : ""}</p>
      <div class="plots">{figures.map((f, i) => <Plot key={i} name={`data-${i}`} figure={f} height={220} />)}</div>
    </section>
  );
}

function Provisional() {
  const list = [...provisional.value].sort((a, b) => (a.row?.held_out_percent ?? 1e9) - (b.row?.held_out_percent ?? 1e9));
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Models fitted one by one">
      <table>
        <caption>Models one by one, while the ranking is computed</caption>
        <thead><tr><th scope="col">Model</th><th scope="col" class="num">Held-out error</th><th scope="col" class="num">R²</th><th scope="col" class="num">Parameters</th></tr></thead>
        <tbody>{list.map((p) => <tr key={p.model}><td>{p.model}</td>{p.row ? <><td class="num">{short(p.row.held_out_percent, 3)} %</td><td class="num">{short(p.row.r_squared, 4)}</td><td class="num">{p.row.parameters}</td></> : <td colSpan={3} class="about">{p.message ?? "waiting"}</td>}</tr>)}</tbody>
      </table>
    </div>
  );
}

function Ranking({ a, r }: { a: { json: FitAnswer; arrays: Float64Array[] }; r: { answer: RecordingAnswer; arrays: Float64Array[] } }) {
  const j = a.json, [selected, setSelected] = useState(j.recommended || j.fits[0]?.model || "");
  const row = j.fits.find((f) => f.model === selected) ?? j.fits[0];
  const figure = useMemo((): Figure | undefined => {
    const predicted = row && a.arrays[row.predicted[0] ?? -1], y = r.arrays[r.answer.y]!, t = r.arrays[r.answer.t]!, v = r.arrays[r.answer.v]!;
    if (!predicted || predicted.length !== y.length) return undefined;
    const x = thin(r.answer.steady ? v : t);
    return { title: `Measured and fitted: ${row.model}`, xlabel: r.answer.steady ? "v (m/s)" : "t (s)", ylabel: `${j.quantity} (${shownUnit(j.unit)})`, curves: [{ label: "measured", x, y: thin(y), color: 6, width: 1, points: r.answer.steady }, { label: row.model, x, y: thin(predicted), color: 1, width: 1.4 }] };
  }, [a, row, r]);
  const explore = (f: FitRow) => {
    const base = f.model, m = find(base) ?? models.value?.models.find((x) => x.variants.includes(base));
    if (!m) return;
    void (async () => {
      const block = f.file.split("\n"), from = block.findIndex((l) => /^\[friction\]/.test(l)), rest = block.slice(from + 1), to = rest.findIndex((l) => /^\[/.test(l));
      try {
        const { json } = await reader.ask<{ values: Record<string, number> }>({ do: "check", text: ["[friction]", ...(to < 0 ? rest : rest.slice(0, to))].join("\n") });
        contact.value = typical(m, json.values);
        page.value = "explore";
        notice.value = leftOut(block.flatMap((l) => /^\[friction\.([\w.-]+)\]/.exec(l)?.[1] ?? []), r.answer.rotational);
      } catch (e) { problems.value = problemsOf(e); }
    })();
  };
  return (
    <section class="card" aria-label="Ranking" data-recommended={j.recommended} data-fit={JSON.stringify(Object.fromEntries((row?.friction ?? []).map((e) => [e.name, e.value])))}>
      <h2>{j.recommended ? `Recommended: ${j.recommended}` : "No model explains the data"}</h2>
      <p>{j.why}</p>
      {j.not_determined.length > 0 && <p class="about">Not determined by the recording: {j.not_determined.join(", ")}.</p>}
      {j.unfinished.length > 0 && <p class="about">Not finished within the time limit: {j.unfinished.join(", ")}.</p>}
      {j.notes.map((n) => <p key={n} class="about">{n}</p>)}
      <div class="scroll" tabIndex={0} role="region" aria-label="Ranking of the models">
        <table>
          <thead><tr><th scope="col">Model</th><th scope="col" class="num">Held-out error</th><th scope="col" class="num">Error</th><th scope="col" class="num">R²</th><th scope="col" class="num">Parameters</th><th scope="col">Take</th></tr></thead>
          <tbody>{j.fits.map((f) => (
            <tr key={f.model} class={f.model === row?.model ? "best" : ""}>
              <td><button type="button" class="link" aria-pressed={f.model === row?.model} onClick={() => setSelected(f.model)}>{f.model}</button></td>
              <td class="num">{f.finished ? `${short(f.held_out_percent, 3)} %` : "not finished"}</td><td class="num">{short(f.relative_percent, 3)} %</td><td class="num">{short(f.r_squared, 5)}</td><td class="num">{f.parameters}</td>
              <td class="row" style={{ margin: 0 }}>
                <button type="button" class="small" onClick={() => download(`${plain(f.model).replace(/-/g, "_")}.toml`, f.file)}>Friction file</button>
                <button type="button" class="small" onClick={() => { open(f.model, f.file, false); page.value = "experiment"; }}>Experiment</button>
                <button type="button" class="small" onClick={() => explore(f)}>Explore</button>
              </td>
            </tr>
          ))}</tbody>
        </table>
      </div>
      {j.failed && j.failed.length > 0 && <details><summary>{j.failed.length} models not fitted</summary><ul class="about">{j.failed.map((f) => <li key={f.model}>{f.model}: {f.message}</li>)}</ul></details>}
      <button type="button" class="small" onClick={() => download("ranking.csv", j.ranking_csv, "text/csv")}>Save ranking.csv</button>
      {row && (
        <>
          <h2>{row.model}: parameters with 95 % intervals</h2>
          <div class="scroll" tabIndex={0} role="region" aria-label="Parameters">
            <table>
              <thead><tr><th scope="col">Parameter</th><th scope="col" class="num">Value</th><th scope="col" class="num">Interval</th><th scope="col">Remark</th></tr></thead>
              <tbody>{[...row.friction, ...row.body].map((e) => (
                <tr key={e.name}><td>{e.name}</td><td class="num">{withUnit(e.value, e.unit, 5)}</td>
                  <td class="num">{e.identifiable && e.low !== null && e.high !== null ? `${short(e.low, 5)} to ${short(e.high, 5)}` : "–"}</td>
                  <td class="about">{[e.identifiable ? "" : e.dropped ? "not determined, dropped" : "not determined", e.at_bound ? "at a limit" : "", e.remark ?? ""].filter(Boolean).join("; ")}</td></tr>
              ))}</tbody>
            </table>
          </div>
          {row.residual && <ul class="about">{Object.values(row.residual).map((x, i) => <li key={i}>{x.text}</li>)}</ul>}
          {figure && <Plot name="overlay" figure={figure} height={280} />}
        </>
      )}
    </section>
  );
}
