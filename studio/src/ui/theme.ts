// Colours of canvases follow the style sheet, in light and dark.
import { signal, effect } from "@preact/signals";
import type { Theme } from "../plot/figure";

export type Choice = "auto" | "light" | "dark";
const dark = matchMedia("(prefers-color-scheme: dark)");
export const choice = signal<Choice>("auto");
export const theme = signal<Theme>(read());

function read(): Theme {
  const style = getComputedStyle(document.documentElement);
  const probe = document.createElement("span"); // resolves light-dark()
  document.documentElement.append(probe);
  const color = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const out: Theme = {
    ink: color("ink"), muted: color("muted"), grid: color("grid"), card: color("card"),
    palette: [1, 2, 3, 4, 5, 6, 7, 8].map((i) => color(`series-${i}`)),
    font: `12px ${style.fontFamily || "system-ui, sans-serif"}`,
  };
  probe.remove();
  return out;
}
effect(() => {
  if (choice.value === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = choice.value;
  theme.value = read();
});
dark.addEventListener("change", () => (theme.value = read()));
export const calm = matchMedia("(prefers-reduced-motion: reduce)");
