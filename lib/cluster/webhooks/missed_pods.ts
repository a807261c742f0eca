/**
 * Tells pods that run without a proxy that they should have. A webhook with `failurePolicy: Ignore` lets
 * the API server admit pods as they are while the daemon is away; with `Fail` there are none, and nothing
 * is asked.
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import {
  listAll,
  listObjects,
  type OrchClient,
  type OrchObject,
  types,
} from "../../kit/orch/mod.ts";
import {
  decide,
  type DecisionRules,
  isInjected,
  type Pod,
  webhookFor,
  type WebhookSelectors,
} from "../inject/mod.ts";
import { isInjectionWebhook, isOwnConfiguration } from "./configurations.ts";

const log = scope("default");

/** Time between two looks, in milliseconds: each lists all pods. */
const EVERY_MS = 600_000;
/** Pods that one look names; further ones are counted. */
const MAX_NAMED = 20;

interface Webhook extends WebhookSelectors {
  readonly failurePolicy?: string;
}

interface Configuration extends OrchObject {
  readonly webhooks?: readonly Webhook[];
}

type RunningPod = Pod & {
  readonly metadata: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly deletionTimestamp?: string;
  };
  readonly status?: { readonly phase?: string };
};

/** Settings of {@linkcode tellMissedPods}. */
export interface MissedPodsOptions {
  readonly client: OrchClient;
  /** The daemon's revision, such as `default`. */
  readonly revision: string;
  /** Name of the configuration that is the daemon's without a label of a revision. */
  readonly mutatingName: string;
  readonly rules: () => DecisionRules;
  /** Time between two looks, in milliseconds. */
  readonly everyMs?: number;
}

/** Looks at the start and every now and then, and logs each pod once. */
export function tellMissedPods(options: MissedPodsOptions): AsyncDisposable {
  const teller = new Teller(options);
  const stop = new AbortController();
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  stop.signal.addEventListener("abort", () => resolve());
  const running = (async () => {
    while (!stop.signal.aborted) {
      await teller.look(stop.signal).catch((error) => {
        if (stop.signal.aborted) return;
        log.warn("pods without a proxy cannot be looked for", { reason: messageOf(error) });
      });
      let timer: ReturnType<typeof setTimeout> | undefined;
      const later = new Promise<void>((again) => {
        timer = setTimeout(again, options.everyMs ?? EVERY_MS);
      });
      await Promise.race([later, stopped]);
      clearTimeout(timer);
    }
  })();
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
    },
  };
}

class Teller {
  readonly #options: MissedPodsOptions;
  /** Pods that were named, or counted, by their uid. */
  #told: ReadonlySet<string> = new Set();

  constructor(options: MissedPodsOptions) {
    this.#options = options;
  }

  async look(signal: AbortSignal): Promise<void> {
    const webhooks = await this.#lenient();
    if (webhooks.length === 0) return;
    const missed = await this.#missed(webhooks, signal);
    const fresh = missed.filter(({ metadata }) => !this.#told.has(metadata.uid ?? ""));
    for (const { metadata: { namespace, name } } of fresh.slice(0, MAX_NAMED)) {
      log.warn(
        "a pod runs outside the mesh: the webhook was not asked when it was made. Delete it, so that " +
          "its controller makes it again",
        { namespace, pod: name },
      );
    }
    const others = fresh.length - MAX_NAMED;
    if (others > 0) log.warn("further pods run outside the mesh", { count: others });
    this.#told = new Set(missed.map(({ metadata }) => metadata.uid ?? ""));
  }

  /** The daemon's webhooks without which the API server goes on. */
  async #lenient(): Promise<Webhook[]> {
    const { client, revision, mutatingName } = this.#options;
    const all = await listAll<Configuration>(client, types.MUTATING_WEBHOOKS);
    return all.filter(({ metadata }) => isOwnConfiguration(metadata, revision, mutatingName))
      .flatMap(({ webhooks }) => webhooks ?? [])
      .filter((one) => isInjectionWebhook(one) && one.failurePolicy === "Ignore");
  }

  async #missed(webhooks: readonly Webhook[], signal: AbortSignal): Promise<RunningPod[]> {
    const { client, rules } = this.#options;
    const namespaces = await listAll<OrchObject>(client, types.NAMESPACE);
    const labels = new Map(
      namespaces.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]),
    );
    const found: RunningPod[] = [];
    for await (const { items } of listObjects<RunningPod>(client, types.POD, {}, { signal })) {
      found.push(...items.filter((pod) => {
        const { namespace = "" } = pod.metadata;
        const selected = { namespace: labels.get(namespace) ?? {}, pod: pod.metadata.labels ?? {} };
        return isRunning(pod) && !isInjected(pod) && webhookFor(webhooks, selected) !== undefined &&
          decide(pod, namespace, rules()).inject;
      }));
    }
    return found;
  }
}

function isRunning({ metadata, status }: RunningPod): boolean {
  return metadata.deletionTimestamp === undefined && status?.phase !== "Succeeded" &&
    status?.phase !== "Failed";
}
