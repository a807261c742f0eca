/**
 * One pod on its way into ambient mode and out of it.
 *
 * Into it: the node proxy listens in the pod's network namespace, then connections are redirected to it, then
 * the pod is announced. Out of it in the opposite order. No connection finds nobody who listens.
 *
 * @module
 */
import { sleep } from "../../kit/async/mod.ts";
import { MeshError, messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import type { CniPod } from "../cni/mod.ts";
import type { HostAddresses } from "./host_addresses.ts";
import { overridesOf } from "./overrides.ts";
import type { PodRules } from "./pod_rules.ts";
import type { NodeProxies } from "./proxies/proxies.ts";

const log = scope("ambient");

/** Annotation that announces pods. */
export const REDIRECTION = "ambient.mesh.io/redirection";

/** Value of the annotation; `undefined`: it goes away. */
export type Redirection = "enabled" | "pending" | undefined;

/** Times of a member, milliseconds. */
export interface MemberTimes {
  /** For the node proxy, until it serves the pod. */
  readonly servedMs: number;
  /** From the end of the announcement to the end of the node proxy's listeners. */
  readonly leavingMs: number;
  /** For the node proxy to give the pod up. */
  readonly forgottenMs: number;
}

/** The node proxies, as members use them. */
export type PodProxies = Pick<
  NodeProxies,
  "put" | "drop" | "complete" | "served" | "forgotten"
>;

/** Dependencies of members. */
export interface MemberOptions {
  readonly proxies: PodProxies;
  readonly host: HostAddresses;
  readonly times: MemberTimes;
  readonly dnsCapture: boolean;
  /** The network namespace of a running pod; `undefined`: it has none. */
  find(pod: CniPod): Promise<string | undefined>;
  /** @throws if it is that of the node, or none */
  check(seen: string): Promise<void>;
  rulesOf(seen: string, overrides: ReturnType<typeof overridesOf>): PodRules;
  announce(pod: CniPod, value: Redirection): Promise<void>;
}

/** A pod that is in ambient mode, or was. */
export class Member {
  readonly uid: string;
  readonly #options: MemberOptions;
  #pod: CniPod;
  #netns: string | undefined;
  /** Addresses of a pod that starts: the API server does not know them yet. */
  #assigned: readonly string[] = [];
  #isRedirected = false;
  /** The last change of the pod: changes are made in turn. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(pod: CniPod, options: MemberOptions) {
    this.uid = pod.metadata.uid ?? "";
    this.#options = options;
    this.#pod = pod;
  }

  get pod(): CniPod {
    return this.#pod;
  }

  set pod(pod: CniPod) {
    this.#pod = pod;
    if (this.#isRedirected) this.#options.host.put(this.uid, this.#addresses());
  }

  get name(): string {
    const { namespace = "", name } = this.#pod.metadata;
    return [namespace, name].join("/");
  }

  /** The pod has a network namespace, as far as is known. */
  get isPlaced(): boolean {
    return this.#netns !== undefined || (this.#pod.status?.podIPs ?? []).length > 0;
  }

  /** Nothing is left to do for a pod that is in ambient mode. */
  get isIn(): boolean {
    return this.#isRedirected && this.#announced() === "enabled";
  }

  /** It was announced, by this process or by one before it. */
  get isAnnounced(): boolean {
    return this.#announced() !== undefined;
  }

  /** The pod has a network namespace of its own: a new one after its sandbox was made again. */
  place(seen: string, addresses: readonly string[]): void {
    this.#netns = seen;
    this.#assigned = addresses;
    this.#isRedirected = false;
  }

  /** Writes the pod into the roster of node proxies. */
  async enlist(): Promise<void> {
    this.#netns ??= await this.#options.find(this.#pod);
    const { namespace = "", name } = this.#pod.metadata;
    const serviceAccount = this.#pod.spec?.serviceAccountName ?? "default";
    const info = { name, namespace, serviceAccount };
    const netns = this.#netns;
    this.#options.proxies.put({ uid: this.uid, info, ...netns !== undefined && { netns } });
  }

  /**
   * Brings the pod into ambient mode. Doing it again changes nothing.
   *
   * @throws if it cannot be done now
   */
  enter(): Promise<void> {
    return this.#inTurn(() => this.#enter());
  }

  async #enter(): Promise<void> {
    const { proxies, host, times } = this.#options;
    if (!this.#isRedirected) {
      await this.enlist();
      const seen = this.#netns;
      if (seen === undefined) throw notHere(this.name);
      try {
        await this.#options.check(seen);
        await proxies.served(this.uid, times.servedMs);
      } catch (error) {
        // It may be another one at the next attempt.
        this.#netns = undefined;
        throw error;
      }
      await host.put(this.uid, this.#addresses());
      const rules = await this.#rules(seen).enter();
      this.#isRedirected = true;
      log.info("a pod is in ambient mode", { pod: this.name, rules });
    }
    await this.#announce("enabled");
  }

  /**
   * Writes the rules of a pod in ambient mode again where others have changed them.
   *
   * @returns the rules that were missing or differed
   * @throws if its network namespace is gone; {@link isIn} is false then
   */
  repair(): Promise<readonly string[]> {
    return this.#inTurn(async () => {
      const seen = this.#netns;
      if (!this.#isRedirected || seen === undefined) return [];
      try {
        await this.#options.check(seen);
        const rules = this.#rules(seen);
        const differences = await rules.inspect();
        if (differences.length > 0) await rules.enter();
        return differences;
      } catch (error) {
        this.#netns = undefined;
        this.#isRedirected = false;
        throw error;
      }
    });
  }

  /** The pod could not enter: it is announced so, once. */
  async pend(): Promise<void> {
    if (!this.isAnnounced) await this.#announce("pending");
  }

  /**
   * Takes the pod out of ambient mode.
   *
   * @param stays returns true if the pod is to be in ambient mode again; it goes on then
   */
  leave(stays: () => boolean): Promise<void> {
    return this.#inTurn(() => this.#leave(stays));
  }

  async #leave(stays: () => boolean): Promise<void> {
    const { proxies, host, times } = this.#options;
    // An agent that follows this one goes on with pods that have the annotation.
    await this.#announce("pending");
    const seen = this.#netns ??= await this.#options.find(this.#pod);
    if (seen !== undefined) {
      await this.#options.check(seen);
      await this.#rules(seen).leave();
      this.#isRedirected = false;
      // Others still send through the node proxy until they have learnt of it.
      await sleep(times.leavingMs);
      if (stays()) return;
    }
    proxies.drop(this.uid);
    await proxies.forgotten(this.uid, times.forgottenMs);
    if (seen !== undefined) await this.#rules(seen).remove();
    await host.delete(this.uid);
    await this.#announce(undefined);
    log.info("a pod is no longer in ambient mode", { pod: this.name });
  }

  /** The pod has ended, and its network namespace with it. */
  async ended(): Promise<void> {
    this.#options.proxies.drop(this.uid);
    await this.#options.host.delete(this.uid);
  }

  /** Takes the rules away at once: nothing of the mesh stays on the node. */
  async abandon(): Promise<void> {
    await this.#announce(undefined).catch((error) => {
      log.warn("the announcement of a pod stays", { pod: this.name, reason: messageOf(error) });
    });
    const seen = this.#netns ??= await this.#options.find(this.#pod);
    if (seen !== undefined) await this.#rules(seen).remove();
    this.#options.proxies.drop(this.uid);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const own = this.#last.then(work, work);
    this.#last = own;
    return own;
  }

  #rules(seen: string): PodRules {
    const overrides = overridesOf(this.#pod, this.#options);
    for (const reason of overrides.refused) {
      log.warn("an annotation of a pod is not used", { pod: this.name, reason });
    }
    return this.#options.rulesOf(seen, overrides);
  }

  #addresses(): readonly string[] {
    const known = this.#pod.status?.podIPs?.map(({ ip }) => ip) ?? [];
    return known.length > 0 ? known : this.#assigned;
  }

  #announced(): Redirection {
    const value = this.#pod.metadata.annotations?.[REDIRECTION];
    return value === "enabled" || value === "pending" ? value : undefined;
  }

  async #announce(value: Redirection): Promise<void> {
    if (this.#announced() === value) return;
    await this.#options.announce(this.#pod, value);
    const { [REDIRECTION]: _, ...others } = this.#pod.metadata.annotations ?? {};
    const annotations = value === undefined ? others : { ...others, [REDIRECTION]: value };
    this.#pod = { ...this.#pod, metadata: { ...this.#pod.metadata, annotations } };
  }
}

function notHere(pod: string): MeshError {
  return new MeshError("ambient-namespace", `the network namespace of ${pod} is not found`, {
    remedy: "It is tried again. Mount /proc and /var/run/netns of the node (HostToContainer).",
  });
}
