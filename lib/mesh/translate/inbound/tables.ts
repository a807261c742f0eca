/**
 * The tables of a class: clusters and listeners of its workload, the listeners of redirected traffic,
 * and its own certificates.
 *
 * @module
 */
import { type Cluster, ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { type Listener, ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { SecretSchema } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import type { RecordedDecision } from "../../../kit/base/mod.ts";
import { applySettings, parseClusterName, workloadSecrets } from "../../envoy/mod.ts";
import { oneOf, type Read, type Resource, text } from "../../graph/mod.ts";
import type { ProxyClass } from "../../model/mod.ts";
import type { Context, Family } from "../context/mod.ts";
import { encodeResource, resourceTable } from "../resources/mod.ts";
import { ownClusterSettings } from "../settings/mod.ts";
import { certificateFiles, type ClassTables } from "../tables/mod.ts";
import { routerClusters, sidecarClusters } from "./clusters.ts";
import { inboundListeners, VIRTUAL_INBOUND, virtualListeners } from "./listeners.ts";
import { inboundPorts } from "./ports.ts";

/** Creates the tables. */
export function deriveClassTables(context: Context): ClassTables {
  const { graph } = context.mesh;
  return {
    clusters: resourceTable(graph, "cds.class", text, (read, key) => {
      const cls = read.get(context.classes, key);
      const settings = ownClusterSettings(read, context.mesh, cls.options.PROXY_CONFIG ?? "");
      return sidecarClusters(read, context, cls).map((cluster) => {
        applySettings(cluster, settings);
        return clusterResource(cluster);
      });
    }),
    listeners: resourceTable(
      graph,
      "lds.class",
      text,
      (read, key) => listenersOf(read, context, read.get(context.classes, key)),
    ),
    routerClusters: resourceTable(
      graph,
      "cds.router",
      oneOf<Family>("v4", "v6", "dual"),
      (read, family) => routerClusters(read, context, family).map(clusterResource),
    ),
    secrets: resourceTable(graph, "sds", certificateFiles, (read, options) => {
      for (const [field, value] of Object.entries(options)) {
        read.decide?.({ group: "file", source: "proxy", field, value });
      }
      const secrets = workloadSecrets({ options });
      return secrets.map((secret) => encodeResource(secret.name, SecretSchema, secret));
    }),
  };
}

function listenersOf(read: Read, context: Context, cls: ProxyClass): readonly Resource[] {
  const aboutPorts: RecordedDecision[] = [];
  const collecting = read.mapped((decision) => {
    aboutPorts.push(decision);
    return undefined;
  });
  const ports = inboundPorts(collecting, context, cls);
  const listeners: Listener[] = cls.interception === "NONE"
    ? inboundListeners(read, context, cls, ports)
    : virtualListeners(read, context, cls, ports);
  for (const decision of aboutPorts) recordPort(read, decision, listeners);
  return listeners.map((l) => encodeResource(l.name, ListenerSchema, l));
}

/** Records a decision about a port as one about its listener: its own, or the one of redirected traffic. */
function recordPort(
  read: Read,
  { of = [], ...decision }: RecordedDecision,
  listeners: readonly Listener[],
): void {
  const port = parseClusterName(of[0] ?? "")?.port;
  const own = listeners.find((l) => port !== undefined && l.name.endsWith(`_${port}`));
  read.decide?.({ ...decision, of: [own?.name ?? VIRTUAL_INBOUND, ...of] });
}

function clusterResource(cluster: Cluster): Resource {
  return encodeResource(cluster.name, ClusterSchema, cluster);
}
