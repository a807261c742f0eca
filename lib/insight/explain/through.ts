/**
 * The way of a proxy's call through a tunnel, or to a workload whose connections a node proxy takes.
 *
 * @module
 */
import type { Workload } from "#mesh/workload/workload_pb.ts";
import type { Call, Forwarded, Target } from "../simulate/mod.ts";
import type { Outcome } from "../verdict/mod.ts";
import {
  arrive,
  atWaypoint,
  type Client,
  type Content,
  cross,
  isBehindNodeProxy,
  leaveNodeProxy,
  principalOfWorkload,
  takesTunnels,
  type Travel,
} from "./ambient/mod.ts";
import { type CallContext, nextCall } from "./calls.ts";
import type { Branch } from "./onward.ts";
import { addressOf } from "./targets.ts";
import { idOf, type Party, principalOf } from "./world.ts";

/** Reports if a node proxy takes connections to endpoints. */
export function isCaptured(
  { known }: Pick<Travel, "known">,
  next: Branch["next"],
  targets: readonly Target[],
): boolean {
  if (next.kind !== "none") return false;
  return targets.some((target) => {
    const workload = known?.workloadAt(addressOf(target).ip);
    return workload !== undefined && takesTunnels(workload);
  });
}

/** The workload of a waypoint whose connections the proxy of its node takes; undefined: it sends itself. */
export function capturedSender(
  { known }: Pick<Travel, "known">,
  { node }: Party,
): Workload | undefined {
  if (node.role !== "waypoint") return undefined;
  const workload = known?.workloadAt(node.ip);
  return workload !== undefined && isBehindNodeProxy(workload) ? workload : undefined;
}

/** Follows a call through a tunnel, or to a workload whose connections a node proxy takes. */
export function through(
  travel: Travel & CallContext,
  from: Party,
  call: Call,
  { ending, target, to, tunnelled }: {
    readonly ending: Forwarded;
    readonly target?: Target;
    readonly to: Call["destination"];
    readonly tunnelled: boolean;
  },
): Outcome[] {
  const plain = target ?? PLAIN;
  const { direction: _d, source, tunnel: _t, ...content } = nextCall(travel, from, call, {
    ending,
    target: plain,
  });
  const client: Client = {
    ip: source.ip,
    ...(tunnelled ? { principal: principalOf(travel.world, from) } : {}),
    ...(from.accountUnknown === true ? { principalAssumed: true } : {}),
  };
  const own = capturedSender(travel, from);
  if (own !== undefined) {
    const there = { ip: source.ip, principal: principalOfWorkload(own) };
    return leaveNodeProxy(travel, { workload: own, client: there }, {
      to,
      content: content as Content,
    });
  }
  const arrival = { sender: idOf(from), client, to, content: content as Content, tunnelled };
  const tunnel = target?.tunnel;
  const waypoint = tunnel?.waypoint ?? "";
  const across = tunnel?.across;
  if (across !== undefined) {
    const { ip: address } = to;
    return cross(travel, {
      ...arrival,
      ...{ authority: across, address, accepted: tunnel?.gateways ?? [] },
      network: networkBehind(travel, address),
    });
  }
  if (waypoint === "") return arrive(travel, arrival);
  const { ip } = addressOf({ address: waypoint });
  const party = travel.world.parties.find(({ node }) =>
    node.role === "waypoint" && node.ips.includes(ip)
  );
  if (party !== undefined) return atWaypoint(travel, party, arrival);
  const text = `the proxy of the waypoint at ${waypoint} is not connected here`;
  return [{ share: 1, kind: "unknown", proxy: idOf(from), text }];
}

/** The network that the gateway at an address leads into. */
function networkBehind({ world: { mesh: { graph, ambient } } }: Travel, address: string): string {
  if (ambient === undefined) return "";
  return ambient.indexes.networks.peek("all").find((network) =>
    graph.peek(ambient.networks.gateways, network).some((one) => one.address === address)
  ) ?? "";
}

/** An endpoint to which nothing is spoken but the call itself. */
const PLAIN: Target = {
  ...{ address: "", weight: 1, priority: 0, locality: "", healthy: true, tls: "plaintext" },
};
