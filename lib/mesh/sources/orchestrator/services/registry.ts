/**
 * The registry: Services with their EndpointSlices, pods and nodes become rows of the mesh.
 *
 * @module
 */
import type { Intake } from "../../../ingest/mod.ts";
import { scope } from "../../../../kit/log/mod.ts";
import type { ConfigObject } from "../../../model/mod.ts";
import type { FollowState } from "../../../../kit/orch/mod.ts";
import type { MeshNetworks } from "#mesh/mesh/v1alpha1/network_pb.ts";
import type { ServiceEntry } from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import type { Resolve } from "../../fetched/names.ts";
import type { Followed } from "../../followed.ts";
import { createEndpointCounts, type EndpointCounts } from "./endpoint_counts.ts";
import { balancerNames, nodeSelector } from "./external.ts";
import { type FollowOptions, followTypes, type RegistryTypes } from "./followed_types.ts";
import { followGatewayNames, type GatewayNames } from "./gateway_names.ts";
import { idsIn, nameOf } from "./ids.ts";
import { lastNodes, lastPods } from "./last_facts.ts";
import { followNamedGateways, type NamedGateways } from "./named_gateways.ts";
import { type ClusterNetwork, followClusterNetwork } from "./network.ts";
import { createPodAddresses, type PodAddresses } from "./pod_addresses.ts";
import { podRow } from "./pod_row.ts";
import { createRows, type Rows } from "./rows.ts";
import { serviceRow } from "./row.ts";
import {
  sharedHost,
  sharedRow,
  sharedRowName,
  type SharedService,
  withinCluster,
} from "./sharing.ts";
import { createSliceIndex, idOf, type SliceIndex } from "./slice_index.ts";

const log = scope("orch");

