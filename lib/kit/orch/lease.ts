/**
 * Leases: one of several processes holds a lease, until it stops to renew it.
 *
 * @module
 */
import type { OrchClient } from "./client.ts";
import { isConflict, isNotFound } from "./error.ts";
import type { OrchObject } from "./object.ts";
import { createObject, getObject, type ObjectName, replaceObject } from "./resource.ts";
import { LEASE } from "./types.ts";

/** The lease, and who wants to hold it. */
export interface LeaseOptions {
  readonly client: OrchClient;
  readonly lease: Required<ObjectName>;
  /** Name of this process, unlike all others. */
  readonly holder: string;
  /** The lease may be taken over after this time without renewal, in milliseconds. */
  readonly durationMs: number;
  /**
   * True if this process may take the lease from a holder that renews it, by the annotations of the
   * lease.
   */
  readonly preempts?: (annotations: Readonly<Record<string, string>>) => boolean;
  /** Annotations that the lease gets from its holder. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Milliseconds; default a monotonic clock. */
  readonly now?: () => number;
}

/** Result of an attempt. */
export interface LeaseState {
  readonly held: boolean;
  /** The holder; empty: nobody. */
  readonly holder: string;
  /** True: it was taken from a holder that may still believe to hold it. */
  readonly preempted: boolean;
}

/** Attempts to take and renew one lease. */
export interface LeaseLock {
  /**
   * Takes the lease if it is free or its holder stopped to renew it; renews an own one.
   *
   * @throws OrchError if the server cannot be asked; the lease is lost when its time is over
   */
  attempt(): Promise<LeaseState>;
  /** Gives an own lease back, so that another process need not wait. */
  release(): Promise<void>;
}

interface Lease extends OrchObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

/** Another process wrote the lease at the same time. */
const LOST: LeaseState = { held: false, holder: "", preempted: false };

/** Starts without the lease. */
export function createLease(options: LeaseOptions): LeaseLock {
  return new Lock(options);
}

/**
 * The age of a lease is measured by the own clock, from the moment at which its last renewal was
 * seen: clocks of other machines do not matter.
 */
class Lock implements LeaseLock {
  readonly #options: LeaseOptions;
  #seen: { readonly version: string; readonly at: number } | undefined;
  #last: Lease | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  async attempt(): Promise<LeaseState> {
    const { client, lease, holder } = this.#options;
    const now = this.#now();
    try {
      const current = await getObject<Lease>(client, LEASE, lease);
      const version = current.metadata.resourceVersion ?? "";
      // A clock that jumped back would make the lease of a dead holder last as much longer.
      if (this.#seen?.version !== version || now < this.#seen.at) this.#seen = { version, at: now };
      this.#last = current;
      const owner = current.spec?.holderIdentity ?? "";
      const preempted = owner !== holder && !this.#isFree(current, now);
      if (preempted && !this.#mayPreempt(current)) {
        return { held: false, holder: owner, preempted: false };
      }
      this.#keep(await replaceObject<Lease>(client, LEASE, this.#next(current)), now);
      return { held: true, holder, preempted };
    } catch (error) {
      if (isConflict(error)) return LOST;
      if (!isNotFound(error)) throw error;
      return await this.#create(now);
    }
  }

  async release(): Promise<void> {
    const { client, holder } = this.#options;
    const last = this.#last;
    if (last?.spec?.holderIdentity !== holder) return;
    this.#last = undefined;
    await replaceObject(client, LEASE, {
      ...last,
      spec: { ...last.spec, holderIdentity: "", leaseDurationSeconds: 1 },
    } as Lease).catch((error) => {
      if (!isConflict(error) && !isNotFound(error)) throw error;
    });
  }

  async #create(now: number): Promise<LeaseState> {
    const { client, holder } = this.#options;
    try {
      this.#keep(await createObject<Lease>(client, LEASE, this.#next(undefined)), now);
      return { held: true, holder, preempted: false };
    } catch (error) {
      if (isConflict(error)) return LOST;
      throw error;
    }
  }

  #mayPreempt({ metadata: { annotations = {} } }: Lease): boolean {
    return this.#options.preempts?.(annotations) === true;
  }

  #isFree({ spec }: Lease, now: number): boolean {
    if (!spec?.holderIdentity) return true;
    const durationMs = (spec.leaseDurationSeconds ?? 0) * 1000;
    return now - (this.#seen?.at ?? now) > durationMs;
  }

  #next(current: Lease | undefined): Lease {
    const { lease, holder, durationMs, annotations } = this.#options;
    const time = new Date().toISOString().replace("Z", "000Z");
    const own = current?.spec?.holderIdentity === holder;
    const transitions = current?.spec?.leaseTransitions ?? 0;
    return {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: {
        ...lease,
        ...current?.metadata,
        annotations: { ...current?.metadata.annotations, ...annotations },
      },
      spec: {
        holderIdentity: holder,
        leaseDurationSeconds: Math.max(1, Math.ceil(durationMs / 1000)),
        acquireTime: own ? current.spec?.acquireTime ?? time : time,
        renewTime: time,
        leaseTransitions: own || current === undefined ? transitions : transitions + 1,
      },
    };
  }

  #keep(lease: Lease, at: number): void {
    this.#last = lease;
    this.#seen = { version: lease.metadata.resourceVersion ?? "", at };
  }

  #now(): number {
    return (this.#options.now ?? (() => performance.now()))();
  }
}
