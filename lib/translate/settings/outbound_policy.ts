/**
 * What happens to connections and requests that no service claims.
 *
 * @module
 */
import { MeshConfig_OutboundTrafficPolicy_Mode } from "#mesh/mesh/v1alpha1/config_pb.ts";
import {
  type OutboundTrafficPolicy,
  OutboundTrafficPolicy_Mode,
} from "#mesh/networking/v1alpha3/sidecar_pb.ts";
import { type Candidate, choose, fullHost, type Tell } from "../../derive/mod.ts";
import {
  BLACK_HOLE_CLUSTER,
  type CatchAll,
  clusterName,
  PASSTHROUGH_CLUSTER,
} from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { type Context, type Flavour, pickService } from "../context/mod.ts";

/**
 * Where a listener that meets arbitrary destinations sends what is none of its
 * own. One that traffic is not redirected to knows no other destination.
 */
export function fallthroughCluster(
  read: Read,
  context: Context,
  flavour: Flavour,
  sidecar: string,
  tell?: Tell,
): string | undefined {
  if (flavour.bound) return undefined;
  return clusterOutside(outboundPolicy(read, context, sidecar, tell));
}

/** Where connections go that no service claims. */
export function clusterOutside(policy: CatchAll): string {
  if (policy === "block_all") return BLACK_HOLE_CLUSTER;
  return typeof policy === "string" ? PASSTHROUGH_CLUSTER : policy.cluster;
}

/** The mesh's outbound policy, or that of a Sidecar where it has one. */
export function outboundPolicy(
  read: Read,
  context: Context,
  sidecar: string,
  tell?: Tell,
): CatchAll {
  const { mesh } = context;
  const own = sidecar === ""
    ? undefined
    : read.get(mesh.tables.sidecars, sidecar)?.spec.outboundTrafficPolicy;
  const whole = mesh.field(read, "outboundTrafficPolicy");
  const ways: Candidate<CatchAll>[] = [
    {
      value: own && ofSidecar(read, context, sidecar, own, tell),
      source: "object",
      object: `Sidecar/${sidecar}`,
      field: "spec.outboundTrafficPolicy",
    },
    {
      value: whole && OF_MESH[whole.mode],
      source: "mesh",
      field: "outboundTrafficPolicy",
    },
    { value: "allow_any", source: "built-in" },
  ];
  const named = (way: CatchAll): string => typeof way === "string" ? way : way.cluster;
  return choose(tell, "outboundTrafficPolicy", ways, named) ?? "allow_any";
}

/** A Sidecar may send what it lets pass to a proxy of the mesh, by the cluster that routes to it have. */
function ofSidecar(
  read: Read,
  context: Context,
  sidecar: string,
  { mode, egressProxy }: OutboundTrafficPolicy,
  tell: Tell | undefined,
): CatchAll {
  if (mode !== OutboundTrafficPolicy_Mode.ALLOW_ANY) return "block_all";
  if (egressProxy === undefined) return "allow_any";
  const [namespace = ""] = sidecar.split("/");
  const host = fullHost(egressProxy.host, namespace, context.mesh.domain);
  const service = pickService(read, context, namespace, host);
  const ports = service?.ports ?? [];
  if (service !== undefined) {
    tell?.({ group: "egressProxy", source: "object", object: service.source, value: host });
  }
  const port = egressProxy.port?.number || (ports.length === 1 ? ports[0]!.number : 0);
  return { cluster: clusterName("outbound", port, egressProxy.subset, host) };
}

const OF_MESH: Readonly<Record<MeshConfig_OutboundTrafficPolicy_Mode, CatchAll>> = {
  [MeshConfig_OutboundTrafficPolicy_Mode.REGISTRY_ONLY]: "block_all",
  [MeshConfig_OutboundTrafficPolicy_Mode.ALLOW_ANY]: "allow_any",
  [MeshConfig_OutboundTrafficPolicy_Mode.ALLOW_ANY_DYNAMIC_DNS]: "allow_dynamic_dns",
};
