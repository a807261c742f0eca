/**
 * The report that the proxy has exited. The proxy's streams ended with it, so the agent sends the
 * report over a connection of its own.
 *
 * @module
 */
import { messageOf } from "../../../kit/base/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import { openStream, type RpcClientTls, RpcError } from "../../../kit/rpc/mod.ts";
import { PROXY_STATE_METHOD, type ProxyState } from "../../../mesh/model/mod.ts";
import type { BootstrapNode } from "../node.ts";
import { nodeMessage } from "../node_message.ts";
import { reportMessage } from "./report_stream.ts";

/** The daemon, and the proxy that the report is about. */
export interface ReportTarget {
  /** `host:port`. */
  readonly target: string;
  /** TLS towards the daemon; default: none. */
  readonly tls?: () => Promise<RpcClientTls>;
  readonly node: BootstrapNode;
}

/** Longest time that a report takes, ms: the end of the agent waits for it. */
const LONGEST_MS = 3000;
/** Largest answer, bytes: there is none. */
const MAX_ANSWER = 1024;

const log = scope("xdsproxy");

/** Sends a report. A daemon that cannot be reached, or is older, is logged: the agent ends anyway. */
export async function sendReport(daemon: ReportTarget, state: ProxyState): Promise<void> {
  const timer = Promise.withResolvers<string>();
  const ending = setTimeout(
    () => timer.resolve(`no answer within ${LONGEST_MS} ms`),
    LONGEST_MS,
  );
  const over = new AbortController();
  const fault = await Promise.race([send(daemon, state, over.signal), timer.promise]);
  clearTimeout(ending);
  over.abort();
  if (fault !== undefined) {
    log.warn("the end of the proxy could not be reported to the daemon", { reason: fault });
  }
}

/** Returns why the report did not arrive; `undefined`: it did. */
async function send(
  { target, tls, node }: ReportTarget,
  state: ProxyState,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const credentials = await tls?.();
    if (signal.aborted) return undefined;
    const stream = openStream({
      target,
      tls: credentials,
      path: PROXY_STATE_METHOD,
      maxReceive: MAX_ANSWER,
    });
    signal.addEventListener("abort", () => stream.close(), { once: true });
    stream.send(reportMessage(state, nodeMessage(node)));
    stream.end();
    for await (const _ of stream.messages);
    return undefined;
  } catch (error) {
    return error instanceof RpcError && error.status === "UNIMPLEMENTED"
      ? "the daemon is older and does not take such reports"
      : messageOf(error);
  }
}