/** Settings of the registry of one cluster. */
export interface RegistryOptions extends FollowOptions {
  /** `meta.origin.source` of the rows. */
  readonly source: string;
  readonly intake: Pick<Intake, "objects">;
  /** The namespace whose label names the network of the cluster. */
  readonly systemNamespace: string;
  /** DNS suffix of services. */
  readonly domain: string;
  /** True: Services select WorkloadEntries (`PILOT_ENABLE_K8S_SELECT_WORKLOAD_ENTRIES`). */
  readonly selectEntries: boolean;
  /** True: ServiceEntries select pods (`PILOT_ENABLE_SERVICEENTRY_SELECT_PODS`). */
  readonly selectPods: boolean;
  /** The networks of the mesh, which name Services as gateways. */
  readonly networks?: Followed<MeshNetworks> | undefined;
  /** Looks up names of load balancers; default: the name servers of the system. */
  readonly resolve?: Resolve;
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
  readonly #types: RegistryTypes;
  readonly #network: ClusterNetwork;
  readonly #index: SliceIndex = createSliceIndex();
  readonly #counts: EndpointCounts = createEndpointCounts();
  readonly #rows: Rows = createRows();
  readonly #names: GatewayNames;
  readonly #named: NamedGateways;
  readonly #podAddresses: PodAddresses = createPodAddresses();
  /** Id of a Service with a selector of nodes → what is wrong with the selector; empty: nothing. */
  readonly #atNodes = new Map<string, string>();
  readonly #lastPods = lastPods();
  readonly #lastNodes = lastNodes();
  #ready = false;

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#names = followGatewayNames({
      resolve: options.resolve,
      changed: (services) => this.#update({ services }),
    });
    this.#named = followNamedGateways({
      networks: options.networks,
      domain: options.domain,
      changed: (services) => this.#update({ services }),
    });
    this.#types = followTypes(options, {
      services: (changes) => {
        this.#update({ services: idsIn(changes, ({ metadata }) => metadata) });
      },
      slices: (changes) => this.#update({ services: this.#index.update(changes) }),
      pods: (changes) => {
        const pods = idsIn(changes, (one) => one);
        const other = this.#lastPods.changed(changes);
        const addresses = other.flatMap((id) =>
          this.#podAddresses.put(id, this.#types.pods.get(nameOf(id)))
        );
        const places = [...other.map((id) => `pod ${id}`), ...addresses];
        this.#update({ services: this.#index.servicesAt(places), pods });
      },
      nodes: (changes) => {
        const names = new Set(this.#lastNodes.changed(changes).map((id) => nameOf(id).name));
        const pods = names.size === 0 ? [] : this.#podsAt(names);
        const services = this.#index.servicesAt([
          ...[...names].map((name) => `node ${name}`),
          // A slice that refers to no pod need not name the node of the pod at its address.
          ...pods.flatMap((id) => this.#podAddresses.of(id)),
        ]);
        this.#update({ services: services.union(this.#atNodes), pods });
      },
      shared: (changes) => {
        this.#update({ services: idsIn(changes, ({ metadata }) => metadata) });
      },
    });
    this.#network = followClusterNetwork({ ...options, changed: () => this.#updateAll() });
    this.synced = Promise.all([this.#types.synced, this.#network.synced]).then(() => {
      this.#ready = true;
      this.#updateAll();
    });
  }

  services(): readonly ConfigObject[] {
    return this.#rows.services();
  }

  shared(): SharedService[] {
    const { exports, imports } = this.#types;
    const ids = new Set(
      [...exports?.values() ?? [], ...imports?.values() ?? []]
        .map(({ metadata: { namespace = "", name } }) => idOf(namespace, name)),
    );
    return [...ids].sort().map((id) => {
      const of = nameOf(id);
      const imported = imports?.get(of);
      return {
        ...of,
        host: sharedHost(of.namespace, of.name),
        exported: exports?.get(of) !== undefined,
        imported: imported !== undefined,
        addresses: imported?.spec?.ips ?? [],
      };
    });
  }

  states(): (readonly [string, FollowState])[] {
    return [...this.#types.states(), ["namespaces (network)", this.#network.state()]];
  }

  async close(): Promise<void> {
    this.#names[Symbol.dispose]();
    this.#named[Symbol.dispose]();
    await Promise.all([this.#types.close(), this.#network.close()]);
    this.#counts.close();
  }

  #updateAll(): void {
    const { services, imports, pods } = this.#types;
    this.#update({
      services: [...services.values(), ...imports?.values() ?? []]
        .map(({ metadata }) => idOf(metadata.namespace ?? "", metadata.name)),
      pods: pods.values().map(({ namespace, name }) => idOf(namespace, name)),
    });
  }

  /** The pods on some nodes. */
  #podsAt(nodes: ReadonlySet<string>): string[] {
    return this.#types.pods.values().filter(({ node }) => nodes.has(node))
      .map(({ namespace, name }) => idOf(namespace, name));
  }

  /** Makes rows of Services and pods again and reports those that differ. */
  #update({ services, pods = [] }: {
    readonly services: Iterable<string>;
    readonly pods?: Iterable<string>;
  }): void {
    if (!this.#ready) return;
    for (const id of services) this.#putService(id);
    for (const id of pods) this.#rows.put("Pod", id, this.#podRow(id));
    const changes = this.#rows.take();
    if (changes.upserts.length + changes.deletes.length > 0) this.#options.intake.objects(changes);
  }

  #podRow(id: string): ConfigObject | undefined {
    const pod = this.#types.pods.get(nameOf(id));
    return pod && podRow(pod, {
      node: this.#types.nodes.get({ name: pod.node }),
      source: this.#options.source,
      network: this.#network.current(),
      selectable: this.#options.selectPods,
    });
  }

  /** Sets the row of a Service, and that of its host below `svc.clusterset.local`. */
  #putService(id: string): void {
    const { sharing, source } = this.#options;
    const row = this.#serviceRow(id);
    if (sharing === undefined) return this.#rows.put("Service", id, row);
    const { namespace, name } = nameOf(id);
    const isExported = this.#types.exports?.get({ namespace, name }) !== undefined &&
      this.#types.services.get({ namespace, name })?.spec?.type !== "ExternalName";
    const isWithin = sharing.clusterLocal || !isExported;
    this.#rows.put("Service", id, row && isWithin ? withinCluster(row) : row);
    if (!sharing.host) return;
    const imported = this.#types.imports?.get({ namespace, name });
    const exported = isExported ? row : undefined;
    const shared = sharedRow({ namespace, name, exported, imported, source });
    this.#rows.put("Service", idOf(namespace, sharedRowName(name)), shared);
  }

  #serviceRow(id: string): ConfigObject<ServiceEntry> | undefined {
    const service = this.#types.services.get(nameOf(id));
    const isNamedGateway = this.#named.has(id);
    this.#names.set(id, service === undefined ? [] : balancerNames(service, isNamedGateway));
    this.#noteSelector(id, service && nodeSelector(service));
    if (service === undefined) {
      this.#counts.set(id, { missing: 0, unready: 0 });
      return undefined;
    }
    const { domain, source, selectEntries } = this.#options;
    let missing = 0;
    const row = serviceRow(service, {
      slices: this.#index.of(id),
      pod: (namespace, name) => {
        const pod = this.#types.pods.get({ namespace, name });
        if (pod === undefined) missing++;
        return pod;
      },
      podAt: (namespace, address) => {
        const name = this.#podAddresses.nameAt(namespace, address);
        return name === undefined ? undefined : this.#types.pods.get({ namespace, name });
      },
      node: (name) => this.#types.nodes.get({ name }),
      nodes: () => this.#types.nodes.values(),
      addressesOf: this.#names.addressesOf,
      isNamedGateway,
      network: this.#network.current(),
      domain,
      source,
      selectEntries,
      ambient: this.#options.ambient ?? false,
    });
    const unready = (row.service?.endpoints ?? []).filter(({ health }) => health !== "healthy");
    this.#counts.set(id, { missing, unready: unready.length });
    return row;
  }

  /** Stores if a Service depends on nodes, and reports a wrong selector once. */
  #noteSelector(id: string, selector: ReturnType<typeof nodeSelector>): void {
    const wrong = typeof selector === "string" ? selector : "";
    if (wrong !== "" && this.#atNodes.get(id) !== wrong) {
      log.warn("a Service is no gateway at nodes", { ...nameOf(id), reason: wrong });
    }
    if (selector === undefined) this.#atNodes.delete(id);
    else this.#atNodes.set(id, wrong);
  }
}
