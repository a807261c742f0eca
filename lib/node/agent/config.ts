/**
 * The proxy configuration, merged from its sources.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import {
  defaultMeshConfig,
  defaultProxyConfig,
  type ParsedMessage,
  parseMeshConfig,
  parseProxyConfig,
  type SchemaProblem,
} from "../../mesh/schema/mod.ts";
import type { ProxyConfig } from "#mesh/mesh/v1alpha1/proxy_pb.ts";

/** A text and its file or variable. */
export interface NamedText {
  readonly file: string;
  readonly text: string;
}

/** Sources of configuration; each overrides the one before. */
export interface ConfigLayers {
  /** The mesh configuration; only its `defaultConfig` is used. */
  readonly mesh: NamedText | undefined;
  /** Values of ProxyConfigs from the daemon; only workers and variables are used. */
  readonly served?: ProxyConfig;
  /** The variable `PROXY_CONFIG`. */
  readonly variable: string | undefined;
  /** The annotation `proxy.mesh.io/config`. */
  readonly annotation: NamedText | undefined;
  /** All annotations of the pod: some hold one field each. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** `--serviceCluster`; undefined: not set. */
  readonly serviceCluster: string | undefined;
}

/** The annotation that holds proxy configuration. */
export const CONFIG_ANNOTATION = "proxy.mesh.io/config";

/** The annotation with the agent's port; `0` switches the agent's server off. */
const STATUS_PORT_ANNOTATION = "status.sidecar.mesh.io/port";
/** The annotation with the address of the daemon. */
const DISCOVERY_ANNOTATION = "sidecar.mesh.io/discoveryAddress";

/** A merged configuration. */
export interface MergedConfig {
  readonly proxy: ProxyConfig;
  /** Values of the variable and the annotation, without the mesh-wide values. */
  readonly own: ProxyConfig;
  /** Unknown fields, as sentences with their positions. */
  readonly warnings: readonly string[];
}

/**
 * Merges the layers over the built-in defaults. A field of a layer replaces the one below;
 * `proxyMetadata` is merged by key.
 *
 * @throws MeshError `agent-config` with the problems of the first invalid layer
 */
export function mergeConfig(layers: ConfigLayers): MergedConfig {
  const warnings: string[] = [];
  const take = <T>(parsed: ParsedMessage<T>): T => {
    warnings.push(...parsed.warnings.filter(isUnknown).map(sentence));
    if (parsed.value !== undefined) return parsed.value;
    throw new MeshError("agent-config", parsed.problems.map(sentence).join("; "), {
      remedy: parsed.problems[0]?.remedy,
    });
  };
  let proxy = defaultProxyConfig();
  if (layers.mesh) {
    const { text, file } = layers.mesh;
    proxy = take(parseMeshConfig(text, file, defaultMeshConfig())).defaultConfig ?? proxy;
  }
  if (layers.served) {
    proxy.concurrency = layers.served.concurrency ?? proxy.concurrency;
    proxy.proxyMetadata = { ...proxy.proxyMetadata, ...layers.served.proxyMetadata };
  }
  let own = defaultProxyConfig();
  const texts = [
    ...(layers.variable ? [{ text: layers.variable, file: "PROXY_CONFIG" }] : []),
    ...(layers.annotation ? [layers.annotation] : []),
  ];
  for (const { text, file } of texts) {
    proxy = take(parseProxyConfig(text, file, proxy));
    own = parseProxyConfig(text, file, own).value ?? own;
  }
  for (const config of [proxy, own]) {
    applyAnnotations(config, layers.annotations ?? {});
  }
  warnings.push(...annotationWarnings(layers.annotations ?? {}));
  if (layers.serviceCluster !== undefined) {
    proxy.clusterName = { case: "serviceCluster", value: layers.serviceCluster };
  }
  return { proxy, own, warnings };
}

/** The annotations of single fields override all other sources. An empty one counts as absent. */
function applyAnnotations(
  config: ProxyConfig,
  annotations: Readonly<Record<string, string>>,
): void {
  const { [STATUS_PORT_ANNOTATION]: port, [DISCOVERY_ANNOTATION]: address } = annotations;
  if (port && isPort(port)) config.statusPort = Number(port);
  if (address) config.discoveryAddress = address;
}

function annotationWarnings(annotations: Readonly<Record<string, string>>): string[] {
  const port = annotations[STATUS_PORT_ANNOTATION];
  if (!port || isPort(port)) return [];
  const value = JSON.stringify(port);
  return [`annotation ${STATUS_PORT_ANNOTATION}: ${value} is not a port; it has no effect`];
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) < 65536;
}

/**
 * The daemon warns about fields that are ineffective there; the plan warns about those of the
 * agent.
 */
function isUnknown(warning: SchemaProblem): boolean {
  return warning.code === "unknown-field";
}

function sentence({ file, line, column, path, message }: SchemaProblem): string {
  const where = `${file}:${line}:${column}`;
  return path === "" ? `${where}: ${message}` : `${where}: ${path}: ${message}`;
}
