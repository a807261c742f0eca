/**
 * A discovery server with a store of resources on loopback, and a scripted client.
 *
 * @module
 */
import { create, fromBinary, type MessageInitShape, toBinary } from "../../lib/kit/proto/mod.ts";
import {
  openStream,
  type RpcServer,
  type RpcStream,
  startRpc,
  transportInForce,
} from "../../lib/kit/rpc/mod.ts";
import {
  createXdsServer,
  type XdsLimits,
  type XdsOptions,
  type XdsServer,
} from "../../lib/mesh/xds/mod.ts";
import {
  DeltaDiscoveryRequestSchema,
  type DeltaDiscoveryResponse,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequestSchema,
  type DiscoveryResponse,
  DiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { MESSAGE_MS, nextMessage } from "./next_message.ts";
import { type Store, store } from "./resource_store.ts";

/** A store behind a server. */
export interface World extends Store, AsyncDisposable {
  readonly xds: XdsServer;
  readonly rpc: RpcServer;
  /** Connects a proxy; its namespace decides its class. */
  delta(proxy?: ProxyOptions): Client<DeltaRequest, DeltaDiscoveryResponse>;
  sotw(proxy?: ProxyOptions): Client<SotwRequest, DiscoveryResponse>;
  /**
   * Waits for a condition that needs no input of the test's, turn by turn of the event loop.
   *
   * @throws Error after {@linkcode MESSAGE_MS}
   */
  until(condition: () => boolean): Promise<void>;
  /** A stream without a client's manners. */
  raw(variant: "Stream" | "Delta", window?: number): RpcStream;
}

/** Options of a client. */
export interface ProxyOptions {
  readonly name?: string;
  readonly namespace?: string;
  /** `GENERATOR` of its metadata. */
  readonly generator?: string;
  /** Type of the node; default: `sidecar`. */
  readonly role?: string;
  /** Address of the node; default: `10.0.0.1`. */
  readonly ip?: string;
  /** More of its metadata. */
  readonly metadata?: Readonly<Record<string, string>>;
}

type DeltaRequest = MessageInitShape<typeof DeltaDiscoveryRequestSchema>;
type SotwRequest = MessageInitShape<typeof DiscoveryRequestSchema>;

/** A client that the test controls. */
export interface Client<Request, Response> {
  /** Sends a request; the first one of a stream carries the node. */
  send(request: Request): void;
  /** The next response; an error after {@linkcode MESSAGE_MS}. */
  next(): Promise<Response>;
  /** Acknowledges a response, or rejects it with a message. */
  answer(response: { typeUrl: string; nonce: string }, error?: string, more?: Request): void;
  /** The next response, acknowledged. */
  take(): Promise<Response>;
  /**
   * Asserts that nothing is pending: subscribes to a type that is not served, and expects its empty
   * response to be the next one.
   */
  quiet(): Promise<readonly Response[]>;
  close(): void;
  readonly stream: RpcStream;
}

const SERVICE = "/envoy.service.discovery.v3.AggregatedDiscoveryService/";

/** Starts a server over a new store, or over one that is there, on a port of loopback. */
export async function world(
  types: readonly string[],
  limits?: XdsLimits,
  over: WorldOptions = {},
): Promise<World> {
  const inner = over.store ?? store(types);
  const xds = createXdsServer(serverOptions(inner, limits, over));
  const rpc = await startRpc({
    address: `127.0.0.1:${over.port ?? 0}`,
    services: xds.services,
    transport: transportInForce(),
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
    async until(condition: () => boolean) {
      const end = performance.now() + MESSAGE_MS;
      while (!condition()) {
        if (performance.now() > end) throw new Error(`waited ${MESSAGE_MS} ms: ${condition}`);
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
    },
    delta: (proxy: ProxyOptions = {}) => client(raw("Delta"), proxy, DELTA),
    sotw: (proxy: ProxyOptions = {}) => client(raw("Stream"), proxy, SOTW),
    [Symbol.asyncDispose]: () => rpc.stop(0),
  });
}

/** Parts of a world that differ from the usual ones. */
export interface WorldOptions
  extends Partial<Pick<XdsOptions, "culprits" | "changedAt" | "clock" | "timer" | "observers">> {
  readonly store?: Store;
  readonly port?: number;
  readonly requestRate?: number;
  /** Further options of the server. */
  readonly options?: Partial<XdsOptions>;
}

function serverOptions(
  { source }: Store,
  limits: XdsLimits | undefined,
  over: WorldOptions,
): XdsOptions {
  return {
    source,
    now: () => performance.now(),
    clock: over.clock ?? (() => Date.now()),
    ...(over.timer && { timer: over.timer }),
    pod: "meshd-0",
    instance: `i${++instances}`,
    pushes: 20,
    requestRate: over.requestRate ?? 10_000,
    // Tests say what they wait for; only those about the quiet time wait for it.
    limits: { settleMs: 0, ...limits },
    observers: over.observers ?? [],
    ...(over.changedAt && { changedAt: over.changedAt }),
    ...(over.culprits && { culprits: over.culprits }),
    ...over.options,
  };
}

/** The messages of one variant. */
interface Variant<Request, Response> {
  readonly encode: (request: Request) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => Response;
  readonly empty: Request;
}

const DELTA: Variant<DeltaRequest, DeltaDiscoveryResponse> = {
  encode: (request) =>
    toBinary(DeltaDiscoveryRequestSchema, create(DeltaDiscoveryRequestSchema, request)),
  decode: (bytes) => fromBinary(DeltaDiscoveryResponseSchema, bytes),
  empty: {},
};

const SOTW: Variant<SotwRequest, DiscoveryResponse> = {
  encode: (request) => toBinary(DiscoveryRequestSchema, create(DiscoveryRequestSchema, request)),
  decode: (bytes) => fromBinary(DiscoveryResponseSchema, bytes),
  empty: {},
};

/** A node of the usual form. */
export function nodeOf(
  { name = "app", namespace = "default", generator, role = "sidecar", ip, metadata }: ProxyOptions,
): { id: string; metadata?: Record<string, string> } {
  const all = { ...metadata, ...generator === undefined ? {} : { GENERATOR: generator } };
  return {
    id: `${role}~${ip ?? "10.0.0.1"}~${name}.${namespace}~${namespace}.svc.cluster.local`,
    ...Object.keys(all).length === 0 ? {} : { metadata: all },
  };
}

let probes = 0;
let instances = 0;

function client<Request extends object, Response extends { typeUrl: string; nonce: string }>(
  stream: RpcStream,
  proxy: ProxyOptions,
  { encode, decode, empty }: Variant<Request, Response>,
): Client<Request, Response> {
  const incoming = stream.messages[Symbol.asyncIterator]();
  let first = true;
  const send = (request: Request) => {
    stream.send(encode(first ? { ...request, node: nodeOf(proxy) } : request));
    first = false;
  };
  const next = async () => decode(await nextMessage(incoming));
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
