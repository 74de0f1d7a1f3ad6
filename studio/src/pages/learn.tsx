// Learn: three guided stories, each step a live figure with three sentences.
import { useEffect, useState } from "preact/hooks";
import { live } from "../engine/client";
import type { Problem, RunAnswer } from "../engine/types";
import type { Figure } from "../plot/figure";
import { Plot } from "../plot/plot";
import { SeriesPlot } from "../plot/series";
import { contact, find, first, open, page, step, story, typical } from "../state";
import { Problems, problemsOf } from "../ui/problems";
import { finished, measure, runFigures, together } from "./measure";

interface Step { title: string; text: [string, string, string]; scenario?: string; contacts?: { name: string; model: string; values: Record<string, number> }[]; experiment?: string }
interface Story { title: string; about: string; steps: Step[] }

const lugre = `[friction]\nmodel = "lugre"\nFc = 1.0\nFs = 1.5\nvs = 0.001\nsigma0 = 1e5\nsigma1 = 316.22776601\nkv = 0.4\n`;
const servo = (ki: number, friction: string, kp = "3.0", kd = "6.0") => `${friction}\n[system]\nkind = "slider"\nmass = 1.0\n\n[controller]\nkp = ${kp}\nki = ${ki}\nkd = ${kd}\n\n[drive]\nkind = "step"\nsize = 1.0\n\n[solver]\nduration = 100\n\n[[figure]]\ny = ["x", "drive"]\ntitle = "Position and reference"\n\n[[figure]]\ny = "F"\ntitle = "Friction"\n`;
const values = first as Record<string, number>;

export const stories: Story[] = [
  {
    title: "Why a robot hunts", about: "A servo with an integrator never comes to rest.",
    steps: [
      { title: "A servo without an integrator", text: ["A mass follows a step under proportional and derivative action.", "It stops short of the reference: stiction holds it as soon as the servo pulls with less than the break-away force.", "The remaining error is at most the break-away force over the proportional gain."], scenario: servo(0, lugre) },
      { title: "The integrator removes the error, and more", text: ["With integral action the force grows while the mass stands still.", "When it exceeds stiction the mass jumps, because friction falls as soon as it moves.", "It overshoots, sticks on the other side, and the integrator begins again: this is hunting."], scenario: servo(4, lugre) },
      { title: "Without the Stribeck effect there is no jump", text: ["Here static friction equals Coulomb friction, all else is the same.", "Nothing is released at break-away, and the jumps become small and decay.", "The difference between static and kinetic friction drives the hunting."], scenario: servo(4, lugre.replace("Fs = 1.5", "Fs = 1.0")) },
      { title: "A stiffer servo without an integrator", text: ["The proportional gain is ten times as large, and there is no integrator.", "The mass stops and stays at rest.", "The error is at most the break-away force over the gain, 0.05 m; friction compensation removes more of it without hunting."], scenario: servo(0, lugre, "30.0", "12.0") },
    ],
  },
  {
    title: "Memory of pre-sliding", about: "Before it slides, a contact is a spring that remembers.",
    steps: [
      { title: "Friction before sliding", text: ["A contact that is moved by micrometres and back does not slide.", "Its force follows a hysteresis loop instead of a jump.", "Coulomb friction has no such regime; Dahl and LuGre have."], contacts: [{ name: "LuGre", model: "lugre", values }, { name: "Dahl", model: "dahl", values }], experiment: "loops" },
      { title: "An inner loop", text: ["The experiment makes a small loop inside the large one.", "Measured contacts close the small loop and continue on the outer curve.", "LuGre does not: its one state cannot know where the loop began."], contacts: [{ name: "LuGre", model: "lugre", values }], experiment: "loops" },
      { title: "Nonlocal memory", text: ["Maxwell-slip elements are springs in parallel that slip one after the other.", "Each of them remembers the point where it stuck, so inner loops close.", "The generalised Maxwell-slip model adds the Stribeck effect and friction lag."], contacts: [{ name: "Maxwell slip", model: "maxwell_slip", values: {} }, { name: "GMS", model: "gms", values: {} }], experiment: "loops" },
    ],
  },
  {
    title: "How to choose a model", about: "The simplest model that shows the effect that matters.",
    steps: [
      { title: "Only the steady force matters", text: ["At high speed and without reversals a curve is sufficient.", "All three models have the same steady force.", "The simplest one costs least and has two parameters less."], contacts: ["stribeck", "lugre", "gms"].map((m) => ({ name: m, model: m, values })), experiment: "curve" },
      { title: "Velocity changes", text: ["Friction follows a change of velocity late: more force in acceleration than in deceleration.", "A static curve has no loop here, LuGre has.", "Lag matters for stability at low speed."], contacts: ["stribeck", "lugre"].map((m) => ({ name: m, model: m, values })), experiment: "lag" },
      { title: "Reversals and small motion", text: ["Positioning within micrometres happens in pre-sliding.", "Choose LuGre for stiffness and damping, GMS for loops that must close.", "Fit has the last word: it ranks the models on recordings of your machine."], contacts: ["lugre", "gms"].map((m) => ({ name: m, model: m, values })), experiment: "loops" },
    ],
  },
];

