/**
 * The registry: Services with their EndpointSlices, pods and nodes become rows of the mesh.
 *
 * @module
 */
import type { Intake } from "../../../ingest/mod.ts";
import type { ConfigObject } from "../../../model/mod.ts";
import {
  type Changes,
  follow,
  type Following,
  type FollowState,
  type FollowTiming,
  type ListItem,
  type OrchClient,
  type ResourceType,
  types,
} from "../../../orch/mod.ts";
import type { ServiceEntry } from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import {
  type ApiService,
  type ApiSlice,
  type NodeFacts,
  nodeFacts,
  type PodFacts,
  podFacts,
} from "./api.ts";
import { idsIn, nameOf } from "./ids.ts";
import { createEndpointCounts, type EndpointCounts } from "./endpoint_counts.ts";
import { eventCounter, registryEvents } from "./metrics.ts";
import { type ClusterNetwork, followClusterNetwork } from "./network.ts";
import { podRow } from "./pod_row.ts";
import { createRows, type Rows } from "./rows.ts";
import { serviceRow } from "./row.ts";
import {
  type ApiImport,
  exportType,
  importType,
  sharedHost,
  sharedRow,
  sharedRowName,
  type SharedService,
  type Sharing,
  withinCluster,
} from "./sharing.ts";
import { createSliceIndex, idOf, type SliceIndex } from "./slice_index.ts";

/** Settings of the registry of one cluster. */
export interface RegistryOptions {
  readonly client: OrchClient;
  /** `meta.origin.source` of the rows. */
  readonly source: string;
  readonly intake: Pick<Intake, "objects">;
  /** The only namespace that is read; empty: all. */
  readonly namespace: string;
  /** The namespace whose label names the network of the cluster. */
  readonly systemNamespace: string;
  /** DNS suffix of services. */
  readonly domain: string;
  /** True: Services select WorkloadEntries (`PILOT_ENABLE_K8S_SELECT_WORKLOAD_ENTRIES`). */
  readonly selectEntries: boolean;
  /** True: ServiceEntries select pods (`PILOT_ENABLE_SERVICEENTRY_SELECT_PODS`). */
  readonly selectPods: boolean;
  /** `undefined`: the endpoints of all Services are shared with other clusters. */
  readonly sharing?: Sharing | undefined;
  readonly timing?: Partial<FollowTiming>;
  readonly stateChanged: () => void;
}

/** The registry of an orchestrator. */
export interface Registry {
  /** Resolves when all objects were received and reported, or the registry was closed. */
  readonly synced: Promise<void>;
  /** The rows of Services, for views. */
  services(): readonly ConfigObject[];
  /** Services that are exported or imported. */
  shared(): SharedService[];
  states(): readonly (readonly [resource: string, state: FollowState])[];
  close(): Promise<void>;
}

/** Follows the objects. Rows are reported once everything is known, so that none is half. */
export function followServices(options: RegistryOptions): Registry {
  return new ServiceRegistry(options);
}

