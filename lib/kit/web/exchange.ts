/**
 * One request of a listener, from its headers to the delivery of its answer.
 *
 * @module
 */
import { sleep } from "../async/mod.ts";
import { scope } from "../log/mod.ts";
import { isLoopback } from "./address.ts";
import { BodyError, discardBody, readBody } from "./body.ts";
import type { Connection } from "./connection.ts";
import { isTimeout, withDeadline } from "./deadline.ts";
import { deliver, NoRoomError } from "./deliver.ts";
import { text } from "./respond.ts";
import type { Handler, Route, WebCall } from "./route.ts";
import type { Slot, Slots } from "./slots.ts";
import { type Target, targetOf } from "./target.ts";

const log = scope("default");

/** The reason of a refusal, in the metric and the log. */
export type Refusal =
  | "body"
  | "busy"
  | "host"
  | "malformed"
  | "stopping"
  | "timeout";

/** State that all requests of a listener share. */
export interface ServerContext {
  readonly name: string;
  readonly routes: readonly Route[];
  readonly limits: { readonly maxBodyBytes: number; readonly handlerTimeoutMs: number };
  /** Slots of probes, and of all other requests. */
  readonly slots: { readonly probes: Slots; readonly others: Slots };
  /** The time for which the next request, if it is no probe, must wait; milliseconds. */
  pace(): number;
  /** Bound to loopback only: answers only requests that name this machine. */
  readonly loopback: boolean;
  /** Aborted when the listener takes no more requests. */
  readonly stopping: AbortSignal;
  refused(reason: Refusal, peer: string): void;
}

/** Operations of the connection that a request uses. */
type RequestConnection = Pick<
  Connection,
  "holdsSlot" | "peer" | "readsBody" | "requestEnded" | "requestStarted"
>;

/** One request, with what is known before its handler runs. */
interface Exchange {
  readonly context: ServerContext;
  readonly request: Request;
  readonly connection: RequestConnection;
  /** Undefined when it is malformed. */
  readonly target: Target | undefined;
  /** The client is on this machine and names it so. */
  readonly local: boolean;
}

/**
 * Answers a request of a connection; never rejects.
 *
 * @param completed settles when the runtime has sent the answer, or when its client left
 */
export async function answerRequest(
  context: ServerContext,
  request: Request,
  connection: RequestConnection,
  completed: Promise<void>,
): Promise<Response> {
  const target = targetOf(context.routes, request);
  const local = target?.local === true && isLoopback(connection.peer.hostname);
  const exchange: Exchange = { context, request, connection, target, local };
  // A client on this machine may pause: its user looks at the answer in a pager.
  connection.requestStarted({ mayPause: local, hasBody: request.body !== null });
  const ended = () => connection.requestEnded();
  completed.then(ended, ended);
  if (context.stopping.aborted) return unavailable(exchange, "stopping");
  const slot = context.slots[isProbe(exchange) ? "probes" : "others"].enter();
  if (slot === undefined) return unavailable(exchange, "busy");
  const release = () => slot.release();
  connection.holdsSlot(release);
  completed.then(release, release);
  try {
    const ms = isProbe(exchange) ? 0 : context.pace();
    if (ms > 0) await sleep(ms);
    return await answerIn(slot, exchange);
  } catch (error) {
    slot.release();
    if (error instanceof NoRoomError) return unavailable(exchange, "busy");
    if (isTimeout(error)) return unavailable(exchange, "timeout");
    if (request.signal.aborted) return new Response(null, { status: 503 });
    log.error("answer failed", { listener: context.name, error });
    return new Response(null, { status: 500 });
  } finally {
    discardBody(request);
  }
}

function isProbe({ target }: Exchange): boolean {
  return target?.match.kind === "found" && target.match.route.probe;
}

async function answerIn(slot: Slot, exchange: Exchange): Promise<Response> {
  const { context, request } = exchange;
  return await deliver(await answerTo(exchange), slot, {
    headersOnly: request.method === "HEAD",
    timeoutMs: context.limits.handlerTimeoutMs,
    ended: request.signal,
  });
}

function answerTo(exchange: Exchange): Response | Promise<Response> {
  const { context, target } = exchange;
  if (target === undefined) return refuse(exchange, 400, "malformed", "the request is malformed");
  if (context.loopback && !target.local) {
    return refuse(exchange, 403, "host", "this listener answers to local host names only");
  }
  const { match, url } = target;
  switch (match.kind) {
    case "none":
      return text("not found\n", { status: 404 });
    case "method":
      return text("method not allowed\n", {
        status: 405,
        headers: { allow: match.allow.join(", ") },
      });
    case "found":
      return handle(exchange, match.route.handler, { params: match.params, url });
  }
}

async function handle(
  exchange: Exchange,
  handler: Handler,
  found: Pick<WebCall, "params" | "url">,
): Promise<Response> {
  const { context, request, connection, local } = exchange;
  const { handlerTimeoutMs, maxBodyBytes } = context.limits;
  try {
    return await withDeadline(
      handlerTimeoutMs,
      request.signal,
      (signal) =>
        handler({
          ...found,
          request,
          peer: connection.peer,
          local,
          signal,
          body() {
            connection.readsBody(true);
            return readBody(request, maxBodyBytes, signal)
              .finally(() => connection.readsBody(false));
          },
        }),
    );
  } catch (error) {
    if (error instanceof BodyError) return refuse(exchange, error.status, "body", error.message);
    if (isTimeout(error)) return refuse(exchange, 503, "timeout", "the request took too long");
    const path = found.url.pathname;
    if (!request.signal.aborted) {
      log.error("request failed", { listener: context.name, path, error });
    }
    return text("internal error\n", { status: 500 });
  }
}

/** A client that sends what cannot be answered is asked to close its connection. */
const CLOSE = { connection: "close" };

function refuse(
  { context, connection: { peer } }: Exchange,
  status: number,
  reason: Refusal,
  sentence: string,
): Response {
  context.refused(reason, peer.hostname);
  return text(`${sentence}\n`, { status, headers: CLOSE });
}

/** Refuses without a body, so that nothing waits for a client that does not read. */
function unavailable({ context, connection: { peer } }: Exchange, reason: Refusal): Response {
  context.refused(reason, peer.hostname);
  return new Response(null, { status: 503, headers: CLOSE });
}
