/**
 * The resources that a proxy is served, decoded on demand.
 *
 * @module
 */
import {
  type Any,
  type DescMessage,
  fromBinary,
  isMessage,
  type Message,
  type MessageShape,
  typeUrl,
} from "../../kit/proto/mod.ts";
import { type Cluster, ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
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

import { SecretSchema } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";

/** An encoded resource. */
export interface Encoded {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Resources of a type, by its URL; a view of what a proxy is served is one. */
export type Served = (typeUrl: string) => Shelf | undefined;

/** Resources of one type. */
export interface Shelf {
  entries(): Iterable<Encoded>;
  get(name: string): Encoded | undefined;
}

/** Decoded resources. */
export interface Resources {
  readonly listeners: readonly Listener[];
  readonly route: (name: string) => RouteConfiguration | undefined;
  readonly cluster: (name: string) => Cluster | undefined;
  readonly endpoints: (name: string) => ClusterLoadAssignment | undefined;
  readonly hasSecret: (name: string) => boolean;
}

/** Decodes a message, which nobody may change. */
export type Decode = <D extends DescMessage>(schema: D, bytes: Uint8Array) => MessageShape<D>;

/** Decodes each array of bytes once, for as long as the bytes are kept by others. */
export function decodeOnce(): Decode {
  const known = new WeakMap<Uint8Array, Message>();
  return (schema, bytes) => {
    const found = known.get(bytes);
    if (found !== undefined && isMessage(found, schema)) return found;
    const made = fromBinary(schema, bytes);
    known.set(bytes, made);
    return made;
  };
}

/** Wraps served resources. Throws for bytes that do not decode. */
export function resourcesOf(served: Served, decode: Decode = fromBinary): Resources {
  const find = <D extends DescMessage>(schema: D): (name: string) => MessageShape<D> | undefined =>
    memo((name) => {
      const found = served(typeUrl(schema))?.get(name);
      return found && decode(schema, found.bytes);
    });
  const table = find(RouteConfigurationSchema);
  return {
    listeners: [...served(typeUrl(ListenerSchema))?.entries() ?? []]
      .map(({ bytes }) => decode(ListenerSchema, bytes)),
    route: memo((name) => {
      const found = table(name);
      return found?.vhds === undefined ? found : {
        ...found,
        virtualHosts: [...found.virtualHosts, ...hostsApart(served, name, decode)],
      };
    }),
    cluster: find(ClusterSchema),
    endpoints: find(ClusterLoadAssignmentSchema),
    hasSecret: (name) => served(typeUrl(SecretSchema))?.get(name) !== undefined,
  };
}

/** Returns virtual hosts that are resources (VHDS), named `table/host`. */
function hostsApart(served: Served, table: string, decode: Decode): VirtualHost[] {
  return [...served(typeUrl(VirtualHostSchema))?.entries() ?? []]
    .filter(({ name }) => name.startsWith(`${table}/`))
    .map(({ bytes }) => decode(VirtualHostSchema, bytes));
}

function memo<T>(make: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined || known.has(name)) return found!;
    const made = make(name);
    known.set(name, made);
    return made;
  };
}

/** Returns the message in an `Any`; `undefined` if it has another type. */
export function unpack<D extends DescMessage>(
  schema: D,
  any: Any | undefined,
): MessageShape<D> | undefined {
  return any?.typeUrl === typeUrl(schema) ? fromBinary(schema, any.value) : undefined;
}
