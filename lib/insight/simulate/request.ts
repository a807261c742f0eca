/**
 * A request as filters and routes see it, with the metadata that filters wrote.
 *
 * @module
 */
import type { HttpConnectionManager } from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { isIp } from "../../kit/text/mod.ts";
import type { Request } from "./call.ts";
import type { Connection } from "./connection.ts";
import type { HeaderOf } from "./match.ts";
import { normalizePath } from "./path.ts";

/** A request in the filter chain. */
export interface Exchange {
  readonly connection: Connection;
  readonly request: Request;
  readonly method: string;
  /** `:authority` after the manager's normalization. */
  readonly host: string;
  /** Path with query. */
  readonly path: string;
  readonly scheme: "http" | "https";
  readonly remoteIp: string;
  /** `x-forwarded-for` of the forwarded request. */
  readonly forwardedFor: string | undefined;
  /** Dynamic metadata by filter; filters change it. */
  readonly metadata: Record<string, unknown>;
  /** Returns a header or pseudo header by its lower-case name. */
  readonly header: HeaderOf;
  /** Headers that filters changed, in lower case; they are no longer modelled. */
  readonly touched: Set<string>;
  /** Headers that filters removed, in lower case. */
  readonly removed: Set<string>;
  /** The random number, from 0 to 1, that routes for a fraction of the requests compare. */
  readonly random?: number;
}

/** A request that continues, or its immediate response. */
export type Opened =
  | {
    /** `:authority` after the manager's normalization. */
    readonly host: string;
    /** Makes the exchange; each one has changes of filters of its own. */
    readonly exchange: (random?: number) => Exchange;
  }
  | { readonly status: number; readonly why: string };

/** Parses a request like a connection manager. */
export function openExchange(
  manager: HttpConnectionManager,
  connection: Connection,
  request: Request,
): Opened {
  const method = request.method ?? "GET";
  const limit = (manager.maxRequestHeadersKb ?? HEADERS_KIB) * 1024;
  const size = sizeOf(request);
  if (size > limit) {
    return { status: 431, why: `its headers have ${size} bytes, and ${limit} are accepted` };
  }
  // A CONNECT request has no path.
  const normal = method === "CONNECT" ? { path: "" } : normalizePath(request.path, manager);
  if ("status" in normal) return normal;
  const { path } = normal;
  const host = hostOf(manager, request.host);
  const scheme = schemeOf(manager, connection, request);
  const pseudo: Readonly<Record<string, string>> = {
    ":method": method,
    ":path": path,
    ":authority": host,
    ":scheme": scheme,
    "host": host,
  };
  const own = new Map(
    Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return {
    host,
    exchange: (random) => {
      const touched = new Set<string>(request.unknownHeaders);
      const removed = new Set<string>();
      // A token that is given by its claims is in a header whose text is not known.
      const { token } = request;
      if (token !== undefined && token.at === undefined) touched.add("authorization");
      return {
        ...{ connection, request, method, host, path, scheme },
        remoteIp: remoteIpOf(manager, connection, own),
        forwardedFor: forwardedForOf(manager, connection, own),
        metadata: {},
        header: (name) =>
          removed.has(name)
            ? undefined
            : touched.has(name) || isOwnHeader(name)
            ? null
            : pseudo[name] ?? own.get(name),
        ...{ touched, removed },
        ...(random === undefined ? {} : { random }),
      };
    },
  };
}

/** Largest headers of a request by default, Envoy's `max_request_headers_kb`. */
const HEADERS_KIB = 60;

function sizeOf({ host, path, headers = {} }: Request): number {
  return Object.entries(headers)
    .reduce((sum, [name, value]) => sum + name.length + value.length, host.length + path.length);
}

/** Headers that a proxy writes itself; matchers of them are not modelled. */
const OWN_HEADERS =
  /^(x-envoy-|x-forwarded-|x-request-id$|forwarded$|x-b3-|traceparent$|tracestate$|via$)/;

function isOwnHeader(name: string): boolean {
  return OWN_HEADERS.test(name);
}

function hostOf(manager: HttpConnectionManager, host: string): string {
  const { stripPortMode } = manager;
  const port = /:\d*$/.exec(host)?.[0] ?? "";
  let name = host.slice(0, host.length - port.length);
  if (manager.stripTrailingHostDot) name = name.replace(/\.$/, "");
  return stripPortMode.case === "stripAnyHostPort" && stripPortMode.value ? name : name + port;
}

function schemeOf(
  { useRemoteAddress }: HttpConnectionManager,
  { ended }: Connection,
  { headers = {} }: Request,
): "http" | "https" {
  const protocolHeader = Object.entries(headers).find(([name]) =>
    name.toLowerCase() === "x-forwarded-proto"
  );
  const trusted = useRemoteAddress !== true && protocolHeader !== undefined;
  if (trusted && (protocolHeader[1] === "http" || protocolHeader[1] === "https")) {
    return protocolHeader[1];
  }
  return ended ? "https" : "http";
}

/** Returns the client's address, as far as the manager trusts `x-forwarded-for`. */
function remoteIpOf(
  { useRemoteAddress, xffNumTrustedHops }: HttpConnectionManager,
  { sourceIp }: Connection,
  headers: ReadonlyMap<string, string>,
): string {
  const hops = headers.get("x-forwarded-for")?.split(",").map((one) => one.trim()) ?? [];
  const back = useRemoteAddress === true ? xffNumTrustedHops : xffNumTrustedHops + 1;
  const found = back === 0 ? undefined : hops[hops.length - back];
  return found !== undefined && isIp(found) ? found : sourceIp;
}

/** Returns `x-forwarded-for` as the manager forwards it: edge proxies append their client. */
function forwardedForOf(
  { useRemoteAddress, skipXffAppend }: HttpConnectionManager,
  { sourceIp }: Connection,
  headers: ReadonlyMap<string, string>,
): string | undefined {
  const came = headers.get("x-forwarded-for");
  if (useRemoteAddress !== true || skipXffAppend) return came;
  return came === undefined ? sourceIp : `${came},${sourceIp}`;
}
