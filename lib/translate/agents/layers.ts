/**
 * Layers for agents: the name table for DNS, the settings of ProxyConfigs, and the certificate
 * authorities of the mesh configuration. A view of these types is created when an agent subscribes
 * to it, which most never do.
 *
 * @module
 */
import type { MeshConfig_CertificateData } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { type ProxyConfig, ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { type Mesh, type Workload, workloadKeys } from "../../derive/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { create } from "../../proto/mod.ts";
import { type AgentLayersOf, type Context, isGrpc } from "../context/mod.ts";
import { AGENT_TYPE_URLS, encodeResource, resourceTable } from "../resources/mod.ts";
import { trustDomainsOf } from "../security/mod.ts";
import { deriveNameTables } from "./name_table.ts";

/** Name of the only resource of the type `ProxyConfig`. */
export const PROXY_CONFIG = "proxy-config";

/** Creates the tables and the function that finds layers. */
export function createAgentLayers(context: Context): AgentLayersOf {
  const { graph } = context.mesh;
  const names = deriveNameTables(context);
  const settings = resourceTable(graph, "pcds", workloadKeys, (read, key) => {
    const config = effectiveSettings(read, context.mesh, key);
    if (context.features.multiRoot) {
      config.caCertificatesPem = authorities(
        context.mesh.field(read, "caCertificates")
          .filter((authority) => vouchesHere(read, context, authority))
          .flatMap(({ certificateData: data }) => data.case === "pem" ? [data.value] : []),
      );
    }
    return [encodeResource(PROXY_CONFIG, ProxyConfigSchema, config)];
  });
  return ({ cls, sidecar }, type) => {
    if (isGrpc(cls)) return undefined;
    if (type === AGENT_TYPE_URLS.nameTable) return names.layers(cls, sidecar);
    if (type !== AGENT_TYPE_URLS.proxyConfig) return undefined;
    const { role, namespace, labels } = cls;
    const key = { role, namespace, labels };
    return [
      graph.collection(`pcds/${workloadKeys.encode(key)}`, () => ({
        members: { list: [key] },
        resources: settings,
      })),
    ];
  };
}

/**
 * Reports if an authority issues certificates for trust domains of this mesh. Agents get
 * authorities without their domains, so an authority of other domains could issue identities of
 * this mesh, too.
 */
function vouchesHere(
  read: Read,
  context: Context,
  { trustDomains }: MeshConfig_CertificateData,
): boolean {
  if (trustDomains.length === 0) return true;
  const own = trustDomainsOf(read, context);
  return trustDomains.some((domain) => own.includes(domain));
}

/**
 * Returns the settings of ProxyConfigs for a workload: the more specific ones win, variables are
 * merged by name.
 */
function effectiveSettings(read: Read, mesh: Mesh, workload: Workload): ProxyConfig {
  const config = create(ProxyConfigSchema);
  for (const key of read.get(mesh.proxyConfigs, workload)) {
    const spec = read.get(mesh.tables.proxyConfigs, key)?.spec;
    if (spec === undefined) continue;
    config.concurrency = spec.concurrency ?? config.concurrency;
    config.image = spec.image ?? config.image;
    Object.assign(config.proxyMetadata, spec.environmentVariables);
  }
  return config;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Resources for agents: the name table and the proxy configuration.
 *
 * @module
 */
function authorities(texts: readonly string[]): string[] {
  const all = texts.flatMap((text) => text.match(CERTIFICATE) ?? []);
  return [...new Set(all.map((one) => one.replaceAll("\r", "") + "\n"))].sort();
}
