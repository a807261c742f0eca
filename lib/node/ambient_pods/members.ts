/**
 * The pods of the node: each is brought to what its labels say, one step after the other, and again after
 * failures.
 *
 * @module
 */
import { jittered, pauseAfter, sleep } from "../../kit/async/mod.ts";
import { messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { counter } from "../../kit/metrics/mod.ts";
import type { CniPod } from "../cni/mod.ts";
import { enrolmentOf, type Labels } from "./enrolment.ts";
import { Member, type MemberOptions } from "./member.ts";

const log = scope("ambient");

const events = counter({
  name: "nodeagent_reconcile_events_total",
  help: "Changes of pods that concern ambient mode, by type.",
  labels: ["type"],
});

/** Options of {@link Members}. */
export interface MembersOptions extends MemberOptions {
  readonly excludeNamespaces: ReadonlySet<string>;
  /** Pauses between attempts on one pod, milliseconds. */
  readonly pauses: { readonly first: number; readonly longest: number; readonly growth?: number };
  readonly signal: AbortSignal;
}

interface Entry {
  readonly member: Member;
  /** True if its labels ask for ambient mode. */
  isWanted: boolean;
  hasEnded: boolean;
  /** The work in progress. */
  work: Promise<void> | undefined;
}

/** The pods that are in ambient mode, should be, or were. */
export class Members {
  readonly #options: MembersOptions;
  /** By id of the pod. */
  readonly #entries = new Map<string, Entry>();
  /** False: pods are collected, and nothing is done. */
  #isBegun = false;

  constructor(options: MembersOptions) {
    this.#options = options;
  }

  /** A pod as it is now. */
  update(pod: CniPod, namespaceLabels: Labels): void {
    const { uid = "" } = pod.metadata;
    const enrolment = enrolmentOf(pod, namespaceLabels, this.#options.excludeNamespaces);
    const isWanted = enrolment.kind === "in";
    const before = this.#entries.get(uid);
    if (before === undefined) {
      const member = new Member(pod, this.#options);
      // Pods that have nothing to do with it are not kept.
      if (!isWanted && !member.isAnnounced) return;
      this.#entries.set(uid, { member, isWanted, hasEnded: false, work: undefined });
      events.inc({ type: "add" });
    } else {
      before.member.pod = pod;
      if (before.isWanted !== isWanted) events.inc({ type: "update" });
      before.isWanted = isWanted;
    }
    const { phase } = pod.status ?? {};
    const entry = this.#entries.get(uid)!;
    entry.hasEnded = phase === "Succeeded" || phase === "Failed";
    if (this.#isBegun) this.#work(entry);
  }

  /** The pod is gone. */
  forget(uid: string): void {
    const entry = this.#entries.get(uid);
    if (entry === undefined) return;
    events.inc({ type: "delete" });
    entry.hasEnded = true;
    entry.isWanted = false;
    if (this.#isBegun) this.#work(entry);
    else this.#entries.delete(uid);
  }

  /** All pods of the node were told: node proxies get them, and work on them begins. */
  async begin(): Promise<void> {
    const { proxies, host } = this.#options;
    const wanted = [...this.#entries.values()].filter(({ isWanted }) => isWanted);
    await Promise.all(wanted.map(async ({ member }) => {
      await member.enlist().catch((error) => failed(member, error));
    }));
    proxies.complete();
    this.#isBegun = true;
    // Addresses that an agent before this one has left go out.
    await host.write().catch((error) => {
      log.error("the rules of the node cannot be written", { reason: messageOf(error) });
    });
    for (const entry of this.#entries.values()) this.#work(entry);
  }

  /**
   * Takes a pod in before its containers start.
   *
   * @returns false: it is not in ambient mode
   */
  async addStarting(
    pod: CniPod,
    namespaceLabels: Labels,
    { seen, addresses }: { readonly seen: string; readonly addresses: readonly string[] },
  ): Promise<boolean> {
    const { excludeNamespaces } = this.#options;
    if (enrolmentOf(pod, namespaceLabels, excludeNamespaces).kind === "out") return false;
    const { uid = "" } = pod.metadata;
    const entry = this.#entries.get(uid) ??
      { member: new Member(pod, this.#options), isWanted: true, hasEnded: false, work: undefined };
    this.#entries.set(uid, entry);
    entry.member.place(seen, addresses);
    events.inc({ type: "add" });
    await entry.member.enter();
    return true;
  }

  /** Repairs the rules of the pods that are in ambient mode, one pod after the other, until the end. */
  async watch(everyMs: number): Promise<void> {
    const { signal } = this.#options;
    while (await sleep(everyMs, signal)) await this.repair();
  }

  /** Repairs the rules of each pod that is in ambient mode, once. */
  async repair(): Promise<void> {
    for (const entry of [...this.#entries.values()]) {
      const { member, isWanted, hasEnded, work } = entry;
      if (this.#options.signal.aborted) return;
      if (!isWanted || hasEnded || work !== undefined || !member.isIn) continue;
      try {
        const [first, ...more] = await member.repair();
        if (first === undefined) continue;
        events.inc({ type: "repair" });
        log.warn("the rules of a pod were changed by others; they are written again", {
          pod: member.name,
          reason: more.length === 0 ? first : `${first}, and ${more.length} more`,
        });
      } catch (error) {
        failed(member, error);
        this.#work(entry);
      }
    }
  }

  /** Takes everything away, because nothing of the mesh stays on the node. */
  async abandon(): Promise<void> {
    await Promise.all([...this.#entries.values()].map(async ({ member }) => {
      await member.abandon().catch((error) => failed(member, error));
    }));
    await this.#options.host.remove();
  }

  /** Waits for the work in progress. */
  async settled(): Promise<void> {
    await Promise.all([...this.#entries.values()].map(({ work }) => work));
  }

  #work(entry: Entry): void {
    entry.work ??= this.#until(entry).finally(() => {
      entry.work = undefined;
      const isHere = this.#entries.get(entry.member.uid) === entry;
      if (isHere && !this.#options.signal.aborted && !isSettled(entry)) this.#work(entry);
    });
  }

  /** Works on a pod until it is as it should be. */
  async #until(entry: Entry): Promise<void> {
    const { signal, pauses } = this.#options;
    const { member } = entry;
    for (let failures = 0; !signal.aborted && this.#entries.get(member.uid) === entry;) {
      if (isSettled(entry)) return;
      try {
        await this.#step(entry);
        failures = 0;
      } catch (error) {
        failed(member, error);
        if (entry.isWanted && !entry.hasEnded) await member.pend().catch(() => {});
        await sleep(jittered(pauseAfter(++failures, pauses)), signal);
      }
    }
  }

  async #step(entry: Entry): Promise<void> {
    const { member } = entry;
    if (entry.hasEnded) {
      await member.ended();
      this.#entries.delete(member.uid);
    } else if (entry.isWanted) {
      await member.enter();
    } else {
      await member.leave(() => entry.isWanted);
      if (!entry.isWanted) this.#entries.delete(member.uid);
    }
  }
}

/** Nothing can be done now: the network plugin tells when a pod gets its network namespace. */
function isSettled({ member, isWanted, hasEnded }: Entry): boolean {
  return isWanted && !hasEnded && (member.isIn || !member.isPlaced);
}

function failed({ name }: Member, error: unknown): void {
  log.warn("a pod is not as its labels say yet", { pod: name, reason: messageOf(error) });
}
