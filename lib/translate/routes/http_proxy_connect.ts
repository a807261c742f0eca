/**
 * Ways through the port at which workloads use their proxy as an HTTP proxy: a
 * request of the method CONNECT opens one to a port of a service, whatever is said
 * inside. The proxy forwards bytes there, so that rules about requests do not act.
 *
 * @module
 */
import { type Route, VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { type Tell, within } from "../../derive/mod.ts";
import { clusterName, connectRoute, hostPort, virtualHostFor } from "../../envoy/mod.ts";
import type { Derived, Read, Resource } from "../../graph/mod.ts";
import { type Context, pickService } from "../context/mod.ts";
import { namesOf } from "../destinations/mod.ts";
import { encodeResource, splitKey } from "../resources/mod.ts";

/** The way to a port of a service. */
export function connectTo(host: string, port: number): Route {
  return connectRoute(clusterName("outbound", port, "", host));
}

/**
 * Creates the table: `NS|SIDECAR` → `port|host` of everything that ways lead to,
 * which is all that a namespace sees, or that its Sidecar imports, but for UDP.
 */
export function deriveConnectTargets(context: Context): Derived<readonly string[]> {
  const { graph, indexes, scopes } = context.mesh;
  return graph.derive<readonly string[]>("httpProxy.connects", (read, key) => {
    const [namespace = "", sidecar = ""] = splitKey(key, 2);
    const hosts = sidecar === ""
      ? ["", namespace].flatMap((ns) => read.members(indexes.hostsSeenBy, ns))
      : read.get(scopes.egressHosts, { namespace, sidecar, listener: undefined });
    return [...new Set(hosts)].flatMap((host) => {
      const ports = pickService(read, context, namespace, host)?.ports ?? [];
      return ports.filter(({ protocol }) => protocol !== "UDP")
        .map(({ number }) => `${number}|${host}`);
    }).sort();
  });
}

/** The virtual host of a port that carries no HTTP: there is nothing but the way to it. */
export function connectHost(
  read: Read,
  context: Context,
  namespace: string,
  port: number,
  host: string,
  tell: Tell | undefined,
): Resource | undefined {
  const inside = within(tell, hostPort(host, port));
  const service = pickService(read, context, namespace, host, inside);
  const names = namesOf(read, context, namespace, host, service);
  const message = virtualHostFor({ host, port, ...names }, [connectTo(host, port)]);
  message.domains = message.domains.filter((domain) => domain.endsWith(`:${port}`));
  if (message.domains.length === 0) return undefined;
  const cluster = clusterName("outbound", port, "", host);
  inside?.({ group: "connect", source: "built-in", value: cluster });
  return encodeResource(hostPort(host, port), VirtualHostSchema, message);
}
