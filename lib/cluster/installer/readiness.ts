/**
 * Waits until components are ready: their workloads, and the webhooks that they serve. What keeps pods
 * from starting is said at once.
 *
 * @module
 */
import { sleep } from "../../kit/async/mod.ts";
import type { MeshError } from "../../kit/base/mod.ts";
import {
  follow,
  type Following,
  type ListItem,
  type OrchClient,
  type OrchObject,
  type ResourceType,
  type Selection,
  types,
} from "../../kit/orch/mod.ts";
import { listError } from "./list_error.ts";
import { nameOf } from "./plan.ts";
import { eventText, newest, type ObjectEvent, podFault, type WaitingPod } from "./pod_faults.ts";
import type { Report } from "./report.ts";
import { isServed, type WebhookConfiguration, webhooksOf } from "./served_webhooks.ts";
import { type Workload, workloadState } from "./workload_state.ts";

/** Workloads that are waited for. */
const WORKLOADS: Readonly<Record<string, ResourceType>> = {
  Deployment: types.DEPLOYMENT,
  DaemonSet: types.DAEMON_SET,
  StatefulSet: {
    group: "apps",
    version: "v1",
    kind: "StatefulSet",
    plural: "statefulsets",
    namespaced: true,
  },
};

/** The types whose objects are read while something is waited for. */
export const WATCHED_TYPES: readonly ResourceType[] = [
  ...Object.values(WORKLOADS),
  types.REPLICA_SET,
  types.POD,
  types.EVENT,
];

/** Settings of a wait. */
export interface ReadinessOptions {
  readonly client: OrchClient;
  /** The objects that must be ready. */
  readonly objects: readonly OrchObject[];
  readonly title: string;
  readonly timeoutMs: number;
  readonly report: Report;
  readonly signal: AbortSignal;
}

/** An object that is not ready. */
interface Waiting {
  readonly object: OrchObject;
  readonly text: string;
  readonly faults: readonly string[];
}

/**
 * Waits until all objects are ready.
 *
 * @throws {MeshError} `install-not-ready` after the time, with what is known about each object
 */
export async function untilReady(options: ReadinessOptions): Promise<void> {
  await using state = new Observed(options);
  const { title, timeoutMs, report, signal } = options;
  const limit = AbortSignal.timeout(timeoutMs);
  const ended = AbortSignal.any([limit, signal]);
  await state.synced(ended);
  for (;;) {
    signal.throwIfAborted();
    const changed = state.nextChange(ended);
    const waiting = state.waiting();
    if (waiting.length === 0) return;
    for (const { object, faults } of waiting) {
      for (const fault of faults) report.say(`${nameOf(object)}: ${fault}`);
    }
    const [first] = waiting;
    const more = waiting.length > 1 ? ` and ${waiting.length - 1} more` : "";
    report.step(`- ${title}: waiting for ${nameOf(first!.object)} (${first!.text})${more}`);
    if (limit.aborted) throw notReady(title, timeoutMs, waiting, state.faults());
    await changed;
  }
}

function notReady(
  title: string,
  timeoutMs: number,
  waiting: readonly Waiting[],
  others: readonly string[],
): MeshError {
  const lines = waiting.map(({ object, text, faults }) =>
    `${nameOf(object)}: ${[text, ...faults].join("; ")}`
  );
  return listError(
    "install-not-ready",
    `${title} is not ready within ${timeoutMs / 1000} s`,
    [...lines, ...others],
    "What was applied stays. Repair the cause and run the same command again; --readiness-timeout " +
      "waits longer.",
  );
}

type Followed<T> = Following<T>;

/** The objects as the server has them, their pods and the events about them. */
class Observed {
  readonly #options: ReadinessOptions;
  readonly #workloads = new Map<string, Followed<Workload>>();
  readonly #webhooks = new Map<string, Followed<WebhookConfiguration>>();
  readonly #pods: Followed<WaitingPod>[] = [];
  readonly #sets: Followed<OrchObject>[] = [];
  readonly #events: Followed<ObjectEvent>[] = [];
  #wake: () => void = () => {};

