// Experiment: a scenario as text and as a form, checked while it is typed, run in the page.
import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { editor, Newest, runner, wasStopped } from "../engine/client";
import type { Problem, RunAnswer, SectionInfo, TreeNode } from "../engine/types";
import { library } from "../library";
import { Plot } from "../plot/plot";
import { SeriesPlot } from "../plot/series";
import { table } from "../plot/svg";
import { short, withUnit } from "../plot/scale";
import { contact, example, find, leftOut, notice, open, page, text, textName, typical } from "../state";
import { Form } from "../ui/form";
import { download } from "../ui/files";
import { Problems, problemsOf } from "../ui/problems";
import { Animation } from "./animation";
import { type Finished, finished, mostDrawn, runFigures } from "./measure";

const checks = new Newest(), most = 200 * 2 ** 20;
const problems = signal<Problem[]>([]), notes = signal<string[]>([]), root = signal<TreeNode | undefined>(undefined), kind = signal("");
const sections = signal<SectionInfo[]>([]), run = signal<Finished | undefined>(undefined), runText = signal("");
const state = signal<"ready" | "busy">("ready"), done = signal(0), runProblems = signal<Problem[]>([]), runs = signal(0);
let quick = true; // the last run took less than half a second: the next ones start by themselves

async function start(content: string): Promise<void> {
  if (state.value === "busy") runner.stop();
  state.value = "busy";
  done.value = 0;
  const begin = performance.now();
  try {
    const { json, arrays, ms } = await runner.ask<RunAnswer>({ do: "simulate", text: content, name: textName.value }, (d) => (done.value = d));
    run.value = finished(json, arrays, ms);
    runText.value = content;
    runProblems.value = [];
    quick = performance.now() - begin < 500;
    state.value = "ready";
  } catch (e) {
    if (wasStopped(e)) return; // by Stop, or by a newer run
    runProblems.value = problemsOf(e);
    state.value = "ready";
  }
  runs.value += 1;
}
function stop(): void {
  runner.stop();
  quick = false;
  state.value = "ready";
}

function look(content: string): void {
  checks.run(async () => {
    try {
      root.value = (await editor.ask<{ root: TreeNode }>({ do: "document", text: content })).json.root;
    } catch { root.value = undefined; }
    try {
      const { json } = await editor.ask<{ kind: string; notes: string[] }>({ do: "check", text: content, name: textName.value });
      problems.value = [];
      notes.value = json.notes;
      kind.value = json.kind;
      if (text.value === content && json.kind === "scenario" && quick && content !== runText.value) void start(content);
    } catch (e) {
      problems.value = problemsOf(e);
      kind.value = "";
    }
  });
}

