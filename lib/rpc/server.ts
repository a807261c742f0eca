/**
 * The gRPC server: bidirectional methods over raw bytes, with limits on everything.
 *
 * @module
 */
import { scope } from "../log/mod.ts";
import { inbox, type Outbox, outbox } from "./flow.ts";
import type { H2Stream, Headers, StreamListener } from "./h2/mod.ts";
import { listen, type ListenOptions, type RpcLimits, type RpcServer } from "./listen.ts";
import { abortedError, RpcError, statusHeaders, toRpcError } from "./status.ts";

const log = scope("grpc");

/** What a server is started with. */
export interface RpcOptions extends ListenOptions {
  readonly services: readonly RpcMethod[];
}

/** One stream as its handler sees it. */
export interface RpcCall extends Outbox {
  /** `address:port` of the client; `unix` over a socket file. */
  readonly peer: string;
  /** Request headers, names in lower case; binary ones are left out. */
  readonly metadata: ReadonlyMap<string, string>;
  /** What the client sends; ends when it closed its side or the stream is gone. Read by one reader. */
  readonly messages: AsyncIterable<Uint8Array>;
  /** Resolves when the stream is over: its handler is done, or it was cut by either side. */
  readonly ended: Promise<void>;
  /** Ends `messages`, so that the handler comes to its end; with an error, reading fails with it. */
  finish(error?: RpcError): void;
  /** Cuts the stream at once; what is queued is lost. For clients that do not read. */
  reset(): void;
}

/** A bidirectional method. Returning ends the stream with OK, throwing an {@link RpcError} with its status. */
export interface RpcMethod {
  /** For example `/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources`. */
  readonly path: string;
  handle(call: RpcCall): Promise<void>;
}

/** Starts a server; throws `MeshError` `rpc-bind` or `rpc-address-invalid`. */
export function startRpc(options: RpcOptions): Promise<RpcServer> {
  const methods = new Map(options.services.map((method) => [method.path, method]));
  return listen(options, (peer) => (stream, headers, end) => {
    const call = { peer, stream, headers: new Map(headers), end, limits: options.limits };
    return accept(methods, call);
  });
}

/** A request as it comes in. */
interface Arrival {
  readonly peer: string;
  readonly stream: H2Stream;
  readonly headers: ReadonlyMap<string, string>;
  readonly end: boolean;
  readonly limits: RpcLimits;
}

const RESPONSE: Headers = [[":status", "200"], ["content-type", "application/grpc"]];
/** For streams that are answered before anybody listens. */
const NOBODY: StreamListener = { headers() {}, data() {}, aborted() {} };

function accept(methods: ReadonlyMap<string, RpcMethod>, arrival: Arrival): StreamListener {
  const { stream, headers } = arrival;
  const isGrpc = headers.get("content-type")?.startsWith("application/grpc") &&
    headers.get(":method") === "POST";
  if (!isGrpc) {
    stream.headers([[":status", "415"]], true);
    return NOBODY;
  }
  const path = headers.get(":path") ?? "";
  const method = methods.get(path);
  if (!method) {
    const error = new RpcError("UNIMPLEMENTED", `there is no method ${path.slice(0, 200)}`);
    stream.headers([...RESPONSE, ...statusHeaders(error)], true);
    return NOBODY;
  }
  return run(method, arrival);
}

/** Runs a handler over a stream, and ends the stream with what became of it. */
function run(method: RpcMethod, { peer, stream, headers, end, limits }: Arrival): StreamListener {
  let begun = false;
  const out = outbox((parts, taken) => {
    if (!begun) stream.headers(RESPONSE, false);
    begun = true;
    stream.data(parts, taken);
  });
  const incoming = inbox(stream, limits.maxReceive);
  const gone = Promise.withResolvers<void>();
  const over = () => {
    out.release();
    incoming.finish();
    gone.resolve();
  };
  const conclude = (error: RpcError | undefined) => {
    const status = statusHeaders(error);
    stream.headers(begun ? status : [...RESPONSE, ...status], true);
    over();
  };
  if (end) incoming.finish();
  const call: RpcCall = {
    peer,
    metadata: headers,
    messages: incoming,
    ended: gone.promise,
    send: out.send,
    drained: out.drained,
    finish: incoming.finish,
    get pending() {
      return out.pending;
    },
    reset: () => {
      stream.reset("CANCEL");
      over();
    },
  };
  handle(method, call).then(conclude);
  return listener(incoming, conclude, over);
}

/** The handler's outcome: `undefined` for OK. */
async function handle(method: RpcMethod, call: RpcCall): Promise<RpcError | undefined> {
  try {
    await method.handle(call);
    return undefined;
  } catch (error) {
    if (!(error instanceof RpcError)) {
      log.error("a gRPC handler failed", { method: method.path, error });
    }
    return toRpcError(error);
  }
}

function listener(
  incoming: ReturnType<typeof inbox>,
  conclude: (error: RpcError) => void,
  over: () => void,
): StreamListener {
  return {
    // Trailers of a request mean nothing in gRPC but that it is complete.
    headers(_, end) {
      if (end) incoming.finish();
    },
    data(bytes, end) {
      try {
        incoming.push(bytes);
      } catch (error) {
        conclude(toRpcError(error));
      }
      if (end) incoming.finish();
    },
    aborted(code, error) {
      log.debug("a stream was cut", { reason: abortedError(code, error).details });
      over();
    },
  };
}
