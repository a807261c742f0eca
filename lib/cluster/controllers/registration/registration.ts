/**
 * Controller: registered workloads as WorkloadEntries of the orchestrator. It runs in every daemon,
 * because each knows its own connections.
 *
 * @module
 */
import { endsWithin } from "../../../kit/async/mod.ts";
import {
  applyObject,
  deleteObject,
  type Following,
  isConflict,
  isNotFound,
  mergePatch,
  type OrchObject,
  type ResourceType,
  types,
} from "../../../kit/orch/mod.ts";
import type { RegisteredEntry } from "../../../mesh/sources/mod.ts";
import { STOP_MS } from "../stop.ts";
import { observe, reconcile, type Reconciler, type Term, Wake } from "../reconcile.ts";
import { applyAll } from "../writes.ts";
import {
  CONTROLLER,
  DISCONNECTED,
  entryChanges,
  type EntryItem,
  type EntryWrite,
  timeOf,
  withHealth,
} from "./entries.ts";
import {
  deleteHeartbeat,
  Heartbeat,
  HEARTBEAT_SELECTOR,
  HEARTBEAT_TIMING,
  type HeartbeatItem,
  Heartbeats,
  type HeartbeatTiming,
} from "./heartbeat.ts";

/** Manager of the fields of entries. */
const MANAGER = "mesh-registration";
/** Attempts to write the health of an entry that others write at the same time. */
const STATUS_ATTEMPTS = 3;

/** Inputs of the controller. */
export interface RegistrationInputs {
  readonly type: ResourceType;
  readonly instance: string;
  readonly graceMs: number;
  /** Connections end after this time, in milliseconds. */
  readonly maxAgeMs: number;
  /** Namespace of the heartbeats. */
  readonly namespace: string;
  readonly timing?: HeartbeatTiming;
  readonly registered: () => readonly RegisteredEntry[];
  /** Calls back after changes; returns a function that ends this. */
  readonly onChange: (changed: () => void) => () => void;
}

/** Writes entries until the end of the term. */
export async function runRegistration(term: Term, inputs: RegistrationInputs): Promise<void> {
  const { client } = term;
  const { type, instance, namespace, timing = HEARTBEAT_TIMING } = inputs;
  const wake = new Wake();
  const items = observe<EntryItem>(term, type, { wake });
  const selection = { namespace, labelSelector: HEARTBEAT_SELECTOR };
  // Renewals are noted by the next pass, and cause none.
  const leases = observe<HeartbeatItem>(term, types.LEASE, { wake: new Wake(), selection });
  const heartbeat = new Heartbeat({ client, namespace, instance, timing });
  const end = inputs.onChange(wake.poke);
  const pass = passOf(term, { inputs, items, leases, heartbeat, timing });
  const passes = reconcile(term, wake, {
    name: "registration",
    follows: [items, leases],
    everyMs: timing.everyMs,
    pass,
  });
  try {
    await Promise.race([passes, endOf(term.signal)]);
    // A server that hangs answers none of the last writes either.
    if (!await endsWithin(STOP_MS, passes)) return;
  } finally {
    end();
  }
  const own = items.values().filter(({ metadata: { annotations = {} } }) =>
    annotations[CONTROLLER] === instance && annotations[DISCONNECTED] === undefined
  );
  const last = async () => {
    await Promise.allSettled(own.map((item) => markLeft(term, type, item)));
    await heartbeat.end();
  };
  await endsWithin(STOP_MS, last().catch(() => {}));
}

function endOf(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    signal.addEventListener("abort", () => done(), { once: true });
  });
}

/** Context of the passes of one daemon. */
interface PassContext {
  readonly inputs: RegistrationInputs;
  readonly items: Pick<Following<EntryItem>, "values">;
  readonly leases: Pick<Following<HeartbeatItem>, "values" | "state">;
  readonly heartbeat: Heartbeat;
  readonly timing: HeartbeatTiming;
}

function passOf(
  term: Term,
  { inputs, items, leases, heartbeat, timing: { staleMs } }: PassContext,
): Reconciler["pass"] {
  const { type, instance, graceMs, maxAgeMs } = inputs;
  const heartbeats = new Heartbeats();
  return async (current) => {
    const monotonic = performance.now();
    heartbeats.observe(leases.values(), monotonic, leases.state().fault !== undefined);
    const hasEnded = (controller: string) => {
      const silence = heartbeats.silenceOf(controller, monotonic);
      return silence === undefined ? undefined : silence > staleMs;
    };
    const registered = inputs.registered();
    // Before the entries: others must see that their daemon runs.
    const beats = registered.length > 0 ? await heartbeat.renew() : 0;
    const state = { instance, registered, items: items.values(), graceMs, maxAgeMs, hasEnded };
    const { writes, deletes, left } = entryChanges({ ...state, now: Date.now() });
    const controllers = new Set(
      state.items.map(({ metadata }) => metadata.annotations?.[CONTROLLER]),
    );
    const ended = leases.values().filter(({ spec }) => {
      const holder = spec?.holderIdentity ?? "";
      return hasEnded(holder) === true && !controllers.has(holder);
    });
    return beats + await applyAll(current, [
      ...writes.map((write) => () => writeEntry(term, type, write)),
      ...left.map((item) => () => markLeft(term, type, item)),
      ...deletes.map((item) => () => deleteEntry(term, type, item)),
      ...ended.map((item) => () => deleteHeartbeat(term.client, item)),
    ]);
  };
}

/**
 * Marks an entry as disconnected, in the version that was seen. It is deleted after the grace time,
 * unless its workload connects to some daemon.
 */
async function markLeft({ client }: Term, type: ResourceType, item: EntryItem): Promise<void> {
  const { name, namespace, resourceVersion } = item.metadata;
  const annotations = { [DISCONNECTED]: timeOf(Date.now()) };
  await mergePatch(client, type, { name, namespace: namespace! }, {
    metadata: { resourceVersion, annotations },
  }).catch((error) => {
    if (!isConflict(error) && !isNotFound(error)) throw error;
  });
}

async function writeEntry(
  { client }: Term,
  type: ResourceType,
  { object, healthy, isBack }: EntryWrite,
): Promise<void> {
  const { name, namespace } = object.metadata;
  if (isBack) {
    // Applying leaves out a field only if no other writer has set it.
    await mergePatch(client, type, { name, namespace: namespace! }, {
      metadata: { annotations: { [DISCONNECTED]: null } },
    }).catch((error) => {
      if (!isNotFound(error)) throw error;
    });
  }
  for (let left = STATUS_ATTEMPTS;; left--) {
    const options = { manager: MANAGER, force: true };
    const { metadata, status } = await applyObject<OrchObject & Pick<EntryItem, "status">>(
      client,
      type,
      object,
      options,
    );
    const patch = {
      metadata: { resourceVersion: metadata.resourceVersion },
      status: { conditions: withHealth(status?.conditions ?? [], healthy, new Date()) },
    };
    try {
      await mergePatch(client, type, { name, namespace: namespace!, subresource: "status" }, patch);
      return;
    } catch (error) {
      if (!isConflict(error) || left <= 1) throw error;
    }
  }
}

/** Deletes an entry in the version that was seen: another daemon may have taken it over. */
async function deleteEntry({ client }: Term, type: ResourceType, item: EntryItem): Promise<void> {
  const { name, namespace, resourceVersion } = item.metadata;
  await deleteObject(client, type, { name, namespace: namespace! }, {
    resourceVersion: resourceVersion!,
  })
    .catch((error) => {
      if (!isConflict(error) && !isNotFound(error)) throw error;
    });
}
