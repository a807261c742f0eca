/**
 * Reports of agents about their Envoys, as `proxy-status` shows it.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import type { Invocation } from "../../kit/cli/mod.ts";
import { ageText, type SyncRow } from "../config_dump/mod.ts";
import { askJson, type Daemon } from "../daemon_client/mod.ts";

/** A row of `/debug/proxy_states`. */
export interface EnvoyState {
  /** `name.namespace`. */
  readonly proxy: string;
  /** A phase of the report, `not reported`, or `no Envoy`. */
  readonly state: string;
  readonly reason?: string;
  readonly since?: string;
  readonly exit?: { readonly text: string; readonly lines: readonly string[] };
  readonly exits?: readonly { readonly at: string; readonly text: string }[];
  readonly warming?: { readonly clusters: number; readonly listeners: number };
  readonly certificate?: { readonly notAfter: string };
}

/** The states that a daemon knows; `undefined`: it is older and knows none. */
export async function envoyStates(
  call: Invocation,
  daemon: Daemon,
): Promise<readonly EnvoyState[] | undefined> {
  try {
    return await askJson<EnvoyState[]>(call, daemon, "proxy_states");
  } catch (error) {
    if (error instanceof MeshError && error.code === "daemon-not-found") return undefined;
    throw error;
  }
}

/** The proxies that exited and are not connected, as rows of the table. */
export function exitedRows(states: readonly EnvoyState[], now: number): SyncRow[] {
  return states.filter(({ state }) => state === "exited").map(({ proxy, since }) => ({
    proxy,
    exited_age: since === undefined ? 0 : Math.max(0, now - Date.parse(since)),
  }));
}

/** Sentences about Envoys that are not well. */
export function envoyProblems(states: readonly EnvoyState[], now: number): string[] {
  const before = (time: string | undefined) =>
    time === undefined ? "" : ` ${ageText(Math.max(0, now - Date.parse(time)))} ago`;
  return states.flatMap((one) => {
    const { proxy, state, reason, since, exit, exits = [], warming, certificate } = one;
    const found: string[] = [];
    if (exit !== undefined) {
      const last = exit.lines.at(-1);
      const times = exits.length > 1 ? `, ${exits.length} times in 15 minutes` : "";
      found.push(
        `its Envoy exited ${exit.text}${before(since)}${times}` +
          (last === undefined ? "" : `; its last line: ${last}`),
      );
    } else if (exits.length > 0) {
      const last = exits.at(-1)!;
      const times = exits.length === 1 ? "once" : `${exits.length} times`;
      found.push(
        `its Envoy exited ${times} in 15 minutes and runs again; the last time ${last.text}${
          before(last.at)
        }`,
      );
    }
    if (state === "silent") found.push(`its Envoy runs and does not answer its agent: ${reason}`);
    if (state === "starting" && reason !== undefined) {
      found.push(`its Envoy is not ready: ${reason}`);
    }
    const cold = (warming?.clusters ?? 0) + (warming?.listeners ?? 0);
    if (cold > 0) found.push(`${cold} of its clusters and listeners are warming`);
    if (certificate !== undefined && Date.parse(certificate.notAfter) <= now) {
      found.push(`its certificate ended${before(certificate.notAfter)}`);
    }
    return found.map((problem) => `${proxy}: ${problem}`);
  });
}

/** Names the proxies whose state is not known; `undefined` if there are none. */
export function unreported(states: readonly EnvoyState[]): string | undefined {
  const names = states.filter(({ state }) => state === "not reported").map(({ proxy }) => proxy);
  if (names.length === 0) return undefined;
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  return `Not reported: the state of the Envoys of ${names.slice(0, NAMED).join(", ")}${more}, ` +
    "whose agents are older or do not run";
}

const NAMED = 5;
