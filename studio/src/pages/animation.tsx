// The body on its spring, from the columns of a run.
import { useEffect, useRef, useState } from "preact/hooks";
import { pen, useWidth } from "../plot/plot";
import { extent, short } from "../plot/scale";
import { calm, theme } from "../ui/theme";
import type { Finished } from "./measure";

const height = 120;

export function Animation({ run, onRow }: { run: Finished; onRow?: (row: number) => void }) {
  const [holder, width] = useWidth(), canvas = useRef<HTMLCanvasElement>(null);
  const t = run.columns.get("t"), x = run.columns.get("x"), drive = run.columns.get("drive"), v = run.columns.get("v");
  const [row, setRow] = useState(0), [playing, setPlaying] = useState(false), [speed, setSpeed] = useState(1);
  const look = theme.value, n = t?.length ?? 0, blocks = [...run.columns.keys()].filter((k) => /^x\d+$/.test(k)).slice(0, 60);
  useEffect(() => { setRow(0); setPlaying(false); }, [run]);
  useEffect(() => {
    if (!playing || !t || n < 2) return;
    let frame = 0, last = performance.now(), at = t[row]!;
    const end = t[n - 1]!, tick = (now: number) => {
      at += ((now - last) / 1000) * speed * Math.max(1e-9, end / 15);
      last = now;
      if (at >= end) at = 0;
      let k = Math.min(n - 1, Math.floor((at / end) * (n - 1)));
      while (k > 0 && t[k]! > at) --k;
      while (k < n - 1 && t[k + 1]! <= at) ++k;
      setRow(k);
      frame = requestAnimationFrame(tick);
    };
    frame = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(frame);
  }, [playing, speed, run]);
  useEffect(() => { onRow?.(row); }, [row]);
  useEffect(() => {
    if (!canvas.current || !width || !x || !t) return;
    const p = pen(canvas.current, width, height), lists = [x, ...(drive ? [drive] : []), ...blocks.map((b) => run.columns.get(b)!)];
    const many = blocks.length > 0, [lo, hi] = extent(lists, false), span = hi - lo || 1;
    const at = (value: number, i = 0, count = 1) => 60 + ((value - lo) / span) * (width - 170) * (many ? 0.35 : 1) + (many ? (i / count) * (width - 170) * 0.65 : 0);
    const ground = height - 26;
    p.strokeStyle = look.muted;
    p.lineWidth = 1.5;
    p.beginPath();
    p.moveTo(10, ground);
    p.lineTo(width - 10, ground);
    for (let X = 14; X < width - 10; X += 12) { p.moveTo(X, ground); p.lineTo(X - 6, ground + 8); }
    p.stroke();
    const k = Math.min(row, n - 1), sizeOf = many ? Math.max(6, Math.min(30, (width - 170) / (blocks.length + 2))) : 46;
    const bodies = [x, ...blocks.map((b) => run.columns.get(b)!)];
    const moving = v ? Math.abs(v[k]!) > 1e-3 * Math.max(1e-30, ...[...v].map(Math.abs)) : true;
    if (drive && run.answer.system !== "prescribed" && !many) {
      const a = at(x[k]!) + sizeOf / 2, b = Math.max(a + 14, at(drive[k]!) + sizeOf / 2 + 30), y = ground - sizeOf / 2, coils = 12;
      p.strokeStyle = look.ink;
      p.beginPath();
      p.moveTo(a, y);
      for (let i = 0; i <= coils; ++i) p.lineTo(a + 6 + ((b - a - 12) * i) / coils, y + (i === 0 || i === coils ? 0 : i % 2 ? -8 : 8));
      p.lineTo(b, y);
      p.stroke();
      p.fillStyle = look.palette[1]!;
      p.beginPath();
      p.arc(b, y, 6, 0, 2 * Math.PI);
      p.fill();
    }
    bodies.forEach((body, i) => {
      const X = at(body[k]!, i, bodies.length);
      p.fillStyle = moving ? look.palette[0]! : look.muted;
      if (run.answer.system === "roller") {
        p.beginPath();
        p.arc(X, ground - sizeOf / 2, sizeOf / 2, 0, 2 * Math.PI);
        p.fill();
      } else p.fillRect(X - sizeOf / 2, ground - sizeOf * 0.8, sizeOf, sizeOf * 0.8);
    });
  }, [row, width, run, look]);
  if (!x || !t || n === 0) return <p class="about">No animation: the run has no position of a body.</p>;
  return (
    <section class="card" aria-label="Animation">
      <div ref={holder}><canvas ref={canvas} class="stage" style={{ width: `${width}px`, height: `${height}px` }} role="img" aria-label={`Body at x = ${short(x[row] ?? NaN)} at t = ${short(t[row] ?? NaN)} s`} /></div>
      <div class="row">
        <button type="button" onClick={() => setPlaying(!playing)} aria-pressed={playing}>{playing ? "Pause" : "Play"}</button>
        <input class="grow" type="range" min={0} max={n - 1} value={row} aria-label="Time" aria-valuetext={`${short(t[row] ?? NaN)} s`} onInput={(e) => { setPlaying(false); setRow(Number(e.currentTarget.value)); }} />
        <label>Speed <select value={speed} onChange={(e) => setSpeed(Number(e.currentTarget.value))}>{[0.25, 0.5, 1, 2, 4].map((s) => <option key={s} value={s}>{s}×</option>)}</select></label>
        <output class="readout">t = {short(t[row] ?? NaN)} s</output>
      </div>
      {calm.matches && <p class="about">Reduced motion is set: the animation starts only with Play.</p>}
    </section>
  );
}
