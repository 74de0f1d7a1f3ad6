// The WebAssembly core behind its C functions: JSON in, JSON and arrays of numbers out. Used by the worker and by the tests in node.
import { wasi } from "./wasi";

interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  bristle_alloc(n: number): number;
  bristle_free(at: number): void;
  bristle_file(name: number, nameSize: number, text: number, size: number): void;
  bristle_call(request: number, size: number): number;
  bristle_size(): number;
  bristle_arrays(): number;
  bristle_array(i: number): number;
  bristle_length(i: number): number;
}

export interface Reply {
  json: Record<string, unknown>;
  arrays: Float64Array[];
}
export type Progress = (done: number, about: string) => void;

export class Core {
  progress: Progress = () => undefined;
  private constructor(private x: Exports) {}

  static async start(module: WebAssembly.Module): Promise<Core> {
    let core: Core | undefined;
    let x: Exports | undefined;
    const memory = () => x!.memory;
    const page = {
      progress(done: number, at: number, size: number) {
        core?.progress(done, new TextDecoder().decode(new Uint8Array(memory().buffer, at, size)));
      },
    };
    const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi(memory), page });
    x = instance.exports as unknown as Exports;
    x._initialize();
    core = new Core(x);
    return core;
  }

  private give(bytes: Uint8Array): number {
    const at = this.x.bristle_alloc(Math.max(1, bytes.length)) >>> 0;
    if (at === 0) throw new Error("out of memory");
    new Uint8Array(this.x.memory.buffer).set(bytes, at);
    return at;
  }
  file(name: string, text: Uint8Array): void {
    const bytes = new TextEncoder().encode(name), a = this.give(bytes), b = this.give(text);
    this.x.bristle_file(a, bytes.length, b, text.length);
    this.x.bristle_free(a);
    this.x.bristle_free(b);
  }
  call(request: unknown): Reply {
    const bytes = new TextEncoder().encode(JSON.stringify(request)), at = this.give(bytes);
    const answer = this.x.bristle_call(at, bytes.length) >>> 0;
    this.x.bristle_free(at);
    const json = JSON.parse(new TextDecoder().decode(new Uint8Array(this.x.memory.buffer, answer, this.x.bristle_size())));
    const arrays: Float64Array[] = [];
    for (let i = 0; i < this.x.bristle_arrays(); ++i) {
      const n = this.x.bristle_length(i);
      arrays.push(n ? new Float64Array(this.x.memory.buffer, this.x.bristle_array(i) >>> 0, n).slice() : new Float64Array());
    }
    return { json, arrays };
  }
}
