// Asperities: a population that sticks, slips and breaks loose, drawn while it is computed.
import { useEffect, useRef, useState } from "preact/hooks";
import { Client } from "../engine/client";
import type { ColumnRef, Problem } from "../engine/types";
import { Plot, pen, useWidth } from "../plot/plot";
import { short } from "../plot/scale";
import { type Contact, find, typical } from "../state";
import { ModelChoice, Parameters } from "../ui/contact";
import { NumberField } from "../ui/number";
import { Problems, problemsOf } from "../ui/problems";
import { theme } from "../ui/theme";

const population = new Client();
interface Step { t: number; x: number; F: number; columns: ColumnRef[] }
interface Snapshot { phase: Float64Array; force: Float64Array; load: Float64Array }
interface Trace { t: number[]; x: number[]; F: number[] }
const empty = (): Trace => ({ t: [], x: [], F: [] });
const kept = 3000, height = 260;

const begin = (model: string): Contact => {
  const m = find(model)!;
  return typical(m, model === "gfm" ? { asperities: 500, seed: 3 } : { asperities: 300 });
};

export function Asperities() {
  const [c, setC] = useState<Contact>(() => begin("gfm")), [problems, setProblems] = useState<Problem[]>([]);
  const [sizes, setSizes] = useState<{ force: number; velocity: number; travel: number } | undefined>();
  const [speed, setSpeed] = useState(1), [motion, setMotion] = useState<"constant" | "back">("back"), [playing, setPlaying] = useState(true), [stroke, setStroke] = useState(3);
  const [shown, setShown] = useState<Trace>(empty), [counts, setCounts] = useState<[number, number, number]>([0, 0, 0]), [rate, setRate] = useState(0);
  const [holder, width] = useWidth(), canvas = useRef<HTMLCanvasElement>(null), trace = useRef<Trace>(empty());
  const latest = useRef({ speed, motion, stroke, width, look: theme.value });
  latest.current = { speed, motion, stroke, width, look: theme.value };

  useEffect(() => {
    let live = true, frame = 0, busy = false, direction = 1, frames = 0, since = performance.now(), drawn = 0;
    trace.current = empty();
    const start = async () => {
      try {
        const { json, arrays } = await population.ask<{ sizes: { force: number; velocity: number; travel: number }; columns: ColumnRef[] }>({ do: "population", friction: { model: c.model, ...c.values } });
        if (!live) return;
        setSizes(json.sizes);
        setProblems([]);
        paint(snapshot(json.columns, arrays));
        if (playing) frame = requestAnimationFrame(() => tick(json.sizes));
      } catch (e) { if (live) setProblems(problemsOf(e)); }
    };
    const tick = (s: { velocity: number; travel: number }) => {
      if (!live) return;
      frame = requestAnimationFrame(() => tick(s));
      if (busy || document.hidden) return;
      busy = true;
      const now = latest.current, last = trace.current.x.at(-1) ?? 0;
      if (now.motion === "back" && Math.abs(last) > now.stroke * s.travel && Math.sign(last) === direction) direction = -direction;
      // One frame moves by the same part of a characteristic travel, whatever the units of the model are.
      const v = (now.motion === "back" ? direction : 1) * s.velocity, steps = 4, dt = (now.speed * 0.012 * s.travel) / s.velocity / steps;
      population.ask<Step>({ do: "advance", v, dt, steps }).then(({ json, arrays }) => {
        busy = false;
        if (!live) return;
        const { t, x, F } = trace.current;
        t.push(...arrays[json.t]!);
        x.push(...arrays[json.x]!);
        F.push(...arrays[json.F]!);
        if (t.length > kept) for (const list of [t, x, F]) list.splice(0, list.length - kept);
        paint(snapshot(json.columns, arrays));
        ++frames;
        const time = performance.now();
        if (time - since > 1000) { setRate((frames * 1000) / (time - since)); frames = 0; since = time; }
        if (time - drawn > 120) { drawn = time; setShown({ t: [...t], x: [...x], F: [...F] }); }
      }, (e: unknown) => { busy = false; if (live) { setProblems(problemsOf(e)); setPlaying(false); } });
    };
    const paint = (s: Snapshot) => {
      const { width: w, look } = latest.current;
      if (!canvas.current || w === 0) return;
      const n: [number, number, number] = [0, 0, 0];
      for (const p of s.phase) n[p as 0 | 1 | 2] += 1;
      setCounts(n);
      draw(canvas.current, w, s, look);
    };
    void start();
    return () => { live = false; cancelAnimationFrame(frame); };
  }, [c, playing]);
  useEffect(() => () => population.stop(), []);

  const total = counts[0] + counts[1] + counts[2];
  return (
    <div class="split">
      <section class="card side" aria-label="Population">
        <ModelChoice value={c} only={["gfm", "generic2010"]} onChange={(v) => setC(begin(v.model))} />
        <div class="row">
          <button type="button" class="primary" onClick={() => setPlaying(!playing)} aria-pressed={playing}>{playing ? "Pause" : "Play"}</button>
          <label>Motion <select value={motion} onChange={(e) => setMotion(e.currentTarget.value as "constant" | "back")}><option value="back">back and forth</option><option value="constant">constant</option></select></label>
        </div>
        <NumberField name="speed" unit="1" label="speed of time" meaning="motion per frame, relative" value={speed} min={0.01} max={20} reference={1} onChange={(v) => v !== undefined && setSpeed(v)} />
        {motion === "back" && <NumberField name="stroke" unit="1" label="stroke" meaning="amplitude over the characteristic travel" value={stroke} min={0.1} max={50} reference={3} onChange={(v) => v !== undefined && setStroke(v)} />}
        <h2>Parameters</h2>
        <Parameters value={c} onChange={setC} sizes={sizes} />
        <Problems list={problems} />
      </section>
      <div class="main" data-rate={rate.toFixed(1)} data-total={total}>
        <section class="card" aria-label="Asperities">
          <div ref={holder}><canvas ref={canvas} class="stage" style={{ width: `${width}px`, height: `${height}px` }} role="img" aria-label={`${total} asperities: ${counts[1]} stick, ${counts[2]} slip, ${counts[0]} free`} /></div>
          <div class="below">
            <ul class="legend">
              <li><span class="swatch series-1" aria-hidden="true" />stick {counts[1]}</li>
              <li><span class="swatch series-2" aria-hidden="true" />slip {counts[2]}</li>
              <li><span class="swatch series-7" aria-hidden="true" />free {counts[0]}</li>
            </ul>
            <span class="readout">{total} asperities, {short(rate, 3)} frames per second; height of a bar: force of one asperity</span>
          </div>
        </section>
        <div class="plots">
          <Plot name="force-time" figure={{ title: "Friction over time", xlabel: "t (s)", ylabel: "F (N)", curves: [{ label: "F", x: shown.t, y: shown.F }] }} height={230} />
          <Plot name="force-path" figure={{ title: "Friction over displacement", xlabel: "x (m)", ylabel: "F (N)", curves: [{ label: "F", x: shown.x, y: shown.F, color: 1 }] }} height={230} />
        </div>
        <p class="about">Each asperity is a spring with a mass. It touches the counter surface, sticks while the tangential force stays below its limit, slips beyond it, and breaks loose at the end of its land. Friction is the sum of all of them.</p>
      </div>
    </div>
  );
}

