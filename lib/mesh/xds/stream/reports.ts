/**
 * Reports of agents whose proxy has no stream: it has not started, or has exited. A call is one
 * discovery request with the node and the report, and is authenticated as the proxy's stream would be.
 * It opens no session, so the proxy does not count as connected.
 *
 * @module
 */
import { recycleBuffer, type RpcCall, RpcError } from "../../../kit/rpc/mod.ts";
import { noteRefusal, reasonOf } from "../admission/mod.ts";
import { PROXY_STATE_TYPE_URL } from "../../model/mod.ts";
import { admitted, authorized, decode, type StreamAcceptor } from "./accept.ts";
import * as metrics from "../metrics.ts";

/** Takes the report of a call. Rejects with `RpcError` if it cannot be read or is not permitted. */
export async function takeReport(acceptor: StreamAcceptor, call: RpcCall): Promise<void> {
  const messages = call.messages[Symbol.asyncIterator]();
  try {
    const next = await messages.next();
    if (next.done !== true) await take(acceptor, call, next.value);
  } catch (error) {
    const reason = reasonOf(error);
    if (reason) noteRefusal(reason, call.peer, (error as RpcError).details);
    throw error;
  } finally {
    await messages.return?.();
  }
}

async function take(acceptor: StreamAcceptor, call: RpcCall, bytes: Uint8Array): Promise<void> {
  metrics.received(bytes.byteLength);
  if (!await admitted(acceptor, { call }, bytes)) return recycleBuffer(bytes);
  try {
    const arriving = { call, variant: "delta", session: undefined } as const;
    const request = decode(acceptor, arriving, bytes);
    if (request.typeUrl !== PROXY_STATE_TYPE_URL) {
      throw new RpcError("INVALID_ARGUMENT", `a report has the type ${PROXY_STATE_TYPE_URL}`);
    }
    const node = await authorized(acceptor, arriving, request);
    call.admit();
    const text = request.error?.message ?? "";
    acceptor.context.observer.reportedState?.({ node, text });
  } finally {
    recycleBuffer(bytes);
  }
}
