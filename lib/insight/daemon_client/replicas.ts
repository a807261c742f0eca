/**
 * Questions to one replica of the daemon about proxies that are connected to others.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import type { DebugPages, ReadPage } from "./debug_pages.ts";
import type { PageParameters } from "./types.ts";

/** An answer of one replica. */
export interface AnswerOfOne {
  /** Addresses of endpoints whose proxies, if they have any, are connected elsewhere. */
  readonly elsewhere: readonly string[];
}

/** The last answer, and what the other replicas said. */
export interface AnswerOfAll<T> {
  readonly answer: T;
  /** Number of daemons that were asked. */
  readonly asked: number;
  /** Why daemons were not asked for their proxies, as sentences. */
  readonly silent: readonly string[];
}

/**
 * Asks a replica, then all of them for the proxies that it lacks, and asks it again with these.
 *
 * @param ask asks with further parameters of the page
 */
export async function askedOfAll<T extends AnswerOfOne>(
  { each }: DebugPages,
  ask: (more: PageParameters) => Promise<T>,
): Promise<AnswerOfAll<T>> {
  const first = await ask([]);
  if (first.elsewhere.length === 0 || each.length < 2) {
    return { answer: first, asked: 1, silent: [] };
  }
  const found = await Promise.all(each.map((one) => sidecarsOf(one, first.elsewhere)));
  const sidecars = found.flatMap((one) => "sidecars" in one ? one.sidecars : []);
  const silent = found.flatMap((one) => "why" in one ? [one.why] : []);
  const more: PageParameters = [
    ["replicas", `${each.length}`],
    ...silent.map((one) => ["silent", one] as const),
    ...sidecars.length === 0 ? [] : [["proxies", JSON.stringify(distinct(sidecars))] as const],
  ];
  return { answer: await ask(more), asked: each.length, silent };
}

/** A sidecar as a daemon describes it. */
interface Sidecar {
  readonly node: { readonly id: string };
}

function distinct(sidecars: readonly Sidecar[]): Sidecar[] {
  return [...new Map(sidecars.map((one) => [one.node.id, one])).values()];
}

type Found = { readonly sidecars: readonly Sidecar[] } | { readonly why: string };

async function sidecarsOf(read: ReadPage, addresses: readonly string[]): Promise<Found> {
  try {
    const text = await read("request/proxies", [["at", addresses.join(",")]]);
    return { sidecars: JSON.parse(text) as Sidecar[] };
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    return { why: `a daemon was not asked for its proxies: ${error.message}` };
  }
}
