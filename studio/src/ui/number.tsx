// A slider with an exact number field. Sliders of positive numbers are logarithmic.
import { useEffect, useId, useState } from "preact/hooks";
import { short, shownUnit } from "../plot/scale";

interface Props {
  name: string; label?: string; unit: string; meaning: string; value: number | undefined; reference: number;
  min?: number | null | undefined; max?: number | null | undefined; whole?: boolean; off?: string; onChange(v: number | undefined): void;
}

const accepted = /^[+\-−]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

export function NumberField({ name, label, unit, meaning, value, reference, min, max, whole, off, onChange }: Props) {
  const id = useId(), [typed, setTyped] = useState<string | undefined>(), [wrong, setWrong] = useState("");
  useEffect(() => { setTyped(undefined); setWrong(""); }, [value]);
  const lo = min ?? -Infinity, hi = max ?? Infinity, size = Math.abs(reference) || 1;
  const log = lo >= 0 && !(lo === 0 && hi <= 1) && !whole || (!!whole && hi > 1000 && lo >= 0);
  const sliderLo = log ? Math.max(lo > 0 ? lo : 0, size / 1000) : Math.max(lo, -size * 3), sliderHi = Math.min(hi, log ? size * 1000 : size * 3);
  const steps = 400, zero = log && lo === 0; // the left end of a scale that includes 0
  const toPlace = (v: number) => {
    if (!log) return ((v - sliderLo) / (sliderHi - sliderLo)) * steps;
    return zero && v < sliderLo ? 0 : (Math.log(Math.max(v, sliderLo) / sliderLo) / Math.log(sliderHi / sliderLo)) * (steps - 1) + 1;
  };
  const fromPlace = (p: number) => {
    const raw = !log ? sliderLo + (p / steps) * (sliderHi - sliderLo) : zero && p === 0 ? 0 : sliderLo * (sliderHi / sliderLo) ** ((p - 1) / (steps - 1));
    const v = whole ? Math.round(raw) : Number(raw.toPrecision(3));
    return Math.min(hi, Math.max(lo, v));
  };
  const commit = (t: string) => {
    const clean = t.trim().replace("−", "-");
    if (clean === "" && off) return onChange(undefined);
    const v = Number(clean);
    if (!accepted.test(clean) || !Number.isFinite(v)) return setWrong("a number such as 0.01 or 1e-2 is accepted");
    if (v < lo || v > hi) return setWrong(`${rangeText(min, max)} is accepted`);
    if (whole && !Number.isInteger(v)) return setWrong("a whole number is accepted");
    setWrong("");
    onChange(v);
  };
  const shown = typed ?? (value === undefined ? "" : String(value));
  return (
    <div class="field" data-field={name}>
      <label for={id}><span class="symbol">{label ?? name}</span> <span class="unit">{shownUnit(unit)}</span></label>
      <input id={id} class="exact" type="text" inputMode="decimal" autoComplete="off" spellcheck={false} value={shown} placeholder={off ?? ""}
        aria-invalid={wrong ? "true" : undefined} aria-describedby={`${id}-about`} name={name}
        onInput={(e) => setTyped(e.currentTarget.value)} onBlur={(e) => typed !== undefined && commit(e.currentTarget.value)}
        onKeyDown={(e) => { if (e.key === "Enter") commit(e.currentTarget.value); if (e.key === "Escape") { setTyped(undefined); setWrong(""); } }} />
      <input class="range" type="range" min={log && !zero ? 1 : 0} max={steps} step={whole && !log ? steps / Math.max(1, sliderHi - sliderLo) : 1} value={value === undefined ? 0 : toPlace(value)}
        aria-label={`${label ?? name}, ${meaning}`} aria-valuetext={value === undefined ? off || "not given" : `${short(value, 4)} ${shownUnit(unit)}`}
        onInput={(e) => { setTyped(undefined); setWrong(""); onChange(fromPlace(Number(e.currentTarget.value))); }} />
      <p id={`${id}-about`} class={wrong ? "about wrong" : "about"}>{wrong || `${meaning}${rangeText(min, max) ? `; ${rangeText(min, max)}` : ""}`}</p>
    </div>
  );
}

export function rangeText(min: number | null | undefined, max: number | null | undefined): string {
  const low = min !== null && min !== undefined && Math.abs(min) < 1e12, high = max !== null && max !== undefined && Math.abs(max) < 1e12;
  const from = low ? (min > 0 && min < 1e-12 ? "> 0" : `≥ ${short(min)}`) : "", to = high ? `≤ ${short(max)}` : "";
  return [from, to].filter(Boolean).join(" and ");
}
