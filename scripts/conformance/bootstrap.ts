/**
 * The corpus `bootstrap`: proxy configuration and surroundings to the bootstrap file.
 *
 * @module
 */
import { planAgent } from "../../lib/node/agent/mod.ts";
import { canonicalJson } from "../../lib/kit/base/mod.ts";
import type { JsonObject, JsonValue } from "../../lib/kit/proto/mod.ts";
import { parseProxyConfig } from "../../lib/mesh/schema/mod.ts";
import { testSettings } from "../../tests/support/agent_settings.ts";
import { comparable } from "./bootstrap_parts.ts";
import type { Case, Corpus, ReadFile } from "./corpus.ts";
import { fromTextFormat } from "./text_format.ts";

/** A case of the corpus. */
interface BootstrapCase extends Case {
  readonly options: {
    readonly node: {
      readonly instanceIPs: readonly string[];
      readonly outlierLogPath: string;
      readonly statusPort: number;
      readonly dataproxyPrometheusPort: number;
      readonly dataproxyStatusPort: number;
    };
    readonly features?: Readonly<Record<string, string>>;
    readonly env?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly checkLocality?: boolean;
  };
  readonly golden: string;
}

/** Compares the files as messages, part by part. */
export const BOOTSTRAP: Corpus<BootstrapCase> = {
  name: "bootstrap",
  judge: (one: BootstrapCase, read: ReadFile) => {
    const options = { locality: one.options.checkLocality === true };
    const wanted = JSON.parse(read(one.golden)) as JsonObject;
    const found = JSON.parse(written(one, read)) as JsonObject;
    return difference(comparable(found, wanted, options), comparable(wanted, found, options), "");
  },
};

/** The agent's file for a case. */
function written({ inputs, options }: BootstrapCase, read: ReadFile): string {
  const { node, env = {}, features = {}, annotations = {} } = options;
  const text = fromTextFormat(read(inputs[0] ?? ""));
  const { value, problems } = parseProxyConfig(
    JSON.stringify({ statusPort: node.statusPort, ...text }),
    "proxy configuration",
  );
  if (value === undefined) throw new Error(problems.map(({ message }) => message).join("; "));
  const environ = {
    ...value.proxyMetadata,
    DATAPROXY_PROMETHEUS_PORT: String(node.dataproxyPrometheusPort),
    DATAPROXY_STATUS_PORT: String(node.dataproxyStatusPort),
    ...features,
    ...env,
    ...(Object.keys(annotations).length > 0
      ? { MESH_METAJSON_ANNOTATIONS: JSON.stringify(annotations) }
      : {}),
  };
  const ips = [...new Set(node.instanceIPs)];
  const ipv6 = ips.filter((ip) => ip.includes(":")).length;
  return planAgent(testSettings({
    environ,
    annotations,
    ownProxy: value,
    addresses: {
      ips,
      ipv6Only: ipv6 === ips.length,
      both: ipv6 > 0 && ipv6 < ips.length,
      loopbackOnly: false,
    },
    flags: { outlierLogPath: node.outlierLogPath },
    proxy: value,
  })).bootstrap;
}

/** The path of the first difference, with both values. */
function difference(found: JsonValue, wanted: JsonValue, path: string): string | undefined {
  if (canonicalJson(found) === canonicalJson(wanted)) return undefined;
  if (isObject(found) && isObject(wanted)) {
    for (const key of new Set([...Object.keys(wanted), ...Object.keys(found)])) {
      const fault = difference(found[key] ?? null, wanted[key] ?? null, `${path}.${key}`);
      if (fault !== undefined) return fault;
    }
  }
  return `${path}: ${JSON.stringify(found)}, expected ${JSON.stringify(wanted)}`;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
