/**
 * A mesh from files: translated as a daemon does, with the default settings of a daemon and those
 * of the environment.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import {
  explain,
  type ExplainOptions,
  knowledgeOf,
  nameDeciding,
  nodeProxyIn,
  type Origin,
  originNamed,
  parseQuestion,
  type Party,
  type QuestionFields,
  removalOf,
  type World,
  writtenParts,
} from "../explain/mod.ts";
import { type Explanation, verdictOf } from "../verdict/mod.ts";
import { createGraph, type Graph, type View } from "../../mesh/graph/mod.ts";
import { upsertOf } from "../../mesh/ingest/mod.ts";
import {
  type BindingSource,
  type ConfigObject,
  type ProxyBinding,
  type ProxyNode,
  rowOfObject,
  type Service,
  serviceKeys,
} from "../../mesh/model/mod.ts";
import { defaultMeshConfig, defaultMeshNetworks, isTableKind } from "../../mesh/schema/mod.ts";
import { decodeOnce } from "../simulate/mod.ts";
import type { SessionInfo } from "../../mesh/xds/mod.ts";
import { readFeatures } from "../../mesh/environment/mod.ts";
import { hasSigned } from "../../kit/pki/mod.ts";
import { nearest } from "../../kit/text/mod.ts";
import {
  createPipeline,
  type Pipeline,
  type Translation,
  wholeNode,
} from "../../mesh/translate/mod.ts";
import { type Mesh, tableOf } from "../../mesh/derive/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { MeshNetworks } from "#mesh/mesh/v1alpha1/network_pb.ts";
import {
  type FileWorkloads,
  nodeOf,
  NOWHERE,
  type Workload,
  workloadNamed,
  workloadOf,
  workloadsOf,
} from "./workloads.ts";

/** The input of a mesh. */
export interface OfflineInput {
  readonly objects: readonly ConfigObject[];
  /** Default: that of a daemon without mesh configuration. */
  readonly mesh?: MeshConfig;
  /** Default: none. Gateways by host name are not resolved. */
  readonly networks?: MeshNetworks | undefined;
  /** A key set (JWKS) in place of those that a daemon fetches. */
  readonly keys?: string | undefined;
}

const NO_WORKLOADS: FileWorkloads = { proxies: [], plain: [] };

/** The DNS suffix, and the cluster, of a daemon that is not told others. */
const DOMAIN = "cluster.local";
const CLUSTER = "Orchestrator";

/** A proxy, which is bound to its resources when they are first read. */
export interface OfflineProxy {
  readonly workload: Workload;
  readonly session: SessionInfo & Pick<Party, "accountUnknown">;
}

/** A mesh from files. */
export class OfflineMesh {
  readonly mesh: Mesh;
  readonly #source: BindingSource;
  readonly #proxies: readonly OfflineProxy[];
  /** Workloads without a proxy. */
  readonly #plain: readonly Workload[];
  readonly #clients = new Map<string, OfflineProxy>();
  readonly #keys: string | undefined;
  /** True: the proxies run, and a daemon has fetched key sets. */
  readonly #runs: boolean;

  readonly #pipeline: Pipeline | undefined;
  readonly #decode = decodeOnce();
  readonly #nodeProxies = new Map<string, (typeUrl: string) => View | undefined>();
  #services: { readonly at: number; readonly all: readonly Service[] } | undefined;

