/**
 * Type URLs of debug queries, and the query that a request asks.
 *
 * @module
 */
import { RpcError } from "../../../kit/rpc/mod.ts";

/** The type whose resource name is the query, for example `config_dump?proxyID=a.b`. */
const DEBUG = "mesh.io/debug";
/** Types with the path of the view in the URL, for example `mesh.io/debug/syncz`. */
const DEBUG_PATHS = `${DEBUG}/`;
/** Clients with `GENERATOR: event` may leave `debug/` out. */
const EVENT_PATHS = "mesh.io/";

/**
 * Types by which earlier versions of the protocol pushed events of connections. The daemon answers
 * queries and pushes nothing.
 */
const PUSHED: ReadonlySet<string> = new Set(["connect", "disconnect", "nack"]);

/** The path of a view. */
const PATH = /^[A-Za-z_][\w/-]*$/;

/** Reports if a type is that of debug queries, for a client with or without `GENERATOR: event`. */
export function isQueryType(typeUrl: string, isEvent: boolean): boolean {
  return typeUrl === DEBUG || typeUrl.startsWith(DEBUG_PATHS) ||
    isEvent && typeUrl.startsWith(EVENT_PATHS);
}

/**
 * The query of a request: a path below `/debug/` with its parameters. For types with the path in the
 * URL, the resource name has the parameters; a name that is no parameter is the proxy to ask about.
 *
 * @throws RpcError INVALID_ARGUMENT for another number of names, or a path that no view can have,
 * UNIMPLEMENTED for types of pushed events
 */
export function queryOf(typeUrl: string, names: readonly string[]): string {
  if (typeUrl === DEBUG) {
    const [name] = names;
    if (names.length !== 1 || name === undefined || name === "") {
      throw invalid(`type ${DEBUG} takes exactly one resource name, the query, such as syncz`);
    }
    return name;
  }
  if (names.length > 1) throw invalid(`type ${typeUrl} takes at most one resource name`);
  const path = typeUrl.slice((typeUrl.startsWith(DEBUG_PATHS) ? DEBUG_PATHS : EVENT_PATHS).length);
  if (PUSHED.has(path)) {
    throw new RpcError(
      "UNIMPLEMENTED",
      `events are not pushed: query ${EVENT_PATHS}connections or ${EVENT_PATHS}syncz again`,
    );
  }
  if (!PATH.test(path)) throw invalid("the type URL names no debug view");
  const [name = ""] = names;
  if (name === "" || name === "*") return path;
  return `${path}?${name.includes("=") ? name : `proxyID=${encodeURIComponent(name)}`}`;
}

function invalid(details: string): RpcError {
  return new RpcError("INVALID_ARGUMENT", details);
}
