/**
 * The node proxy at the end of a connection: it ends the tunnel, and decides by policies about connections.
 *
 * @module
 */
import type { Authorization } from "#mesh/security/authorization_pb.ts";
import { PeerAuthentication_MutualTLS_Mode as Mode } from "#mesh/security/v1beta1/peer_authentication_pb.ts";
import type { Workload } from "#mesh/workload/workload_pb.ts";
import { hasLabels, objectKey } from "../../../mesh/model/mod.ts";
import { STATIC_STRICT } from "../../../mesh/ambient/mod.ts";
import { ipText } from "../../../kit/text/mod.ts";
import type { Cause, ExplainedStep, Outcome } from "../../verdict/mod.ts";
import type { World } from "../world.ts";
import { judgeConnection } from "./access.ts";
import { type Arrival, hostPort, kindOf, nodeProxyOf, type Travel } from "./travel.ts";

/** The outcome at the node proxy of a workload. */
export function atNodeProxy(travel: Travel, arrival: Arrival, workload: Workload): Outcome {
  const { client, to, tunnelled, content } = arrival;
  const proxy = nodeProxyOf(workload);
  const { principal, principalAssumed = false } = client;
  const policies = travel.known?.policiesOf(workload) ?? [];
  const { allowed, by } = judgeConnection(policies, {
    ...(tunnelled && principal !== undefined ? { principal, principalAssumed } : {}),
    source: client.ip,
    sourceAssumed: content.assumedAddresses?.includes(client.ip) === true,
    destination: to,
  });
  const causes = by === undefined
    ? policies.flatMap((one) => causesOf(travel.world, one, workload))
    : causesOf(travel.world, by, workload);
  for (const { object } of causes) if (object !== undefined) travel.objects.add(object);
  const why = whyOf(allowed, by, policies.length);
  const name = by === undefined ? "policies" : nameOf(by);
  const steps: ExplainedStep[] = [
    {
      step: "tunnel",
      name: tunnelled ? "15008" : "15006",
      why: tunnelled
        ? `ends the tunnel of ${principal ?? "a client that is not known"}`
        : "takes a connection without a tunnel, which proves no client",
      causes: [],
    },
    { step: "access", name, why, causes },
  ];
  const destination = hostPort(to.ip, to.port);
  travel.hops.push({ proxy, direction: "inbound", destination, steps });
  const common = { share: 1, proxy } as const;
  if (allowed === undefined) {
    const text = `${proxy}: whether ${why}`;
    return { ...common, kind: "unknown", text, remedy: "Name a client that is known in --from." };
  }
  if (!allowed) {
    const text = `the connection is closed: ${why}`;
    return { ...common, kind: "refused", text, refusal: { by: `policy ${name}`, why, causes } };
  }
  const text = `${kindOf(arrival)} to ${destination} of ${workload.name}.${workload.namespace}`;
  return { ...common, kind: "reached", text, endpoints: [destination] };
}

function nameOf(policy: Pick<Authorization, "namespace" | "name">): string {
  return objectKey(policy);
}

function whyOf(
  allowed: boolean | undefined,
  by: Authorization | undefined,
  policies: number,
): string {
  if (allowed === undefined) return `${by === undefined ? "a policy" : nameOf(by)} applies`;
  if (by !== undefined) return `${nameOf(by)} ${allowed ? "allows" : "denies"} the connection`;
  if (!allowed) return "no policy allows the connection";
  return policies === 0 ? "no policy is for the workload" : "no policy denies the connection";
}

const CONVERTED = /^converted_peer_authentication_(.+)$/;
const OF_WAYPOINT = /^mesh_allow_waypoint_(.+)$/;

/** The objects that a policy of node proxies was made from. */
function causesOf(
  world: World,
  { namespace, name }: Authorization,
  workload: Workload,
): Cause[] {
  if (name === STATIC_STRICT) return strictCauses(world, workload);
  const peer = CONVERTED.exec(name)?.[1];
  if (peer !== undefined) {
    const object = `PeerAuthentication/${objectKey({ namespace, name: peer })}`;
    return [{ source: "object", object, field: "spec.portLevelMtls", decides: "mutualTls" }];
  }
  if (OF_WAYPOINT.test(name)) {
    const field = "PILOT_AUTO_ALLOW_WAYPOINT_POLICY";
    return [{ source: "environment", field, decides: "access" }];
  }
  const object = `AuthorizationPolicy/${objectKey({ namespace, name })}`;
  return [{ source: "object", object, field: "spec.rules", decides: "access" }];
}

/** The PeerAuthentications that make a workload strict: its own, else of its namespace, else of the mesh. */
function strictCauses({ mesh }: World, workload: Workload): Cause[] {
  const { tables, indexes } = mesh;
  const labels = workload.addresses
    .flatMap((address) => indexes.workloadsByAddress.peek(ipText(address)))
    .flatMap((key) => tables.workloadEntries.peek(key) ?? [])
    .map(({ meta, spec }) => ({ ...spec.labels, ...meta.labels }))[0] ?? {};
  const rows = tables.peerAuthentications.keys()
    .flatMap((key) => tables.peerAuthentications.peek(key) ?? [])
    .filter(({ spec }) => spec.mtls?.mode === Mode.STRICT)
    .map(({ meta, spec }) => ({ meta, selector: spec.selector?.matchLabels ?? {} }));
  const selects = ({ selector }: typeof rows[number]): boolean => Object.keys(selector).length > 0;
  const around = rows.filter((row) => !selects(row));
  const [level = []] = [
    rows.filter((row) =>
      row.meta.namespace === workload.namespace && selects(row) && hasLabels(labels, row.selector)
    ),
    around.filter(({ meta }) => meta.namespace === workload.namespace),
    around,
  ].filter((list) => list.length > 0);
  return level.map(({ meta }) => ({
    source: "object",
    object: `PeerAuthentication/${objectKey(meta)}`,
    field: "spec.mtls.mode",
    decides: "mutualTls",
  }));
}
