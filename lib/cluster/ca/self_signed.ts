/**
 * The self-signed authority: a root that is made at the first start, kept in a store and renewed
 * before it expires.
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { generateKey, issueAuthority, type Issuer, trustBundle } from "../../kit/pki/mod.ts";
import { type Authority, type AuthoritySource, changes } from "./authority.ts";
import { rootChangePhase } from "./metrics.ts";
import { type RootChange, type RootEvent, stepRootChange, trustedRoots } from "./root_change.ts";
import { firstCheck, isDue } from "./rotation.ts";
import type { RootStore } from "./store.ts";

const log = scope("rootcertrotator");

/** Part of the organization and common name of roots. */
export interface SelfSignedOptions {
  readonly store: RootStore;
  readonly trustDomain: string;
  readonly rsaBits: number;
  /** Lifetime of a root, ms. */
  readonly ttlMs: number;
  /** Interval of checks, ms; not above zero: none. */
  readonly checkMs: number;
  readonly jitter: boolean;
  /** Percentage of the lifetime, at its end, in which a root is renewed. */
  readonly gracePercent: number;
  /** Time that proxies have to acknowledge a new root, ms. */
  readonly timeoutMs: number;
  /** Longest lifetime of a workload certificate, ms. */
  readonly longestTtlMs: number;
  /** Names of connected proxies that have not acknowledged these roots (their serial numbers). */
  readonly pending: (serials: readonly string[]) => readonly string[];
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /**
   * True while this replica renews the root and continues a change; the others follow the store.
   * Not used for a store that cannot be followed: each daemon has its own root then. Default: always.
   */
  readonly leads?: () => boolean;
  /** Interval of checks during a change, ms. Default: 1 s. */
  readonly stepMs?: number;
}

/** A self-signed authority. */
export interface SelfSigned extends AuthoritySource {
  /** True: replicas share the root, and one of them renews it. */
  readonly isShared: boolean;
  /** The phase of a change of roots, with its properties. */
  state(): RootChange<Issuer>;
  /** The operator's decision: to begin a change of roots, or on the announced root. */
  decide(decision: "begin" | "proceed" | "abort"): Promise<void>;
  /** Checks the root and the change under way now, as the timers do. */
  check(): Promise<void>;
}

/** Time by which certificates are valid before they are made, for clocks that are behind, ms. */
export const BACKDATE_MS = 120_000;

/**
 * Time that other replicas of the daemon have to send an announced root to their proxies, ms. This
 * replica knows only the acknowledgements of its own proxies.
 */
const OTHERS_MS = 60_000;

/** Loads or makes the root. Throws `MeshError` `ca-store`. */
export async function startSelfSigned(options: SelfSignedOptions): Promise<SelfSigned> {
  const { store } = options;
  let state = await store.load();
  if (!state) {
    const made = await newRoot(options);
    state = await store.save({ phase: "stable", active: made });
    const { serial } = state.active.certificate;
    const isOwn = serial === made.certificate.serial;
    log.info(isOwn ? "made a self-signed root" : "another replica made the root", { serial });
  }
  return run(state, options);
}

async function newRoot({ rsaBits, ttlMs, trustDomain, clock }: SelfSignedOptions): Promise<Issuer> {
  const key = await generateKey({ type: "rsa", bits: rsaBits });
  const now = clock();
  const certificate = await issueAuthority({
    organization: trustDomain,
    key,
    notBefore: now - Math.min(BACKDATE_MS, ttlMs / 2),
    notAfter: now + ttlMs,
  });
  return { certificate, key };
}

