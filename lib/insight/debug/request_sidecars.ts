/**
 * Sidecars and proxies of waypoints that are connected to another replica of the daemon: what one replica tells of them, and
 * how another one reads what they are served.
 *
 * @module
 */
import { classOf, type Origin, type Party } from "../explain/mod.ts";
import type { ProxyNode } from "../../mesh/model/mod.ts";
import { asksOnDemand, wholeNode } from "../../mesh/translate/mod.ts";
import type { SessionInfo } from "../../mesh/xds/mod.ts";
import type { DebugInputs } from "./inputs.ts";

/** A sidecar with its progress, as plain data. */
export interface Sidecar {
  readonly node: ProxyNode;
  readonly types: readonly { readonly short: string; readonly state: string }[];
}

/** Returns one proxy of each class. */
export function proxyKinds(sessions: readonly SessionInfo[]): Sidecar[] {
  const kinds = new Map(sessions.toReversed().map((one) => [one.classKey, one]));
  return [...kinds.values()].map(({ node }) => ({ node, types: [] }));
}

/** Returns the sidecars of addresses, `ip:port`. */
export function sidecarsAt(
  sessions: readonly SessionInfo[],
  addresses: readonly string[],
): Sidecar[] {
  const wanted = new Set(addresses.map((one) => one.slice(0, one.lastIndexOf(":"))));
  const isWanted = (ip: string): boolean => wanted.has(ip) || wanted.has(`[${ip}]`);
  const roles = ["sidecar", "waypoint"];
  return sessions.filter(({ node }) => roles.includes(node.role) && node.ips.some(isWanted))
    .map(({ node, types }) => ({
      node,
      types: types.map(({ short, state }) => ({ short, state })),
    }));
}

/** Reads sidecars; `undefined` for a text that has none. */
export function readSidecars(text: string): Sidecar[] | undefined {
  if (text === "") return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every(isSidecar) ? list : undefined;
  } catch {
    return undefined;
  }
}

function isSidecar(value: unknown): value is Sidecar {
  const { node, types } = (value ?? {}) as Partial<Sidecar>;
  return Array.isArray(types) && typeof node === "object" && node !== null &&
    typeof node.name === "string" && Array.isArray(node.ips) &&
    typeof node.metadata === "object" && node.metadata !== null;
}

/** Sidecars with their views, until they are closed. */
export interface BoundSidecars {
  readonly parties: readonly Party[];
  close(): void;
}

/** Binds sidecars that are not connected here. */
export function bindSidecars(
  { bind, sessions }: DebugInputs,
  sidecars: readonly Sidecar[],
): BoundSidecars {
  const here = new Set(sidecars.length === 0 ? [] : sessions().map(({ node }) => node.id));
  const away = bind === undefined ? [] : sidecars.filter(({ node }) => !here.has(node.id));
  const bound = away.map(({ node, types }) => ({ node, types, binding: bind!(node) }));
  return {
    parties: bound.map(({ node, types, binding }): Party => ({
      ...{ node, types, classKey: binding.classKey },
      view: (typeUrl) => binding.view(typeUrl),
    })),
    close: () => bound.forEach(({ binding }) => binding.close()),
  };
}

/** The begin of a request; a proxy has all that it may ask for, until it is closed. */
export interface BoundWhole {
  readonly from: Party | Origin;
  close(): void;
}

/** Binds a proxy that asks for resources on demand once more, without that; others are returned as they are. */
export function bindWhole({ bind }: DebugInputs, from: Party | Origin): BoundWhole {
  const isWhole = bind === undefined || !("node" in from) || !asksOnDemand(classOf(from));
  if (isWhole) return { from, close: () => {} };
  const node = wholeNode(from.node);
  const binding = bind(node);
  const { classKey } = binding;
  const { types } = from;
  const view: Party["view"] = (typeUrl) => binding.view(typeUrl);
  return {
    from: { node, classKey, view, ...(types && { types }), asksOnDemand: true },
    close: () => binding.close(),
  };
}