/// The friction block of the text in Explore.
async function explore(): Promise<void> {
  const content = text.value, block = root.value?.members?.find((m) => m.key === "friction");
  if (!block?.members) {
    notice.value = root.value ? "Explore requires one [friction] block; this text has none or several." : "The text cannot be read.";
    return;
  }
  try {
    const { json } = await editor.ask<{ model: string; values: Record<string, number> }>({ do: "check", text: nodeText(content) });
    const m = find(json.model);
    if (!m) return;
    contact.value = typical(m, json.values);
    page.value = "explore";
    notice.value = leftOut(block.members.filter((k) => k.members).map((k) => k.key!), root.value?.members?.some((k) => k.key === "units" && k.value === "rotational"));
  } catch (e) { notice.value = `Explore: ${problemsOf(e).map((p) => p.text).join("; ")}`; }
}
const nodeText = (t: string): string => {
  let keep = false;
  return t.split("\n").filter((l) => { if (/^\s*\[/.test(l)) keep = /^\s*\[friction\]/.test(l); return keep; }).join("\n");
};

export function Experiment() {
  const [row, setRow] = useState<number | undefined>(), area = useRef<HTMLTextAreaElement>(null);
  const content = text.value, r = run.value;
  useEffect(() => { if (sections.value.length === 0) void editor.ask<{ sections: SectionInfo[] }>({ do: "reference" }).then((x) => (sections.value = x.json.sections)); }, []);
  useEffect(() => {
    const timer = setTimeout(() => look(content), 120);
    return () => clearTimeout(timer);
  }, [content]);
  const change = (t: string) => { text.value = t; example.value = ""; };
  const toLine = (line: number) => {
    const a = area.current;
    if (!a) return;
    const lines = a.value.split("\n"), from = lines.slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0);
    a.focus();
    a.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
  };
  const figures = useMemo(() => (r ? runFigures(r) : []), [r]);
  const events = useMemo(() => (r ? [...r.events.t].slice(0, 400) : []), [r]);
  const stale = state.value === "busy" || (r !== undefined && runText.value !== content);
  return (
    <div class="main" data-runs={runs.value} data-state={state.value} data-problems={problems.value.length} onDragOver={(e) => e.preventDefault()}
      onDrop={(e) => { e.preventDefault(); for (const f of e.dataTransfer?.files ?? []) void take(f); }}>
      <div class="card row">
        <label>Example <select value={example.value} onChange={(e) => { const x = library.examples.find((l) => l.name === e.currentTarget.value); if (x) { quick = true; open(x.name, x.text); } }}>
          <option value="">{textName.value}</option>{library.examples.map((e) => <option key={e.name} value={e.name}>{e.title}</option>)}
        </select></label>
        <button type="button" class="primary" disabled={problems.value.length > 0 || kind.value === "friction"} onClick={() => void start(content)}>Run</button>
        {state.value === "busy" && <><progress class="grow" max={1} value={done.value} aria-label="Progress of the run" /><button type="button" onClick={stop}>Stop</button></>}
        <label class="file">Open a file <input type="file" accept=".toml,.csv,.txt" aria-label="Open a scenario or a file that it refers to" onChange={(e) => { const f = e.currentTarget.files?.[0]; void take(f); e.currentTarget.value = ""; }} /></label>
        <button type="button" onClick={() => download(textName.value, content)}>Save TOML</button>
        <button type="button" onClick={() => void explore()}>Friction block in Explore</button>
      </div>
      <div class="two">
        <section class="card formbox" aria-label="Form">
          {root.value ? <Form text={content} root={root.value} sections={sections.value} onText={change} /> : <p class="about">The form returns when the text can be read.</p>}
        </section>
        <section aria-label="Text">
          <Editor value={content} onChange={change} problems={problems.value} area={area} onRun={() => void start(content)} />
          <Problems list={problems.value} onLine={toLine} />
          {kind.value === "friction" && <p class="about">A friction file: there is nothing to run. Its block can be opened in Explore.</p>}
          {notes.value.map((n) => <p key={n} class="about">{n}</p>)}
        </section>
      </div>
      <Problems list={runProblems.value} />
      {r && (
        <>
          <Result run={r} stale={stale} />
          {r.answer.system !== "multibody" && <Animation run={r} onRow={setRow} />}
          <div class="plots">
            {figures.map((f, i) => f.ascending
              ? <SeriesPlot key={i} name={`figure-${i}`} figure={{ ...f, marks: events }} stale={stale} cursor={row} />
              : <Plot key={i} name={`figure-${i}`} figure={f} stale={stale} />)}
          </div>
          {r.answer.figures.some((f, i) => i >= mostDrawn || f.y.length > mostDrawn) && <p class="about">At most {mostDrawn} figures with {mostDrawn} curves each are drawn; all columns are in the CSV.</p>}
          <Columns run={r} />
        </>
      )}
    </div>
  );
}

/// A scenario, or a file that it refers to.
async function take(file: File | undefined): Promise<void> {
  if (!file) return;
  if (file.size > most) {
    runProblems.value = [{ where: file.name, line: 0, text: `${file.name} has ${short(file.size / 2 ** 20, 3)} MiB; at most ${most >> 20} MiB are accepted` }];
    return;
  }
  if (file.name.endsWith(".toml") && file.size < 16 * 2 ** 20) {
    const content = await file.text();
    quick = true;
    open(file.name.replace(/\.toml$/, ""), content, false);
    for (const client of [editor, runner]) await client.file(file.name, new TextEncoder().encode(content).buffer as ArrayBuffer);
    return;
  }
  const bytes = await file.arrayBuffer();
  for (const client of [editor, runner]) await client.file(file.name, bytes.slice(0));
  look(text.value);
}

