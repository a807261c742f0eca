/**
 * The next stop of the content of tunnels, by their authority, at a proxy that ends them.
 *
 * @module
 */
import { ConfigSchema as HttpStateSchema } from "#envoy/extensions/filters/http/set_filter_state/v3/set_filter_state_pb.ts";
import { HttpConnectionManagerSchema } from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import {
  AUTHORITY_FILTER,
  CONNECT_TERMINATE,
  DESTINATION_STATE,
  MAIN_INTERNAL,
} from "../../mesh/envoy/mod.ts";
import { forward } from "./cluster.ts";
import { refuseTunnel } from "./http.ts";
import { closed, type Journey, note } from "./journey.ts";
import { type Resources, unpack } from "./resources.ts";
import type { Ending } from "./verdict.ts";
import { findVirtualHost } from "./virtual_host.ts";

/** The destination of the content of a tunnel. */
export interface TunnelEndRoute {
  readonly cluster: string;
  /** `address:port` that stands for the authority; unset: none does. */
  readonly to?: string;
}

/** The route of tunnels with an authority; `undefined`: they are refused. */
export function tunnelRouteOf(
  { route }: Pick<Resources, "route">,
  authority: string,
): TunnelEndRoute | undefined {
  const table = route(CONNECT_TERMINATE);
  const host = table && findVirtualHost(table, authority)?.host;
  const action = host?.routes[0]?.action;
  if (host === undefined || action?.case !== "route") return undefined;
  const { clusterSpecifier: chosen } = action.value;
  if (chosen.case !== "cluster") return undefined;
  const states = unpack(HttpStateSchema, host.typedPerFilterConfig[AUTHORITY_FILTER]);
  const to = states?.onRequestHeaders
    .find(({ key }) => key.case === "objectKey" && key.value === DESTINATION_STATE);
  const format = to?.value.case === "formatString" ? to.value.value.format : undefined;
  const text = format?.case === "textFormatSource" && format.value.specifier.case === "inlineString"
    ? format.value.specifier.value
    : undefined;
  return { cluster: chosen.value, ...(text === undefined ? {} : { to: text }) };
}

/** Forwards a tunnel by its authority, as gateways between networks do. */
export function forwardTunnel(journey: Journey, authority: string): Ending[] {
  note(journey, "listener", CONNECT_TERMINATE, `ends the outer tunnel${client(journey)}`);
  const refused = refusedBy(journey, authority);
  if (refused !== undefined) return refused;
  const found = tunnelRouteOf(journey.resources, authority);
  if (found === undefined || found.cluster === MAIN_INTERNAL) {
    return closed(`listener ${CONNECT_TERMINATE}`, `the gateway has no route for ${authority}`);
  }
  journey.steps.push({
    stage: "virtual host",
    name: authority,
    table: CONNECT_TERMINATE,
    why: "is the authority of the tunnel",
  });
  return [forward(journey, found.cluster, "TCP")];
}

/** The endings of a tunnel that the policies of the gateway do not let in; `undefined`: they do. */
function refusedBy(journey: Journey, authority: string): Ending[] | undefined {
  const { resources: { listeners }, call: { source, tunnel } } = journey;
  const filters = listeners.find(({ name }) => name === CONNECT_TERMINATE)?.filterChains
    .flatMap((chain) => chain.filters) ?? [];
  for (const { configType: config } of filters) {
    const any = config.case === "typedConfig" ? config.value : undefined;
    const manager = unpack(HttpConnectionManagerSchema, any);
    if (manager === undefined) continue;
    const connection = {
      ...{ ended: true, sealed: false, serverName: "", sourceIp: source.ip },
      principal: tunnel?.principal,
    };
    const endings = refuseTunnel(journey, manager, { connection, authority });
    // The content has no answer of its own: its connection is closed.
    return endings?.map((one) =>
      one.kind === "answered" ? { share: one.share, kind: "closed", by: one.by, why: one.why } : one
    );
  }
  return undefined;
}

function client({ call: { tunnel } }: Journey): string {
  return tunnel?.principal === undefined ? "" : ` of ${tunnel.principal}`;
}
