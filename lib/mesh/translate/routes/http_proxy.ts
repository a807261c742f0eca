/**
 * The route table of the port at which workloads use their proxy as an HTTP proxy: one table for the
 * HTTP services of all ports.
 *
 * @module
 */
import { VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import type { Labels, SidecarKey } from "../../derive/mod.ts";
import { hostPort } from "../../envoy/mod.ts";
import type { Read, Resource } from "../../graph/mod.ts";
import { fromBinary } from "../../../kit/proto/mod.ts";
import type { Context } from "../context/mod.ts";
import { encodeResource, type HostPort, resourceTable } from "../resources/mod.ts";
import { HTTP_PROXY_TABLE, httpProxyPort } from "./http_proxy_port.ts";
import {
  httpProxyKeys,
  type HttpProxyTables,
  type PlainRoutes,
  sidecarClassKeys,
  type SourceLabelRoutes,
  type VirtualHostKey,
} from "./keys.ts";
import { connectHost, connectTo, deriveConnectTargets } from "./http_proxy_connect.ts";
import { assembleTable, followHosts, hostOfName, tableSettings } from "./tables.ts";

/** Creates the tables. */
export function deriveHttpProxy(
  context: Context,
  plain: PlainRoutes,
  sourceLabels: SourceLabelRoutes,
): HttpProxyTables {
  const { graph } = context.mesh;
  const differingFor = (
    read: Read,
    { namespace, sidecar }: SidecarKey,
    labels: Labels,
  ): readonly HostPort[] =>
    sidecar === ""
      ? read.get(sourceLabels.differing, { namespace, labels })
      : read.get(sourceLabels.egressDiffering, { namespace, sidecar, labels });
  const connects = deriveConnectTargets(context);
  const withPort = hostCopies();
  return {
    members: graph.derive("httpProxy.members", sidecarClassKeys, (read, { sidecar, cls: key }) => {
      const cls = read.get(context.classes, key);
      if (httpProxyPort(read, context, cls) === 0) return [];
      const { namespace, labels } = cls;
      const differs = differingFor(read, { namespace, sidecar }, labels).length > 0;
      return [{ namespace, sidecar, labels: differs ? labels : undefined }];
    }),
    tables: resourceTable(graph, "rds.httpProxy", httpProxyKeys, (read, key) => {
      const { namespace, sidecar, labels } = key;
      const inside = read.within(HTTP_PROXY_TABLE);
      const hosts = new Map<string, Resource>();
      const targets = read.get(connects, { namespace, sidecar });
      const services = new Set(targets.map(({ host, port }) => hostPort(host, port)));
      const add = (port: number, host: Resource): void => {
        const copy = withPort(host, port, services.has(host.name));
        if (copy !== undefined) hosts.set(copy.name, copy);
      };
      for (const [port, host] of hostsOf(read, context, plain, key)) add(port, host);
      const keyOf = (name: string): VirtualHostKey => {
        const host = hostOfName(name);
        return { namespace, port: Number(name.slice(host.length + 1)), host };
      };
      followHosts(inside, plain.virtualHosts, hosts.keys(), keyOf);
      if (labels !== undefined) {
        for (const { host, port } of differingFor(read, key, labels)) {
          const own = inside.follow(sourceLabels.hosts, { namespace, port, host, labels });
          for (const one of own) add(port, one);
        }
      }
      for (const { host, port } of targets) {
        if (hosts.has(hostPort(host, port))) continue;
        const target = connectHost(inside, context, { namespace, port, host });
        if (target !== undefined) hosts.set(target.name, target);
      }
      const settings = tableSettings(inside, context, sidecar);
      const options = { ...settings, connects: true, byPort: true };
      return [assembleTable(HTTP_PROXY_TABLE, hosts.values(), options)];
    }),
  };
}

/** The virtual hosts that a namespace sees, or that its Sidecar imports, each with its port. */
export function hostsOf(
  read: Read,
  { mesh }: Context,
  { tables, egress }: PlainRoutes,
  { namespace, sidecar }: SidecarKey,
): (readonly [port: number, host: Resource])[] {
  if (sidecar === "") {
    const ports = ["", namespace].flatMap((ns) => read.members(mesh.indexes.httpPortsSeenBy, ns));
    return [...new Set(ports)].map(Number).flatMap((port) =>
      [...tables.hostsOf(read, { namespace, port }).values()].map((host) => [port, host] as const)
    );
  }
  return read.get(egress.routeMembers, { namespace, sidecar }).flatMap(({ listener, port }) =>
    [...tables.egressHostsOf(read, { namespace, sidecar, listener, port }).values()]
      .map((host) => [port, host] as const)
  );
}

/**
 * Copies a virtual host with the domains of one port only, because hosts of other ports have the same
 * domains; at port 80 with all domains. A host that is a pattern of everything has no domain with a
 * port, and is left to the catch-all.
 *
 * @param connects whether the host is a service's, which CONNECT requests can reach
 */
type CopyHost = (host: Resource, port: number, connects: boolean) => Resource | undefined;

/** Creates {@link CopyHost}; it remembers the copies, because most edits change few hosts. */
function hostCopies(): CopyHost {
  const copies = {
    connects: new WeakMap<Resource, { readonly host: Resource | undefined }>(),
    plain: new WeakMap<Resource, { readonly host: Resource | undefined }>(),
  };
  return (resource, port, connects) => {
    const made = connects ? copies.connects : copies.plain;
    const known = made.get(resource);
    if (known !== undefined) return known.host;
    const host = copyHost(resource, port, connects);
    made.set(resource, { host });
    return host;
  };
}

const copyHost: CopyHost = (resource, port, connects) => {
  const message = fromBinary(VirtualHostSchema, resource.bytes);
  message.domains = message.domains.flatMap((domain) => {
    const named = domain === "*" ? [] : [`${domain}:${port}`];
    return port === 80 ? [domain, ...named] : named;
  });
  if (connects) message.routes.push(connectTo({ host: hostOfName(resource.name), port }));
  return message.domains.length === 0
    ? undefined
    : encodeResource(message.name, VirtualHostSchema, message);
};
