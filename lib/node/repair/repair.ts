/**
 * Finding broken pods and acting on them.
 *
 * @module
 */
import { jittered, pauseAfter, sleep } from "../../kit/async/mod.ts";
import { messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { counter } from "../../kit/metrics/mod.ts";
import {
  type Changes,
  createObject,
  follow,
  type FollowTiming,
  type ListItem,
  type PodEvent,
  podEvent,
  types,
} from "../../kit/orch/mod.ts";
import type { CniPod } from "../cni/mod.ts";
import { act, type Acted, actionOf, type ActionType, type ActOptions } from "./act.ts";
import { isBroken, selectionOf } from "./broken.ts";

/** Options of {@link repairPods}. */
export interface RepairPodsOptions extends ActOptions {
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** Times of the watch; default those of a daemon. */
  readonly timing?: Partial<FollowTiming>;
  /** Pauses between attempts on one pod, milliseconds; default from 1 second to 1 minute. */
  readonly pauses?: { readonly first: number; readonly longest: number };
}

const log = scope("cni-agent");

const repaired = counter({
  name: "mesh_cni_repair_pods_repaired_total",
  help: "Actions on pods that started before the network plugin was there, by type and result.",
  labels: ["type", "result"],
});

/** Reporter of events. */
const COMPONENT = "install-cni";

/** Reasons of events by action. */
const REASONS: Readonly<Record<ActionType, string>> = {
  repair: "MeshRulesRepaired",
  delete: "MeshRulesMissing",
  label: "MeshRulesMissing",
};

/**
 * Watches pods until the signal, and acts on each broken one once. Errors of the API server are tried
 * again with growing pauses.
 */
export async function repairPods(options: RepairPodsOptions): Promise<void> {
  const { client, settings, signal, timing } = options;
  if (!settings.enabled) return;
  const type = actionOf(settings);
  if (type === undefined) {
    log.warn("broken pods are only written to the log", {
      reason: "none of --repair-repair-pods, --repair-delete-pods, --repair-label-pods is set",
    });
  }
  const broken = new BrokenPods(options, type);
  const following = follow<CniPod>({
    client,
    type: types.POD,
    selection: selectionOf(settings),
    convert: (object: ListItem) => object as CniPod,
    changed: (changes) => broken.update(changes),
    ...timing && { timing },
  });
  await sleep(Infinity, signal);
  await following.close();
  await broken.settled();
}

/** The pods that are known, with the actions in progress. */
class BrokenPods {
  readonly #options: RepairPodsOptions;
  readonly #type: ActionType | undefined;
  /** By namespace and name, as deletions name them. */
  readonly #pods = new Map<string, CniPod>();
  /** Ids of pods that were found broken: each is acted on once. */
  readonly #begun = new Set<string>();
  readonly #actions = new Set<Promise<void>>();

  constructor(options: RepairPodsOptions, type: ActionType | undefined) {
    this.#options = options;
    this.#type = type;
  }

  update({ upserts, deletes }: Changes<CniPod>): void {
    for (const { namespace, name } of deletes) this.#forget(keyOf(namespace, name));
    for (const pod of upserts) {
      const { namespace = "", name, uid = "" } = pod.metadata;
      const key = keyOf(namespace, name);
      if (this.#pods.get(key)?.metadata.uid !== uid) this.#forget(key);
      this.#pods.set(key, pod);
      if (this.#begun.has(uid) || !isBroken(pod, this.#options.settings)) continue;
      this.#begun.add(uid);
      const action = this.#actUntilDone(key, uid).finally(() => this.#actions.delete(action));
      this.#actions.add(action);
    }
  }

  async settled(): Promise<void> {
    await Promise.all(this.#actions);
  }

  #forget(key: string): void {
    this.#begun.delete(this.#pods.get(key)?.metadata.uid ?? "");
    this.#pods.delete(key);
  }

  /** The pod of this id as it is now, if it is broken still. */
  #broken(key: string, uid: string): CniPod | undefined {
    const pod = this.#pods.get(key);
    const same = pod !== undefined && pod.metadata.uid === uid;
    return same && isBroken(pod, this.#options.settings) ? pod : undefined;
  }

  async #actUntilDone(key: string, uid: string): Promise<void> {
    const { signal, pauses = { first: 1_000, longest: 60_000 } } = this.#options;
    const type = this.#type;
    for (let failures = 1; !signal.aborted; failures++) {
      const pod = this.#broken(key, uid);
      if (pod === undefined) return;
      if (type === undefined) return log.warn("a pod started without its rules", { pod: key });
      if (await this.#attempt(type, pod, failures === 1)) return;
      await sleep(jittered(pauseAfter(failures, pauses)), signal);
    }
  }

  /**
   * @param isFirst later failures of the same pod write no further events
   * @returns false if the action failed and is tried again
   */
  async #attempt(type: ActionType, pod: CniPod, isFirst: boolean): Promise<boolean> {
    const key = keyOf(pod.metadata.namespace ?? "", pod.metadata.name);
    let acted: Acted;
    try {
      acted = await act(type, pod, this.#options);
    } catch (error) {
      repaired.inc({ type, result: "fail" });
      log.error("a broken pod cannot be repaired", { pod: key, type, reason: messageOf(error) });
      const message = `${type}: ${messageOf(error)}`;
      if (isFirst) await this.#tell(pod, { type: "Warning", reason: "MeshRepairFailed", message });
      return false;
    }
    repaired.inc({ type, result: acted.result });
    log.info("acted on a broken pod", { pod: key, type, ...acted });
    if (acted.result === "success") {
      const kind = type === "repair" ? "Normal" : "Warning";
      await this.#tell(pod, { type: kind, reason: REASONS[type], message: acted.message });
    }
    return true;
  }

  async #tell(
    { metadata: { namespace = "", name, uid } }: CniPod,
    said: Pick<PodEvent, "type" | "reason" | "message">,
  ): Promise<void> {
    const pod = { namespace, name, ...uid !== undefined && { uid } };
    const time = new Date().toISOString();
    try {
      const event = podEvent({ pod, ...said, component: COMPONENT, time });
      await createObject(this.#options.client, types.EVENT, event);
    } catch (error) {
      log.warn("an event cannot be written", { reason: messageOf(error) });
    }
  }
}

function keyOf(namespace: string, name: string): string {
  return [namespace, name].join("/");
}
