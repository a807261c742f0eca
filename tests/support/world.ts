/**
 * A daemon over a config directory with two proxies, one for each variant of the
 * transport, that every case of a suite shares.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Agent,
  type AgentOptions,
  type ConfigDir,
  type Daemon,
  type DaemonOptions,
  makeConfigDir,
  rejectedUpdates,
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
  /** As for agents. */
  readonly proxyConfig?: AgentOptions["proxyConfig"];
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
  { role, files = {}, daemon, proxyConfig }: WorldOptions,
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
      proxyConfig,
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

/** Asserts that no proxy refused any update so far. */
export async function assertNothingRejected({ seats }: World): Promise<void> {
  for (const { agent } of seats) {
    assert.deepEqual(await rejectedUpdates(agent), {}, `${agent.name}: ${agent.program.output()}`);
    const updates = await agent.stats("(cds|lds|rds).*update_success$");
    assert.ok(Object.values(updates).some((n) => n > 0), `${agent.name} took no update at all`);
  }
}
