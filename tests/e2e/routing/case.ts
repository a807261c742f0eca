/**
 * Cases of routing: a VirtualService, calls through a proxy, and expected results.
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
} from "../../../scripts/harness/mod.ts";
import type { Spec } from "../../support/manifest.ts";
import type { Transport } from "../../support/world.ts";

/** A case. Its host is its own, so that all cases can be configured at once. */
export interface RoutingCase {
  readonly name: string;
  /** `http` of the VirtualService; none: the service without one. */
  readonly http?: readonly Spec[];
  /** `http` of VirtualServices that are delegated to, by name. */
  readonly delegates?: Readonly<Record<string, readonly Spec[]>>;
  /** Calls with what comes of them, in order. The first is repeated until it is right, for the configuration to arrive. */
  readonly exchanges: readonly Exchange[];
  /** Checks that a table cannot express; they run last. */
  readonly probe?: (probe: Probe) => Promise<void>;
  /** Host of the service where it is not to be named after the case, for example a wildcard. */
  readonly host?: string;
}

/** A call and its expected result. Unset fields are not compared, except `status`. */
export interface Exchange {
  /** Path with query; `/` unless said otherwise. */
  readonly path?: string;
  readonly method?: string;
  /** `Host` of the request where it is not the case's. */
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Expected status; 200 unless said otherwise. */
  readonly status?: number;
  /** Backend that should answer. */
  readonly from?: string;
  /** Expected request at the backend; `null`: no such header. */
  readonly sees?: {
    readonly path?: string;
    readonly host?: string;
    readonly headers?: Readonly<Record<string, string | null>>;
  };
  /** Expected response; `null`: no such header. */
  readonly gets?: {
    readonly body?: string;
    readonly headers?: Readonly<Record<string, string | null>>;
  };
}

/** Environment of a probe. */
export interface Probe {
  readonly transport: Transport;
  /** A key for requests that no other probe has. */
  readonly key: string;
  readonly backends: Readonly<Record<string, Backend>>;
  readonly call: (options?: CallOptions & { readonly path?: string }) => Promise<Answer>;
}

/** Environment of a case: sidecar or gateway. */
export interface Target {
  readonly transport: Transport;
  /** Base URL of the proxy's listener, without a closing slash. */
  readonly url: string;
  readonly host: string;
  readonly backends: Readonly<Record<string, Backend>>;
}

/** Runs a case through one proxy. */
export async function runCase(
  { name, exchanges, probe }: RoutingCase,
  target: Target,
): Promise<void> {
  const { url, host, backends, transport } = target;
  const [first, ...others] = exchanges;
  if (first !== undefined) {
    await eventually(`${describe(first)} as expected`, async () => {
      await exchange(first, target);
      return true;
    });
  }
  for (const other of others) await exchange(other, target);
  await probe?.({
    transport,
    backends,
    key: `${transport} ${name}`,
    call: ({ path = "/", ...options } = {}) => call(url + path, { host, ...options }),
  });
}

function describe({ method = "GET", path = "/", as, headers }: Exchange): string {
  return [method, path, as === undefined ? "" : `as ${as}`, JSON.stringify(headers ?? {})].join(
    " ",
  );
}

async function exchange(expected: Exchange, { url, host }: Target): Promise<void> {
  const { path = "/", method, as = host, headers, status = 200, from, sees, gets } = expected;
  const answer = await call(url + path, { host: as, method, headers });
  const what = describe(expected);
  assert.equal(answer.status, status, `${what}: ${answer.body}`);
  if (from !== undefined) assert.equal(answer.echo?.backend, from, what);
  if (sees?.path !== undefined) assert.equal(answer.echo?.path, sees.path, what);
  if (sees?.host !== undefined) assert.equal(answer.echo?.host, sees.host, what);
  assertHeaders(answer.echo?.headers ?? {}, sees?.headers, `${what}: sees`);
  if (gets?.body !== undefined) assert.equal(answer.body, gets.body, what);
  assertHeaders(answer.headers, gets?.headers, `${what}: gets`);
}

function assertHeaders(
  actual: Readonly<Record<string, string>>,
  expected: Readonly<Record<string, string | null>> = {},
  what: string,
): void {
  for (const [name, value] of Object.entries(expected)) {
    assert.equal(actual[name] ?? null, value, `${what} ${name}`);
  }
}
