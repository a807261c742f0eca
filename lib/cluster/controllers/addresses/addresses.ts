/**
 * Controller: auto-allocated addresses in the status of ServiceEntries, as proxies are served them.
 *
 * @module
 */
import { canonicalJson } from "../../../kit/base/mod.ts";
import {
  applyObject,
  type Following,
  isNotFound,
  type ListItem,
  type ResourceType,
} from "../../../kit/orch/mod.ts";
import { observe, reconcile, type Term, Wake } from "../reconcile.ts";
import { applyAll } from "../writes.ts";

/** Manager of the field `status.addresses`. */
const MANAGER = "mesh-ip-autoallocate";
/** Addresses follow the mesh, which is built later than an entry is seen, in milliseconds. */
const EVERY_MS = 1_000;
/** Label that switches the allocation for an entry. */
const LABEL = "networking.mesh.io/enable-autoallocate-ip";

/** An address of a host in a status. */
export interface StatusAddress {
  readonly value: string;
  readonly host: string;
}

/** A ServiceEntry, as far as the controller reads it. */
export interface EntryItem extends ListItem {
  readonly spec?: {
    readonly hosts?: readonly string[];
    readonly addresses?: readonly string[];
    readonly resolution?: string;
  };
  readonly status?: { readonly addresses?: readonly StatusAddress[] };
}

/**
 * The addresses that the status of an entry must have; `undefined`: those that it has.
 *
 * @param addressesOf the addresses of a host; empty: none yet
 */
export function addressPatch(
  { metadata, spec = {}, status }: EntryItem,
  addressesOf: (host: string) => readonly string[],
): StatusAddress[] | undefined {
  const { hosts = [], addresses = [], resolution = "NONE" } = spec;
  const isEligible = addresses.length === 0 && resolution !== "NONE" &&
    resolution !== "DYNAMIC_DNS" && metadata.labels?.[LABEL]?.toLowerCase() !== "false";
  const wanted = isEligible
    ? hosts.filter((host) => !host.includes("*"))
      .flatMap((host) => addressesOf(host).map((value) => ({ value, host })))
    : [];
  return canonicalJson(wanted) === canonicalJson(status?.addresses ?? []) ? undefined : wanted;
}

/** Inputs of the controller. */
export interface AddressInputs {
  readonly type: ResourceType;
  /** The addresses of a host; the same list as long as they are the same. */
  readonly addressesOf: (host: string) => readonly string[];
  /** Another number when the mesh has changed. */
  readonly revision: () => number;
}

/** Finds entries whose status is not right. */
export interface AddressCheck {
  /** The addresses that the status of an entry must have; see {@link addressPatch}. */
  of(entry: EntryItem): StatusAddress[] | undefined;
}

/** Compares an entry again only if it, or the addresses of one of its hosts, are others than before. */
export function createAddressCheck(
  addressesOf: (host: string) => readonly string[],
): AddressCheck {
  const right = new WeakMap<EntryItem, readonly (readonly string[])[]>();
  return {
    of(entry) {
      const current = (entry.spec?.hosts ?? []).map(addressesOf);
      const before = right.get(entry);
      if (before?.every((addresses, i) => addresses === current[i])) return undefined;
      const patch = addressPatch(entry, addressesOf);
      if (patch === undefined) right.set(entry, current);
      return patch;
    },
  };
}

/** The part of an entry that the controller reads. */
function kept({ metadata: { name, namespace, labels }, spec = {}, status }: EntryItem): EntryItem {
  const { hosts, addresses, resolution } = spec;
  return {
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
    },
    spec: {
      ...(hosts === undefined ? {} : { hosts }),
      ...(addresses === undefined ? {} : { addresses }),
      ...(resolution === undefined ? {} : { resolution }),
    },
    ...(status?.addresses === undefined ? {} : { status: { addresses: status.addresses } }),
  };
}

/** Writes addresses until the end of the term. */
export async function runAddresses(
  term: Term,
  { type, addressesOf, revision }: AddressInputs,
): Promise<void> {
  const wake = new Wake();
  const entries = observe<EntryItem>(term, type, { wake, convert: kept });
  const check = createAddressCheck(addressesOf);
  let checked: { readonly revision: number; readonly events: number } | undefined;
  const isChecked = (): boolean =>
    checked?.revision === revision() && checked.events === eventsOf(entries);
  const tasks = () =>
    entries.values().flatMap((entry) => {
      const addresses = check.of(entry);
      if (addresses === undefined) return [];
      const { name, namespace } = entry.metadata;
      const object = {
        apiVersion: `${type.group}/${type.version}`,
        kind: type.kind,
        metadata: { name, namespace: namespace! },
        status: { addresses },
      };
      const options = { manager: MANAGER, force: true, subresource: "status" };
      return [() =>
        applyObject(term.client, type, object, options).catch((error) => {
          if (!isNotFound(error)) throw error;
        })];
    });
  await reconcile(term, wake, {
    name: "addresses",
    follows: [entries],
    async pass(current) {
      if (isChecked()) return 0;
      const now = { revision: revision(), events: eventsOf(entries) };
      const writes = tasks();
      const done = await applyAll(current, writes);
      // A write is seen as an event; without one all is as it must be.
      if (writes.length === 0) checked = now;
      return done;
    },
    everyMs: EVERY_MS,
  });
}

/** Lists and events so far: entries are the same as long as it is. */
function eventsOf(entries: Following<EntryItem>): number {
  const { lists, events } = entries.state();
  return lists + events;
}
