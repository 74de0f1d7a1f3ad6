// Workers with a core each, and requests to them.
import EngineWorker from "./worker?worker&inline";
import type { FromWorker, ToWorker } from "./messages";
import type { Problem } from "./types";

export class Refusal extends Error {
  constructor(readonly problems: Problem[]) {
    super(problems.map((p) => p.text).join("\n"));
  }
}
export interface Reply<T> { json: T; arrays: Float64Array[]; ms: number }

let module: Promise<WebAssembly.Module> | undefined;

async function unpacked(): Promise<WebAssembly.Module> {
  const block = document.getElementById("core");
  const text = (block?.textContent ?? "").trim();
  if (!text) throw new Error("this page was built without its core");
  const packed = atob(text), bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; ++i) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

type Pending = { done: (reply: Reply<unknown>) => void; fail: (e: Error) => void; progress?: ((done: number, about: string) => void) | undefined };

export class Client {
  private worker: Worker | undefined;
  private waiting = new Map<number, Pending>();
  private next = 1;
  private files = new Map<string, ArrayBuffer>();

  private start(): Worker {
    if (this.worker) return this.worker;
    const worker = new EngineWorker();
    this.worker = worker;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      const pending = this.waiting.get(data.id);
      if (!pending) return;
      if (data.kind === "progress") return pending.progress?.(data.done, data.about);
      this.waiting.delete(data.id);
      if (data.kind === "failure") {
        this.stop(new Error(`the core failed: ${data.text}`)); // its memory may be inconsistent: the next request gets a new one
        return pending.fail(new Error(`the core failed: ${data.text}`));
      }
      const problems = data.json["problems"] as Problem[] | undefined;
      if (problems && !("file" in data.json)) return pending.fail(new Refusal(problems));
      pending.done({ json: data.json, arrays: data.arrays, ms: data.ms });
    };
    worker.onerror = (e) => this.stop(new Error(e.message || "the worker failed"));
    module ??= unpacked();
    module.then(
      (ready) => { if (this.worker === worker) worker.postMessage({ kind: "start", module: ready } satisfies ToWorker); },
      (e: unknown) => this.stop(e instanceof Error ? e : new Error(String(e))),
    );
    for (const [name, bytes] of this.files) this.send({ kind: "file", name, bytes: bytes.slice(0) }).catch(() => undefined); // the request that needs it reports the failure
    return worker;
  }
  private async send(message: { kind: "file"; name: string; bytes: ArrayBuffer } | { kind: "call"; request: unknown }, progress?: Pending["progress"]) {
    const worker = this.start(), id = this.next++;
    await module; // requests follow the module in the order of messages
    if (this.worker !== worker) throw new Error("stopped");
    return new Promise<Reply<unknown>>((done, fail) => {
      this.waiting.set(id, { done, fail, progress });
      worker.postMessage({ id, ...message } as ToWorker);
    });
  }
  /// Throws Refusal for wrong input.
  async ask<T>(request: { do: string; [key: string]: unknown }, progress?: Pending["progress"]): Promise<Reply<T>> {
    return (await this.send({ kind: "call", request }, progress)) as Reply<T>;
  }
  /// A named text that requests read as a file.
  async file(name: string, bytes: ArrayBuffer): Promise<void> {
    this.files.set(name, bytes);
    if (this.worker) await this.send({ kind: "file", name, bytes: bytes.slice(0) });
    else this.start();
  }
  /// Ends the worker and drops its files.
  forget(): void {
    this.files.clear();
    this.stop();
  }
  /// Ends the worker; the next request starts another one.
  stop(reason = new Error("stopped")): void {
    this.worker?.terminate();
    this.worker = undefined;
    const pending = [...this.waiting.values()];
    this.waiting.clear();
    for (const p of pending) p.fail(reason);
  }
}

/// Runs the newest job only: nothing queues up behind a drag. A job that has run for longer than `patience` (ms) when a newer one waits is
/// ended by `cancel`.
export class Newest {
  private begun: number | undefined;
  private next: (() => Promise<void>) | undefined;
  constructor(private cancel?: () => void, private patience = 1200) {}
  run(job: () => Promise<void>): void {
    this.next = job;
    if (this.begun === undefined) void this.loop();
    else if (this.cancel) setTimeout((begun: number) => { if (this.begun === begun && this.next) this.cancel!(); }, Math.max(0, this.begun + this.patience - performance.now()), this.begun);
  }
  get busy(): boolean { return this.begun !== undefined; }
  private async loop() {
    while (this.next) {
      const job = this.next;
      this.next = undefined;
      this.begun = performance.now();
      await job().catch((e: unknown) => console.error(e));
    }
    this.begun = undefined;
  }
}
export const wasStopped = (e: unknown): boolean => e instanceof Error && e.message === "stopped";

// Curves, runs and texts do not wait for each other.
export const live = new Client(), runner = new Client(), editor = new Client();
