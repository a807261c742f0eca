/**
 * Leader election: of several daemons, one runs a controller. The election is a Lease; its holder
 * renews it, and stops the controller before another daemon may take the lease.
 *
 * @module
 */
import { around, endsWithin, sleep } from "../../../kit/async/mod.ts";
import { messageOf } from "../../../kit/base/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import {
  createLease,
  guardWrites,
  type LeaseLock,
  type LeaseState,
  type OrchClient,
} from "../../../kit/orch/mod.ts";
import { leading, transitions } from "./metrics.ts";
import { STOP_MS } from "../stop.ts";
import type { Term } from "../reconcile.ts";
import { ageOf, createFence, type Fence, type Moment, systemMoment } from "./fence.ts";

const log = scope("controllers");

/** Annotation of a lease with the revision of its holder. */
export const HOLDER_REVISION = "mesh.io/holder-revision";

/** Times of elections, in milliseconds. */
export interface ElectionTiming {
  /** A lease that was not renewed for this time may be taken over. */
  readonly leaseMs: number;
  /** A holder that could not renew its lease for this time stops its controller. */
  readonly deadlineMs: number;
  /**
   * A write needs a renewal that began within this time; else it waits for one. It exceeds the pause
   * between two renewals and is below `deadlineMs`. A process that took the lease from a holder of
   * another revision waits this time before it begins, so that both never write.
   */
  readonly fenceMs: number;
  /** Pause between two attempts to take or to renew a lease. */
  readonly retryMs: number;
  /** Longest wait for the controller, and for giving back the lease, when the election is disposed. */
  readonly stopMs: number;
}

/** The times of a daemon. */
export const ELECTION_TIMING: ElectionTiming = {
  leaseMs: 12_000,
  deadlineMs: 8_000,
  fenceMs: 5_000,
  retryMs: 2_000,
  stopMs: STOP_MS,
};

/** One process in one election. */
export interface ElectionOptions {
  readonly client: OrchClient;
  /** Namespace of the lease. */
  readonly namespace: string;
  /** Name of the lease. */
  readonly name: string;
  /** Name in metrics and log lines; default: that of the lease. */
  readonly label?: string;
  /** Name of this process, unlike those of all replicas. */
  readonly identity: string;
  /** Revision of this process. */
  readonly revision: string;
  /**
   * The default revision of the mesh, whose daemons take a lease from those of other revisions.
   * `undefined`: no revision precedes another one.
   */
  readonly defaultRevision?: () => string;
  /** False: the controller runs at once, without a lease. */
  readonly enabled: boolean;
  /** The controller: runs until the end of the term. Writes of its client wait behind the fence. */
  readonly run: (term: Term) => Promise<void>;
  readonly timing?: Partial<ElectionTiming>;
  /** Default: the clocks of the machine. */
  readonly now?: () => Moment;
}

export interface ElectionState {
  readonly name: string;
  /** True while this process runs the controller. */
  readonly leading: boolean;
  /** The holder of the lease; empty: unknown, or nobody. */
  readonly holder: string;
}

/** Participation in an election. */
export interface Election extends AsyncDisposable {
  state(): ElectionState;
}

/**
 * Takes part until it is disposed: then the controller has ended and the lease is given back. With a
 * server that hangs, disposing takes about 6 s at most, and the lease is free when its time is over.
 */
export function joinElection(options: ElectionOptions): Election {
  return new Candidate(options);
}

/** True if a process of revision `own` takes the lease from a holder of revision `holder`. */
export function precedes(own: string, holder: string, defaultRevision: string): boolean {
  return own === defaultRevision && holder !== defaultRevision;
}

interface RunningTerm {
  readonly stop: AbortController;
  /** `undefined` without elections. */
  readonly fence: Fence | undefined;
  readonly done: Promise<void>;
}