  constructor(options: ReadinessOptions) {
    this.#options = options;
    const workloads = options.objects.filter(({ kind }) => kind in WORKLOADS);
    for (const { kind, metadata: { namespace = "" } } of workloads) {
      const key = JSON.stringify([kind, namespace]);
      if (this.#workloads.has(key)) continue;
      this.#workloads.set(key, this.#follow(WORKLOADS[kind]!, { namespace }));
    }
    for (const namespace of new Set(workloads.map(({ metadata }) => metadata.namespace ?? ""))) {
      this.#pods.push(this.#follow(types.POD, { namespace }));
      this.#sets.push(this.#follow(types.REPLICA_SET, { namespace }));
      const fieldSelector = "type=Warning";
      this.#events.push(this.#follow(types.EVENT, { namespace, fieldSelector }));
    }
    for (const { kind } of webhooksOf(options.objects)) {
      if (this.#webhooks.has(kind)) continue;
      const type = kind.startsWith("Mutating")
        ? types.MUTATING_WEBHOOKS
        : types.VALIDATING_WEBHOOKS;
      this.#webhooks.set(kind, this.#follow(type));
    }
  }

  /** Resolves when everything was read once, or when `signal` is aborted. */
  async synced(signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const all = Promise.all(this.#all().map(({ synced }) => synced)).then(() => stop.abort());
    await sleep(Infinity, AbortSignal.any([stop.signal, signal]));
    if (!signal.aborted) await all;
  }

  /** Resolves with the next change, or when `signal` is aborted. */
  async nextChange(signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    this.#wake = () => stop.abort();
    await sleep(Infinity, AbortSignal.any([stop.signal, signal]));
  }

  /** The objects that are not ready. */
  waiting(): Waiting[] {
    const { objects } = this.#options;
    const workloads = objects.filter(({ kind }) => kind in WORKLOADS).flatMap((object) => {
      const { kind, metadata: { namespace = "", name } } = object;
      const found = this.#workloads.get(JSON.stringify([kind, namespace]))?.get({
        namespace,
        name,
      });
      const { isReady, text, fault } = workloadState(kind, found);
      if (isReady) return [];
      const faults = found === undefined ? [] : this.#faultsOf(found);
      return [{ object, text, faults: fault === undefined ? faults : [fault, ...faults] }];
    });
    const webhooks = webhooksOf(objects).flatMap((object) => {
      const found = this.#webhooks.get(object.kind)?.get({ name: object.metadata.name });
      if (found !== undefined && isServed(found, objects)) return [];
      return [{ object, text: "the daemon has not written its authority yet", faults: [] }];
    });
    return [...workloads, ...webhooks];
  }

  /** Faults of the connection to the server. */
  faults(): string[] {
    return this.#all().flatMap((one) => one.state().fault ?? []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#wake();
    await Promise.all(this.#all().map((one) => one.close()));
  }

  #all(): readonly Followed<unknown>[] {
    const mapped = [...this.#workloads.values(), ...this.#webhooks.values()];
    return [...mapped, ...this.#pods, ...this.#sets, ...this.#events];
  }

  #follow<T extends OrchObject>(type: ResourceType, selection: Selection = {}): Followed<T> {
    return follow<T>({
      client: this.#options.client,
      type,
      selection,
      convert: (object: ListItem) => object as T,
      changed: () => this.#wake(),
      stateChanged: () => this.#wake(),
    });
  }

  /** Faults of the pods of the newest version of a workload, and of what makes them. */
  #faultsOf({ metadata }: Workload): string[] {
    const owned = (one: OrchObject, uid: string | undefined): boolean =>
      uid !== undefined &&
      one.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;
    const revision = revisionOf(metadata);
    const sets = this.#sets.flatMap((one) => one.values()).filter((set) =>
      owned(set, metadata.uid) && (revision === "" || revisionOf(set.metadata) === revision)
    );
    const owners = [metadata.uid, ...sets.map((set) => set.metadata.uid)];
    const events = this.#events.flatMap((one) => one.values());
    const pods = this.#pods.flatMap((one) => one.values()).filter((pod) =>
      owners.some((uid) => owned(pod, uid)) && pod.metadata.deletionTimestamp === undefined
    );
    const failures = pods.flatMap((pod) => {
      const fault = podFault(pod, events);
      return fault === undefined ? [] : [`Pod ${pod.metadata.name}: ${fault}`];
    });
    const refused = pods.length > 0
      ? undefined
      : newest(events.filter((one) =>
        one.reason === "FailedCreate" && owners.includes(one.involvedObject?.uid)
      ));
    return refused === undefined ? failures : [eventText(refused), ...failures];
  }
}

/** The number of a rollout, which a Deployment and its newest ReplicaSet share. */
function revisionOf({ annotations }: OrchObject["metadata"]): string {
  return annotations?.["deployment.kubernetes.io/revision"] ?? "";
}
