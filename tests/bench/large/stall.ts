/**
 * The longest stall of a daemon by a piece of work, while sidecars and a gateway are connected.
 *
 * @module
 */
import { type Daemon, eventually } from "../../../scripts/harness/mod.ts";
import { cpuSeconds } from "../push/measure.ts";
import { type Clients, startClients } from "../push/run.ts";

/** Time with little use of the processor after which a piece of work is complete, ms. */
const QUIET_MS = 800;
/** CPU seconds in that time. */
const IDLE_CPU_S = 0.04;

/** Connects sidecars, and a gateway. */
export async function connect({ xds: target }: Daemon): Promise<Clients[]> {
  const common = { target, delta: true, workloads: 1 };
  const groups = [
    await startClients({ ...common, clients: 3 }),
    await startClients({ ...common, clients: 1, router: true }),
  ];
  for (const group of groups) await group.ask(`connect ${target}`);
  return groups;
}

/** The longest stall by a piece of work, ms; ends when the daemon is idle. */
export async function stallOf(daemon: Daemon, act: () => Promise<unknown>): Promise<number> {
  const { pid } = daemon.program;
  await lag(daemon);
  await act();
  let seen = -1;
  let since = Date.now();
  await eventually("the daemon to be idle", async () => {
    const now = await cpuSeconds(pid);
    // The daemon's own timers take less.
    if (now - seen > IDLE_CPU_S) [seen, since] = [now, Date.now()];
    return Date.now() - since >= QUIET_MS;
  }, 60_000);
  return await lag(daemon);
}

/** Most processor time in a delay of the daemon's event loop since the last call, ms. */
async function lag({ monitoring }: Daemon): Promise<number> {
  const text = await (await fetch(`${monitoring}/metrics`)).text();
  return 1000 * Number(/^process_event_loop_lag_cpu_seconds (\S+)$/m.exec(text)?.[1] ?? NaN);
}
