/**
 * The installation: from options to a node with the plugin, until the program ends.
 *
 * @module
 */
import { dirname } from "node:path";
import { pauseAfter, sleep } from "../../lib/kit/async/mod.ts";
import { messageOf } from "../../lib/kit/base/mod.ts";
import { warnIneffective } from "../../lib/kit/cli/mod.ts";
import {
  ineffectiveVariables,
  validateEnv,
  warnIneffectiveVariables,
} from "../../lib/kit/env/mod.ts";
import { scope } from "../../lib/kit/log/mod.ts";
import {
  createClient,
  DEFAULT_RATE,
  inClusterAccess,
  type OrchClient,
} from "../../lib/kit/orch/mod.ts";
import {
  type DaemonSetName,
  expectedDaemonSet,
  fateOf,
  findDaemonSet,
  type Installation,
  keepInstalled,
  openInstallation,
} from "../../lib/node/cni_install/mod.ts";
import { type AmbientAgent, startAmbient } from "../../lib/node/ambient_pods/mod.ts";
import { hostRunner } from "../../lib/node/capture/mod.ts";
import { Health } from "./health.ts";
import { openListeners } from "./listeners.ts";
import type { InstallOptions } from "./options.ts";
import { answerPods, verifyRedirection } from "./pods.ts";

const log = scope("cni-agent");

/** Flags without effect, with the reason. */
const INEFFECTIVE_FLAGS: Readonly<Record<string, string>> = {
  "ztunnel-uds-address": "ambient mode is off (--ambient-enabled)",
};

/** Pauses between attempts to read the agent's DaemonSet. */
const READS = { first: 1_000, longest: 60_000, growth: 2 };

/**
 * Installs the plugin and answers its calls, until `signal`. Then the node stays as it is if another
 * agent follows, and is cleaned if none does.
 *
 * @returns the exit status
 * @throws MeshError for settings that cannot be used, and for addresses that cannot be bound
 */
export async function install(options: InstallOptions, signal: AbortSignal): Promise<number> {
  validateEnv("install-cni");
  const warn: typeof log.warn = (message, fields) => log.warn(message, fields);
  if (options.ambient === undefined) warnIneffective(options.given, INEFFECTIVE_FLAGS, warn);
  warnIneffectiveVariables(ineffectiveVariables("install-cni"), warn);
  log.info("starting", { node: options.nodeName, pod: options.pod.name });
  const asked = new AbortController();
  const ending = AbortSignal.any([signal, asked.signal]);
  const health = new Health();
  await using stack = new AsyncDisposableStack();
  await openListeners(options, { health, stop: () => asked.abort() }, stack);
  const access = await inClusterAccess(options.apiServer || undefined, options.serviceAccountDir);
  const client = createClient(access, { rate: DEFAULT_RATE });
  // The plugin is answered until nothing on the node calls it any more.
  const ambient = await startAmbientMode(options, client, health);
  stack.defer(async () => await ambient?.close());
  await answerPods(options, client, stack, ambient);
  const installation = openInstallation(options.settings);
  const daemonSet = followDaemonSet(client, options, ending);
  await Promise.all([
    verifyRedirection(options, health, ending),
    keepInstalled(installation, {
      onState: (state) => health.install(state),
      onInstall: (failed) => health.installed(failed),
      signal: ending,
    }),
    daemonSet.done,
    untilAborted(ending),
  ]);
  await leave(installation, client, { daemonSet, ...ambient && { ambient } });
  return 0;
}

/** Follows pods in ambient mode, if it is on. */
async function startAmbientMode(
  { ambient: settings }: InstallOptions,
  client: OrchClient,
  health: Health,
): Promise<AmbientAgent | undefined> {
  if (settings === undefined) return undefined;
  const { socketPath } = settings;
  await Deno.mkdir(dirname(socketPath), { recursive: true });
  health.ambient("the pods of the node are not known yet");
  const agent = startAmbient({ settings, client, runnerFor: (seen) => hostRunner(seen) });
  agent.begun.then(() => health.ambient(""), (error) => {
    log.error("ambient mode cannot begin", { reason: messageOf(error) });
    health.ambient(messageOf(error));
  });
  return agent;
}

/** The agent's DaemonSet, as far as it is known. */
interface FollowedDaemonSet {
  readonly name: DaemonSetName;
  /** It was read once. */
  readonly isRead: boolean;
  readonly done: Promise<void>;
}

/** Reads the agent's DaemonSet once, so that the end knows whether it was ever allowed to. */
function followDaemonSet(
  client: OrchClient,
  { pod }: InstallOptions,
  signal: AbortSignal,
): FollowedDaemonSet {
  let name = expectedDaemonSet(pod.namespace);
  let isRead = false;
  const read = async (): Promise<void> => {
    for (let failures = 1; !signal.aborted && !isRead; failures++) {
      try {
        name = await findDaemonSet(client, pod);
        isRead = true;
      } catch (error) {
        log.debug("the DaemonSet cannot be read yet", { error: messageOf(error) });
        await sleep(pauseAfter(failures, READS), signal);
      }
    }
  };
  const done = read();
  return {
    done,
    get name() {
      return name;
    },
    get isRead() {
      return isRead;
    },
  };
}

/** Leaves the node as it is for the next agent, or cleans it. */
async function leave(
  installation: Installation,
  client: OrchClient,
  { daemonSet: { name, isRead }, ambient }: {
    readonly daemonSet: FollowedDaemonSet;
    readonly ambient?: AmbientAgent;
  },
): Promise<void> {
  if (await isOfOther(installation)) return;
  const { kind, why } = await fateOf(client, name, isRead);
  if (kind !== "uninstall") {
    log.info("the plugin stays on the node", { because: why });
    return;
  }
  const onWait = () => log.warn("the removal waits: another agent changes the node at this moment");
  await installation.exclusively(async () => {
    // It may have been followed by another one in the meantime.
    if (await isOfOther(installation)) return;
    log.info("taking the plugin off the node", { because: why });
    await installation.remove();
    await ambient?.abandon();
    log.info("the plugin is off the node");
  }, { onWait });
}

/** Reports if another process has installed last. */
async function isOfOther(installation: Installation): Promise<boolean> {
  const by = await installation.installedBy();
  if (by === "" || by === installation.settings.instance) return false;
  log.info("the node stays as it is: another process has installed the plugin", { by });
  return true;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
