/**
 * Heartbeats of daemons that have registered workloads: each renews a Lease of its own, so that the
 * others see when it was killed.
 *
 * @module
 */
import {
  applyObject,
  deleteObject,
  isConflict,
  isNotFound,
  type ListItem,
  type OrchClient,
  types,
} from "../../../kit/orch/mod.ts";
import { MANAGER } from "../reconcile.ts";

/** Label of the Leases, with the value `registration`. */
export const HEARTBEAT_LABEL = "mesh.io/heartbeat";
const HEARTBEAT = "registration";
/** Selects the Leases. */
export const HEARTBEAT_SELECTOR: string = `${HEARTBEAT_LABEL}=${HEARTBEAT}`;

/** Times of heartbeats, in milliseconds. */
export interface HeartbeatTiming {
  /** Between two renewals. */
  readonly everyMs: number;
  /** A daemon whose Lease was not renewed for this time has ended. */
  readonly staleMs: number;
}

/** As those of elections. */
export const HEARTBEAT_TIMING: HeartbeatTiming = { everyMs: 2_000, staleMs: 12_000 };

/** A Lease of a daemon. */
export interface HeartbeatItem extends ListItem {
  readonly spec?: { readonly holderIdentity?: string; readonly renewTime?: string };
}

/** The Lease of one daemon. */
export interface HeartbeatOptions {
  readonly client: OrchClient;
  readonly namespace: string;
  /** Name of the daemon. */
  readonly instance: string;
  readonly timing: HeartbeatTiming;
}

/** Renews the Lease, unless it was renewed a short time ago. */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #renewedAt = -Infinity;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  /** Returns the number of writes. */
  async renew(): Promise<number> {
    const { client, instance, timing: { everyMs, staleMs } } = this.#options;
    const now = performance.now();
    if (now - this.#renewedAt < everyMs / 2) return 0;
    const lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { ...this.#name(), labels: { [HEARTBEAT_LABEL]: HEARTBEAT } },
      spec: {
        holderIdentity: instance,
        leaseDurationSeconds: Math.max(1, Math.ceil(staleMs / 1000)),
        // The API takes microseconds.
        renewTime: new Date().toISOString().replace("Z", "000Z"),
      },
    };
    await applyObject(client, types.LEASE, lease, { manager: MANAGER, force: true });
    this.#renewedAt = now;
    return 1;
  }

  /** Deletes the Lease, at the end of the daemon. */
  async end(): Promise<void> {
    if (this.#renewedAt === -Infinity) return;
    await deleteObject(this.#options.client, types.LEASE, this.#name()).catch(nothingIfGone);
  }

  #name() {
    const { namespace, instance } = this.#options;
    const name = `mesh-registration-${instance.toLowerCase().replaceAll(/[^a-z0-9-]+/g, "-")}`;
    return { namespace, name };
  }
}

/**
 * Tells which daemons have ended. The age of a Lease is measured by this daemon's clock, from the moment
 * at which its last renewal was seen: clocks of other machines do not matter.
 */
export class Heartbeats {
  readonly #seen = new Map<string, { readonly renewTime: string; readonly at: number }>();

  /**
   * Takes the observed Leases.
   *
   * @param isCut true while the Leases cannot be followed: renewals were missed, so that all ages
   * begin again
   */
  observe(items: readonly HeartbeatItem[], now: number, isCut: boolean): void {
    const holders = new Set<string>();
    for (const { spec: { holderIdentity: holder = "", renewTime = "" } = {} } of items) {
      holders.add(holder);
      const isSame = !isCut && this.#seen.get(holder)?.renewTime === renewTime;
      if (!isSame) this.#seen.set(holder, { renewTime, at: now });
    }
    for (const holder of this.#seen.keys()) if (!holders.has(holder)) this.#seen.delete(holder);
  }

  /** Milliseconds since the last renewal of a daemon was seen; `undefined`: it has no Lease. */
  silenceOf(holder: string, now: number): number | undefined {
    const seen = this.#seen.get(holder);
    return seen && now - seen.at;
  }
}

/** Deletes the Lease of a daemon that has ended, in the version that was seen. */
export async function deleteHeartbeat(client: OrchClient, item: HeartbeatItem): Promise<void> {
  const { name, namespace, resourceVersion } = item.metadata;
  const options = resourceVersion === undefined ? {} : { resourceVersion };
  await deleteObject(client, types.LEASE, { name, namespace: namespace! }, options)
    .catch(nothingIfGone);
}

function nothingIfGone(error: unknown): void {
  if (!isConflict(error) && !isNotFound(error)) throw error;
}