  private constructor(
    { mesh, source }: Pick<Translation, "mesh" | "source">,
    { keys, pipeline, nodes }: {
      readonly keys?: string | undefined;
      readonly pipeline?: Pipeline;
      readonly nodes?: readonly ProxyNode[];
    } = {},
  ) {
    this.#runs = nodes !== undefined;
    this.mesh = mesh;
    this.#keys = keys;
    this.#pipeline = pipeline;
    this.#source = source;
    const { proxies, plain } = nodes === undefined ? workloadsOf(mesh) : NO_WORKLOADS;
    this.#plain = plain;
    this.#proxies = nodes?.map((node) => this.#proxyOf(workloadOf(node), node)) ??
      proxies.map((one) => this.#proxyOf(one));
  }

  /** The mesh of a translation as it is now. */
  static over(translation: Pick<Translation, "mesh" | "source">): OfflineMesh {
    return new OfflineMesh(translation);
  }

  /** Translates objects; returns the mesh and its pipeline. */
  static of(
    { objects, mesh = defaultMeshConfig(), networks = defaultMeshNetworks(), keys }: OfflineInput,
  ): { readonly mesh: OfflineMesh; readonly pipeline: Pipeline } {
    const pipeline = makePipeline(createGraph());
    pipeline.apply({
      mesh,
      networks,
      objects: objects.flatMap((one) => upsertOf(one) ?? []),
    });
    return { mesh: new OfflineMesh(pipeline.translation, { keys, pipeline }), pipeline };
  }

  /** The mesh of a translation with proxies that run, as their nodes announce them. */
  static running(
    translation: Pick<Translation, "mesh" | "source">,
    nodes: readonly ProxyNode[],
  ): OfflineMesh {
    return new OfflineMesh(translation, { nodes });
  }

  /** One proxy for each role, namespace, labels and service account. */
  representatives(): readonly OfflineProxy[] {
    const found = new Map<string, OfflineProxy>();
    for (const proxy of this.#proxies) {
      const { role, namespace, labels, serviceAccount } = proxy.workload;
      const key = JSON.stringify([role, namespace, Object.entries(labels).sort(), serviceAccount]);
      if (!found.has(key)) found.set(key, proxy);
    }
    return [...found.values()];
  }

  /**
   * The proxy of a workload.
   *
   * @throws {MeshError} when no workload has the name
   */
  proxy(name: string): OfflineProxy {
    const known = this.#clients.get(name) ??
      this.#proxies.find(({ workload: one }) => `${one.name}.${one.namespace}` === name) ??
      this.#proxies.find(({ workload: { gateway } }) => gateway === name);
    if (known !== undefined) return known;
    const workload = workloadNamed([], name);
    if (workload === undefined) throw this.#unknown(name);
    const made = this.#proxyOf(workload);
    this.#clients.set(name, made);
    return made;
  }

  /** The views of any proxy, by type URL. */
  bind(node: ProxyNode): (typeUrl: string) => View | undefined {
    const binding = this.#source.bind(node, () => {});
    return (typeUrl) => binding.view(typeUrl);
  }

  /** Explains a request; the question must be well-formed. */
  ask(fields: QuestionFields, options: ExplainOptions = {}): Explanation {
    const question = parseQuestion(fields);
    if (typeof question === "string") throw new MeshError("question", question);
    const world = this.world();
    const origin = this.#has(fields.from)
      ? undefined
      : originNamed(knowledgeOf(world), fields.from) ?? this.#plainOrigin(fields.from);
    return explain(world, origin ?? this.proxy(fields.from).session, question, options);
  }

  /** The beginning of requests of a workload without a proxy. */
  #plainOrigin(name: string): Origin | undefined {
    const found = this.#plain.find((one) => `${one.name}.${one.namespace}` === name);
    if (found === undefined) return undefined;
    return { name, namespace: found.namespace, ip: found.address };
  }

