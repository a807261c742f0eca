/**
 * The mesh configuration: reading, merging over a base, validation.
 *
 * @module
 */
import { allSteps } from "../../../kit/base/mod.ts";
import { clone } from "../../../kit/proto/mod.ts";
import {
  type MeshConfig,
  MeshConfig_DefaultProvidersSchema as DefaultProvidersSchema,
  type MeshConfig_ExtensionProvider as ExtensionProvider,
  MeshConfigSchema,
} from "#mesh/mesh/v1alpha1/config_pb.ts";
import { type ProxyConfig, ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import type { Path, YamlLimits } from "../../../kit/text/mod.ts";
import { ineffectiveCheck } from "../effective.ts";
import { MESH_CONFIG_FIELDS } from "./effective_fields.ts";
import { defaultMeshConfig, defaultProxyConfig } from "./mesh_defaults.ts";
import { validateMeshConfig } from "./mesh_rules.ts";
import { validateProxyConfig } from "./proxy_rules.ts";
import { newReport, type Report } from "../problem.ts";
import { isMap, readInto, readIntoInSteps } from "../read/mod.ts";
import { type ParsedMessage, parseSingle, parseSingleInSteps } from "../single.ts";

const warnIneffective = ineffectiveCheck(MeshConfigSchema, MESH_CONFIG_FIELDS);

/**
 * Reads a mesh configuration over a base. A field that the text sets replaces
 * the base's; but `defaultConfig` and `defaultProviders` are merged field by
 * field (and `proxyMetadata` by key), `extensionProviders` by name, and
 * `trustDomainAliases` are united. An empty text gives the base.
 */
export function parseMeshConfig(
  text: string,
  file: string,
  base: MeshConfig = defaultMeshConfig(),
  limits?: YamlLimits,
): ParsedMessage<MeshConfig> {
  return allSteps(parseMeshConfigInSteps(text, file, base, limits));
}

/** {@linkcode parseMeshConfig} in steps. */
export function parseMeshConfigInSteps(
  text: string,
  file: string,
  base: MeshConfig = defaultMeshConfig(),
  limits?: YamlLimits,
): Generator<void, ParsedMessage<MeshConfig>> {
  const read = (value: unknown, report: Report) => readMeshConfigInSteps(value, base, report);
  return parseSingleInSteps(text, file, read, limits);
}

/** Reads a proxy configuration (the value of `defaultConfig`, of `PROXY_CONFIG`, of an annotation) over a base. */
export function parseProxyConfig(
  text: string,
  file: string,
  base: ProxyConfig = defaultProxyConfig(),
  limits?: YamlLimits,
): ParsedMessage<ProxyConfig> {
  return parseSingle(text, file, (value, report) => {
    const config = readProxyConfig(value, base, [], report);
    if (report.errors.length === 0) validateProxyConfig(config, [], report);
    return config;
  }, limits);
}

/** Like {@link parseMeshConfig}, for a plain value. */
export function readMeshConfig(value: unknown, base: MeshConfig, report: Report): MeshConfig {
  return allSteps(readMeshConfigInSteps(value, base, report));
}

function* readMeshConfigInSteps(
  value: unknown,
  base: MeshConfig,
  report: Report,
): Generator<void, MeshConfig> {
  const config = clone(MeshConfigSchema, base);
  yield* readIntoInSteps({ schema: MeshConfigSchema, message: config }, value, [], report);
  yield;
  if (report.errors.length > 0) return config;
  const written = new Map(config.extensionProviders.map((provider, index) => [provider, index]));
  mergeProviders(config, base);
  config.trustDomainAliases = [
    ...new Set([...base.trustDomainAliases, ...config.trustDomainAliases]),
  ];
  mergeDefaults(config, base, value);
  yield;
  const merged = config.extensionProviders;
  validateMeshConfig(config, report, (index) => written.get(merged[index]!) ?? -1);
  yield;
  yield* warnIneffective(value, [], report);
  return config;
}

/**
 * Merges `defaultConfig` and `defaultProviders` over the base's. They were read before, so no
 * problem is reported twice.
 */
function mergeDefaults(config: MeshConfig, base: MeshConfig, value: unknown): void {
  const quiet = newReport("warnings");
  const proxy = member(value, "defaultConfig", "default_config") ?? {};
  const proxyBase = base.defaultConfig ?? defaultProxyConfig();
  config.defaultConfig = readProxyConfig(proxy, proxyBase, [], quiet);
  const providers = member(value, "defaultProviders", "default_providers");
  if (providers === undefined || base.defaultProviders === undefined) return;
  config.defaultProviders = clone(DefaultProvidersSchema, base.defaultProviders);
  readInto(
    { schema: DefaultProvidersSchema, message: config.defaultProviders },
    providers,
    [],
    quiet,
  );
}

function readProxyConfig(
  value: unknown,
  base: ProxyConfig,
  path: Path,
  report: Report,
): ProxyConfig {
  const config = clone(ProxyConfigSchema, base);
  readInto({ schema: ProxyConfigSchema, message: config }, value, path, report);
  config.proxyMetadata = { ...base.proxyMetadata, ...config.proxyMetadata };
  return config;
}

function member(value: unknown, ...names: readonly string[]): unknown {
  if (!isMap(value)) return undefined;
  return names.map((name) => value[name]).find((item) => item !== undefined && item !== null);
}

/** A provider of the text replaces the base's provider with the same name; the order is kept. */
function mergeProviders(config: MeshConfig, base: MeshConfig): void {
  const byName = new Map<string, ExtensionProvider>();
  for (const provider of base.extensionProviders) byName.set(provider.name, provider);
  for (const provider of config.extensionProviders) byName.set(provider.name, provider);
  const seen = new Set<string>();
  const repeated = config.extensionProviders.filter(({ name }) => {
    const isKnown = seen.has(name);
    seen.add(name);
    return isKnown;
  });
  // Duplicate names are kept, so that validation reports them.
  config.extensionProviders = [...byName.values(), ...repeated];
}
