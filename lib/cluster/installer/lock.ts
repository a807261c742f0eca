/**
 * The lock of an installation: a Lease in the system namespace, so that two installations do not write
 * at a time. It ends with its holder: after a crash another one takes it over.
 *
 * @module
 */
import { sleep } from "../../kit/async/mod.ts";
import { MeshError } from "../../kit/base/mod.ts";
import {
  createLease,
  deleteObject,
  getObject,
  isConflict,
  isNotFound,
  type LeaseLock,
  type OrchClient,
  type OrchObject,
  types,
} from "../../kit/orch/mod.ts";
import { nothingIfGone } from "./compare.ts";

/** Name of the Lease. */
export const LOCK_NAME = "mesh-install";
/** The lock may be taken over after this time without renewal, in milliseconds. */
const DURATION_MS = 15_000;
const RENEW_MS = DURATION_MS / 3;
/** Time between two looks at a lock of another holder, in milliseconds. */
const LOOK_MS = 500;

interface Lease extends OrchObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly acquireTime?: string;
    readonly renewTime?: string;
  };
}

/** A lock that is held. */
export interface InstallLock extends AsyncDisposable {
  /** Aborted when another installation has taken the lock. */
  readonly lost: AbortSignal;
  /** @throws {MeshError} `install-lock` when the lock may belong to another installation */
  check(): void;
}

/** Settings of the lock. */
export interface LockOptions {
  /** A client whose requests do not end with the command. */
  readonly client: OrchClient;
  readonly namespace: string;
  /** Told when another holder has the lock, before it is watched for signs of life. */
  readonly waiting: (text: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Takes the lock. A lock of another holder is watched until its holder renews it, or its time is over.
 *
 * @throws {MeshError} `install-locked` names the holder, if it is at work
 */
export async function takeLock(options: LockOptions): Promise<InstallLock> {
  const { client, namespace, signal } = options;
  const holder = `${await callerOf(client)}/${crypto.randomUUID().slice(0, 8)}`;
  const name = { namespace, name: LOCK_NAME };
  const lease = createLease({ client, lease: name, holder, durationMs: DURATION_MS });
  let first: Lease | undefined;
  for (;;) {
    signal.throwIfAborted();
    const { held } = await lease.attempt();
    if (held) return new HeldLock(options, lease);
    const found = await getObject<Lease>(client, types.LEASE, name).catch(nothingIfGone);
    if (found !== undefined && first === undefined) {
      first = found;
      options.waiting(`${holderText(found)}; looking whether it is at work`);
    }
    if (isRenewed(first, found)) throw lockedError(found!);
    await sleep(LOOK_MS, signal);
  }
}

/** True if the holder that was seen first has renewed the lock, or another one has taken it. */
function isRenewed(first: Lease | undefined, found: Lease | undefined): boolean {
  return found?.spec?.holderIdentity !== "" && found?.spec?.renewTime !== first?.spec?.renewTime;
}

function holderText({ spec: { holderIdentity = "", acquireTime = "" } = {} }: Lease): string {
  const who = holderIdentity.replace(/\/[^/]*$/, "");
  return `an installation by ${who} holds the lock since ${acquireTime.replace(/\.\d+Z$/, "Z")}`;
}

function lockedError(lease: Lease): MeshError {
  return new MeshError("install-locked", `${holderText(lease)} and is at work`, {
    remedy: `Wait until it ends. The Lease ${lease.metadata.namespace}/${LOCK_NAME} is free ` +
      `${DURATION_MS / 1000} s after its holder has ended.`,
  });
}

class HeldLock implements InstallLock {
  readonly #options: LockOptions;
  readonly #lease: LeaseLock;
  readonly #lost = new AbortController();
  readonly #stop = new AbortController();
  readonly #renewing: Promise<void>;
  #renewedAt = performance.now();

  constructor(options: LockOptions, lease: LeaseLock) {
    this.#options = options;
    this.#lease = lease;
    this.#renewing = this.#renew();
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  check(): void {
    if (performance.now() - this.#renewedAt >= DURATION_MS) this.#lost.abort(lostError());
    this.#lost.signal.throwIfAborted();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#renewing;
    const { client, namespace } = this.#options;
    const name = { namespace, name: LOCK_NAME };
    try {
      await this.#lease.release();
      const { metadata, spec } = await getObject<Lease>(client, types.LEASE, name);
      if (spec?.holderIdentity) return;
      const version = metadata.resourceVersion;
      await deleteObject(client, types.LEASE, name, version ? { resourceVersion: version } : {});
    } catch (error) {
      // Another installation has it, or the namespace is gone.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  async #renew(): Promise<void> {
    const { signal } = this.#stop;
    for (;;) {
      await sleep(RENEW_MS, signal);
      if (signal.aborted) return;
      // Without an answer the lock is lost when its time is over; `check` looks at it.
      const state = await this.#lease.attempt().catch(() => undefined);
      if (state?.held === true) this.#renewedAt = performance.now();
      else if (state !== undefined && state.holder !== "") return this.#lost.abort(lostError());
    }
  }
}

function lostError(): MeshError {
  return new MeshError("install-lock", "the lock of the installation was lost", {
    remedy: "Another installation may be at work. Look at it, then run the command again.",
  });
}

/** The name of the identity as the server knows it. */
async function callerOf(client: OrchClient): Promise<string> {
  type Review = { status?: { userInfo?: { username?: string } } };
  const { status } = await client.json<Review>({
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
  });
  return status?.userInfo?.username ?? "somebody";
}
