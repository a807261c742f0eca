/**
 * gRPC over the own HTTP/2: requests become calls of methods, and outcomes become trailers.
 *
 * @module
 */
import { scope } from "../../log/mod.ts";
import { type RpcCall, type RpcMethod, runMethod } from "../call.ts";
import { inbox, outbox } from "../flow.ts";
import type { H2Stream, Headers, StreamListener } from "../h2/mod.ts";
import type { RpcLimits, RpcOptions, RpcServer } from "../options.ts";
import { RpcError, toRpcError } from "../status.ts";
import { serveConnections } from "./connections.ts";
import { abortedError, statusHeaders } from "./status.ts";

const log = scope("grpc");

/** Starts a server; see {@link StartTransport}. */
export function startNative(options: RpcOptions): Promise<RpcServer> {
  const methods = new Map(options.services.map((method) => [method.path, method]));
  return serveConnections(options, (peer) => (stream, headers, end) => {
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
  void runMethod(method, call).then(conclude);
  return listener(incoming, conclude, over);
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
