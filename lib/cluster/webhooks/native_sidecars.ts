/**
 * Chooses native sidecars by the version of the API server.
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { type OrchClient, type ServerVersion, serverVersion } from "../../kit/orch/mod.ts";

const log = scope("default");

/**
 * The first version whose orchestrators have native sidecars on all nodes. Native sidecars are
 * stable in 1.33; its nodes may be three minor versions older, and 1.30 has them enabled.
 */
const FIRST = { major: 1, minor: 33 };

/** Longest time for the version, in milliseconds: the API server waits for the pod. */
const TIMEOUT_MS = 3_000;

export interface VersionSource {
  readonly client: OrchClient;
  /** Number of connections to the API server so far. After another one, its version may have changed. */
  readonly connections: () => number;
}

/** Reports if proxies of new pods are native sidecars. */
export type NativeSidecars = () => Promise<boolean>;

/**
 * Native sidecars by `ENABLE_NATIVE_SIDECARS`. For `auto` the version of the API server decides. It
 * is read at once and after each new connection; while it cannot be read, the last known one
 * decides, and there are no native sidecars before it is known.
 *
 * @param source absent: no orchestrator, so that `auto` is false
 */
export function nativeSidecars(
  mode: boolean | "auto",
  source: VersionSource | undefined,
): NativeSidecars {
  if (mode !== "auto" || source === undefined) return () => Promise.resolve(mode === true);
  const { client, connections } = source;
  let enabled = false;
  let known = -1;
  let reading: Promise<void> | undefined;
  const read = async () => {
    const at = connections();
    try {
      const version = await serverVersion(client, { timeoutMs: TIMEOUT_MS });
      const next = hasNativeSidecars(version);
      if (known < 0 || next !== enabled) {
        log.info("native sidecars by the version of the API server", {
          version: version.gitVersion,
          nativeSidecars: next,
        });
      }
      [enabled, known] = [next, at];
    } catch (error) {
      log.warn("the version of the API server cannot be read", {
        reason: messageOf(error),
        nativeSidecars: enabled,
      });
    }
    reading = undefined;
  };
  reading = read();
  return async () => {
    if (known !== connections()) await (reading ??= read());
    return enabled;
  };
}

function hasNativeSidecars({ major, minor }: ServerVersion): boolean {
  return major > FIRST.major || major === FIRST.major && minor >= FIRST.minor;
}
