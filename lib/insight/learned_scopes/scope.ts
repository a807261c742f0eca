/**
 * The learned scope of a workload class.
 *
 * @module
 */
import { canonicalJson } from "../../kit/base/mod.ts";

/** A name that proxies of a workload class asked for. */
export interface AskedName {
  /** `host` or `cluster`. */
  readonly kind: "host" | "cluster";
  /** `table/authority`, or the name of the cluster. */
  readonly name: string;
  /** The host that has it; empty: none, so that the outbound traffic policy decides. */
  readonly host: string;
  /** Time of the last question, ISO 8601 in UTC. */
  readonly askedAt: string;
  /** Connected proxies that asked for it, and those that were sent it. */
  readonly askers: number;
  readonly holders: number;
}

/** A workload class, with the names that its proxies asked for. */
export interface Scope {
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly names: readonly AskedName[];
}

/** The scopes of several daemons, which learn apart, as one list in the order of the classes. */
export function mergedScopes(lists: readonly (readonly Scope[])[]): Scope[] {
  const classes = new Map<string, { scope: Scope; names: Map<string, AskedName> }>();
  for (const scope of lists.flat()) {
    const { names, ...workload } = scope;
    const key = canonicalJson(workload);
    const found = classes.get(key) ?? { scope, names: new Map<string, AskedName>() };
    classes.set(key, found);
    for (const one of names) {
      const id = `${one.kind} ${one.name}`;
      const known = found.names.get(id);
      found.names.set(id, known === undefined ? one : together(known, one));
    }
  }
  return [...classes].sort(([a], [b]) => compare(a, b)).map(([, { scope, names }]) => ({
    ...scope,
    names: [...names.values()].sort((a, b) =>
      compare(b.kind, a.kind) || compare(a.host, b.host) || compare(a.name, b.name)
    ),
  }));
}

/** A name of two daemons; the one that was asked last says which host has it. */
function together(a: AskedName, b: AskedName): AskedName {
  const last = a.askedAt >= b.askedAt ? a : b;
  return { ...last, askers: a.askers + b.askers, holders: a.holders + b.holders };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
