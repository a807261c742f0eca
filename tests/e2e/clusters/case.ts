/**
 * Cases of endpoints, load balancing, limits and scopes.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Answer,
  type Backend,
  call,
  type CallOptions,
  eventually,
  spread,
  type TcpBackend,
} from "../../../scripts/harness/mod.ts";
import { serviceEntry, type Spec } from "../../support/manifest.ts";
import type { TestProxy, World } from "../../support/world.ts";

/** A case. Its documents are there from the start, in a file of their own. */
export interface ClusterCase {
  readonly name: string;
  /** Name of its file, without ending; also of its service. */
  readonly file: string;
  readonly documents: (parts: Parts) => string;
  readonly run: (bench: Bench) => Promise<void>;
}

/** Parts of the documents. */
export interface Parts {
  readonly ports: Ports;
  /** HTTP backends `a`, `b` and `c`. */
  readonly backends: Readonly<Record<"a" | "b" | "c", Backend>>;
  /** TCP backends `t` and `u`. */
  readonly tcp: Readonly<Record<"t" | "u", TcpBackend>>;
}

/** Ports of the proxies' listeners. */
export interface Ports {
  readonly http: number;
  /** Port of a TCP service without rules. */
  readonly tcp: number;
  /** Port of a TCP service with a rule that splits. */
  readonly tcpSplit: number;
  /** Port of a service without a listener: another entry adds the HTTP port to it. */
  readonly merged: number;
  /** Port of inbound traffic. */
  readonly ingress: number;
}

/** Environment of a case. */
export interface Bench extends Parts {
  readonly world: World;
  /** Does something with each proxy, one after the other. */
  readonly each: (act: (proxy: Proxy) => Promise<void>) => Promise<void>;
  /** Writes the case's file again. */
  readonly rewrite: (text: string) => Promise<void>;
}

/** A proxy, as a client of a case's service meets it. */
export interface Proxy extends TestProxy {
  readonly call: (options?: CallOptions & { readonly path?: string }) => Promise<Answer>;
  /** Counts the responses of each backend, or each status, for a number of calls. */
  readonly spread: (calls: number, options?: CallOptions) => Promise<Record<string, number>>;
  /** Calls until exactly these answer, and nothing fails. */
  readonly answeredBy: (...names: string[]) => Promise<void>;
}

/** Host of a case's service. */
export function hostOf(file: string): string {
  return `${file}.test`;
}

/** A case's service on the HTTP port. */
export function httpService(
  file: string,
  { ports }: Parts,
  endpoints: readonly Spec[],
  more: Spec = {},
): string {
  return serviceEntry(file, [hostOf(file)], { number: ports.http, protocol: "HTTP" }, {
    endpoints: endpoints,
    ...more,
  });
}

/** Name of the cluster of a case's service on the HTTP port. */
export function clusterOf(file: string, { ports }: Parts): string {
  return `outbound|${ports.http}||${hostOf(file)}`;
}

/**
 * Prefix of a cluster's name in Envoy's statistics, as a regular expression: with the semicolon of
 * its alternative name.
 */
export function statPrefix(cluster: string): string {
  return `^cluster\\.${cluster.replaceAll("|", "\\|").replaceAll(".", "\\.")};`;
}

/** Runs a case through every proxy of the world. */
export async function runCase(one: ClusterCase, world: World, parts: Parts): Promise<void> {
  const proxies = world.testProxies.map((testProxy) =>
    proxyOf(testProxy, hostOf(one.file), parts.ports.http)
  );
  await one.run({
    ...parts,
    world,
    rewrite: (text) => world.config.write(`${one.file}.yaml`, text),
    each: async (act) => {
      for (const proxy of proxies) {
        try {
          await act(proxy);
        } catch (cause) {
          throw new Error(`over ${proxy.transport}: ${cause}`, { cause });
        }
      }
    },
  });
}

function proxyOf(testProxy: TestProxy, host: string, port: number): Proxy {
  const url = `http://${testProxy.address}:${port}`;
  return {
    ...testProxy,
    call: ({ path = "/", ...options } = {}) => call(url + path, { host, ...options }),
    spread: (calls, options) => spread(calls, `${url}/`, { host, ...options }),
    answeredBy: async (...names) => {
      let last: Record<string, number> = {};
      await eventually(`answers of ${names}`, async () => {
        last = await spread(30, `${url}/`, { host });
        return Object.keys(last).sort().join() === names.join();
      }).catch((cause) => {
        throw new Error(`expected answers of ${names}, got ${JSON.stringify(last)}`, { cause });
      });
    },
  };
}

/** Asserts that each name's part of all counts lies within bounds, percent. */
export function assertShares(
  counts: Readonly<Record<string, number>>,
  bounds: Readonly<Record<string, readonly [number, number]>>,
): void {
  assert.deepEqual(Object.keys(counts).sort(), Object.keys(bounds).sort());
  const all = Object.values(counts).reduce((sum, n) => sum + n, 0);
  for (const [name, [least, most]] of Object.entries(bounds)) {
    const percent = (counts[name] ?? 0) * 100 / all;
    assert.ok(percent >= least && percent <= most, `${name} got ${percent} %`);
  }
}
