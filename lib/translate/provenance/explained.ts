/**
 * Resources that carry their provenance: for proxies whose metadata asks for it
 * (`EXPLAIN`). Each collection that such a proxy sees has a twin with the same
 * members, whose resources are those of the collection with metadata added; the
 * resources of all other proxies are not touched, and shared as before.
 *
 * Clusters, listeners, route tables and virtual hosts take the metadata as they
 * are. Assignments have none, but each of their endpoints has. Virtual hosts in a
 * table have their own.
 *
 * @module
 */
import { type Cluster, ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { type Metadata, MetadataSchema } from "#envoy/config/core/v3/base_pb.ts";
import {
  type ClusterLoadAssignment,
  ClusterLoadAssignmentSchema,
} from "#envoy/config/endpoint/v3/endpoint_pb.ts";
import { type Listener, ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { type VirtualHost, VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import {
  type RouteConfiguration,
  RouteConfigurationSchema,
} from "#envoy/config/route/v3/route_pb.ts";
import type { Told } from "../../derive/mod.ts";
import type { Collection, Derived, Graph, Resource } from "../../graph/mod.ts";
import {
  create,
  type DescMessage,
  fromBinary,
  type JsonObject,
  type MessageShape,
  typeUrl,
} from "../../proto/mod.ts";
import { copyScope, encodeResource, sameResources } from "../resources/mod.ts";

/** The namespace of provenance in metadata. */
export const EXPLAIN_METADATA = "mesh.explain";

/** Puts the twins in the place of collections. */
export type Explained = (
  layers: ReadonlyMap<string, readonly Collection[]>,
) => Map<string, readonly Collection[]>;

/** The tables whose resources can be explained, by type URL. */
export type Explainable = Readonly<Record<string, readonly AnyTable[]>>;

/** A table of resources, with keys of any type. */
type AnyTable = Derived<readonly Resource[], unknown>;

/**
 * Creates the tables of explained resources, and the function that finds twins.
 * Collections of other tables stand for themselves.
 */
export function createExplained(graph: Graph, explainable: Explainable): Explained {
  const tables = new Map<AnyTable, AnyTable>();
  for (const [type, bases] of Object.entries(explainable)) {
    const annotate = ANNOTATE[type];
    for (const base of annotate === undefined ? [] : bases) {
      const name = `explained/${shortName(type)}/${base.name}`;
      tables.set(base, explainedTable(graph, name, annotate!, base));
    }
  }
  const twinOf = (collection: Collection): Collection => {
    const { spec } = collection;
    const table = tables.get(spec.resources);
    if (table === undefined) return collection;
    const twin = graph.collection(
      `explained/${collection.name}`,
      () => ({ ...spec, resources: table }),
    );
    return copyScope(collection, twin);
  };
  return (layers) =>
    new Map([...layers].map(([type, collections]) => [type, collections.map(twinOf)] as const));
}

function shortName(type: string): string {
  return type.slice(type.lastIndexOf(".") + 1);
}

/** The table of explained resources: the same keys as the one it explains. */
function explainedTable(
  graph: Graph,
  name: string,
  annotate: Annotate,
  base: AnyTable,
): AnyTable {
  return graph.derive(name, base.keyCodec, (read, key): readonly Resource[] => {
    const { value, decisions } = read.explain(base, key);
    for (const decision of decisions) read.decide?.(decision);
    return value.map((r) => r.tombstone === true ? r : annotate(r, decisions));
  }, { equal: sameResources });
}

/** Adds what was told to a resource. */
type Annotate = (resource: Resource, told: readonly Told[]) => Resource;

function annotation<D extends DescMessage>(
  schema: D,
  add: (message: MessageShape<D>, told: readonly Told[]) => void,
): Annotate {
  return (resource, told) => {
    const about = inside(told, resource.name, true);
    if (about.length === 0) return resource;
    const message = fromBinary(schema, resource.bytes);
    add(message, about);
    return encodeResource(resource.name, schema, message);
  };
}

/** What is about a part, seen from there; with `whole` what is about everything too. */
function inside(told: readonly Told[], part: string, whole = false): Told[] {
  return told.flatMap((t) =>
    t.of[0] === part ? [{ ...t, of: t.of.slice(1) }] : whole && t.of.length === 0 ? [t] : []
  );
}

const ANNOTATE: Readonly<Record<string, Annotate>> = {
  [typeUrl(ClusterSchema)]: annotation(ClusterSchema, addTo<Cluster>),
  [typeUrl(ListenerSchema)]: annotation(ListenerSchema, addTo<Listener>),
  [typeUrl(VirtualHostSchema)]: annotation(VirtualHostSchema, addTo<VirtualHost>),
  [typeUrl(RouteConfigurationSchema)]: annotation(RouteConfigurationSchema, addToTable),
  [typeUrl(ClusterLoadAssignmentSchema)]: annotation(ClusterLoadAssignmentSchema, addToEndpoints),
};

function addTo<M extends { metadata?: Metadata }>(message: M, told: readonly Told[]): void {
  if (told.length > 0) message.metadata = withProvenance(message.metadata, told);
}

/** Virtual hosts take what is about them; the table takes the rest. */
function addToTable(table: RouteConfiguration, told: readonly Told[]): void {
  const names = new Set(table.virtualHosts.map((v) => v.name));
  for (const host of table.virtualHosts) addTo(host, inside(told, host.name));
  addTo(table, told.filter(({ of }) => !names.has(of[0] ?? "")));
}

function addToEndpoints(assignment: ClusterLoadAssignment, told: readonly Told[]): void {
  for (const locality of assignment.endpoints) {
    for (const endpoint of locality.lbEndpoints) {
      const host = endpoint.hostIdentifier;
      const address = host.case === "endpoint" ? host.value.address?.address : undefined;
      const text = address?.case === "socketAddress"
        ? address.value.address
        : address?.case === "pipe"
        ? `unix://${address.value.path}`
        : "";
      addTo(endpoint, told.filter((t) => t.group === "endpoint" && t.value === text));
    }
  }
}

function withProvenance(metadata: Metadata | undefined, told: readonly Told[]): Metadata {
  const whole = metadata ?? create(MetadataSchema);
  whole.filterMetadata[EXPLAIN_METADATA] = { groups: told.map(asJson) };
  return whole;
}

/** No generations here: of one content there is one version, wherever and whenever it is made. */
function asJson({ of, passedOver, ...rest }: Told): JsonObject {
  const told: JsonObject = {};
  if (of.length > 0) told.of = [...of];
  for (const [key, value] of Object.entries(rest)) if (value !== undefined) told[key] = value;
  if (passedOver !== undefined) told.passedOver = passedOver.map((p) => ({ ...p }) as JsonObject);
  return told;
}
