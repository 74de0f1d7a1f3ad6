// Gallery: figures of the papers as scenarios that open in Experiment.
import { library } from "../library";
import { open, page } from "../state";

export function Gallery() {
  const show = (name: string, text: string) => { open(name, text, false); page.value = "experiment"; };
  return (
    <div>
      <p>Each figure opens in Experiment, where its numbers can be changed. Variants of a figure, such as several velocities in one picture, are computed by <code>bristle papers</code>; the page runs the first of them.</p>
      {library.gallery.map((p) => (
        <section key={p.name} aria-label={p.title}>
          <h2>{p.title}</h2>
          <p class="about">{[p.authors, p.reference].filter(Boolean).join(". ")}</p>
          <ul class="cards" style={{ listStyle: "none", padding: 0 }}>
            {p.figures.map((f) => (
              <li key={f.name}><button type="button" class="tile" onClick={() => show(`${p.name}-${f.name}`, f.text)}><b>{f.title || f.name}</b><span class="about">{f.caption}</span></button></li>
            ))}
          </ul>
        </section>
      ))}
      <section aria-label="Examples">
        <h2>Examples</h2>
        <ul class="cards" style={{ listStyle: "none", padding: 0 }}>
          {library.examples.map((e) => <li key={e.name}><button type="button" class="tile" onClick={() => { open(e.name, e.text); page.value = "experiment"; }}><b>{e.title}</b><span class="about">{comment(e.text)}</span></button></li>)}
        </ul>
      </section>
    </div>
  );
}
/// The comment at the start of a file.
const comment = (text: string): string => {
  const lines = text.split("\n"), end = lines.findIndex((l) => !l.startsWith("#"));
  return lines.slice(0, Math.max(0, end)).map((l) => l.replace(/^#\s?/, "")).join(" ");
};
