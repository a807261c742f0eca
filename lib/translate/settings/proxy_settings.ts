/**
 * The configuration of proxies, as far as resources depend on it: what the mesh
 * says for all of them (`defaultConfig`), and what a proxy says for itself in its
 * node's metadata.
 *
 * @module
 */
import { ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { canonicalJson } from "../../base/mod.ts";
import type { Mesh } from "../../derive/mod.ts";
import { connectionSettings, type ProxySettings } from "../../envoy/mod.ts";
import type { Derived, Read } from "../../graph/mod.ts";
import { fromJson, type JsonObject, toJson } from "../../proto/mod.ts";
import { parseProxyConfig } from "../../schema/mod.ts";
import type { ClusterSettings, ReadShared, SharedSettings } from "../context/mod.ts";

/** Fields that a proxy's own word counts for. */
const OWN_FIELDS = ["gatewayTopology", "proxyHeaders", "connectionSettings"] as const;

/** A proxy that says more than this of itself is not listened to, characters. */
const LONGEST = 8192;

/**
 * What a proxy says for itself in the metadata `PROXY_CONFIG`, as canonical JSON;
 * `undefined`: nothing, or nothing that is valid. The agent checks before it
 * sends; who sends something else gets what one gets that says nothing.
 */
export function ownSettings(metadata: unknown): string | undefined {
  if (typeof metadata !== "object" || metadata === null) return undefined;
  const all = metadata as Readonly<Record<string, unknown>>;
  const said = OWN_FIELDS.filter((field) => all[field] !== undefined);
  if (said.length === 0) return undefined;
  const text = canonicalJson(Object.fromEntries(said.map((field) => [field, all[field]])));
  if (text.length > LONGEST) return undefined;
  const { value, problems } = parseProxyConfig(text, "PROXY_CONFIG");
  if (value === undefined || problems.length > 0) return undefined;
  const read = toJson(ProxyConfigSchema, value) as JsonObject;
  return canonicalJson(Object.fromEntries(said.map((field) => [field, read[field] ?? {}])));
}

/** Reads {@link ownSettings} back. */
function parseOwn(text: string): ProxySettings {
  if (text === "") return {};
  const own = fromJson(ProxyConfigSchema, JSON.parse(text) as JsonObject);
  return {
    topology: own.gatewayTopology,
    headers: own.proxyHeaders,
    connections: own.connectionSettings,
  };
}

/** What listeners take: each part from the proxy itself where it says it, else from the mesh. */
export function settingsOf(read: Read, mesh: Mesh, ownText: string): ProxySettings {
  const all = mesh.field(read, "defaultConfig");
  const own = parseOwn(ownText);
  return {
    topology: own.topology ?? all?.gatewayTopology,
    headers: own.headers ?? all?.proxyHeaders,
    connections: own.connections ?? all?.connectionSettings,
  };
}

/** Creates the table. */
export function deriveSharedSettings(mesh: Mesh): ReadShared {
  const parts: Derived<unknown> = mesh.graph.derive<unknown>(
    "mesh.proxySettings",
    (read, part) => PARTS[part as keyof SharedSettings](settingsOf(read, mesh, "")),
    { equal: (a, b) => canonicalJson(a) === canonicalJson(b) },
  );
  return <P extends keyof SharedSettings>(read: Read, part: P) =>
    read.get(parts, part) as SharedSettings[P];
}

const PARTS: { readonly [P in keyof SharedSettings]: (all: ProxySettings) => SharedSettings[P] } = {
  clusters: clusterSettings,
  routes: ({ headers }) => ({
    hideAttempts: headers?.attemptCount?.disabled === true,
    forwardHost: headers?.xForwardedHost?.enabled === true,
  }),
};

function clusterSettings({ headers, connections }: ProxySettings): ClusterSettings {
  const bufferBytes = connectionSettings(connections)?.clusterPerConnectionBufferLimitBytes;
  return {
    keepCase: headers?.preserveHttp1HeaderCase === true,
    ...(bufferBytes === undefined ? {} : { bufferBytes }),
  };
}

/** What a class's own clusters take: its own word counts there. */
export function ownClusterSettings(read: Read, mesh: Mesh, ownText: string): ClusterSettings {
  return clusterSettings(settingsOf(read, mesh, ownText));
}