function run(first: RootChange<Issuer>, options: SelfSignedOptions): SelfSigned {
  const { onChange, notify } = changes();
  let state = first;
  let authority = authorityOf(state);
  rootChangePhase.set({ phase: state.phase }, 1);
  const adopt = (next: RootChange<Issuer>) => {
    report(state, next);
    state = next;
    authority = authorityOf(state);
    notify();
  };
  const step = async (event: RootEvent<Issuer>) => {
    const { clock, timeoutMs: timeout, longestTtlMs: longestTtl } = options;
    const next = stepRootChange(state, event, { now: clock(), timeout, longestTtl });
    // Saved first: a root that signs must be known after a restart.
    if (next !== state) adopt(await options.store.save(next));
  };
  const isShared = options.store.follow !== undefined;
  const turnOf = createTurns(options, isShared);
  const check = serially(async () => {
    const { leads, isRootDue } = turnOf(state);
    if (!leads) return;
    if (state.phase === "stable") {
      if (!isRootDue) return;
      await step({ type: "begin", next: await newRoot(options) });
    }
    const serials = trustedRoots(state).map(({ certificate }) => certificate.serial);
    await step({ type: "tick", pending: [...options.pending(serials), ...othersIn(state)] });
  });
  const othersIn = (now: RootChange<Issuer>) => {
    const isNew = now.phase === "announced" && options.clock() - now.since < OTHERS_MS;
    return options.store.follow && isNew ? ["proxies of other replicas"] : [];
  };
  const following = options.store.follow?.((stored) => {
    if (stored === undefined) void restore().catch(failed);
    else if (!isSameState(stored, state)) adopt(stored);
  });
  const restore = async () => {
    log.warn("the stored root was removed; it is stored again");
    const kept = await options.store.save(state);
    if (!isSameState(kept, state)) adopt(kept);
  };
  const timers = startTimers(options, () => state.phase !== "stable", check);
  return {
    isShared,
    current: () => authority,
    state: () => state,
    onChange,
    check,
    decide: async (type) =>
      await step(type === "begin" ? { type, next: await newRoot(options) } : { type }),
    async [Symbol.asyncDispose]() {
      timers.stop();
      await following?.[Symbol.asyncDispose]();
      await check.idle();
    },
  };
}

/** Tells at each check if the root is due, and if this replica renews it; logs the begin and the wait. */
function createTurns({ clock, gracePercent, leads: leader }: SelfSignedOptions, isShared: boolean) {
  let waits = false;
  return ({ phase, active: { certificate } }: RootChange<Issuer>) => {
    const { serial: root } = certificate;
    const isRootDue = phase === "stable" && isDue(certificate, clock(), gracePercent);
    const leads = !isShared || leader?.() !== false;
    if (isRootDue && leads) log.info("the root is due; its renewal begins", { root });
    else if (isRootDue && !waits) {
      log.info("the root is due; the replica that leads renews it", { root });
    }
    waits = isRootDue && !leads;
    return { leads, isRootDue };
  };
}

/** True for equal roots in one phase. `overdue` is `announced` for other replicas. */
function isSameState(one: RootChange<Issuer>, other: RootChange<Issuer>): boolean {
  const keyOf = (state: RootChange<Issuer>) => {
    const phase = state.phase === "overdue" ? "announced" : state.phase;
    const serials = trustedRoots(state).map(({ certificate }) => certificate.serial);
    return [phase, state.active.certificate.serial, ...serials].join();
  };
  return keyOf(one) === keyOf(other);
}

/** The roots of a state as an authority. */
function authorityOf(state: RootChange<Issuer>): Authority {
  const { active } = state;
  return {
    issuer: active,
    intermediates: [],
    root: active.certificate,
    bundle: trustBundle(trustedRoots(state).map(({ certificate }) => certificate)),
  };
}

function report(before: RootChange<Issuer>, after: RootChange<Issuer>): void {
  rootChangePhase.remove({ phase: before.phase });
  rootChangePhase.set({ phase: after.phase }, 1);
  const fields = { phase: after.phase, root: after.active.certificate.serial };
  if (after.phase !== "overdue") return log.info("a change of roots continues", fields);
  log.warn("proxies have not acknowledged the new root in time; the change waits for a decision", {
    ...fields,
    next: after.next.certificate.serial,
    count: after.laggards.length,
    proxies: after.laggards.slice(0, 20).join(","),
  });
}

function failed(error: unknown): void {
  log.error("the check of the self-signed root failed", { reason: messageOf(error) });
}

/** A function that never runs twice at the same time. */
interface Serial {
  (): Promise<void>;
  idle(): Promise<void>;
}

function serially(run: () => Promise<void>): Serial {
  let last = Promise.resolve();
  const call = () => last = last.then(run, run);
  return Object.assign(call, { idle: () => last.catch(() => {}) });
}

function startTimers(
  { checkMs, jitter, stepMs = 1000 }: SelfSignedOptions,
  isChanging: () => boolean,
  check: () => Promise<void>,
): { stop(): void } {
  let next = checkMs > 0
    ? performance.now() + firstCheck(checkMs, jitter, Math.random())
    : Infinity;
  const timer = setInterval(() => {
    const isDueNow = performance.now() >= next;
    if (isDueNow) next = performance.now() + checkMs;
    if (isDueNow || isChanging()) void check().catch(failed);
  }, Math.min(stepMs, checkMs > 0 ? checkMs : stepMs));
  Deno.unrefTimer(timer);
  return { stop: () => clearInterval(timer) };
}
