/**
 * Runs a case of the authorization corpus: policies to filters.
 *
 * @module
 */
import { parseConfigDocuments, parseMeshConfig } from "../../lib/mesh/schema/mod.ts";
import { fromJson, type JsonValue, SERVED_TYPES, toJson } from "../../lib/kit/proto/mod.ts";
import {
  authorizationFilters,
  type AuthorizationInput,
  type PolicyObject,
} from "../../lib/mesh/envoy/mod.ts";
import { type Filter, FilterSchema } from "#envoy/config/listener/v3/listener_components_pb.ts";
import { HttpFilterSchema } from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { hasLabels } from "../../lib/mesh/model/mod.ts";
import { readYaml } from "../../lib/kit/text/mod.ts";

/** A case as the corpus has it. */
export interface AuthzCase {
  readonly protocol: string;
  readonly inputs: readonly string[];
  readonly options: {
    readonly node: {
      readonly namespace: string;
      readonly labels: Readonly<Record<string, string>>;
    };
    readonly custom?: boolean;
    readonly meshConfigFile?: string;
    readonly services?: readonly { readonly hostname: string; readonly namespace: string }[];
    readonly trustDomain?: string;
    readonly trustDomainAliases?: readonly string[];
    readonly rootNamespace?: string;
  };
  readonly goldens: readonly string[];
}

/**
 * Compares the result of a case with the expected one, both as plain JSON of the messages: default
 * fields are omitted. Other spellings of paths and hosts are not compared, nor is the escaping of
 * brackets, because no namespace has them in its name.
 */
export function runAuthzCase(
  one: AuthzCase,
  read: (file: string) => string,
): { readonly found: readonly JsonValue[]; readonly wanted: readonly JsonValue[] } {
  const { options } = one;
  const http = one.protocol === "http";
  const filters = authorizationFilters(inputOf(one, read));
  const mine = http
    ? options.custom ? filters.http.asking : filters.http.deciding
    : filters.tcp.filter(() => true);
  return {
    found: mine.map((filter) =>
      plain(toJson(http ? HttpFilterSchema : FilterSchema, filter as Filter, JSON_OPTIONS))
    ),
    wanted: one.goldens.map((file) => {
      const value = [...readYaml(read(file))][0]?.document?.value as JsonValue;
      const message = fromJson(http ? HttpFilterSchema : FilterSchema, value, JSON_OPTIONS);
      return plain(toJson(http ? HttpFilterSchema : FilterSchema, message as Filter, JSON_OPTIONS));
    }),
  };
}

const JSON_OPTIONS = { registry: SERVED_TYPES } as const;

function plain(value: JsonValue): JsonValue {
  return JSON.parse(JSON.stringify(value).replaceAll(/\\\\([[\]])/g, "$1")) as JsonValue;
}

function inputOf(
  { inputs, options }: AuthzCase,
  read: (file: string) => string,
): AuthorizationInput {
  const { node, services = [], trustDomain = "cluster.local", trustDomainAliases = [] } = options;
  const meshText = options.meshConfigFile === undefined ? "" : read(options.meshConfigFile);
  const root = options.rootNamespace ?? "";
  return {
    policies: inputs.flatMap((file) => policiesOf(read(file), file))
      .filter(({ meta, spec }) =>
        (meta.namespace === node.namespace || meta.namespace === root) &&
        hasLabels(node.labels, spec.selector?.matchLabels ?? {}) &&
        (options.custom === true) === (spec.actionDetail.value !== undefined)
      ),
    providers: parseMeshConfig(meshText, "mesh").value?.extensionProviders ?? [],
    findService: (service, port) => {
      const found = services.filter(({ hostname, namespace }) =>
        service === hostname || service === `${namespace}/${hostname}`
      );
      const [{ hostname: host = "" } = {}] = found;
      return found.length === 1 ? { host, cluster: `outbound|${port}||${host}` } : undefined;
    },
    trustDomains: [trustDomain, ...trustDomainAliases],
    otherSpellings: false,
  };
}

function policiesOf(text: string, file: string): PolicyObject[] {
  const { objects, problems } = parseConfigDocuments(text, file);
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join("; "));
  return objects.map(({ kind, meta, spec, digest }) => ({
    meta: { ...meta, kind, generation: 1, creationTime: 0, origin: { source: "file" } },
    spec,
    digest,
  })) as unknown as PolicyObject[];
}