export function Learn() {
  const s = stories[story.value] ?? stories[0]!, k = Math.min(step.value, s.steps.length - 1), now = s.steps[k]!;
  const [figures, setFigures] = useState<(Figure & { ascending?: boolean })[]>([]), [problems, setProblems] = useState<Problem[]>([]), [ready, setReady] = useState("");
  useEffect(() => {
    let current = true;
    void (async () => {
      try {
        let list: (Figure & { ascending?: boolean })[] = [];
        if (now.scenario) {
          const { json, arrays, ms } = await live.ask<RunAnswer>({ do: "simulate", text: now.scenario });
          list = runFigures(finished(json, arrays, ms));
        } else {
          const all = [];
          for (const c of now.contacts ?? []) {
            const m = find(c.model);
            if (m) all.push((await measure(typical(m, Object.fromEntries(Object.entries(c.values).filter(([n]) => m.parameters.some((p) => p.name === n)))), [now.experiment!])).of[now.experiment!]!.figures.at(now.experiment === "lag" ? -1 : 0)!);
          }
          const joined = together(all, now.title, now.contacts?.map((c) => c.name));
          list = joined ? [joined] : [];
        }
        if (current) { setFigures(list); setProblems([]); setReady(`${story.value}-${k}`); }
      } catch (e) { if (current) setProblems(problemsOf(e)); }
    })();
    return () => { current = false; };
  }, [story.value, k]);
  return (
    <div class="main" data-ready={ready}>
      <div class="row" role="group" aria-label="Stories">
        {stories.map((x, i) => <button key={i} type="button" aria-pressed={i === story.value} onClick={() => { story.value = i; step.value = 0; }}>{x.title}</button>)}
      </div>
      <div class="story">
        <section class="card steps" aria-live="polite">
          <p class="about">{s.about} Step {k + 1} of {s.steps.length}.</p>
          <h2>{now.title}</h2>
          {now.text.map((t) => <p key={t}>{t}</p>)}
          <div class="row">
            <button type="button" disabled={k === 0} onClick={() => (step.value = k - 1)}>Back</button>
            <button type="button" class="primary" disabled={k === s.steps.length - 1} onClick={() => (step.value = k + 1)}>Next</button>
            {now.scenario
              ? <button type="button" onClick={() => { open("learn", now.scenario!, false); page.value = "experiment"; }}>Try it in Experiment</button>
              : <button type="button" onClick={() => { const c = now.contacts!.at(-1)!, m = find(c.model); if (m) { contact.value = typical(m, Object.fromEntries(Object.entries(c.values).filter(([n]) => m.parameters.some((p) => p.name === n)))); page.value = "explore"; } }}>Try it in Explore</button>}
          </div>
          <Problems list={problems} />
        </section>
        <div class="main">{figures.map((f, i) => f.ascending ? <SeriesPlot key={i} figure={f} height={i ? 200 : 290} /> : <Plot key={i} figure={f} height={420} />)}</div>
      </div>
    </div>
  );
}
