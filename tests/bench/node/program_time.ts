/**
 * Processor time of the machine by program, from one moment to another.
 *
 * @module
 */

/** Length of a tick in `/proc/PID/stat`, s. */
const TICK_S = 0.01;
/** Programs that are not listed took less than this, s. */
const LEAST_S = 0.05;

interface Spent {
  readonly program: string;
  /** Processor time of the process at the first look, s. */
  readonly before: number;
  now: number;
}

/** Processor time by program since it was made; `look` is called often, for processes that end soon. */
export class ProgramTime {
  readonly #spent = new Map<string, Spent>();
  readonly #busyBefore = busySeconds();

  constructor() {
    this.#look(true);
  }

  look(): void {
    this.#look(false);
  }

  #look(isFirst: boolean): void {
    for (const { name: pid } of Deno.readDirSync("/proc")) {
      if (!/^\d+$/.test(pid)) continue;
      const found = timeOf(pid);
      if (found === undefined) continue;
      const { id, program, seconds } = found;
      const known = this.#spent.get(id);
      if (known === undefined) {
        this.#spent.set(id, { program, before: isFirst ? seconds : 0, now: seconds });
      } else {
        known.now = seconds;
      }
    }
  }

  /** Programs with their processor time, most first, and what processes took between two looks. */
  lines(): string[] {
    const byProgram = new Map<string, number>();
    for (const { program, before, now } of this.#spent.values()) {
      byProgram.set(program, (byProgram.get(program) ?? 0) + now - before);
    }
    const busy = busySeconds() - this.#busyBefore;
    const known = [...byProgram].filter(([, seconds]) => seconds >= LEAST_S);
    const rest = busy - known.reduce((sum, [, seconds]) => sum + seconds, 0);
    return [
      `processor time of the machine: ${busy.toFixed(2)} s`,
      ...known.sort(([, a], [, b]) => b - a).map(([program, seconds]) =>
        `${seconds.toFixed(2).padStart(6)} s  ${program}`
      ),
      `${rest.toFixed(2).padStart(6)} s  others, and processes that ended between two looks`,
    ];
  }
}

/** A process by its number and its program, which `exec` changes, with its processor time. */
function timeOf(pid: string): { id: string; program: string; seconds: number } | undefined {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    const end = stat.lastIndexOf(")");
    const fields = stat.slice(end + 2).split(" ");
    const comm = stat.slice(stat.indexOf("(") + 1, end);
    const program = comm.startsWith("deno") ? scriptOf(pid) : comm;
    const seconds = (Number(fields[11]) + Number(fields[12])) * TICK_S;
    return { id: pid, program, seconds };
  } catch {
    return undefined; // it has ended
  }
}

/** The module that a process of Deno runs. */
function scriptOf(pid: string): string {
  const words = Deno.readTextFileSync(`/proc/${pid}/cmdline`).split("\0");
  return `deno ${words.find((word) => /\.[jt]s$/.test(word)) ?? ""}`.trim();
}

/** Processor time that the machine spent so far, s. */
function busySeconds(): number {
  const [line = ""] = Deno.readTextFileSync("/proc/stat").split("\n");
  const [user = 0, nice = 0, system = 0, , , irq = 0, soft = 0] = line.split(/\s+/).slice(1)
    .map(Number);
  return (user + nice + system + irq + soft) * TICK_S;
}