class ServiceRegistry implements Registry {
  readonly synced: Promise<void>;
  readonly #options: RegistryOptions;
  readonly #services: Following<ApiService>;
  readonly #slices: Following<ApiSlice>;
  readonly #pods: Following<PodFacts>;
  readonly #nodes: Following<NodeFacts>;
  readonly #network: ClusterNetwork;
  readonly #exports: Following<ListItem> | undefined;
  readonly #imports: Following<ApiImport> | undefined;
  readonly #index: SliceIndex = createSliceIndex();
  readonly #counts: EndpointCounts = createEndpointCounts();
  readonly #rows: Rows = createRows();
  #ready = false;

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#services = this.#follow(types.SERVICE, (item) => item as ApiService, (changes) => {
      this.#update({ services: idsIn(changes, ({ metadata }) => metadata) });
    });
    this.#slices = this.#follow(types.ENDPOINT_SLICE, (item) => item as ApiSlice, (changes) => {
      this.#update({ services: this.#index.update(changes) });
    });
    this.#pods = this.#follow(types.POD, podFacts, (changes) => {
      const pods = idsIn(changes, (one) => one);
      this.#update({ services: this.#index.servicesAt(pods.map((id) => `pod ${id}`)), pods });
    });
    this.#nodes = this.#follow(types.NODE, nodeFacts, ({ upserts, deletes }) => {
      const names = new Set([...upserts, ...deletes].map(({ name }) => name));
      const services = this.#index.servicesAt([...names].map((name) => `node ${name}`));
      const pods = this.#pods.values().filter(({ node }) => names.has(node))
        .map(({ namespace, name }) => idOf(namespace, name));
      this.#update({ services, pods });
    });
    this.#network = followClusterNetwork({ ...options, changed: () => this.#updateAll() });
    const { sharing } = options;
    if (sharing !== undefined) this.#exports = this.#followSharing(exportType());
    if (sharing?.host === true) this.#imports = this.#followSharing<ApiImport>(importType());
    this.synced = Promise.all(this.#all().map(([, { synced }]) => synced)).then(() => {
      this.#ready = true;
      this.#updateAll();
    });
  }

  services(): readonly ConfigObject[] {
    return this.#rows.services();
  }

  shared(): SharedService[] {
    const [exports, imports] = [this.#exports?.values() ?? [], this.#imports?.values() ?? []];
    const ids = new Set(
      [...exports, ...imports].map(({ metadata: { namespace = "", name } }) =>
        idOf(namespace, name)
      ),
    );
    return [...ids].sort().map((id) => {
      const of = nameOf(id);
      const imported = this.#imports?.get(of);
      return {
        ...of,
        host: sharedHost(of.namespace, of.name),
        exported: this.#exports?.get(of) !== undefined,
        imported: imported !== undefined,
        addresses: imported?.spec?.ips ?? [],
      };
    });
  }

  states(): (readonly [string, FollowState])[] {
    return this.#all().map(([resource, following]) => [resource, following.state()] as const);
  }

  async close(): Promise<void> {
    await Promise.all(this.#all().map(([, following]) => following.close()));
    this.#counts.close();
  }

  #all(): readonly (readonly [string, Pick<Following<unknown>, "synced" | "state" | "close">])[] {
    return [
      ["services", this.#services],
      ["endpointslices.discovery.k8s.io", this.#slices],
      ["pods", this.#pods],
      ["nodes", this.#nodes],
      ["namespaces (network)", this.#network],
      ...[this.#exports, this.#imports].flatMap((following, i) => {
        const { plural, group } = i === 0 ? exportType() : importType();
        return following === undefined ? [] : [[`${plural}.${group}`, following] as const];
      }),
    ];
  }

  /** Follows a type of shared services, which servers need not have. */
  #followSharing<V extends ListItem>(type: ResourceType): Following<V> {
    const { client, namespace, timing, stateChanged } = this.#options;
    return follow<V>({
      client,
      type,
      optional: true,
      convert: (item) => item as V,
      changed: (changes) => this.#update({ services: idsIn(changes, ({ metadata }) => metadata) }),
      stateChanged,
      ...(namespace === "" ? {} : { selection: { namespace } }),
      ...(timing === undefined ? {} : { timing }),
    });
  }

  #follow<V extends ListItem | PodFacts | NodeFacts>(
    type: typeof types.SERVICE,
    convert: (item: ListItem) => V,
    changed: (changes: Changes<V>) => void,
  ): Following<V> {
    const { client, namespace, timing, stateChanged } = this.#options;
    const count = eventCounter<V>(registryEvents, EVENT_TYPES[type.kind] ?? type.kind, (value) => {
      const meta: { namespace?: string; name: string } = "metadata" in value
        ? value.metadata
        : value;
      return idOf(meta.namespace ?? "", meta.name);
    });
    return follow<V>({
      client,
      type,
      convert,
      changed: (changes) => {
        count(changes);
        changed(changes);
      },
      stateChanged,
      ...(type.namespaced && namespace !== "" ? { selection: { namespace } } : {}),
      ...(timing === undefined ? {} : { timing }),
    });
  }

  #updateAll(): void {
    this.#update({
      services: [...this.#services.values(), ...this.#imports?.values() ?? []]
        .map(({ metadata }) => idOf(metadata.namespace ?? "", metadata.name)),
      pods: this.#pods.values().map(({ namespace, name }) => idOf(namespace, name)),
    });
  }

  /** Makes rows of Services and pods again and reports those that differ. */
  #update({ services, pods = [] }: {
    readonly services: Iterable<string>;
    readonly pods?: Iterable<string>;
  }): void {
    if (!this.#ready) return;
    for (const id of services) this.#putService(id);
    if (this.#options.selectPods) {
      for (const id of pods) this.#rows.put("Pod", id, this.#podRow(id));
    }
    const changes = this.#rows.take();
    if (changes.upserts.length + changes.deletes.length > 0) this.#options.intake.objects(changes);
  }

  #podRow(id: string): ConfigObject | undefined {
    const pod = this.#pods.get(nameOf(id));
    return pod && podRow(pod, {
      node: this.#nodes.get({ name: pod.node }),
      source: this.#options.source,
      network: this.#network.current(),
    });
  }

  /** Sets the row of a Service, and that of its host below `svc.clusterset.local`. */
  #putService(id: string): void {
    const { sharing, source } = this.#options;
    const row = this.#serviceRow(id);
    if (sharing === undefined) return this.#rows.put("Service", id, row);
    const { namespace, name } = nameOf(id);
    const isExported = this.#exports?.get({ namespace, name }) !== undefined &&
      this.#services.get({ namespace, name })?.spec?.type !== "ExternalName";
    const isWithin = sharing.clusterLocal || !isExported;
    this.#rows.put("Service", id, row && isWithin ? withinCluster(row) : row);
    if (!sharing.host) return;
    const imported = this.#imports?.get({ namespace, name });
    const exported = isExported ? row : undefined;
    const shared = sharedRow({ namespace, name, exported, imported, source });
    this.#rows.put("Service", idOf(namespace, sharedRowName(name)), shared);
  }

  #serviceRow(id: string): ConfigObject<ServiceEntry> | undefined {
    const service = this.#services.get(nameOf(id));
    if (service === undefined) {
      this.#counts.set(id, { missing: 0, unready: 0 });
      return undefined;
    }
    const { domain, source, selectEntries } = this.#options;
    let missing = 0;
    const row = serviceRow(service, {
      slices: this.#index.of(id),
      pod: (namespace, name) => {
        const pod = this.#pods.get({ namespace, name });
        if (pod === undefined) missing++;
        return pod;
      },
      node: (name) => this.#nodes.get({ name }),
      network: this.#network.current(),
      domain,
      source,
      selectEntries,
    });
    const unready = (row.service?.endpoints ?? []).filter(({ health }) => health !== "healthy");
    this.#counts.set(id, { missing, unready: unready.length });
    return row;
  }
}

/** Names of types in the metric of events. */
const EVENT_TYPES: Readonly<Record<string, string>> = {
  Service: "Services",
  EndpointSlice: "EndpointSlice",
  Pod: "Pods",
  Node: "Nodes",
};
