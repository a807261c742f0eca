/**
 * The followed resource types of a registry.
 *
 * @module
 */
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
} from "../../../../kit/orch/mod.ts";
import {
  type ApiService,
  type ApiSlice,
  type NodeFacts,
  type PodFacts,
  podFacts,
  withAmbient,
} from "./api.ts";
import { nodeFacts } from "./locality.ts";
import { eventCounter, registryEvents } from "./metrics.ts";
import { type ApiImport, exportType, importType, type Sharing } from "./sharing.ts";
import { idOf } from "./slice_index.ts";

/** Settings of following. */
export interface FollowOptions {
  readonly client: OrchClient;
  /** The only namespace that is read; empty: all. */
  readonly namespace: string;
  /** `undefined`: the endpoints of all Services are shared with other clusters. */
  readonly sharing?: Sharing | undefined;
  /** True: facts that ambient mode needs are kept; default: false. */
  readonly ambient?: boolean;
  readonly timing?: Partial<FollowTiming>;
  readonly stateChanged: () => void;
}

/** Receivers of changes. None is called before the types are returned. */
export interface TypeHandlers {
  readonly services: (changes: Changes<ApiService>) => void;
  readonly slices: (changes: Changes<ApiSlice>) => void;
  readonly pods: (changes: Changes<PodFacts>) => void;
  readonly nodes: (changes: Changes<NodeFacts>) => void;
  /** ServiceExports and ServiceImports. */
  readonly shared: (changes: Changes<ListItem>) => void;
}

/** The followed types. */
export interface RegistryTypes {
  readonly services: Following<ApiService>;
  readonly slices: Following<ApiSlice>;
  readonly pods: Following<PodFacts>;
  readonly nodes: Following<NodeFacts>;
  readonly exports: Following<ListItem> | undefined;
  readonly imports: Following<ApiImport> | undefined;
  /** Resolves when all objects of all types were received. */
  readonly synced: Promise<void>;
  states(): (readonly [resource: string, state: FollowState])[];
  close(): Promise<void>;
}

/** Names of types in the metric of events. */
const EVENT_TYPES: Readonly<Record<string, string>> = {
  Service: "Services",
  EndpointSlice: "EndpointSlice",
  Pod: "Pods",
  Node: "Nodes",
};

/** Begins to follow. */
export function followTypes(options: FollowOptions, handlers: TypeHandlers): RegistryTypes {
  const { sharing } = options;
  const common = {
    services: follower(options, types.SERVICE, (item) => item as ApiService, handlers.services),
    slices: follower(options, types.ENDPOINT_SLICE, (item) => item as ApiSlice, handlers.slices),
    pods: follower(
      options,
      types.POD,
      options.ambient === true ? (item) => withAmbient(podFacts(item), item) : podFacts,
      handlers.pods,
    ),
    nodes: follower(options, types.NODE, nodeFacts, handlers.nodes),
  };
  const shared = <V extends ListItem>(type: ResourceType): Following<V> =>
    sharedFollower<V>(options, type, handlers.shared);
  const exports = sharing === undefined ? undefined : shared<ListItem>(exportType());
  const imports = sharing?.host === true ? shared<ApiImport>(importType()) : undefined;
  const all: (readonly [string, Following<unknown>])[] = [
    ["services", common.services],
    ["endpointslices.discovery.k8s.io", common.slices],
    ["pods", common.pods],
    ["nodes", common.nodes],
  ];
  if (exports !== undefined) all.push([resourceOf(exportType()), exports]);
  if (imports !== undefined) all.push([resourceOf(importType()), imports]);
  return {
    ...common,
    exports,
    imports,
    synced: Promise.all(all.map(([, { synced }]) => synced)).then(() => {}),
    states: () => all.map(([resource, following]) => [resource, following.state()] as const),
    close: async () => {
      await Promise.all(all.map(([, following]) => following.close()));
    },
  };
}

function resourceOf({ plural, group }: ResourceType): string {
  return `${plural}.${group}`;
}

function follower<V extends ListItem | PodFacts | NodeFacts>(
  { client, namespace, timing, stateChanged }: FollowOptions,
  type: typeof types.SERVICE,
  convert: (item: ListItem) => V,
  changed: (changes: Changes<V>) => void,
): Following<V> {
  const count = eventCounter<V>(registryEvents, EVENT_TYPES[type.kind] ?? type.kind, (value) => {
    const meta: { namespace?: string; name: string } = "metadata" in value ? value.metadata : value;
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
    // Heartbeats and status change many fields of pods and nodes that no fact is made from.
    ...(type === types.POD || type === types.NODE ? { contentOf: (facts) => facts } : {}),
    ...(type.namespaced && namespace !== "" ? { selection: { namespace } } : {}),
    ...(timing === undefined ? {} : { timing }),
  });
}

/** Follows a type of shared services, which servers need not have. */
function sharedFollower<V extends ListItem>(
  { client, namespace, timing, stateChanged }: FollowOptions,
  type: ResourceType,
  changed: (changes: Changes<ListItem>) => void,
): Following<V> {
  return follow<V>({
    client,
    type,
    optional: true,
    convert: (item) => item as V,
    changed,
    stateChanged,
    ...(namespace === "" ? {} : { selection: { namespace } }),
    ...(timing === undefined ? {} : { timing }),
  });
}
