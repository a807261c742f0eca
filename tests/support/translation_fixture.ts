/**
 * Translation with a graph of its own, for tests.
 *
 * @module
 */
import { useEnvironment } from "../../lib/kit/env/mod.ts";
import type { ObjectChange } from "../../lib/mesh/ingest/mod.ts";
import type { TableKind } from "../../lib/mesh/schema/mod.ts";
import { readFeatures } from "../../lib/mesh/environment/mod.ts";
import { createGraph, type Graph, type View } from "../../lib/mesh/graph/mod.ts";
import {
  type ConfigObject,
  objectKey,
  type ProxyNode,
  TYPE_URLS,
} from "../../lib/mesh/model/mod.ts";
import { create } from "../../lib/kit/proto/mod.ts";
import { createPipeline, type Features, type Pipeline } from "../../lib/mesh/translate/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { MeshNetworksSchema } from "#mesh/mesh/v1alpha1/network_pb.ts";
import { objectsOf, testMeshConfig } from "./mesh_fixture.ts";

/** The settings of translation with no environment variable set. */
export const DEFAULT_FEATURES: Features = defaultFeatures();

function defaultFeatures(): Features {
  return featuresWith({});
}

/** The settings of translation with these environment variables alone. */
export function featuresWith(env: Readonly<Record<string, string>>): Features {
  using _ = useEnvironment(env);
  return readFeatures();
}

/** A pipeline with its graph. */
export interface Bench extends Pipeline {
  readonly graph: Graph;
  /** Writes and publishes documents; returns the revision before. */
  set(yaml: string): number;
  /** Deletes an object; returns the revision before. */
  remove(kind: TableKind, key: string): number;
}

/** A pipeline with a mesh configuration and no objects. */
export function startTranslation(
  config: MeshConfig = testMeshConfig(),
  features: Features = DEFAULT_FEATURES,
  graph: Graph = createGraph(),
): Bench {
  const pipeline = createPipeline(graph, { domain: "cluster.local", clusterId: "test", features });
  pipeline.apply({ mesh: config, networks: create(MeshNetworksSchema) });
  const change = (objects: ObjectChange[]): number => {
    const before = pipeline.translation.source.revision;
    pipeline.apply({ objects });
    return before;
  };
  return {
    ...pipeline,
    graph,
    set: (yaml) => change(objectsOf(yaml).map(changeOf)),
    remove: (kind, key) => change([{ kind, key, object: undefined }]),
  };
}

/** The change that sets an object; its age is left out, as files have none. */
export function changeOf(object: ConfigObject): ObjectChange {
  const meta = { ...object.meta, creationTime: 0 };
  return { kind: meta.kind as TableKind, key: objectKey(meta), object: { ...object, meta } };
}

/** A connected proxy. */
export function proxyNode(
  namespace: string,
  more: Partial<ProxyNode> & { readonly labels?: Readonly<Record<string, string>> } = {},
): ProxyNode {
  const ip = more.ip ?? "172.16.0.1";
  return {
    id: `sidecar~${ip}~proxy.${namespace}~${namespace}.svc.cluster.local`,
    role: "sidecar",
    ip,
    ips: [ip],
    name: "proxy",
    namespace,
    dnsDomain: `${namespace}.svc.cluster.local`,
    cluster: "",
    locality: { region: "", zone: "", subzone: "" },
    buildVersion: "",
    userAgent: "",
    transport: "sotw",
    ...more,
    metadata: { LABELS: more.labels ?? {}, ...more.metadata },
  };
}

/** Node properties of a proxy that supports VHDS. */
export const TAKES_PARTS = { userAgent: "envoy", transport: "delta" } as const;

/** Name to version of what a view shows. */
export function contentOf(view: View | undefined): Record<string, string> {
  const entries = [...view?.entries() ?? []].map((r) => [r.name, r.version] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** {@link contentOf} for every type. */
export function everything(
  binding: { view(typeUrl: string): View | undefined },
): Record<string, Record<string, string>> {
  return Object.fromEntries(
    Object.entries(TYPE_URLS).map(([short, url]) => [short, contentOf(binding.view(url))]),
  );
}
