/**
 * The outbound traffic policy: what happens to connections and requests that no service claims.
 *
 * @module
 */
import { MeshConfig_OutboundTrafficPolicy_Mode } from "#mesh/mesh/v1alpha1/config_pb.ts";
import {
  type OutboundTrafficPolicy,
  OutboundTrafficPolicy_Mode,
} from "#mesh/networking/v1alpha3/sidecar_pb.ts";
import { type Candidate, choose } from "../../../kit/base/mod.ts";
import { fullHost, namespaceOf } from "../../model/mod.ts";
import {
  BLACK_HOLE_CLUSTER,
  type CatchAll,
  clusterName,
  PASSTHROUGH_CLUSTER,
} from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { type Context, findService, type ListenerVariant } from "../context/mod.ts";

const GROUP = {
  group: "outboundTrafficPolicy",
  show: (policy: CatchAll) => typeof policy === "string" ? policy : policy.cluster,
};

/**
 * The outbound policy of a Sidecar that sets one, else the mesh's.
 *
 * @param sidecar key of the Sidecar; `""` for none
 */
export function outboundPolicy(read: Read, context: Context, sidecar: string): CatchAll {
  const { mesh } = context;
  const own = sidecar === ""
    ? undefined
    : read.get(mesh.tables.sidecars, sidecar)?.spec.outboundTrafficPolicy;
  const whole = mesh.field(read, "outboundTrafficPolicy");
  const candidates: Candidate<CatchAll>[] = [
    {
      value: own && policyOfSidecar(read, context, sidecar, own),
      source: "object",
      object: `Sidecar/${sidecar}`,
      field: "spec.outboundTrafficPolicy",
    },
    {
      value: whole && POLICIES[whole.mode],
      source: "mesh",
      field: "outboundTrafficPolicy",
    },
    { value: "allow_any", source: "built-in" },
  ];
  return choose(read, GROUP, candidates) ?? "allow_any";
}

/** A Sidecar may forward allowed traffic to a proxy of the mesh (`egressProxy`), by its cluster name. */
function policyOfSidecar(
  read: Read,
  context: Context,
  sidecar: string,
  { mode, egressProxy }: OutboundTrafficPolicy,
): CatchAll {
  if (mode !== OutboundTrafficPolicy_Mode.ALLOW_ANY) return "block_all";
  if (egressProxy === undefined) return "allow_any";
  const namespace = namespaceOf(sidecar);
  const host = fullHost(egressProxy.host, namespace, context.mesh.domain);
  const service = findService(read, context, namespace, host);
  const ports = service?.ports ?? [];
  if (service !== undefined) {
    read.decide?.({ group: "egressProxy", source: "object", object: service.source, value: host });
  }
  const port = egressProxy.port?.number || (ports.length === 1 ? ports[0]!.number : 0);
  return { cluster: clusterName("outbound", port, egressProxy.subset, host) };
}

const POLICIES: Readonly<Record<MeshConfig_OutboundTrafficPolicy_Mode, CatchAll>> = {
  [MeshConfig_OutboundTrafficPolicy_Mode.REGISTRY_ONLY]: "block_all",
  [MeshConfig_OutboundTrafficPolicy_Mode.ALLOW_ANY]: "allow_any",
  [MeshConfig_OutboundTrafficPolicy_Mode.ALLOW_ANY_DYNAMIC_DNS]: "allow_dynamic_dns",
};

/**
 * The cluster of connections that a listener cannot match to a service; `undefined` where nothing
 * redirects traffic, because there are no such connections.
 */
export function passthroughFor(
  read: Read,
  context: Context,
  { bound }: Pick<ListenerVariant, "bound">,
  sidecar: string,
): string | undefined {
  return bound ? undefined : clusterOfPolicy(outboundPolicy(read, context, sidecar));
}

/** The cluster of connections that no service claims. */
export function clusterOfPolicy(policy: CatchAll): string {
  if (policy === "block_all") return BLACK_HOLE_CLUSTER;
  return typeof policy === "string" ? PASSTHROUGH_CLUSTER : policy.cluster;
}
