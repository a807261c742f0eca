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
  types,
} from "../../../orch/mod.ts";
import type { ObjectIdentity } from "../../../schema/mod.ts";
import {
  type ApiService,
  type ApiSlice,
  type NodeFacts,
  nodeFacts,
  type PodFacts,
  podFacts,
} from "./api.ts";
import { rowName, serviceRow } from "./row.ts";

/** Settings of the registry. */
export interface RegistryOptions {
  readonly client: OrchClient;
  readonly source: string;
  readonly intake: Pick<Intake, "objects">;
  /** The only namespace that is read; empty: all. */
  readonly namespace: string;
  /** DNS suffix of services. */
  readonly domain: string;
  readonly timing?: Partial<FollowTiming>;
  readonly stateChanged: () => void;
}

/** The registry of an orchestrator. */
export interface Registry {
  /** Resolves when all objects were received and reported, or the registry was closed. */
  readonly synced: Promise<void>;
  states(): readonly (readonly [resource: string, state: FollowState])[];
  close(): Promise<void>;
}

const SERVICE_NAME = "kubernetes.io/service-name";

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
  /** Slices by Service, Services by slice, slices by pod and node; all by namespace and name. */
  readonly #slicesOf = new Map<string, Map<string, ApiSlice>>();
  readonly #serviceOf = new Map<string, string>();
  readonly #slicesAt = new Map<string, Set<string>>();
  readonly #rows = new Map<string, ConfigObject>();
  #ready = false;

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#services = this.#follow(types.SERVICE, (item) => item as ApiService, (changes) => {
      const names = [...changes.upserts.map(({ metadata }) => metadata), ...changes.deletes];
      this.#update(names.map(({ namespace = "", name }) => idOf(namespace, name)));
    });
    this.#slices = this.#follow(types.ENDPOINT_SLICE, (item) => item as ApiSlice, (changes) => {
      this.#update(this.#index(changes));
    });
    this.#pods = this.#follow(types.POD, podFacts, ({ upserts, deletes }) => {
      this.#updateAt([...upserts, ...deletes].map((one) => `pod ${idOf(one.namespace, one.name)}`));
    });
    this.#nodes = this.#follow(types.NODE, nodeFacts, ({ upserts, deletes }) => {
      this.#updateAt([...upserts, ...deletes].map(({ name }) => `node ${name}`));
    });
    this.synced = Promise.all(this.#all().map(([, { synced }]) => synced)).then(() => {
      this.#ready = true;
      this.#update(
        this.#services.values().map(({ metadata }) =>
          idOf(metadata.namespace ?? "", metadata.name)
        ),
      );
    });
  }

  states(): (readonly [string, FollowState])[] {
    return this.#all().map(([resource, following]) => [resource, following.state()] as const);
  }

  async close(): Promise<void> {
    await Promise.all(this.#all().map(([, following]) => following.close()));
  }

  #all(): readonly (readonly [string, Following<unknown>])[] {
    return [
      ["services", this.#services],
      ["endpointslices.discovery.k8s.io", this.#slices],
      ["pods", this.#pods],
      ["nodes", this.#nodes],
    ];
  }

  #follow<V>(
    type: typeof types.SERVICE,
    convert: (item: ListItem) => V,
    changed: (changes: Changes<V>) => void,
  ): Following<V> {
    const { client, namespace, timing, stateChanged } = this.#options;
    return follow<V>({
      client,
      type,
      convert,
      changed,
      stateChanged,
      ...(type.namespaced && namespace !== "" ? { selection: { namespace } } : {}),
      ...(timing === undefined ? {} : { timing }),
    });
  }

  /** Indexes changed slices; returns the Services that they belong to. */
  #index({ upserts, deletes }: Changes<ApiSlice>): Set<string> {
    const affected = new Set<string>();
    const drop = (slice: string): void => {
      const service = this.#serviceOf.get(slice);
      if (service === undefined) return;
      affected.add(service);
      this.#serviceOf.delete(slice);
      const slices = this.#slicesOf.get(service);
      const last = slices?.get(slice);
      slices?.delete(slice);
      if (slices?.size === 0) this.#slicesOf.delete(service);
      for (const place of last === undefined ? [] : placesOf(last)) {
        const at = this.#slicesAt.get(place);
        at?.delete(slice);
        if (at?.size === 0) this.#slicesAt.delete(place);
      }
    };
    for (const { namespace, name } of deletes) drop(idOf(namespace, name));
    for (const slice of upserts) {
      const { namespace = "", name, labels } = slice.metadata;
      const id = idOf(namespace, name);
      drop(id);
      const owner = labels?.[SERVICE_NAME];
      if (owner === undefined) continue;
      const service = idOf(namespace, owner);
      affected.add(service);
      this.#serviceOf.set(id, service);
      const slices = this.#slicesOf.get(service) ?? new Map<string, ApiSlice>();
      this.#slicesOf.set(service, slices.set(id, slice));
      for (const place of placesOf(slice)) {
        const at = this.#slicesAt.get(place) ?? new Set();
        this.#slicesAt.set(place, at.add(id));
      }
    }
    return affected;
  }

  #updateAt(places: readonly string[]): void {
    const slices = places.flatMap((place) => [...this.#slicesAt.get(place) ?? []]);
    this.#update(new Set(slices.flatMap((slice) => this.#serviceOf.get(slice) ?? [])));
  }

  /** Makes the rows of Services again and reports those that differ. */
  #update(services: Iterable<string>): void {
    if (!this.#ready) return;
    const upserts: ConfigObject[] = [];
    const deletes: ObjectIdentity[] = [];
    for (const id of services) {
      const [namespace = "", name = ""] = id.split(" ");
      const service = this.#services.get({ namespace, name });
      const last = this.#rows.get(id);
      if (service === undefined) {
        if (!this.#rows.delete(id)) continue;
        deletes.push({ kind: "ServiceEntry", namespace, name: rowName(name) });
        continue;
      }
      const row = this.#rowOf(id, service);
      if (row.digest === last?.digest) continue;
      const generation = (last?.meta.generation ?? 0) + 1;
      const next = { ...row, meta: { ...row.meta, generation } };
      this.#rows.set(id, next);
      upserts.push(next);
    }
    if (upserts.length + deletes.length > 0) this.#options.intake.objects({ upserts, deletes });
  }

  #rowOf(id: string, service: ApiService): ConfigObject {
    const slices = [...this.#slicesOf.get(id) ?? []].sort(([a], [b]) => a < b ? -1 : 1);
    return serviceRow(service, {
      slices: slices.map(([, slice]) => slice),
      pod: (namespace, name) => this.#pods.get({ namespace, name }),
      node: (name) => this.#nodes.get({ name }),
      domain: this.#options.domain,
      source: this.#options.source,
    });
  }
}

/** Names have no spaces. */
function idOf(namespace: string, name: string): string {
  return `${namespace} ${name}`;
}

/** The pods and nodes that a slice refers to. */
function placesOf({ metadata, endpoints }: ApiSlice): string[] {
  return (endpoints ?? []).flatMap(({ targetRef, nodeName }) => [
    ...(targetRef?.kind === "Pod" && targetRef.name !== undefined
      ? [`pod ${idOf(targetRef.namespace ?? metadata.namespace ?? "", targetRef.name)}`]
      : []),
    ...(nodeName === undefined ? [] : [`node ${nodeName}`]),
  ]);
}
