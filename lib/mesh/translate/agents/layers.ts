/**
 * Layers for agents: the name table for DNS, the settings of ProxyConfigs, and trusted roots: those of
 * the daemon's authority and of the mesh configuration. A view of these types is created when an
 * agent subscribes to it, which most never do.
 *
 * @module
 */
import type { MeshConfig_CertificateData } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { MESH_ROW, workloadKeys } from "../../derive/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { type AgentLayersOf, isGrpc } from "../context/mod.ts";
import type { Context } from "./features.ts";
import { AGENT_TYPE_URLS, encodeResource, resourceTable } from "../resources/mod.ts";
import { trustDomainsOf } from "../security/mod.ts";
import { deriveNameTables } from "./name_table.ts";
import { mergedSettings } from "./proxy_settings.ts";

/** Name of the only resource of the type `ProxyConfig`. */
export const PROXY_CONFIG = "proxy-config";

/** Creates the tables and the function that finds layers. */
export function createAgentLayers(context: Context): AgentLayersOf {
  const { graph } = context.mesh;
  const names = deriveNameTables(context);
  const settings = resourceTable(graph, "pcds", workloadKeys, (read, key) => {
    const { proxyConfigs, tables } = context.mesh;
    const specs = read.get(proxyConfigs, key).map((one) =>
      read.get(tables.proxyConfigs, one)?.spec
    );
    const config = mergedSettings(specs);
    config.caCertificatesPem = trustedRoots(read, context);
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

/** The roots of the daemon's authority and, in a mesh of several roots, those of its configuration. */
function trustedRoots(read: Read, context: Context): string[] {
  const own = read.get(context.mesh.tables.authorityRoots, MESH_ROW) ?? [];
  const others = context.features.multiRoot
    ? context.mesh.field(read, "caCertificates")
      .filter((authority) => vouchesHere(read, context, authority))
      .flatMap(({ certificateData: data }) => data.case === "pem" ? [data.value] : [])
    : [];
  return certificatesIn([...own, ...others]);
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

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates in texts, each once, in a fixed form and order. */
function certificatesIn(texts: readonly string[]): string[] {
  const all = texts.flatMap((text) => text.match(CERTIFICATE) ?? []);
  return [...new Set(all.map((one) => one.replaceAll("\r", "") + "\n"))].sort();
}
