/**
 * Definitions of hosts: which ServiceEntries and Services define a host, and which of them counts for a
 * namespace. A Service of the type `ExternalName` is an alias of the host that it names: it counts where
 * the mesh has that host and nothing else defines the alias.
 *
 * @module
 */
import type { PassedOver } from "../../../kit/base/mod.ts";
import type { Read } from "../../graph/mod.ts";
import {
  byAge,
  type ConfigObject,
  fromObject,
  namespaceOf,
  type ServiceKey,
  whyLater,
} from "../../model/mod.ts";
import type { ServiceEntry } from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import type { MeshInputs } from "../indexes/mod.ts";
import { type HostKey, visibilityOf, visibleTo } from "../inputs/mod.ts";

type Row = ConfigObject<ServiceEntry>;

/** Most aliases of aliases that are followed, so that circles end. */
const MOST_STEPS = 8;

/** The definition that counts for a namespace: its own, otherwise the oldest that it sees. */
export function resolveHost(
  read: Read,
  inputs: MeshInputs,
  { namespace, host }: HostKey,
): ServiceKey | undefined {
  const rows = [...oldestDefinitions(read, inputs, host).values()];
  const best = preferredOf(rows.filter((row) => seenBy(row, namespace)), namespace);
  // An alias is nothing where the host that it names is nothing.
  if (best?.service?.alias !== undefined && !hasTarget(read, inputs, best, namespace)) {
    return undefined;
  }
  if (read.decide !== undefined && best !== undefined && rows.length > 1) {
    const passedOver = othersThan(best, rows, namespace);
    read.decide({ group: "definition", ...fromObject(best, "spec.hosts"), passedOver });
  }
  return best === undefined ? undefined : { namespace: best.meta.namespace, host };
}

function seenBy(row: ConfigObject<ServiceEntry>, namespace: string): boolean {
  return visibleTo(visibilityOf(row.spec.exportTo, row.meta.namespace), namespace);
}

function preferredOf(rows: readonly Row[], namespace: string): Row | undefined {
  let best: Row | undefined;
  for (const row of rows) if (best === undefined || preferred(row, best, namespace)) best = row;
  return best;
}

function hasTarget(read: Read, inputs: MeshInputs, alias: Row, namespace: string): boolean {
  return follow(
    read,
    inputs,
    alias,
    (rows) => preferredOf(rows.filter((row) => seenBy(row, namespace)), namespace),
  ) !== undefined;
}

/**
 * The service that an alias stands for, by way of other aliases, too; `undefined`: the mesh has none.
 * External names have no namespace: of several services the namespace's own one counts, then the oldest.
 */
export function aliasTarget(
  read: Read,
  inputs: MeshInputs,
  alias: ConfigObject<ServiceEntry>,
): ServiceKey | undefined {
  return follow(read, inputs, alias, (rows) => preferredOf(rows, alias.meta.namespace));
}

function follow(
  read: Read,
  inputs: MeshInputs,
  alias: Row,
  choose: (rows: readonly Row[]) => Row | undefined,
): ServiceKey | undefined {
  let current = alias;
  for (let step = 0; step < MOST_STEPS; step++) {
    const host = current.service?.alias;
    if (host === undefined) return undefined;
    const next = choose([...oldestDefinitions(read, inputs, host).values()]);
    if (next === undefined) return undefined;
    if (next.service?.alias === undefined) return { namespace: next.meta.namespace, host };
    current = next;
  }
  return undefined;
}

/** The other definitions of a host, each with the reason why it was not chosen. */
function othersThan(
  best: ConfigObject<ServiceEntry>,
  rows: readonly ConfigObject<ServiceEntry>[],
  namespace: string,
): PassedOver[] {
  return rows.filter((row) => row !== best).map((row) => ({
    ...fromObject(row, "spec.hosts"),
    why: !seenBy(row, namespace)
      ? `it is not exported to ${namespace === "" ? "everybody" : `namespace ${namespace}`}`
      : best.meta.namespace === namespace
      ? `namespace ${namespace} has a definition of its own`
      : whyLater(row, best),
  }));
}

/** Namespace → the oldest entry there that defines a host: that entry decides. Aliases come last. */
function oldestDefinitions(
  read: Read,
  { tables, indexes }: MeshInputs,
  host: string,
): Map<string, ConfigObject<ServiceEntry>> {
  const oldest = new Map<string, ConfigObject<ServiceEntry>>();
  for (const entry of read.members(indexes.entriesByHost, host)) {
    const row = read.get(tables.serviceEntries, entry);
    if (row === undefined) continue;
    const known = oldest.get(row.meta.namespace);
    if (known === undefined || goesBefore(row, known)) oldest.set(row.meta.namespace, row);
  }
  return oldest;
}

function goesBefore(a: Row, b: Row): boolean {
  return byAlias(a, b) < 0 || (byAlias(a, b) === 0 && byAge(a, b) < 0);
}

/** Aliases after all others. */
function byAlias(a: ConfigObject, b: ConfigObject): number {
  return Number(a.service?.alias !== undefined) - Number(b.service?.alias !== undefined);
}

/**
 * Reports if `a` goes before `b` for proxies of a namespace: aliases last, then own namespace, then age, then name.
 */
function preferred(a: ConfigObject, b: ConfigObject, namespace: string): boolean {
  const own = Number(b.meta.namespace === namespace) - Number(a.meta.namespace === namespace);
  return (byAlias(a, b) || own || byAge(a, b)) < 0;
}

/** The entries of one namespace that define a host, oldest first; aliases only if there are no others. */
export function definingEntries(
  read: Read,
  { tables, indexes }: MeshInputs,
  { namespace, host }: ServiceKey,
): ConfigObject<ServiceEntry>[] {
  const rows: ConfigObject<ServiceEntry>[] = [];
  for (const key of read.members(indexes.entriesByHost, host)) {
    if (namespaceOf(key) !== namespace) continue;
    const row = read.get(tables.serviceEntries, key);
    if (row !== undefined) rows.push(row);
  }
  const real = rows.filter(({ service }) => service?.alias === undefined);
  return (real.length === 0 ? rows : real).sort(byAge);
}
