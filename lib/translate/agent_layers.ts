/**
 * What is served to the agents beside the proxies: the name table that they answer DNS queries from,
 * what ProxyConfigs say to their proxy, and the authorities that they trust besides the mesh's own. A view of these exists once an agent
 * has asked for it: most never do.
 *
 * @module
 */
import type { Collection, Read, Resource } from "../graph/mod.ts";
import { LEVEL_JOINT, type Mesh, workloadKey } from "../derive/mod.ts";
import { create, typeUrl } from "../proto/mod.ts";
import { NameTableSchema } from "#mesh/networking/nds/v1/nds_pb.ts";
import type { MeshConfig_CertificateData } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { type ProxyConfig, ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import type { Context } from "./context.ts";
import { isGrpc } from "./grpc_layers.ts";
import { trustDomainsOf } from "./guards.ts";
import { deriveNameTables } from "./name_table.ts";
import { encodeResource, sameResources } from "./resource.ts";
import type { Placement } from "./seats.ts";

/** Type URLs that are served to agents. */
export const AGENT_TYPE_URLS: Readonly<Record<"nameTable" | "proxyConfig", string>> = {
  nameTable: typeUrl(NameTableSchema),
  proxyConfig: typeUrl(ProxyConfigSchema),
};

/** Name of the one resource of the type `ProxyConfig`. */
export const PROXY_CONFIG = "proxy-config";

/** Finds the layers of a placement for a type; `undefined` for types that are not served to it. */
export type AgentLayersOf = (
  placement: Placement,
  typeUrl: string,
) => readonly Collection[] | undefined;

/** Creates the tables and the function that finds layers. */
export function createAgentLayers(context: Context): AgentLayersOf {
  const { graph } = context.mesh;
  const names = deriveNameTables(context);
  const settings = graph.derive<readonly Resource[]>("pcds", (read, key) => {
    const config = effectiveSettings(read, context.mesh, key);
    if (context.features.multiRoot) {
      config.caCertificatesPem = authorities(
        context.mesh.field(read, "caCertificates")
          .filter((authority) => vouchesHere(read, context, authority))
          .flatMap(({ certificateData: data }) => data.case === "pem" ? [data.value] : []),
      );
    }
    return [encodeResource(PROXY_CONFIG, ProxyConfigSchema, config)];
  }, { equal: sameResources });
  return ({ cls, sidecar }, type) => {
    if (isGrpc(cls)) return undefined;
    if (type === AGENT_TYPE_URLS.nameTable) return names.layers(cls, sidecar);
    if (type !== AGENT_TYPE_URLS.proxyConfig) return undefined;
    const key = workloadKey(cls);
    return [
      graph.collection(`pcds/${key}`, () => ({ members: { list: [key] }, resources: settings })),
    ];
  };
}

/**
 * Whether an authority vouches for trust domains of this mesh. Agents are told a list without
 * domains, so that one that is for others alone could vouch for identities of this one, too.
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

/** What ProxyConfigs say to a workload, the more specific over the less; variables by name. */
function effectiveSettings(read: Read, mesh: Mesh, workload: string): ProxyConfig {
  const config = create(ProxyConfigSchema);
  for (const key of read.get(mesh.proxyConfigs, workload).split(LEVEL_JOINT)) {
    const spec = key === "" ? undefined : read.get(mesh.tables.proxyConfigs, key)?.spec;
    if (spec === undefined) continue;
    config.concurrency = spec.concurrency ?? config.concurrency;
    config.image = spec.image ?? config.image;
    Object.assign(config.proxyMetadata, spec.environmentVariables);
  }
  return config;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Each certificate of some PEM texts by itself, once, in an order that follows from the content alone. */
function authorities(texts: readonly string[]): string[] {
  const all = texts.flatMap((text) => text.match(CERTIFICATE) ?? []);
  return [...new Set(all.map((one) => one.replaceAll("\r", "") + "\n"))].sort();
}
