/**
 * Debug queries over xDS: a request for a type such as `mesh.io/debug` is a question, and its
 * response has one resource, whose bytes are the answer. Nothing is subscribed to: a client that wants
 * to know again asks again.
 *
 * @module
 */
import { hash } from "../../../kit/base/mod.ts";
import { type Access, mayReadAll } from "./access.ts";
import type { AskedQueries } from "./asked_queries.ts";
import { Refusal } from "../admission/mod.ts";
import type { ProxyNode } from "../../model/mod.ts";
import type { RpcCall } from "../../../kit/rpc/mod.ts";
import type { ResponseEncoder, XdsRequest } from "../wire/mod.ts";
import { isQueryType, queryOf } from "./types.ts";

/** The parts of a session that queries need. */
export interface AskingSession {
  readonly call: RpcCall;
  readonly node: ProxyNode;
  readonly variant: "sotw" | "delta";
  readonly queries: AskedQueries;
  nextNonce(): string;
}

/** The parts of the server context that queries need. */
export interface AnswerContext {
  readonly revision: () => number;
  readonly encoder: (
    typeUrl: string,
    variant: "sotw" | "delta",
    served: boolean,
  ) => ResponseEncoder;
  readonly limits: { readonly maxTypes: number };
}

/** Answers debug queries. */
export interface QueryAnswerer {
  /** Reports if requests of a type are debug queries. */
  takes(session: AskingSession, typeUrl: string): boolean;
  /** Answers a request, unless it only acknowledges an answer. Rejects with `RpcError`. */
  answer(session: AskingSession, request: XdsRequest): Promise<void>;
}

/** The client that asks a debug query. */
export interface QueryCaller {
  /** True: it may see everything. */
  readonly trusted: boolean;
  /** Its verified SPIFFE id; `undefined` when it was not authenticated. */
  readonly identity: string | undefined;
}

/** Options of the answerer. */
export interface QueryOptions extends Access {
  /**
   * Answers a debug query such as `config_dump?proxyID=a.b`: a path below `/debug/` with its query.
   * Rejects with `RpcError`. Without it the types of debug queries are not served.
   */
  readonly answerQuery?: (query: string, caller: QueryCaller) => Promise<Uint8Array>;
}

/** Creates the answerer. One query of all streams is computed at a time. */
export function queryAnswerer(options: QueryOptions, context: AnswerContext): QueryAnswerer {
  const { answerQuery } = options;
  let last: Promise<unknown> = Promise.resolve();
  return {
    takes: ({ node }, typeUrl) =>
      answerQuery !== undefined && isQueryType(typeUrl, node.generator === "event"),
    async answer(session, request) {
      if (answerQuery === undefined || isAcknowledgement(session, request)) return;
      const { typeUrl, names } = request;
      const { call, queries, node: { identity }, variant } = session;
      const trusted = mayReadAll(options, { peer: call.peer, identity });
      if (!trusted && identity === undefined) throw notAllowed();
      const query = queryOf(typeUrl, names);
      if (!queries.of(typeUrl) && queries.size >= context.limits.maxTypes) throw tooManyTypes();
      // From now on the stream is known to ask queries, also in the answer itself.
      queries.asked(typeUrl, names);
      const computed = last.then(() => answerQuery(query, { trusted, identity }));
      last = computed.catch(() => {});
      const bytes = await computed;
      const nonce = session.nextNonce();
      queries.answered(typeUrl, { nonce, names });
      const resource = { name: names[0] ?? query, version: hash(bytes), bytes };
      const version = String(context.revision());
      const response = { resources: [resource], removed: [], nonce, version };
      call.send(context.encoder(typeUrl, variant, false).encode(response));
      // The next request of the stream is read when its client has taken this answer.
      await call.drained();
    },
  };
}

/** The refusal of a client that may not ask. */
function notAllowed(): Refusal {
  return new Refusal(
    "permission",
    "PERMISSION_DENIED",
    "debug queries are for clients on this machine and for authenticated ones",
  );
}

function tooManyTypes(): Refusal {
  return new Refusal(
    "limit",
    "RESOURCE_EXHAUSTED",
    "too many types of debug queries on one stream",
  );
}

/** Reports if a request only answers the last response, or gives names up. */
function isAcknowledgement({ queries, variant }: AskingSession, request: XdsRequest): boolean {
  const { typeUrl, names, nonce, unsubscribe } = request;
  if (variant === "delta") {
    return names.length === 0 && (nonce !== "" || unsubscribe.length > 0);
  }
  const asked = queries.of(typeUrl);
  return nonce !== "" && asked !== undefined && names.length === asked.names.length &&
    names.every((name, i) => name === asked.names[i]);
}
