/**
 * gRPC over Mesh's HTTP/2: requests become calls of methods, and outcomes become trailers.
 *
 * @module
 */
import { type RpcMethod, runMethod } from "../call.ts";
import type { H2Stream, Headers, StreamListener } from "../h2/mod.ts";
import type { RpcOptions, RpcServer } from "../options.ts";
import { RpcError, toRpcError } from "../status.ts";
import { openCall, type Peer } from "./call.ts";
import { serveConnections } from "./connections.ts";
import { httpRefusal, metadataOf, pathOf, timeoutOf } from "./request.ts";
import { responseHeaders } from "./status.ts";

/** Characters of an unknown path that are sent back. */
const MAX_PATH = 200;

/** Starts a server; see {@link StartTransport}. */
export function startNative(options: RpcOptions): Promise<RpcServer> {
  const methods = new Map(options.services.map((method) => [method.path, method]));
  const { maxReceive } = options.limits;
  return serveConnections(options, (peer) => (stream, headers, end) => {
    try {
      return accept(methods, { peer, maxReceive }, { stream, headers, end });
    } catch (error) {
      stream.headers(responseHeaders(toRpcError(error)), true);
      return NO_LISTENER;
    }
  });
}

/** A request that opened a stream. */
interface Request {
  readonly stream: H2Stream;
  readonly headers: Headers;
  readonly end: boolean;
}

/** The listener of streams that are answered at once. */
const NO_LISTENER: StreamListener = { headers() {}, data() {}, aborted() {} };

/** Begins the call of a request. Throws `RpcError` for one that calls no method. */
function accept(
  methods: ReadonlyMap<string, RpcMethod>,
  context: { readonly peer: Peer; readonly maxReceive: number },
  { stream, headers, end }: Request,
): StreamListener {
  const status = httpRefusal(headers);
  if (status !== undefined) {
    stream.headers([[":status", status]], true);
    return NO_LISTENER;
  }
  const path = pathOf(headers);
  const method = methods.get(path);
  if (!method) {
    throw new RpcError("UNIMPLEMENTED", `there is no method ${path.slice(0, MAX_PATH)}`);
  }
  const { call, listener, conclude } = openCall(stream, {
    ...context,
    metadata: metadataOf(headers),
    timeout: timeoutOf(headers),
    admission: method.admission ?? false,
  });
  if (end) listener.data(new Uint8Array(0), true);
  void runMethod(method, call).then(conclude);
  return listener;
}