function snapshot(columns: ColumnRef[], arrays: Float64Array[]): Snapshot {
  const of = (name: string) => arrays[columns.find((c) => c.name === name)!.array]!;
  return { phase: of("phase"), force: of("force"), load: of("load") };
}

/// Asperities side by side in rows: a bar leans with the force, its colour is the phase.
function draw(canvas: HTMLCanvasElement, width: number, s: Snapshot, look: { palette: string[]; muted: string; grid: string }): void {
  const p = pen(canvas, width, height), n = s.phase.length;
  const columns = Math.min(n, Math.max(20, Math.floor(Math.sqrt((n * width) / height) * 1.6))), rows = Math.ceil(n / columns), w = (width - 16) / columns, h = (height - 12) / rows;
  let most = 0;
  for (const f of s.force) most = Math.max(most, Math.abs(f));
  const colors = [look.palette[6]!, look.palette[0]!, look.palette[1]!];
  for (const phase of [0, 1, 2]) { // one colour at a time: fewer changes of state
    p.strokeStyle = p.fillStyle = colors[phase]!;
    p.lineWidth = Math.max(1, Math.min(3, w * 0.35));
    p.globalAlpha = phase === 0 ? 0.45 : 1;
    p.beginPath();
    for (let i = 0; i < n; ++i) {
      if (s.phase[i] !== phase) continue;
      const X = 8 + ((i % columns) + 0.5) * w, Y = 6 + (Math.floor(i / columns) + 1) * h - 2;
      const part = most > 0 ? s.force[i]! / most : 0, up = phase === 0 ? 0.25 : 0.35 + 0.6 * Math.abs(part);
      p.moveTo(X, Y);
      p.lineTo(X + part * w * 0.9, Y - Math.max(2, (h - 4) * up));
    }
    p.stroke();
  }
  p.globalAlpha = 1;
}