  /** Reports if a proxy that the files describe has a name. */
  #has(name: string): boolean {
    return this.#proxies.some(({ workload: { name: own, namespace, gateway } }) =>
      `${own}.${namespace}` === name || gateway === name
    );
  }

  /** Explains a request, and names the objects without which a refusal would not be. */
  async askDeciding(fields: QuestionFields): Promise<Explanation> {
    const found = this.ask(fields);
    const pipeline = this.#pipeline;
    if (pipeline === undefined) return found;
    const written = pipeline.writer.original.bind(pipeline.writer);
    return await nameDeciding(found, (parts) => {
      const { without, before } = removalOf(written, parts);
      pipeline.apply({ objects: without });
      try {
        return Promise.resolve(verdictOf(this.ask(fields, { causes: false })));
      } finally {
        pipeline.apply({ objects: before });
      }
    }, (object) => writtenParts(object, written));
  }

  /** Everything that explanations read. */
  world(): World {
    return {
      mesh: this.mesh,
      parties: this.#proxies.map(({ session }) => session),
      services: this.services(),
      ...(this.mesh.ambient === undefined ? {} : {
        nodeProxy: (typeUrl: string, network: string) => this.#nodeProxyOf(network)(typeUrl),
      }),
      decode: this.#decode,
      objectOf: (kind, key) => this.objectNamed(kind, key),
      now: Date.now(),
      keys: {
        hasSigned,
        fetched: this.#runs,
        setAt: (uri) => this.mesh.tables.keySets.peek(uri)?.jwks,
        ...(this.#keys === undefined ? {} : { text: this.#keys }),
      },
      assumedAddresses: this.#runs ? [] : [NOWHERE],
    };
  }

  #nodeProxyOf(network: string): (typeUrl: string) => View | undefined {
    const view = this.#nodeProxies.get(network) ?? this.bind(nodeProxyIn(network));
    this.#nodeProxies.set(network, view);
    return view;
  }

  /** The services, read again after a publication. */
  services(): readonly Service[] {
    const { published } = this.mesh.graph;
    if (this.#services?.at !== published) {
      this.#services = { at: published, all: servicesOf(this.mesh) };
    }
    return this.#services.all;
  }

  /** The name of the proxy of a role at an address, `NAME.NAMESPACE`; `undefined`: none is known there. */
  nameAt(ip: string | undefined, role: "sidecar" | "router"): string | undefined {
    if (ip === undefined) return undefined;
    const found = this.#proxies.find(({ workload, session: { node } }) =>
      workload.role === role && node.ips.includes(ip)
    );
    return found && `${found.workload.name}.${found.workload.namespace}`;
  }

  /** Names of the key sets that token rules refer to; see `keySetName`. */
  keySetNames(): readonly string[] {
    return this.mesh.graph.peek(this.mesh.security.keySets, "all");
  }

  /** An object of the input by the key of its row. */
  objectNamed(kind: string, key: string): ConfigObject | undefined {
    const row = rowOfObject({ table: kind, key });
    return isTableKind(row.table) ? tableOf(this.mesh.tables, row.table).peek(row.key) : undefined;
  }

  #unknown(name: string): MeshError {
    const workloads = [...this.#proxies.map(({ workload }) => workload), ...this.#plain];
    const names = workloads.map((one) => `${one.name}.${one.namespace}`);
    const near = nearest(name, names);
    return new MeshError("unknown-workload", `the files describe no workload ${name}`, {
      remedy:
        `${near === undefined ? "" : `Did you mean ${near}? `}Name a WorkloadEntry or Gateway ` +
        "as NAME.NAMESPACE, or a client as NAMESPACE/app=LABEL,service-account=NAME.",
    });
  }

  #proxyOf(workload: Workload, node: ProxyNode = nodeOf(workload)): OfflineProxy {
    const source = this.#source;
    let binding: ProxyBinding | undefined;
    const bound = () => binding ??= source.bind(wholeNode(node), () => {});
    return {
      workload,
      session: {
        connectionId: node.id,
        connectedAt: new Date(0),
        address: node.ip,
        node,
        get classKey() {
          return bound().classKey;
        },
        variant: "delta",
        behind: false,
        types: [],
        view: (typeUrl) => bound().view(typeUrl),
        ...(workload.accountUnknown === true ? { accountUnknown: true } : {}),
      },
    };
  }
}

/** A pipeline with the settings of a daemon in this environment. */
export function makePipeline(graph: Graph): Pipeline {
  return createPipeline(graph, { domain: DOMAIN, clusterId: CLUSTER, features: readFeatures() });
}

function servicesOf(mesh: Mesh): Service[] {
  const { serviceEntries } = mesh.tables;
  const keys = serviceEntries.keys().flatMap((key) => {
    const row = serviceEntries.peek(key);
    return (row?.spec.hosts ?? []).map((host) =>
      serviceKeys.encode({ namespace: row!.meta.namespace, host: host.toLowerCase() })
    );
  });
  return [...new Set(keys)].sort().flatMap((key) =>
    mesh.graph.peek(mesh.services.service, serviceKeys.decode(key)) ?? []
  );
}
