/**
 * The endpoints to which a proxy forwards a call, by what follows there.
 *
 * @module
 */
import { isIp } from "../../kit/text/mod.ts";
import { parseClusterName } from "../../mesh/model/mod.ts";
import type { Call, Forwarded, Target } from "../simulate/mod.ts";
import { addressOf, usedTargets } from "./targets.ts";
import {
  classOf,
  type PartiesByAddress,
  type Party,
  partyAt,
  proxyKnown,
  type World,
} from "./world.ts";

/** Endpoints at which the same follows. */
export interface Branch {
  /** Share of the calls: 0 to 1. */
  readonly share: number;
  readonly targets: readonly Target[];
  readonly next:
    | {
      readonly kind: "sidecar";
      readonly party: Party;
      readonly ip: string;
      readonly port: number;
    }
    /** No proxy is at the endpoint, or none is known: it accepts everything. */
    | { readonly kind: "none" }
    /** The endpoint has a proxy, which is not one of the known ones. */
    | { readonly kind: "away" };
  /** Addresses where a proxy may be that is connected elsewhere. */
  readonly elsewhere: readonly string[];
}

/** Groups the used endpoints of a forwarded call. */
export function branchesOf(
  world: World,
  parties: PartiesByAddress,
  { upstream, cluster }: Forwarded,
): Branch[] {
  const host = parseClusterName(cluster)?.host ?? "";
  const targets = usedTargets(upstream.endpoints);
  const total = targets.reduce((sum, { weight }) => sum + weight, 0) || targets.length;
  const groups = Map.groupBy(
    targets.map((target) => ({ target, found: nextOf(world, parties, { target, host }) })),
    ({ target, found }) =>
      `${found.key} ${JSON.stringify(target.handshake)} ${JSON.stringify(target.tunnel)}`,
  );
  return [...groups.values()].map((group): Branch => ({
    share: group.reduce((sum, { target: { weight } }) => sum + (weight || 1), 0) / total,
    targets: group.map(({ target }) => target),
    next: group[0]!.found.next,
    elsewhere: group.flatMap(({ found }) => found.elsewhere),
  }));
}

/** The continuation at an endpoint. */
interface Found extends Pick<Branch, "next" | "elsewhere"> {
  /** Endpoints with equal keys have equal continuations. */
  readonly key: string;
}

function nextOf(
  world: World,
  parties: PartiesByAddress,
  { target, host }: { readonly target: Target; readonly host: string },
): Found {
  const { ip, port } = addressOf(target);
  const party = isIp(ip) ? partyAt(parties, ip, port) : undefined;
  if (party !== undefined) {
    const key = `sidecar ${port} ${laggingTypes(party)} ${party.classKey}`;
    return { key, next: { kind: "sidecar", party, ip, port }, elsewhere: [] };
  }
  const proxy = isIp(ip) ? proxyKnown(world, ip, host) : "none";
  const elsewhere = proxy === "none" ? [] : [target.address];
  return proxy === "some"
    ? { key: "away", next: { kind: "away" }, elsewhere }
    : { key: "none", next: { kind: "none" }, elsewhere };
}

/** The types of resources that a proxy has rejected or has not answered yet. */
export function laggingTypes({ types = [] }: Party): string {
  return types.filter(({ short, state }) => short !== "other" && LAGS[state] !== undefined)
    .map(({ short, state }) => `${LAGS[state]} ${short}`).join(", ");
}

const LAGS: Readonly<Record<string, string>> = {
  ERROR: "has rejected its",
  STALE: "has not accepted yet its",
};

/**
 * Reports if a workload calls its own address: rules of capture return what it sends over the loopback
 * interface.
 */
export function isWithin(
  { assumedAddresses = [] }: Pick<World, "assumedAddresses">,
  from: Party,
  { direction, destination: { ip } }: Call,
): boolean {
  return direction === "outbound" && classOf(from).interception !== "NONE" &&
    from.node.ips.includes(ip) && !assumedAddresses.includes(ip);
}
