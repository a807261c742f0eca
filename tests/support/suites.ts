/**
 * Golden suites: one folder for each feature with input (`in.yaml`), proxies and calls
 * (`suite.yaml`), and expected results (`clusters.yaml`, …, `calls.txt`).
 *
 * @module
 */
import {
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonObject,
  type JsonValue,
  SERVED_TYPES,
  toJson,
} from "../../lib/kit/proto/mod.ts";
import type { View } from "../../lib/mesh/graph/mod.ts";
import { type Credential, type ProxyNode, TYPE_URLS } from "../../lib/mesh/model/mod.ts";
import type { Call } from "../../lib/insight/simulate/mod.ts";
import { readYaml } from "../../lib/kit/text/mod.ts";
import type { Features } from "../../lib/mesh/translate/mod.ts";
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { ClusterLoadAssignmentSchema } from "#envoy/config/endpoint/v3/endpoint_pb.ts";
import { TypedExtensionConfigSchema } from "#envoy/config/core/v3/extension_pb.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import { SecretSchema } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { type MeshConfig, MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { DEFAULT_FEATURES, proxyNode, startTranslation } from "./translation_fixture.ts";

/** Folder of the suites. */
export const SUITES: URL = new URL("../../lib/mesh/translate/testdata/suites/", import.meta.url);

/** Types that suites keep, by the names of their files. */
export type SuiteType =
  | "clusters"
  | "endpoints"
  | "extensions"
  | "hosts"
  | "listeners"
  | "routes"
  | "secrets";

/** Files of a suite. */
export const SUITE_TYPES: Readonly<Record<SuiteType, readonly [string, DescMessage]>> = {
  clusters: [TYPE_URLS.cluster, ClusterSchema],
  endpoints: [TYPE_URLS.endpoint, ClusterLoadAssignmentSchema],
  extensions: [TYPE_URLS.extension, TypedExtensionConfigSchema],
  hosts: [TYPE_URLS.virtualHost, VirtualHostSchema],
  listeners: [TYPE_URLS.listener, ListenerSchema],
  routes: [TYPE_URLS.route, RouteConfigurationSchema],
  secrets: [TYPE_URLS.secret, SecretSchema],
};

/** One folder. */
export interface Suite {
  readonly name: string;
  readonly folder: URL;
  /** Description of the suite. */
  readonly about: string;
  /** The types that the feature is about: the others are not kept. */
  readonly types: readonly SuiteType[];
  readonly proxies: Readonly<Record<string, ProxyNode>>;
  readonly mesh: MeshConfig;
  /** Switches that are not at their defaults. */
  readonly features: Partial<Features>;
  /** Documents. */
  readonly input: string;
  /** Credentials by `namespace/name`. */
  readonly credentials: Readonly<Record<string, Credential>>;
  /** Calls by name, each with the proxy it goes through. */
  readonly calls: Readonly<Record<string, Call & { readonly proxy: string }>>;
}

interface SuiteFile {
  readonly about: string;
  readonly types: readonly SuiteType[];
  readonly proxies: Readonly<Record<string, Partial<ProxyNode> & { readonly namespace: string }>>;
  readonly mesh?: JsonObject;
  readonly features?: Partial<Features>;
  readonly credentials?: Suite["credentials"];
  readonly calls?: Suite["calls"];
}

/** All suites, by name. */
export function readSuites(): Suite[] {
  return [...Deno.readDirSync(SUITES)].filter(({ isDirectory }) => isDirectory)
    .map(({ name }) => readSuite(name)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function readSuite(name: string): Suite {
  const folder = new URL(`${name}/`, SUITES);
  const file = [...readYaml(Deno.readTextFileSync(new URL("suite.yaml", folder)))][0]?.document
    ?.value as SuiteFile | undefined;
  if (file === undefined) throw new Error(`${name}: suite.yaml does not parse`);
  return {
    name,
    folder,
    about: file.about,
    types: file.types,
    mesh: meshOf(file.mesh),
    features: file.features ?? {},
    proxies: Object.fromEntries(
      Object.entries(file.proxies).map(([key, { namespace, ...more }]) => [
        key,
        proxyNode(namespace, { name: key, ...more }),
      ]),
    ),
    input: Deno.readTextFileSync(new URL("in.yaml", folder)),
    credentials: file.credentials ?? {},
    calls: file.calls ?? {},
  };
}

/** Unset settings stay unset instead of their defaults: suites show one feature each. */
function meshOf(own: SuiteFile["mesh"] = {}): MeshConfig {
  return fromJson(MeshConfigSchema, { rootNamespace: "mesh-system", ...own });
}

/** Views of a proxy, by the URL of the type. */
export type Views = (typeUrl: string) => View | undefined;

/** Returns the views of each proxy of a suite. */
export function translateSuite(suite: Suite): ReadonlyMap<string, Views> {
  const { mesh, proxies, input, credentials } = suite;
  const bench = startTranslation(mesh, { ...DEFAULT_FEATURES, ...suite.features });
  bench.apply({ credentials: new Map(Object.entries(credentials)) });
  if (input !== "") bench.set(input);
  return new Map(
    Object.entries(proxies).map(([key, node]) => {
      const binding = bench.translation.source.bind(node, () => {});
      return [key, (typeUrl: string) => binding.view(typeUrl)];
    }),
  );
}

/**
 * Reports if a proxy is a program whose gRPC library speaks xDS: no Envoy takes what it is served.
 */
export function isProgram({ metadata }: ProxyNode): boolean {
  return metadata.GENERATOR === "grpc";
}

/** The resources of a type that are there because of the suite's documents, by proxy. */
export function madeBy(
  suite: Suite,
  views: ReadonlyMap<string, Views>,
  type: SuiteType,
): Record<string, JsonValue[]> {
  const [typeUrl, schema] = SUITE_TYPES[type];
  const without = translateSuite({ ...suite, input: "" });
  return Object.fromEntries([...views].map(([proxy, view]) => {
    const before = without.get(proxy)?.(typeUrl);
    const made = [...view(typeUrl)?.entries() ?? []]
      .filter(({ name, version }) => before?.get(name)?.version !== version)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    return [
      proxy,
      made.map(({ bytes }) =>
        toJson(schema, fromBinary(schema, bytes), { registry: SERVED_TYPES })
      ),
    ];
  }));
}
