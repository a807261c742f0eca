/**
 * CONNECT at the port where workloads use their proxy as an HTTP proxy: such a request opens a
 * connection to a port of a service, whatever protocol it carries. The proxy forwards bytes, so that
 * rules about requests do not apply.
 *
 * @module
 */
import { type Route, VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { type SidecarKey, sidecarKeys } from "../../derive/mod.ts";
import { clusterName, connectRoute, hostPort, virtualHostFor } from "../../envoy/mod.ts";
import type { Derived, Read, Resource } from "../../graph/mod.ts";
import { type Context, findService, followService } from "../context/mod.ts";
import { domainsOf } from "../destinations/mod.ts";
import { encodeResource, type HostPort, hostPorts, sortedKeys } from "../resources/mod.ts";
import type { VirtualHostKey } from "./keys.ts";

/** The route of CONNECT requests to a port of a service. */
export function connectTo({ host, port }: HostPort): Route {
  return connectRoute(clusterName("outbound", port, "", host));
}

/**
 * Creates the table of targets: all ports but UDP ones of the services that a namespace sees, or that
 * its Sidecar imports.
 */
export function deriveConnectTargets(
  context: Context,
): Derived<readonly HostPort[], SidecarKey> {
  const { graph, indexes, scopes } = context.mesh;
  return graph.derive("httpProxy.connects", sidecarKeys, (read, { namespace, sidecar }) => {
    const hosts = sidecar === ""
      ? ["", namespace].flatMap((ns) => read.members(indexes.hostsSeenBy, ns))
      : read.get(scopes.egressHosts, { namespace, sidecar, listener: undefined });
    const targets = [...new Set(hosts)].flatMap((host): HostPort[] => {
      const ports = findService(read, context, namespace, host)?.ports ?? [];
      return ports.filter(({ protocol }) => protocol !== "UDP")
        .map(({ number }) => ({ host, port: number }));
    });
    return sortedKeys(hostPorts, targets);
  });
}

/** The virtual host of a port without HTTP: it has only the route of CONNECT requests. */
export function connectHost(
  read: Read,
  context: Context,
  { namespace, host, port }: VirtualHostKey,
): Resource | undefined {
  const inside = read.within(hostPort(host, port));
  const service = followService(inside, context, namespace, host);
  const domains = domainsOf(read, context, { namespace, host, port }, service);
  const target = service?.alias ?? host;
  const message = virtualHostFor({ host, port, ...domains }, [connectTo({ host: target, port })]);
  message.domains = message.domains.filter((domain) => domain.endsWith(`:${port}`));
  if (message.domains.length === 0) return undefined;
  const cluster = clusterName("outbound", port, "", target);
  inside.decide?.({ group: "connect", source: "built-in", value: cluster });
  return encodeResource(hostPort(host, port), VirtualHostSchema, message);
}