class Candidate implements Election {
  readonly #options: ElectionOptions;
  readonly #timing: ElectionTiming;
  readonly #lock: LeaseLock;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  readonly #label: string;
  #holder = "";
  /** The last attempt to take or to renew the lease; it does not fail. */
  #attempting: Promise<unknown> = Promise.resolve();
  #term: RunningTerm | undefined;

  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#label = options.label ?? options.name;
    this.#timing = { ...ELECTION_TIMING, ...options.timing };
    const { client, namespace, name, identity, revision, defaultRevision } = options;
    this.#lock = createLease({
      client,
      lease: { namespace, name },
      holder: identity,
      durationMs: this.#timing.leaseMs,
      annotations: { [HOLDER_REVISION]: revision },
      preempts: (annotations) =>
        defaultRevision !== undefined &&
        precedes(revision, annotations[HOLDER_REVISION] ?? "", defaultRevision()),
    });
    leading.set({ election: this.#label }, 0);
    this.#done = options.enabled ? this.#campaign() : this.#unelected();
  }

  state(): ElectionState {
    return {
      name: this.#label,
      leading: this.#term !== undefined,
      holder: this.#holder,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#done;
    leading.remove({ election: this.#label });
  }

  async #unelected(): Promise<void> {
    this.#begin(undefined);
    await new Promise<void>((done) => {
      this.#stop.signal.addEventListener("abort", () => done(), { once: true });
    });
    await this.#end("stopped");
  }

  async #campaign(): Promise<void> {
    const { signal } = this.#stop;
    const { deadlineMs, fenceMs, retryMs } = this.#timing;
    let renewedAt = this.#now();
    /** The lease was taken then from a holder that may write until its fence closes. */
    let preemptedAt: Moment | undefined;
    while (!signal.aborted) {
      const at = this.#now();
      const state = await this.#attempt();
      if (state?.held) renewedAt = at;
      this.#term?.fence?.attempted(state?.held ? at : undefined);
      if (signal.aborted) break;
      if (state?.preempted) preemptedAt = this.#now();
      const mayBegin = preemptedAt === undefined || this.#since(preemptedAt) > fenceMs;
      const isLost = state?.held === false || ageOf(renewedAt, this.#now()) > deadlineMs;
      if (this.#term === undefined && state?.held && mayBegin) this.#begin(renewedAt);
      else if (this.#term !== undefined && isLost) await this.#end("lost");
      await sleep(around(retryMs), signal);
    }
    // A write may still be under way, and a server that cannot be reached frees the lease by its time.
    if (!await this.#end("stopped")) return;
    await endsWithin(this.#timing.stopMs, this.#giveBack().catch((error) => this.#failed(error)));
  }

  /** Gives the lease back, after an attempt that could still take it. */
  async #giveBack(): Promise<void> {
    await this.#attempting;
    await this.#lock.release();
  }

  #now(): Moment {
    return (this.#options.now ?? systemMoment)();
  }

  /** The time that has passed for another machine at least, ms: a wall clock may be set forward. */
  #since({ monotonic }: Moment): number {
    return this.#now().monotonic - monotonic;
  }

  /** `undefined`: the server was not reached. */
  async #attempt(): Promise<LeaseState | undefined> {
    // An attempt that hangs must not outlive the deadline with the controller running.
    const limit = new AbortController();
    const { signal } = this.#stop;
    const timeout = sleep(
      this.#timing.deadlineMs / 2,
      AbortSignal.any([limit.signal, signal]),
    ).then(() => undefined);
    const attempt = this.#lock.attempt().then((state) => {
      this.#holder = state.holder;
      return state;
    }, (error) => this.#failed(error));
    this.#attempting = attempt;
    const state = await Promise.race([attempt, timeout]);
    limit.abort();
    return state;
  }

  #failed(error: unknown): undefined {
    log.debug("a lease cannot be asked for", {
      election: this.#label,
      reason: messageOf(error),
    });
    return undefined;
  }

  /** Begins a term; without a renewal there is no election, and writes need no lease. */
  #begin(renewedAt: Moment | undefined): void {
    const { name, identity, client } = this.#options;
    const stop = new AbortController();
    const { signal } = stop;
    const { fenceMs } = this.#timing;
    this.#holder = identity;
    leading.set({ election: this.#label }, 1);
    transitions.inc({ election: this.#label, result: "won" });
    log.info("this daemon leads", { election: name, identity });
    const fence = renewedAt &&
      createFence({ renewedAt, fenceMs, signal, now: () => this.#now() });
    const fenced = fence === undefined ? client : guardWrites(client, fence.pass);
    this.#term = { stop, fence, done: this.#run({ client: fenced, signal }) };
  }

  /** Runs the controller again after a failure, until the term is over. */
  async #run(term: Term): Promise<void> {
    const { signal } = term;
    while (!signal.aborted) {
      try {
        await this.#options.run(term);
      } catch (error) {
        log.error("a controller failed; it starts again", {
          election: this.#label,
          reason: messageOf(error),
        });
      }
      await sleep(this.#timing.retryMs, signal);
    }
  }

  /** Waits for the end of a controller; false if it does not come in time after the election stopped. */
  async #ended({ done }: RunningTerm): Promise<boolean> {
    const ended = new AbortController();
    const { signal } = ended;
    const late = async (): Promise<boolean> => {
      await sleep(Infinity, AbortSignal.any([this.#stop.signal, signal]));
      await sleep(this.#timing.stopMs, signal);
      return false;
    };
    try {
      return await Promise.race([done.then(() => true), late()]);
    } finally {
      ended.abort();
    }
  }

  /** Ends the term; false if the controller did not end in time after the election stopped. */
  async #end(result: "lost" | "stopped"): Promise<boolean> {
    const term = this.#term;
    if (term === undefined) return true;
    const election = this.#label;
    term.stop.abort();
    const hasEnded = await this.#ended(term);
    this.#term = undefined;
    leading.set({ election }, 0);
    transitions.inc({ election, result });
    log.info("this daemon leads no longer", { election, result });
    return hasEnded;
  }
}
