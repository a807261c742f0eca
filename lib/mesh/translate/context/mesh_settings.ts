/**
 * Settings of the mesh configuration that several inputs of the builders share.
 *
 * @module
 */
import { ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { canonicalJson } from "../../../kit/base/mod.ts";
import type { Mesh } from "../../derive/mod.ts";
import type { MeshRouteDefaults, ProxySettings } from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { durationMs, fromJson, type JsonObject, toJson } from "../../../kit/proto/mod.ts";
import { MESH_DEFAULTS_MS, parseProxyConfig } from "../../schema/mod.ts";
import type { Context } from "./context.ts";

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

/** Returns a duration of the mesh configuration; `builtIn`: it equals the built-in value. */
export function meshDuration(
  read: Read,
  mesh: Mesh,
  field: keyof typeof MESH_DEFAULTS_MS,
): { readonly ms: number; readonly builtIn: boolean } {
  const written = mesh.field(read, field);
  const ms = written === undefined ? MESH_DEFAULTS_MS[field] : durationMs(written);
  return { ms, builtIn: ms === MESH_DEFAULTS_MS[field] };
}

export function routeDefaults(read: Read, context: Context): MeshRouteDefaults {
  const { mesh, features } = context;
  return {
    ...context.settings(read, "routes"),
    defaultHttpRetryPolicy: mesh.field(read, "defaultHttpRetryPolicy"),
    excludeUnsafe503: features.excludeUnsafe503,
  };
}
