/**
 * A daemon over a config directory with two proxies, one for each variant of the
 * transport, that every case of a suite shares.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Agent,
  type ConfigDir,
  type Daemon,
  type DaemonOptions,
  makeConfigDir,
  startAgent,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { manifest, NAMESPACE, type Spec } from "./manifest.ts";

/** A proxy of the world, with the address its listeners bind to. */
export interface Seat {
  readonly transport: Transport;
  readonly address: string;
  readonly agent: Agent;
}

export type Transport = "delta" | "sotw";

/** The variants, with a loopback address for each kind of proxy, so that two can listen at one port. */
const SEATS: readonly { readonly transport: Transport; readonly last: number }[] = [
  { transport: "delta", last: 1 },
  { transport: "sotw", last: 2 },
];

/** A running world. */
export interface World extends AsyncDisposable {
  readonly config: ConfigDir;
  readonly daemon: Daemon;
  readonly seats: readonly Seat[];
}

/** How a world is made. */
export interface WorldOptions {
  readonly role: "sidecar" | "router";
  /** Files that are there before the daemon starts. */
  readonly files?: Readonly<Record<string, string>>;
  readonly daemon?: Partial<DaemonOptions>;
  /** Endings of names of statistics that the suite looks at, beside those of updates. */
  readonly stats?: readonly string[];
}

/** The address that a variant's proxies bind to; sidecars and routers differ. */
export function addressOf(role: WorldOptions["role"], transport: Transport): string {
  const last = SEATS.find((s) => s.transport === transport)?.last;
  return `127.0.${role === "sidecar" ? 7 : 8}.${last}`;
}

/** Calls a function for each variant, for example to write a document for each proxy. */
export function eachTransport<T>(make: (transport: Transport) => T): T[] {
  return SEATS.map(({ transport }) => make(transport));
}

/** One listener of a Sidecar. */
export interface EgressListener {
  readonly number: number;
  readonly protocol: string;
  readonly hosts?: readonly string[];
}

/** A Sidecar for each proxy: nothing redirects traffic here, so their listeners bind to addresses of their own. */
export function sidecars(egress: readonly EgressListener[], more: Spec = {}): string {
  const all = eachTransport((transport) =>
    manifest("Sidecar", `proxy-${transport}`, {
      workloadSelector: { labels: { transport } },
      egress: egress.map(({ number, protocol, hosts = ["./*"] }) => ({
        port: { number, protocol, name: `${protocol.toLowerCase()}-${number}` },
        bind: addressOf("sidecar", transport),
        captureMode: "NONE",
        hosts,
      })),
      ...more,
    })
  );
  return all.join("---\n");
}

/** Starts a world. Gateways bind only where a Gateway says so; until one does their Envoys are not ready and are not waited for. */
export async function startWorld(
  { role, files = {}, daemon, stats = [] }: WorldOptions,
): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const work = await Deno.makeTempDir({ prefix: "mesh-e2e-" });
  stack.defer(() => Deno.remove(work, { recursive: true }));
  const config = stack.use(await makeConfigDir());
  for (const [name, text] of Object.entries(files)) await config.write(name, text);
  const control = stack.use(await startDaemon({ configDir: config.path, ...daemon }));
  const envoy = await envoyPath();
  const started = await Promise.allSettled(SEATS.map(async ({ transport }) => {
    const address = addressOf(role, transport);
    const agent = await startAgent({
      role,
      name: `${role}-${transport}`,
      namespace: NAMESPACE,
      labels: { transport },
      ip: address,
      xds: control.xds,
      envoy,
      dir: work,
      interception: role === "sidecar" ? "NONE" : "REDIRECT",
      delta: transport === "delta",
      noWait: role === "router",
      // Envoy makes no statistics of services and route tables unless it is asked to.
      proxyConfig: {
        proxyStatsMatcher: { inclusionSuffixes: ["update_success", "update_rejected", ...stats] },
      },
    });
    stack.use(agent);
    return { transport, address, agent };
  }));
  const seats = started.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
  const parts = stack.move();
  return {
    config,
    daemon: control,
    seats,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** Counters of a proxy's updates, summed by type: `cds`, `lds`, `rds` and `eds`. */
export async function updatesOf(
  { agent }: Seat,
  outcome: "success" | "rejected",
): Promise<Readonly<Record<string, number>>> {
  const sums: Record<string, number> = { cds: 0, lds: 0, rds: 0, eds: 0 };
  for (const [name, value] of Object.entries(await agent.stats(`update_${outcome}$`))) {
    const type = /\b(cds|lds|rds)\./.exec(name)?.[1] ?? "eds";
    sums[type] = (sums[type] ?? 0) + value;
  }
  return sums;
}

/** Asserts that no proxy refused any update of any type so far, and that each took some. */
export async function assertNothingRejected({ seats }: World): Promise<void> {
  for (const seat of seats) {
    const refused = await updatesOf(seat, "rejected");
    const said = seat.agent.program.output();
    assert.deepEqual(refused, { cds: 0, lds: 0, rds: 0, eds: 0 }, `${seat.transport}: ${said}`);
    const taken = await updatesOf(seat, "success");
    for (const [type, count] of Object.entries(taken)) {
      assert.ok(count > 0, `${seat.transport} took no update of ${type}`);
    }
  }
}
