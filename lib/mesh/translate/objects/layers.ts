/**
 * The rows of the input tables as resources: one collection for each kind, made when the first
 * client subscribes to it.
 *
 * @module
 */
import { MetadataSchema, ResourceSchema } from "#mesh/mcp/v1alpha1/resource_pb.ts";
import { type Mesh, tableOf } from "../../derive/mod.ts";
import { type Collection, type Index, text } from "../../graph/mod.ts";
import { type ConfigObject, objectType } from "../../model/mod.ts";
import { create, type Message, packAny, timestampFromMs } from "../../../kit/proto/mod.ts";
import {
  findKind,
  isTableKind,
  TABLE_KINDS,
  TABLED_KINDS,
  type TableKind,
} from "../../schema/mod.ts";
import { encodeResource, type ResourceTable, resourceTable } from "../resources/mod.ts";

/** The collection of a type URL such as `networking.mesh.io/v1/Gateway`; `undefined` for others. */
export type ObjectLayers = (typeUrl: string) => Collection | undefined;

/** The bucket that has all rows of a table. */
const ALL = "all";

/** A kind's resources and their members. */
interface Served {
  readonly resources: ResourceTable;
  readonly rows: Index;
}

/** Creates the tables and the function that finds collections. */
export function objectLayers(mesh: Mesh): ObjectLayers {
  const { graph } = mesh;
  const served = new Map<string, Served>(TABLE_KINDS.map((kind) => [kind, serve(mesh, kind)]));
  return (typeUrl) => {
    const type = objectType(typeUrl);
    const kind = type && findKind(type.group, type.kind);
    if (!type || !kind?.versions.includes(type.version) || !isTableKind(kind.kind)) {
      return undefined;
    }
    const { resources, rows } = served.get(kind.kind)!;
    // All versions of a kind have the same content.
    return graph.collection(`objects/${kind.kind}`, () => ({
      members: { index: rows, buckets: [ALL] },
      resources,
    }));
  };
}

function serve(mesh: Mesh, kind: TableKind): Served {
  const { graph } = mesh;
  const table = tableOf(mesh.tables, kind);
  const codecs = { bucket: text, member: table.keyCodec };
  return {
    rows: graph.index(table, `${kind}.rows`, codecs, (row, key) =>
      // Rows of Services and pods are no configuration; objects of other clusters are served there.
      row.meta.kind === kind && row.meta.origin.cluster === undefined ? [[ALL, key]] : []),
    resources: resourceTable(graph, `object/${kind}`, table.keyCodec, (read, key) => {
      const object = read.get(table, key);
      return object === undefined ? [] : [resourceOf(kind, key, object)];
    }),
  };
}

/** An object in its envelope; its name is the key of its row. */
function resourceOf(
  kind: TableKind,
  key: string,
  { meta, spec, writtenSpec, digest }: ConfigObject,
) {
  const { labels, annotations, creationTime } = meta;
  return encodeResource(
    key,
    ResourceSchema,
    create(ResourceSchema, {
      metadata: create(MetadataSchema, {
        name: key,
        version: digest,
        labels: { ...labels },
        annotations: { ...annotations },
        ...(creationTime > 0 ? { createTime: timestampFromMs(creationTime) } : {}),
      }),
      body: packAny(TABLED_KINDS[kind].schema, (writtenSpec ?? spec) as Message),
    }),
  );
}
