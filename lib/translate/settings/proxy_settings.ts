/**
 * The parts of the proxy configuration that resources depend on: the mesh's `defaultConfig`, and the
 * proxy's own settings in its node metadata.
 *
 * @module
 */
import { ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { canonicalJson } from "../../base/mod.ts";
import type { Mesh } from "../../derive/mod.ts";
import { connectionSettings, type ProxySettings } from "../../envoy/mod.ts";
import { oneOf, type Read } from "../../graph/mod.ts";
import { fromJson, type JsonObject, toJson } from "../../proto/mod.ts";
import { parseProxyConfig } from "../../schema/mod.ts";
import type { ClusterSettings, ReadShared, SharedSettings } from "../context/mod.ts";

/** Fields that a proxy may set for itself. */
const OWN_FIELDS = ["gatewayTopology", "proxyHeaders", "connectionSettings"] as const;

/** Longer settings of a proxy are ignored, characters. */
const LONGEST = 8192;

/**
 * The proxy's own settings in the metadata `PROXY_CONFIG`, as canonical JSON. `undefined` where there
 * are none, or invalid ones: agents validate before they send, and invalid settings are ignored.
 */
export function ownSettings(metadata: unknown): string | undefined {
  if (typeof metadata !== "object" || metadata === null) return undefined;
  const all = metadata as Readonly<Record<string, unknown>>;
  const fields = OWN_FIELDS.filter((field) => all[field] !== undefined);
  if (fields.length === 0) return undefined;
  const text = canonicalJson(Object.fromEntries(fields.map((field) => [field, all[field]])));
  if (text.length > LONGEST) return undefined;
  const { value, problems } = parseProxyConfig(text, "PROXY_CONFIG");
  if (value === undefined || problems.length > 0) return undefined;
  const read = toJson(ProxyConfigSchema, value) as JsonObject;
  return canonicalJson(Object.fromEntries(fields.map((field) => [field, read[field] ?? {}])));
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

/** Settings of listeners: each part from the proxy itself where it sets it, else from the mesh. */
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
  const parts = mesh.graph.derive<unknown, keyof SharedSettings>(
    "mesh.proxySettings",
    oneOf("clusters", "routes"),
    (read, part) => PARTS[part](settingsOf(read, mesh, "")),
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

/** Settings of a class's own clusters: the proxy's own settings apply to them. */
export function ownClusterSettings(read: Read, mesh: Mesh, ownText: string): ClusterSettings {
  return clusterSettings(settingsOf(read, mesh, ownText));
}
