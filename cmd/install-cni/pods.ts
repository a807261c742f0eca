/**
 * The plugin's calls, the repair of pods, and the self-test, put together from their rooms.
 *
 * @module
 */
import { join } from "node:path";
import { pauseAfter, sleep } from "../../lib/kit/async/mod.ts";
import { scope } from "../../lib/kit/log/mod.ts";
import type { OrchClient } from "../../lib/kit/orch/mod.ts";
import { hostRunner } from "../../lib/node/capture/mod.ts";
import {
  type AmbientPlugin,
  hostPaths,
  podReader,
  selfTest,
  servePlugin,
  versionsOfNode,
} from "../../lib/node/cni/mod.ts";
import { lockDirectory } from "../../lib/node/cni_install/mod.ts";
import { repairPods } from "../../lib/node/repair/mod.ts";
import type { Health } from "./health.ts";
import { nodeNameservers } from "./nameservers.ts";
import type { InstallOptions } from "./options.ts";

const log = scope("cni-agent");

/** Pauses between self-tests that fail, and between ones that succeed, milliseconds. */
const TESTS = { first: 1_000, longest: 60_000, growth: 2 };
const TEST_AGAIN_MS = 600_000;

/**
 * Answers the plugin's calls, and repairs pods if that is asked for, until `stack` is disposed of.
 *
 * @throws MeshError when a socket cannot be made
 */
export async function answerPods(
  options: InstallOptions,
  client: OrchClient,
  stack: AsyncDisposableStack,
  ambient?: AmbientPlugin,
): Promise<void> {
  const { settings: { runDir, entry }, repair, hostRoot } = options;
  const { signal, abort } = endedBy(stack);
  await Deno.mkdir(runDir, { recursive: true });
  const nameservers = await nodeNameservers(hostRoot);
  const runnerFor = (seen: string) => hostRunner(seen);
  const server = await inTurn(runDir, () =>
    servePlugin({
      socketPath: join(runDir, "pluginevent.sock"),
      logSocketPath: join(runDir, "log.sock"),
      signal,
      pods: podReader(client),
      paths: hostPaths(hostRoot),
      runnerFor,
      excludeNamespaces: new Set(entry.excludeNamespaces.filter((name) => name !== "")),
      nameservers,
      ...ambient && { ambient },
    }));
  const repairing = repair.enabled
    ? repairPods({ client, settings: repair, signal, hostRoot, nameservers, runnerFor })
    : Promise.resolve();
  stack.defer(async () => {
    abort();
    await Promise.all([server.finished, repairing]);
  });
}

/** Makes sockets while no other agent that starts at the same moment does: both make them at one path. */
async function inTurn<T>(runDir: string, make: () => Promise<T>): Promise<T> {
  const onWait = () => log.info("waiting for another agent, which makes its sockets", { runDir });
  using _ = await lockDirectory(runDir, { onWait });
  return await make();
}

function endedBy(stack: AsyncDisposableStack): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  stack.defer(abort);
  return { signal: controller.signal, abort };
}

/** Tests from time to time that rules redirect, in each version of IP that the node has, until the signal. */
export async function verifyRedirection(
  { hostRoot }: InstallOptions,
  health: Health,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  let said: string | undefined;
  while (!signal.aborted) {
    const { versions, withoutIpv6 } = await versionsOfNode(hostRoot);
    const { ok, reason } = await selfTest({ signal, versions });
    if (signal.aborted) return;
    health.redirection(ok ? "" : reason, [
      ...ok ? [`IPv${versions.join(" and IPv")}: verified`] : [],
      ...withoutIpv6 === "" ? [] : [`IPv6: not tested: ${withoutIpv6}`],
    ]);
    if (reason !== said) {
      if (ok) log.info("the self-test of redirection succeeded");
      else log.error("the self-test of redirection failed", { reason });
    }
    said = reason;
    failures = ok ? 0 : failures + 1;
    await sleep(ok ? TEST_AGAIN_MS : pauseAfter(failures, TESTS), signal);
  }
}
