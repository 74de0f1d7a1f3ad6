// The host of the C library of the core: a clock, random numbers, text for the console. There are no files.
const BADF = 8, NOENT = 44, NOSYS = 52;

type Call = (...args: never[]) => number | void;

export function wasi(memory: () => WebAssembly.Memory): WebAssembly.ModuleImports {
  const view = () => new DataView(memory().buffer); // a new view for every access: the memory moves when it grows
  const none = (a: number, b: number) => {
    view().setUint32(a, 0, true);
    view().setUint32(b, 0, true);
    return 0;
  };
  const known: Record<string, Call> = {
    clock_time_get(_id: number, _precision: bigint, to: number) {
      view().setBigUint64(to, BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e6)), true);
      return 0;
    },
    clock_res_get(_id: number, to: number) {
      view().setBigUint64(to, 1000n, true);
      return 0;
    },
    random_get(to: number, n: number) {
      for (let at = 0; at < n; at += 65536)
        crypto.getRandomValues(new Uint8Array(memory().buffer, to + at, Math.min(65536, n - at)));
      return 0;
    },
    environ_sizes_get: none,
    environ_get: () => 0,
    args_sizes_get: none,
    args_get: () => 0,
    sched_yield: () => 0,
    fd_prestat_get: () => BADF,
    path_open: () => NOENT,
    fd_write(fd: number, vectors: number, n: number, to: number) {
      if (fd !== 1 && fd !== 2) return BADF;
      let text = "", total = 0;
      for (let i = 0; i < n; ++i) {
        const at = view().getUint32(vectors + 8 * i, true), size = view().getUint32(vectors + 8 * i + 4, true);
        text += new TextDecoder().decode(new Uint8Array(memory().buffer, at, size));
        total += size;
      }
      if (text.trim()) console.warn(text);
      view().setUint32(to, total, true);
      return 0;
    },
    proc_exit(code: number) {
      throw new Error(`the core stopped with status ${code}`);
    },
  };
  return new Proxy(known, { get: (all, name: string) => all[name] ?? (() => NOSYS), has: () => true }) as WebAssembly.ModuleImports;
}
