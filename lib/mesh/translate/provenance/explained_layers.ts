/**
 * Explained layers: resources with their provenance in metadata, for proxies whose node metadata asks
 * for it (`EXPLAIN`). Such a proxy sees a derived layer in place of each collection. The
 * resources of all other proxies stay the same and shared.
 *
 * Clusters, listeners, route tables and virtual hosts have metadata, and so have the virtual hosts in a
 * table. Assignments have none, but each of their endpoints has.
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
import type { Decision } from "../../../kit/base/mod.ts";
import type { Collection, Graph, Resource } from "../../graph/mod.ts";
import {
  create,
  type DescMessage,
  fromBinary,
  type JsonObject,
  type MessageShape,
  typeUrl,
} from "../../../kit/proto/mod.ts";
import {
  type AnyResourceTable,
  derivedLayer,
  encodeResource,
  resourceTable,
} from "../resources/mod.ts";

/** The namespace of provenance in metadata. */
export const EXPLAIN_METADATA = "mesh.explain";

/** Replaces collections by explained layers. */
export type Explained = (
  layers: ReadonlyMap<string, readonly Collection[]>,
) => Map<string, readonly Collection[]>;

/** The tables whose resources can be explained, by type URL. */
export type Explainable = Readonly<Record<string, readonly AnyResourceTable[]>>;

/**
 * Creates the tables of explained resources, and the function that finds explained layers. Collections
 * of other tables stay as they are.
 */
export function createExplained(graph: Graph, explainable: Explainable): Explained {
  const tables = new Map<AnyResourceTable, AnyResourceTable>();
  for (const [type, bases] of Object.entries(explainable)) {
    const annotate = ANNOTATE[type];
    for (const base of annotate === undefined ? [] : bases) {
      const name = `explained/${shortName(type)}/${base.name}`;
      tables.set(base, explainedTable(graph, name, base, annotate!));
    }
  }
  const layerOf = (original: Collection): Collection => {
    const table = tables.get(original.spec.resources);
    if (table === undefined) return original;
    return derivedLayer(graph, original, { name: `explained/${original.name}`, table });
  };
  return (layers) =>
    new Map([...layers].map(([type, collections]) => [type, collections.map(layerOf)] as const));
}

function shortName(type: string): string {
  return type.slice(type.lastIndexOf(".") + 1);
}

/** The table of explained resources; it has the keys of the original table. */
function explainedTable(
  graph: Graph,
  name: string,
  base: AnyResourceTable,
  annotate: Annotate,
): AnyResourceTable {
  return resourceTable(graph, name, base.keyCodec, (read, key) => {
    const { value, decisions } = read.explain(base, key);
    for (const decision of decisions) read.decide?.(decision);
    return value.map((r) => r.tombstone === true ? r : annotate(r, decisions));
  });
}

/** Adds decisions to a resource. */
type Annotate = (resource: Resource, decisions: readonly Decision[]) => Resource;

function annotation<D extends DescMessage>(
  schema: D,
  add: (message: MessageShape<D>, decisions: readonly Decision[]) => void,
): Annotate {
  return (resource, decisions) => {
    const about = inside(decisions, resource.name, true);
    if (about.length === 0) return resource;
    const message = fromBinary(schema, resource.bytes);
    add(message, about);
    return encodeResource(resource.name, schema, message);
  };
}

/** The decisions about a part, relative to it; with `whole` those about everything, too. */
function inside(decisions: readonly Decision[], part: string, whole = false): Decision[] {
  return decisions.flatMap((d) =>
    d.of[0] === part ? [{ ...d, of: d.of.slice(1) }] : whole && d.of.length === 0 ? [d] : []
  );
}

const ANNOTATE: Readonly<Record<string, Annotate>> = {
  [typeUrl(ClusterSchema)]: annotation(ClusterSchema, addTo<Cluster>),
  [typeUrl(ListenerSchema)]: annotation(ListenerSchema, addTo<Listener>),
  [typeUrl(VirtualHostSchema)]: annotation(VirtualHostSchema, addTo<VirtualHost>),
  [typeUrl(RouteConfigurationSchema)]: annotation(RouteConfigurationSchema, addToTable),
  [typeUrl(ClusterLoadAssignmentSchema)]: annotation(ClusterLoadAssignmentSchema, addToEndpoints),
};

function addTo<M extends { metadata?: Metadata }>(
  message: M,
  decisions: readonly Decision[],
): void {
  if (decisions.length > 0) message.metadata = withProvenance(message.metadata, decisions);
}

/** Virtual hosts get the decisions about them; the table gets the others. */
function addToTable(table: RouteConfiguration, decisions: readonly Decision[]): void {
  const names = new Set(table.virtualHosts.map((v) => v.name));
  for (const host of table.virtualHosts) addTo(host, inside(decisions, host.name));
  addTo(table, decisions.filter(({ of }) => !names.has(of[0] ?? "")));
}

function addToEndpoints(
  assignment: ClusterLoadAssignment,
  decisions: readonly Decision[],
): void {
  for (const locality of assignment.endpoints) {
    for (const endpoint of locality.lbEndpoints) {
      const host = endpoint.hostIdentifier;
      const address = host.case === "endpoint" ? host.value.address?.address : undefined;
      const text = address?.case === "socketAddress"
        ? address.value.address
        : address?.case === "pipe"
        ? `unix://${address.value.path}`
        : "";
      addTo(endpoint, decisions.filter((d) => d.group === "endpoint" && d.value === text));
    }
  }
}

function withProvenance(
  metadata: Metadata | undefined,
  decisions: readonly Decision[],
): Metadata {
  const whole = metadata ?? create(MetadataSchema);
  whole.filterMetadata[EXPLAIN_METADATA] = { groups: decisions.map(asJson) };
  return whole;
}

/** A decision as JSON, without generations: equal content has one version, wherever it is made. */
function asJson({ of, passedOver, ...rest }: Decision): JsonObject {
  const json: JsonObject = {};
  if (of.length > 0) json.of = [...of];
  for (const [key, value] of Object.entries(rest)) if (value !== undefined) json[key] = value;
  if (passedOver !== undefined) json.passedOver = passedOver.map((p) => ({ ...p }) as JsonObject);
  return json;
}
