/**
 * Controller: Events of pods whose Envoy exited. It runs in every daemon, because a report reaches one
 * daemon. Equal Events of a pod are one, which is counted up.
 *
 * @module
 */
import { TokenBucket } from "../../../kit/async/mod.ts";
import { messageOf } from "../../../kit/base/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import { isNotFound, type OrchClient, podEvent } from "../../../kit/orch/mod.ts";
import { objectKey } from "../../../mesh/model/mod.ts";

/** An exit of the Envoy of a pod. */
export interface ProxyExited {
  readonly namespace: string;
  /** Name of the pod. */
  readonly name: string;
  /** One sentence. */
  readonly message: string;
}

/** The cluster that Events are written to, and their reporter. */
export interface ProxyEventsOptions {
  readonly client: OrchClient;
  /** Name of the daemon's process, which reports. */
  readonly instance: string;
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch; for tests. */
  readonly now?: () => number;
}

/** Writes Events; resolves when the last one is written. */
export interface ProxyEvents extends AsyncDisposable {
  exited(event: ProxyExited): void;
}

const REASON = "EnvoyExited";
/** Writes of Events: as many at once, and so many a second. Others are left out. */
const RATE = { burst: 20, perSecond: 1 };
/** Events that are known to count up; the oldest are forgotten first. */
const KNOWN = 500;

const log = scope("controllers");

/** An Event that was written. */
interface Written {
  readonly name: string;
  count: number;
}

/** Starts to write Events. An Event that cannot be written is logged and left out. */
export function startProxyEvents(options: ProxyEventsOptions): ProxyEvents {
  const { now = () => Date.now() } = options;
  const known = new Map<string, Written>();
  const rate = new TokenBucket({ ...RATE, now: () => performance.now() });
  let last: Promise<void> = Promise.resolve();
  return {
    exited(event) {
      if (options.signal.aborted) return;
      if (!rate.take()) {
        log.warn("an Event is left out, because there are too many", {
          pod: objectKey(event),
        });
        return;
      }
      const time = new Date(now()).toISOString();
      last = last.then(() => write(options, known, { event, time })).catch((error) => {
        log.warn("an Event cannot be written", {
          pod: objectKey(event),
          reason: messageOf(error),
        });
      });
    },
    [Symbol.asyncDispose]: () => last,
  };
}

async function write(
  options: ProxyEventsOptions,
  known: Map<string, Written>,
  { event, time }: { readonly event: ProxyExited; readonly time: string },
): Promise<void> {
  const { client, signal } = options;
  const uid = await uidOf(options, event);
  // The proxy is no pod of this cluster.
  if (uid === undefined) return;
  const key = JSON.stringify([uid, event.message]);
  const written = known.get(key);
  if (written !== undefined && await counted(options, { written, event, time })) return;
  const object = podEvent({
    pod: { namespace: event.namespace, name: event.name, uid },
    ...{ type: "Warning", reason: REASON, message: event.message, time },
    ...{ component: "meshd", host: options.instance },
  });
  const created = { name: object.metadata.name, count: 1 };
  await client.json({
    method: "POST",
    path: pathOf(event.namespace, "events"),
    body: object,
    signal,
  });
  known.delete(key);
  known.set(key, created);
  for (const oldest of known.keys()) {
    if (known.size <= KNOWN) break;
    known.delete(oldest);
  }
}

/** Counts an Event up; false: it is no longer there. */
async function counted(
  { client, signal }: ProxyEventsOptions,
  { written, event, time }: {
    readonly written: Written;
    readonly event: ProxyExited;
    readonly time: string;
  },
): Promise<boolean> {
  try {
    await client.json({
      method: "PATCH",
      path: pathOf(event.namespace, "events", written.name),
      contentType: "application/merge-patch+json",
      body: { count: written.count + 1, lastTimestamp: time },
      signal,
    });
    written.count++;
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

async function uidOf(
  { client, signal }: ProxyEventsOptions,
  { namespace, name }: ProxyExited,
): Promise<string | undefined> {
  try {
    const pod = await client.json<{ readonly metadata: { readonly uid?: string } }>({
      path: pathOf(namespace, "pods", name),
      signal,
    });
    return pod.metadata.uid;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function pathOf(namespace: string, ...parts: readonly string[]): string {
  return ["", "api", "v1", "namespaces", namespace, ...parts]
    .map((part) => encodeURIComponent(part)).join("/");
}
