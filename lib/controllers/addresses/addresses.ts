/**
 * Controller: auto-allocated addresses in the status of ServiceEntries, as proxies are served them.
 *
 * @module
 */
import { canonicalJson } from "../../base/mod.ts";
import { applyObject, isNotFound, type ListItem, type ResourceType } from "../../orch/mod.ts";
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

/** Writes addresses until the end of the term. */
export async function runAddresses(
  term: Term,
  { type, addressesOf }: {
    readonly type: ResourceType;
    readonly addressesOf: (host: string) => readonly string[];
  },
): Promise<void> {
  const wake = new Wake();
  const entries = observe<EntryItem>(term, type, { wake });
  const tasks = () =>
    entries.values().flatMap((entry) => {
      const addresses = addressPatch(entry, addressesOf);
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
    pass: (current) => applyAll(current, tasks()),
    everyMs: EVERY_MS,
  });
}
