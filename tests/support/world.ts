/**
 * A daemon with a configuration directory and two proxies, one for each xDS variant, shared by all
 * cases of a suite.
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
export interface TestProxy {
  readonly kind: Kind;
  readonly transport: Transport;
  readonly address: string;
  readonly agent: Agent;
}

export type Transport = "delta" | "sotw";

/** Kinds of proxies: sidecars that bind their listeners, sidecars that expect redirected traffic, gateways. */
export type Kind = "sidecar" | "captured" | "router";

const TRANSPORTS: readonly Transport[] = ["delta", "sotw"];

/** Third part of the loopback addresses of a kind, so that several proxies can listen at one port. */
const NETWORKS: Readonly<Record<Kind, number>> = { captured: 6, sidecar: 7, router: 8 };

/** A running world. */
export interface World extends AsyncDisposable {
  readonly config: ConfigDir;
  readonly daemon: Daemon;
  readonly testProxies: readonly TestProxy[];
}

export interface WorldOptions {
  /** Path of another Envoy than the pinned one. */
  readonly envoy?: string;
  /** A proxy of each kind for each variant. Sidecars alone, unless said otherwise. */
  readonly kinds?: readonly Kind[];
  /** Files that are there before the daemon starts. */
  readonly files?: Readonly<Record<string, string>>;
  readonly daemon?: Partial<DaemonOptions>;
  /** Labels of all proxies in addition to those that identify them. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Suffixes of the statistics that the suite reads, in addition to those of updates. */
  readonly stats?: readonly string[];
  /** Further variables of the agents. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The address of a kind's proxy; what it binds, it binds there. */
export function addressOf(kind: Kind, transport: Transport): string {
  return `127.0.${NETWORKS[kind]}.${TRANSPORTS.indexOf(transport) + 1}`;
}

/** Calls a function for each variant, for example to write a document for each proxy. */
export function eachTransport<T>(make: (transport: Transport) => T): T[] {
  return TRANSPORTS.map(make);
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
      workloadSelector: { labels: { transport, kind: "sidecar" } },
      egress: egress.map(({ number, protocol, hosts = ["./*"] }) => ({
        port: { number, protocol, name: `${protocol.toLowerCase() || "any"}-${number}` },
        bind: addressOf("sidecar", transport),
        captureMode: "NONE",
        hosts,
      })),
      ...more,
    })
  );
  return all.join("---\n");
}

/** Starts a world. Gateways listen where a Gateway says so; until one does their Envoys are not ready and are not waited for. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const { kinds = ["sidecar"], files = {}, stats = [] } = options;
  await using stack = new AsyncDisposableStack();
  const work = await Deno.makeTempDir({ prefix: "mesh-e2e-" });
  stack.defer(() => Deno.remove(work, { recursive: true }));
  const config = stack.use(await makeConfigDir());
  for (const [name, text] of Object.entries(files)) await config.write(name, text);
  const daemon = stack.use(await startDaemon({ configDir: config.path, ...options.daemon }));
  const envoy = options.envoy ?? await envoyPath();
  const wanted = kinds.flatMap((kind) => eachTransport((transport) => ({ kind, transport })));
  const started = await Promise.allSettled(wanted.map(async ({ kind, transport }) => {
    const address = addressOf(kind, transport);
    const agent = await startAgent({
      role: kind === "router" ? "router" : "sidecar",
      name: `${kind}-${transport}`,
      namespace: NAMESPACE,
      labels: { ...options.labels, transport, kind },
      ip: address,
      xds: daemon.xds,
      envoy,
      dir: work,
      interception: kind === "sidecar" ? "NONE" : "REDIRECT",
      delta: transport === "delta",
      noWait: kind === "router",
      env: options.env,
      // Envoy makes no statistics of services and route tables unless it is asked to.
      proxyConfig: {
        proxyStatsMatcher: { inclusionSuffixes: ["update_success", "update_rejected", ...stats] },
      },
    });
    stack.use(agent);
    return { kind, transport, address, agent };
  }));
  const testProxies = started.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
  const parts = stack.move();
  return { config, daemon, testProxies, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** Counters of a proxy's updates, summed by type: `cds`, `lds`, `rds`, `vhds` where there are any, and `eds`. */
export async function updatesOf(
  { agent }: TestProxy,
  outcome: "success" | "rejected",
): Promise<Readonly<Record<string, number>>> {
  const sums: Record<string, number> = { cds: 0, lds: 0, rds: 0, eds: 0 };
  for (const [name, value] of Object.entries(await agent.stats(`update_${outcome}$`))) {
    const type = /\b(cds|lds|vhds|rds(?!\.vhds))\./.exec(name)?.[1] ?? "eds";
    sums[type] = (sums[type] ?? 0) + value;
  }
  return sums;
}

const NONE = { cds: 0, lds: 0, rds: 0, vhds: 0, eds: 0 };

/** Asserts that no proxy refused any update of any type so far, and that each took some. */
export async function assertNothingRejected({ testProxies }: World): Promise<void> {
  for (const testProxy of testProxies) {
    const refused = await updatesOf(testProxy, "rejected");
    const said = testProxy.agent.program.output();
    assert.deepEqual({ vhds: 0, ...refused }, NONE, `${testProxy.transport}: ${said}`);
    const taken = await updatesOf(testProxy, "success");
    for (const [type, count] of Object.entries(taken)) {
      assert.ok(count > 0, `${testProxy.transport} took no update of ${type}`);
    }
  }
}
