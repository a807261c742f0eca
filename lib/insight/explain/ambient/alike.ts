/**
 * Endpoints at which the same follows: a service with thousands of them is explained by a few.
 *
 * @module
 */
import type { Authorization, Match } from "#mesh/security/authorization_pb.ts";
import { objectKey } from "../../../mesh/model/mod.ts";
import type { Outcome } from "../../verdict/mod.ts";
import { type Party, partyAt } from "../world.ts";
import { takesTunnels } from "./known.ts";
import type { Travel } from "./travel.ts";

/** An address that connections go to. */
interface Place {
  readonly ip: string;
  readonly port: number;
}

/** Endpoints whose proxies and policies are the same. */
export type Alike<T> = readonly [T, ...T[]];

/**
 * Groups endpoints by what follows there.
 *
 * @param partyOf the proxy at a place; default: the one that takes connections to its port
 */
export function alike<T>(
  travel: Pick<Travel, "known" | "byAddress">,
  endpoints: readonly T[],
  placeOf: (endpoint: T) => Place,
  partyOf: (place: Place) => Party | undefined = ({ ip, port }) =>
    partyAt(travel.byAddress, ip, port),
): Alike<T>[] {
  const idOf = (one: T): string => {
    const place = placeOf(one);
    return keyOf(travel, place, partyOf(place));
  };
  return [...Map.groupBy(endpoints, idOf).values()]
    .flatMap(([first, ...more]) => first === undefined ? [] : [[first, ...more] as const]);
}

/** The outcomes at the first endpoint of a group, for the whole group, which gets a share. */
export function forAll(
  { length }: Alike<unknown>,
  share: number,
  outcomes: readonly Outcome[],
): Outcome[] {
  const more = length === 1 ? "" : `, or to ${length - 1} endpoints like it`;
  return outcomes.map((one) => ({
    ...one,
    share: one.share * share,
    text: one.kind === "reached" ? `${one.text}${more}` : one.text,
  }));
}

function keyOf(
  { known }: Pick<Travel, "known">,
  { ip, port }: Place,
  party: Party | undefined,
): string {
  // What a proxy has accepted may differ among those of a class.
  if (party !== undefined) {
    const states = (party.types ?? []).map(({ short, state }) => `${short} ${state}`);
    return JSON.stringify(["proxy", port, party.classKey, states]);
  }
  const workload = known?.workloadAt(ip);
  if (known === undefined || workload === undefined) return JSON.stringify(["outside", port]);
  const { namespace, tunnelProtocol, network, waypoint, hostname } = workload;
  if (!takesTunnels(workload)) {
    return JSON.stringify(["workload", port, tunnelProtocol, network, ip === "" ? hostname : ""]);
  }
  const policies = known.policiesOf(workload);
  const names = policies.map((one) => objectKey(one)).sort();
  const own = policies.some(namesDestinations) ? ip : "";
  return JSON.stringify(["captured", port, namespace, network, waypoint?.destination, names, own]);
}

/** Reports if a policy compares the address of the workload itself. */
function namesDestinations({ groups }: Authorization): boolean {
  const compares = ({ destinationIps, notDestinationIps }: Match): boolean =>
    destinationIps.length > 0 || notDestinationIps.length > 0;
  return groups.some(({ rules }) => rules.some(({ matches }) => matches.some(compares)));
}
