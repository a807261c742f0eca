/**
 * The HTTP side of the debug tap: `GET /debug/<query>` is asked at the daemon.
 *
 * @module
 */
import { messageOf } from "../../../kit/base/mod.ts";
import { RpcError, type RpcStatus } from "../../../kit/rpc/mod.ts";
import { answer, type Route, route, text } from "../../../kit/web/mod.ts";
import { askDaemon, type DaemonLink } from "./question.ts";

const PREFIX = "/debug/";

/** HTTP status by the status of the daemon's stream; others: 502. */
const STATUSES: Partial<Record<RpcStatus, number>> = {
  INVALID_ARGUMENT: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  RESOURCE_EXHAUSTED: 429,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
};

/** Routes of the tap. Only clients on this machine get answers. */
export function tapRoutes(link: DaemonLink): Route[] {
  return [route("GET", `${PREFIX}*view`, async ({ local, url, signal }) => {
    if (!local) return text("Only requests from localhost are allowed\n", { status: 403 });
    const query = url.pathname.slice(PREFIX.length) + url.search;
    try {
      return answered(await askDaemon(link, query, signal));
    } catch (error) {
      const status = error instanceof RpcError ? STATUSES[error.status] : undefined;
      const reason = error instanceof RpcError ? error.details : messageOf(error);
      return text(`${reason}\n`, { status: status ?? 502 });
    }
  })];
}

function answered(bytes: Uint8Array): Response {
  const body = new TextDecoder().decode(bytes);
  const type = /^\s*[[{"]/.test(body) ? "application/json" : "text/plain; charset=utf-8";
  return answer(body, type);
}
