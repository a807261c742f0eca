/**
 * Keeps the webhook configurations of the daemon's revision: the bundle of authorities that the API server
 * trusts, and the failure policy of validation.
 *
 * @module
 */
import { type Backoff, pauseAfter } from "../../kit/async/mod.ts";
import { messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { REVISION_LABEL } from "../../mesh/model/mod.ts";
import {
  follow,
  type Following,
  getObject,
  isConflict,
  isNotFound,
  type ListItem,
  type OrchClient,
  OrchError,
  type OrchObject,
  replaceObject,
  type ResourceType,
  types,
} from "../../kit/orch/mod.ts";
import {
  patchAttempts,
  patchFailures,
  patchRetries,
  validationLoadErrors,
  validationUpdateErrors,
  validationUpdates,
} from "./metrics.ts";
import { isSelfCheckRefused } from "./self_check.ts";

const log = scope("validationController");

const { MUTATING_WEBHOOKS: MUTATING, VALIDATING_WEBHOOKS: VALIDATING } = types;

/** Ends of the names of the webhooks that are kept. */
const SUFFIXES = { mutating: "sidecar-injector.mesh.io", validating: "validation.mesh.io" };

/** Pauses after failures. */
const PAUSES: Backoff = { first: 500, longest: 60_000, growth: 2 };
/** Pauses between two self-checks. */
const CHECK_PAUSES: Backoff = { first: 500, longest: 10_000, growth: 1.5 };

interface Webhook {
  readonly name: string;
  readonly failurePolicy?: string;
  readonly clientConfig?: { readonly caBundle?: string };
}

interface Configuration extends OrchObject {
  readonly webhooks?: readonly Webhook[];
}

/** Settings of a synchroniser. */
export interface ConfigurationOptions {
  readonly client: OrchClient;
  /** The daemon's revision, such as `default`. */
  readonly revision: string;
  /** Names of configurations that are kept without a label of a revision; empty: the kind is not kept. */
  readonly mutatingName: string;
  readonly validatingName: string;
  /** Namespace of the daemon, for the self-check. */
  readonly namespace: string;
  /** The authorities of the listener's certificate, PEM. */
  readonly bundle: () => string;
  /** Called with each change of the bundle. */
  readonly onBundle: (changed: () => void) => void;
}

/** A running synchroniser. */
export interface ConfigurationSync {
  /** True once the API server was seen to call the validation webhook. */
  readonly validates: () => boolean;
  close(): Promise<void>;
}

/** Starts to keep the configurations. */
export function syncConfigurations(options: ConfigurationOptions): ConfigurationSync {
  return new Synchroniser(options);
}

class Synchroniser implements ConfigurationSync {
  readonly #options: ConfigurationOptions;
  readonly #stop = new AbortController();
  readonly #followed: Following<Configuration>[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<void> = Promise.resolve();
  #pending = false;
  #failures = 0;
  #checks = 0;
  #validates = false;

  constructor(options: ConfigurationOptions) {
    this.#options = options;
    if (options.mutatingName !== "") this.#followed.push(this.#follow(MUTATING));
    if (options.validatingName !== "") this.#followed.push(this.#follow(VALIDATING));
    options.onBundle(() => this.#wake(0));
  }

  validates(): boolean {
    return this.#validates;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await Promise.all(this.#followed.map((one) => one.close()));
    await this.#running;
  }

  #follow(type: ResourceType): Following<Configuration> {
    return follow<Configuration>({
      client: this.#options.client,
      type,
      convert: (object: ListItem) => object as Configuration,
      changed: () => this.#wake(0),
      stateChanged: ({ fault }) => {
        if (fault === undefined || type !== VALIDATING) return;
        validationLoadErrors.inc({ reason: "unreachable" });
      },
    });
  }

  #wake(ms: number): void {
    if (this.#stop.signal.aborted) return;
    if (ms === 0) this.#pending = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#start(), ms);
  }

  /** One pass at a time; a change during a pass begins another one. */
  #start(): void {
    this.#pending = false;
    this.#running = this.#running.then(async () => {
      const again = await this.#pass();
      if (again !== undefined && !this.#pending) this.#wake(again);
    });
  }

  /** Repairs everything. Returns the pause until the next pass, if there must be one. */
  async #pass(): Promise<number | undefined> {
    try {
      for (const configuration of this.#own(MUTATING)) await this.#repair(MUTATING, configuration);
      const validating = this.#own(VALIDATING);
      for (const configuration of validating) await this.#repair(VALIDATING, configuration);
      this.#failures = 0;
      const hasOpen = validating.some(({ webhooks = [] }) =>
        webhooks.some((one) => isOurs("validating", one) && one.failurePolicy !== "Fail")
      );
      // Each replica checks until it has seen the webhook work once.
      if (validating.length === 0 || this.#validates && !hasOpen) return undefined;
      return await this.#check(validating);
    } catch (error) {
      if (this.#stop.signal.aborted) return undefined;
      const pause = pauseAfter(++this.#failures, PAUSES);
      log.warn("a webhook configuration cannot be kept", { reason: messageOf(error) });
      return pause;
    }
  }

  /** Checks that the webhook works, and closes the failure policy then. */
  async #check(validating: readonly Configuration[]): Promise<number | undefined> {
    const { client, namespace, revision } = this.#options;
    const { signal } = this.#stop;
    const fault = await isSelfCheckRefused(client, { namespace, revision, signal });
    if (fault !== undefined) {
      log.debug("the validation webhook is not called yet", { reason: fault });
      return pauseAfter(++this.#checks, CHECK_PAUSES);
    }
    if (!this.#validates) log.info("the API server calls the validation webhook");
    this.#validates = true;
    for (const configuration of validating) await this.#repair(VALIDATING, configuration);
    return undefined;
  }

  /** Configurations of the daemon's revision. */
  #own(type: ResourceType): readonly Configuration[] {
    const { mutatingName, validatingName, revision } = this.#options;
    const named = type === MUTATING ? mutatingName : validatingName;
    const at = mutatingName === "" ? VALIDATING : MUTATING;
    const followed = this.#followed[type === at ? 0 : 1];
    if (named === "" || followed === undefined) return [];
    return followed.values().filter(({ metadata }) =>
      isOwnConfiguration(metadata, revision, named)
    );
  }

  /** Changes what differs. A conflict is tried once more with the newest version. */
  async #repair(type: ResourceType, configuration: Configuration): Promise<void> {
    const { client } = this.#options;
    const name = configuration.metadata.name ?? "";
    if (this.#wanted(type, configuration) === undefined) return;
    const isMutating = type === MUTATING;
    for (let attempt = 0; attempt < 3; attempt++) {
      // The followed object has no managed fields, which a replacement would drop.
      const current = await getObject<Configuration>(client, type, { name }, {
        signal: this.#stop.signal,
      }).catch(nothingIfGone);
      const next = current && this.#wanted(type, current);
      if (next === undefined) return;
      if (isMutating) (attempt === 0 ? patchAttempts : patchRetries).inc({ name });
      try {
        await replaceObject(client, type, next);
        if (!isMutating) validationUpdates.inc();
        log.info("changed a webhook configuration", { kind: type.kind, name });
        return;
      } catch (error) {
        const reason = error instanceof OrchError ? error.reason ?? error.code : "unknown";
        if (isMutating) patchFailures.inc({ name, reason });
        else validationUpdateErrors.inc({ reason });
        if (!isConflict(error)) throw error;
      }
    }
  }

  /** The configuration as it should be; `undefined` if it is so. */
  #wanted(type: ResourceType, configuration: Configuration): Configuration | undefined {
    const bundle = btoa(this.#options.bundle());
    const kind = type === MUTATING ? "mutating" : "validating";
    let differs = false;
    const webhooks = (configuration.webhooks ?? []).map((webhook) => {
      if (!isOurs(kind, webhook)) return webhook;
      const failurePolicy = kind === "validating" && this.#validates
        ? "Fail"
        : webhook.failurePolicy;
      const isSame = webhook.clientConfig?.caBundle === bundle &&
        webhook.failurePolicy === failurePolicy;
      if (isSame) return webhook;
      differs = true;
      return {
        ...webhook,
        failurePolicy,
        clientConfig: { ...webhook.clientConfig, caBundle: bundle },
      };
    });
    return differs ? { ...configuration, webhooks } : undefined;
  }
}

/** True for a configuration with the label of a revision; without that label, for the one of a name. */
export function isOwnConfiguration(
  { name, labels }: OrchObject["metadata"],
  revision: string,
  named: string,
): boolean {
  const label = labels?.[REVISION_LABEL];
  return label !== undefined && label !== "" ? label === revision : name === named;
}

/** True for a webhook that injects proxies. */
export function isInjectionWebhook(webhook: { readonly name: string }): boolean {
  return isOurs("mutating", webhook);
}

function isOurs(kind: keyof typeof SUFFIXES, { name }: { readonly name: string }): boolean {
  return name.endsWith(SUFFIXES[kind]);
}

function nothingIfGone(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}
