/**
 * A small world for the tests of serving: resources in the real engine, seats by class, the real
 * gRPC server on loopback, and a client that can be watched.
 *
 * @module
 */
import { hash } from "../base/mod.ts";
import {
  type Collection,
  createGraph,
  type Graph,
  type Input,
  type Resource,
  type View,
} from "../graph/mod.ts";
import type { ProxyNode, Seat, SeatSource } from "../model/mod.ts";
import { create, fromBinary, type MessageInitShape, toBinary } from "../proto/mod.ts";
import { openStream, type RpcServer, type RpcStream, startRpc } from "../rpc/mod.ts";
import { createXdsServer, type XdsLimits, type XdsServer } from "./mod.ts";
import {
  DeltaDiscoveryRequestSchema,
  type DeltaDiscoveryResponse,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequestSchema,
  type DiscoveryResponse,
  DiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";

/** Contents by name; `undefined` takes a resource away. */
export type Edit = Readonly<Record<string, string | undefined>>;

/** Resources in layers: `public` for all, and one layer for each class of its own. */
export interface Store {
  readonly graph: Graph;
  readonly source: SeatSource;
  /** Changes resources of a type in a layer, without publishing. */
  set(typeUrl: string, edit: Edit, layer?: string): void;
  /** Publishes what was changed. */
  publish(): void;
  /** Puts all seats of a namespace into another class, within a publication. */
  move(namespace: string, classKey: string): void;
  readonly seats: number;
}

/** A store that serves the given types. The class of a node is its namespace. */
export function store(types: readonly string[]): Store {
  const graph = createGraph();
  const tables = new Map(types.map((type) => [type, table(graph, type)]));
  const classes = new Map<string, string>();
  const seats = new Map<object, { namespace: string; onMove: () => void }>();
  const listeners = new Set<(changed: ReadonlySet<Collection>, revision: number) => void>();
  let revision = 0;
  const publish = (before: () => void = () => {}) => {
    const changed = graph.publish();
    revision = graph.revision;
    before();
    for (const listener of listeners) listener(changed, revision);
  };
  const classOf = (namespace: string) => classes.get(namespace) ?? namespace;
  const seat = (node: ProxyNode, onMove: () => void): Seat => {
    const key = {};
    seats.set(key, { namespace: node.namespace, onMove });
    return {
      get classKey() {
        return classOf(node.namespace);
      },
      view: (typeUrl) => tables.get(typeUrl)?.view(classOf(node.namespace)),
      close: () => void seats.delete(key),
    };
  };
  publish();
  return {
    graph,
    source: {
      seat,
      onPublish(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      get revision() {
        return revision;
      },
    },
    set(typeUrl, edit, layer = "public") {
      const rows = tables.get(typeUrl)!.rows;
      graph.transaction((tx) => {
        for (const [name, content] of Object.entries(edit)) {
          if (content === undefined) tx.delete(rows, `${layer}/${name}`);
          else tx.set(rows, `${layer}/${name}`, content);
        }
      });
    },
    publish: () => publish(),
    move(namespace, classKey) {
      classes.set(namespace, classKey);
      publish(() => {
        for (const one of seats.values()) if (one.namespace === namespace) one.onMove();
      });
    },
    get seats() {
      return seats.size;
    },
  };
}

function table(
  graph: Graph,
  type: string,
): { rows: Input<string>; view(classKey: string): View } {
  const rows = graph.input<string>(`rows ${type}`);
  const byLayer = graph.index(rows, `layer ${type}`, (_, key) => [[key.split("/")[0]!, key]]);
  const made = graph.derive<readonly Resource[]>(`resource ${type}`, (read, key) => {
    const content = read.get(rows, key);
    if (content === undefined) return [];
    const bytes = new TextEncoder().encode(content);
    return [{ name: key.slice(key.indexOf("/") + 1), version: hash(bytes), bytes }];
  });
  const layer = (name: string) =>
    graph.collection(`${type} ${name}`, () => ({
      members: { index: byLayer, buckets: [name] },
      resources: made,
    }));
  return { rows, view: (classKey) => graph.view([layer(classKey), layer("public")]) };
}

/** A store behind a server. */
export interface World extends Store, AsyncDisposable {
  readonly xds: XdsServer;
  readonly rpc: RpcServer;
  /** Connects a proxy; its namespace decides its class. */
  delta(proxy?: ProxyOptions): Client<DeltaRequest, DeltaDiscoveryResponse>;
  sotw(proxy?: ProxyOptions): Client<SotwRequest, DiscoveryResponse>;
  /** A stream without a client's manners. */
  raw(variant: "Stream" | "Delta", window?: number): RpcStream;
}

/** How a client differs from the usual one. */
export interface ProxyOptions {
  readonly name?: string;
  readonly namespace?: string;
}

type DeltaRequest = MessageInitShape<typeof DeltaDiscoveryRequestSchema>;
type SotwRequest = MessageInitShape<typeof DiscoveryRequestSchema>;

/** A client that is told what to say. */
export interface Client<Request, Response> {
  /** Sends a request; the first one of a stream carries the node. */
  send(request: Request): void;
  /** The next response. */
  next(): Promise<Response>;
  /** Acknowledges a response, or rejects it with a message. */
  answer(response: { typeUrl: string; nonce: string }, error?: string, more?: Request): void;
  /** The next response, acknowledged. */
  take(): Promise<Response>;
  /**
   * Asserts that nothing else is under way: asks for a type that nobody serves, and expects its
   * empty answer to be the next response.
   */
  quiet(): Promise<readonly Response[]>;
  close(): void;
  readonly stream: RpcStream;
}

const SERVICE = "/envoy.service.discovery.v3.AggregatedDiscoveryService/";

/** Starts a server over a store. */
export async function world(types: readonly string[], limits?: XdsLimits): Promise<World> {
  const inner = store(types);
  const xds = createXdsServer({
    source: inner.source,
    now: () => performance.now(),
    clock: () => Date.now(),
    pod: "meshd-0",
    instance: "i",
    pushes: 20,
    requestRate: 10_000,
    ...(limits && { limits }),
  });
  const rpc = await startRpc({
    address: "127.0.0.1:0",
    services: xds.services,
    limits: { maxReceive: 16 << 20, maxStreams: 1000 },
    keepalive: { interval: 30_000, timeout: 10_000 },
  });
  const raw = (variant: "Stream" | "Delta", window?: number) =>
    openStream({
      target: rpc.address,
      path: `${SERVICE}${variant}AggregatedResources`,
      ...(window && { window }),
    });
  return Object.assign(Object.create(inner) as Store, {
    xds,
    rpc,
    raw,
    delta: (proxy: ProxyOptions = {}) => {
      const stream = raw("Delta");
      return client<DeltaRequest, DeltaDiscoveryResponse>(
        stream,
        proxy,
        (request) =>
          toBinary(DeltaDiscoveryRequestSchema, create(DeltaDiscoveryRequestSchema, request)),
        (bytes) => fromBinary(DeltaDiscoveryResponseSchema, bytes),
        {},
      );
    },
    sotw: (proxy: ProxyOptions = {}) => {
      const stream = raw("Stream");
      return client<SotwRequest, DiscoveryResponse>(
        stream,
        proxy,
        (request) => toBinary(DiscoveryRequestSchema, create(DiscoveryRequestSchema, request)),
        (bytes) => fromBinary(DiscoveryResponseSchema, bytes),
        {},
      );
    },
    [Symbol.asyncDispose]: () => rpc.stop(0),
  });
}

/** A node of the usual form. */
export function nodeOf({ name = "app", namespace = "default" }: ProxyOptions): { id: string } {
  return { id: `sidecar~10.0.0.1~${name}.${namespace}~${namespace}.svc.cluster.local` };
}

let probes = 0;

function client<Request extends object, Response extends { typeUrl: string; nonce: string }>(
  stream: RpcStream,
  proxy: ProxyOptions,
  encode: (request: Request) => Uint8Array,
  decode: (bytes: Uint8Array) => Response,
  empty: Request,
): Client<Request, Response> {
  const incoming = stream.messages[Symbol.asyncIterator]();
  let first = true;
  const send = (request: Request) => {
    stream.send(encode(first ? { ...request, node: nodeOf(proxy) } : request));
    first = false;
  };
  const next = async () => {
    const { value, done } = await incoming.next();
    if (done) throw new Error("the stream ended");
    return decode(value);
  };
  const answer = (response: { typeUrl: string; nonce: string }, error?: string, more?: Request) =>
    send({
      ...empty,
      ...more,
      typeUrl: response.typeUrl,
      responseNonce: response.nonce,
      ...(error !== undefined && { errorDetail: { code: 13, message: error } }),
    });
  return {
    stream,
    send,
    next,
    answer,
    async take() {
      const response = await next();
      answer(response);
      return response;
    },
    async quiet() {
      const typeUrl = `type.googleapis.com/test.Probe${++probes}`;
      send({ ...empty, typeUrl });
      const before: Response[] = [];
      while (true) {
        const response = await next();
        if (response.typeUrl === typeUrl) {
          answer(response);
          return before;
        }
        before.push(response);
      }
    },
    close: () => stream.close(),
  };
}