function Editor({ value, onChange, problems: list, area, onRun }: { value: string; onChange(t: string): void; problems: Problem[]; area: preact.RefObject<HTMLTextAreaElement | null>; onRun(): void }) {
  const gutter = useRef<HTMLDivElement>(null), lines = value.split("\n").length, bad = new Map(list.filter((p) => p.line).map((p) => [p.line, p.text]));
  return (
    <div class="editor">
      <div class="gutter" ref={gutter} aria-hidden="true">{Array.from({ length: Math.min(lines, 5000) }, (_, i) => <div key={i}><span class={bad.has(i + 1) ? "bad" : ""} title={bad.get(i + 1)}>{i + 1}</span></div>)}</div>
      <textarea ref={area} aria-label="Scenario in TOML" spellcheck={false} autoComplete="off" autoCapitalize="off" wrap="off" value={value} aria-invalid={list.length > 0 ? "true" : undefined}
        onInput={(e) => onChange(e.currentTarget.value)} onScroll={(e) => { if (gutter.current) gutter.current.scrollTop = e.currentTarget.scrollTop; }}
        onKeyDown={(e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); onRun(); } }} />
    </div>
  );
}

function Result({ run: r, stale }: { run: Finished; stale: boolean }) {
  const s = r.answer.summary, counts = ["stick", "slip+", "slip-"].map((k) => `${s.events[k] ?? 0} ${k}`).join(", ");
  return (
    <section class={`card${stale ? " stale" : ""}`} aria-label="Result" data-final={JSON.stringify(s.final)}>
      <h2>{s.title || "Result"}</h2>
      <p role="status">{s.models.map((m) => m.model).join(", ") || "mechanism"}; {s.method}, {s.steps} steps; events: {counts}; computed in {short(r.ms, 3)} ms</p>
      <p class="about">Energy balance within {short(s.energy["error"], 2)}, momentum within {short(s.momentum.error, 2)}. End: {Object.entries(s.final).slice(0, 6).map(([k, v]) => `${k} = ${short(v, 6)}`).join(", ")}.</p>
      {Object.entries(s.measures).map(([k, m]) => <p key={k}>{k} = {m.reason ? `undefined: ${m.reason}` : withUnit(m.value, m.unit, 6)}</p>)}
      {s.checks.length > 0 && <ul>{s.checks.map((c, i) => <li key={i} class={c.held ? "yes" : "no"}><span class="mark" aria-hidden="true">{c.held ? "✓" : "✕"}</span> {c.line}</li>)}</ul>}
      {s.notes.filter((n) => !notes.value.includes(n)).map((n) => <p key={n} class="about">{n}</p>)}
      <Events run={r} />
    </section>
  );
}

function Events({ run: r }: { run: Finished }) {
  const n = r.events.t.length, [shown, setShown] = useState(false);
  if (n === 0) return null;
  return (
    <details onToggle={(e) => setShown((e.currentTarget as HTMLDetailsElement).open)}>
      <summary>{n} events</summary>
      {shown && <ol class="about">{[...r.events.t.slice(0, 200)].map((t, i) => <li key={i}>{r.answer.events.kinds[r.events.kind[i]!]} at {short(t, 7)} s</li>)}</ol>}
    </details>
  );
}

function Columns({ run: r }: { run: Finished }) {
  const names = [...r.columns.keys()];
  return (
    <p class="row">
      <button type="button" onClick={() => download(textName.value.replace(/\.toml$/, "") + ".csv", table(names, names.map((n) => r.columns.get(n)!)), "text/csv")}>Save all columns as CSV</button>
      <span class="about">{names.length} columns, {r.answer.summary.rows} rows</span>
    </p>
  );
}
