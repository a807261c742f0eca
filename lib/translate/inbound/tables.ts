/**
 * What is a class's own: clusters and listeners of the workload beside the proxy,
 * and the listeners that catch redirected traffic.
 *
 * @module
 */
import { type Cluster, ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { type Listener, ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { SecretSchema } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { MeshConfig_InboundTrafficPolicy_Mode as InboundMode } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { canonicalJson } from "../../base/mod.ts";
import { deriveTelling, type Tell, type Told, within } from "../../derive/mod.ts";
import {
  applySettings,
  blackHoleCluster,
  buildInboundCluster,
  CERTIFICATE_OPTIONS,
  dynamicPassthroughCluster,
  inboundPassthroughCluster,
  type InboundTarget,
  parseClusterName,
  parseDefaultEndpoint,
  passthroughCluster,
  workloadSecrets,
} from "../../envoy/mod.ts";
import type { Derived, Read, Resource } from "../../graph/mod.ts";
import type { ProxyClass } from "../../model/mod.ts";
import { type Context, type Family, familyOf } from "../context/mod.ts";
import { encodeResource, sameResources } from "../resources/mod.ts";
import { clusterDefaults, outboundPolicy, ownClusterSettings } from "../settings/mod.ts";
import { inboundListeners, sidecarOf, VIRTUAL_INBOUND, virtualListeners } from "./listeners.ts";
import { type InboundPort, inboundPorts } from "./ports.ts";

/** The tables of what is a class's own. */
export interface ClassTables {
  /** class key → clusters of a sidecar. */
  readonly clusters: Derived<readonly Resource[]>;
  /** class key → listeners of a sidecar. */
  readonly listeners: Derived<readonly Resource[]>;
  /** family → clusters that every gateway has. */
  readonly routerClusters: Derived<readonly Resource[]>;
  /** {@link secretsKey} → secrets of the proxy's own certificates. */
  readonly secrets: Derived<readonly Resource[]>;
}

/** What the secrets of a class depend on. */
export function secretsKey({ options }: ProxyClass): string {
  const files = CERTIFICATE_OPTIONS.filter((name) => options[name] !== undefined);
  return canonicalJson(Object.fromEntries(files.map((name) => [name, options[name]])));
}

/** Creates the tables. */
export function deriveClassTables(context: Context): ClassTables {
  const { graph } = context.mesh;
  const options = { equal: sameResources };
  return {
    clusters: deriveTelling<readonly Resource[]>(graph, "cds.class", (read, key, tell) => {
      const cls = read.get(context.classes, key);
      const settings = ownClusterSettings(
        read,
        context.mesh,
        cls.options.PROXY_CONFIG ?? "",
      );
      return sidecarClusters(read, context, cls, tell).map((cluster) => {
        applySettings(cluster, settings);
        return clusterResource(cluster);
      });
    }, options),
    listeners: deriveTelling<readonly Resource[]>(graph, "lds.class", (read, key, tell) => {
      const cls = read.get(context.classes, key);
      const heard: Omit<Told, "of">[] = [];
      const ports = inboundPorts(read, context, cls, tell && ((told) => heard.push(told)));
      const listeners: Listener[] = cls.interception === "NONE"
        ? inboundListeners(read, context, cls, ports, tell)
        : virtualListeners(read, context, cls, ports, tell);
      for (const told of heard) tellPort(told, listeners, tell);
      return listeners.map((l) => encodeResource(l.name, ListenerSchema, l));
    }, options),
    routerClusters: deriveTelling<readonly Resource[]>(
      graph,
      "cds.router",
      (read, family, tell) =>
        [
          builtIn(blackHoleCluster(clusterDefaults(read, context, family as Family)), tell),
        ].map(clusterResource),
      options,
    ),
    secrets: deriveTelling<readonly Resource[]>(graph, "sds", (_read, key, tell) => {
      const options = JSON.parse(key) as ProxyClass["options"];
      for (const [field, value] of Object.entries(options)) {
        tell?.({ group: "file", source: "proxy", field, value });
      }
      const secrets = workloadSecrets({ options });
      return secrets.map((secret) => encodeResource(secret.name, SecretSchema, secret));
    }, options),
  };
}

/** Says of a port's listener what was said of the port: its own one, or the one that captures. */
function tellPort(
  { of = [], ...told }: Omit<Told, "of"> & { readonly of?: readonly string[] },
  listeners: readonly Listener[],
  tell: Tell | undefined,
): void {
  const port = parseClusterName(of[0] ?? "")?.port;
  const own = listeners.find((l) => port !== undefined && l.name.endsWith(`_${port}`));
  tell?.({ ...told, of: [own?.name ?? VIRTUAL_INBOUND, ...of] });
}

function clusterResource(cluster: Cluster): Resource {
  return encodeResource(cluster.name, ClusterSchema, cluster);
}

/** A cluster that every proxy of a kind has, whatever is configured. */
function builtIn(cluster: Cluster, tell: Tell | undefined): Cluster {
  within(tell, cluster.name)?.({ group: "cluster", source: "built-in", value: cluster.name });
  return cluster;
}

/** The cluster that looks hosts up as they are asked for, with the TLS that the mesh says it has. */
function dynamicPassthrough(
  read: Read,
  { mesh }: Context,
  defaults: ReturnType<typeof clusterDefaults>,
  tell: Tell | undefined,
): Cluster {
  const { tls } = mesh.field(read, "outboundTrafficPolicy") ?? {};
  const cluster = builtIn(dynamicPassthroughCluster(defaults, tls), tell);
  if (tls !== undefined) {
    const value = cluster.transportSocket === undefined ? "off" : "on";
    within(tell, cluster.name)?.({
      group: "tls",
      source: "mesh",
      field: "outboundTrafficPolicy.tls",
      value,
    });
  }
  return cluster;
}

function sidecarClusters(
  read: Read,
  context: Context,
  cls: ProxyClass,
  tell: Tell | undefined,
): Cluster[] {
  const defaults = clusterDefaults(read, context, familyOf(cls));
  const policy = context.mesh.field(read, "inboundTrafficPolicy")?.mode;
  const toLoopback = policy === InboundMode.LOCALHOST;
  return [
    builtIn(blackHoleCluster(defaults), tell),
    builtIn(passthroughCluster(defaults), tell),
    ...outboundPolicy(read, context, sidecarOf(read, context, cls)) === "allow_dynamic_dns"
      ? [dynamicPassthrough(read, context, defaults, tell)]
      : [],
    builtIn(inboundPassthroughCluster(defaults), tell),
    ...inboundPorts(read, context, cls, tell).map((port) =>
      buildInboundCluster({
        port: port.number,
        protocol: port.protocol,
        target: targetOf(port, cls, toLoopback),
        services: port.services,
        servicePort: port.servicePort,
        connectionPool: port.connectionPool,
        rule: port.rule,
        mesh: defaults,
      })
    ),
  ];
}

/** The workload's address of a family, where the proxy binds its ports itself; else its first one. */
function boundAt({ options }: ProxyClass, family: 4 | 6): string | undefined {
  const own = [options.BIND_IP, ...options.BIND_MORE_IPS?.split(",") ?? []];
  return own.find((ip) => ip?.includes(":") === (family === 6)) ?? own[0];
}

/**
 * Where inbound traffic of a port goes: where the Sidecar says, else to where the
 * connection was meant to go. A proxy that nothing redirects to has the
 * workload's address itself, so the workload is on loopback.
 *
 * @param toLoopback whether workloads are on loopback everywhere (`inboundTrafficPolicy.mode: LOCALHOST`)
 */
function targetOf(port: InboundPort, cls: ProxyClass, toLoopback: boolean): InboundTarget {
  const bound = cls.interception === "NONE";
  if (port.defaultEndpoint !== "") {
    return parseDefaultEndpoint(
      port.defaultEndpoint,
      bound ? (family) => boundAt(cls, family) : undefined,
    );
  }
  if (!bound && !toLoopback) return { kind: "original" };
  return {
    kind: "address",
    host: cls.ipv4 || !cls.ipv6 ? "127.0.0.1" : "::1",
    port: port.number,
  };
}
