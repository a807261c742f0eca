/**
 * Gateways with the proxies that they select.
 *
 * @module
 */
import { selectsWorkload } from "../../../mesh/derive/mod.ts";
import type { ConfigObject } from "../../../mesh/model/mod.ts";
import type { SessionInfo } from "../../../mesh/xds/mod.ts";
import type { Gateway } from "#mesh/networking/v1alpha3/gateway_pb.ts";
import { classOf } from "../endpoints.ts";
import type { DebugInputs } from "../inputs.ts";

export type GatewayObject = ConfigObject<Gateway>;

/** All Gateways in use. */
export function gatewaysOf({ objects }: DebugInputs): GatewayObject[] {
  return objects().filter(({ meta }) => meta.kind === "Gateway") as GatewayObject[];
}

/** The connected gateway proxies that a Gateway selects. */
export function proxiesOfGateway(
  { sessions, scopedGateways, mesh }: DebugInputs,
  gateway: GatewayObject,
): SessionInfo[] {
  return sessions().filter((session) => {
    const { role, namespace, labels } = classOf(session);
    return role === "router" && selectsWorkload(mesh, gateway, { namespace, labels }) &&
      (!scopedGateways || namespace === gateway.meta.namespace);
  });
}
