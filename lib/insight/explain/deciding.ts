/**
 * The objects that decide a refusal: those without which the outcome would differ, found by leaving
 * each out and asking again.
 *
 * @module
 */
import {
  type Cause,
  type Explanation,
  type Outcome,
  type Verdict,
  verdictOf,
} from "../verdict/mod.ts";

/** An object to leave out, or one item of a list of it. */
export interface Part {
  /** `Kind/namespace/name`. */
  readonly object: string;
  /** Path of the item, for example `spec.rules[0]`; undefined: the whole object. */
  readonly item?: string;
}

/** Returns the verdict about the same request in a mesh without some parts. */
export type AskWithout = (parts: readonly Part[]) => Promise<Verdict>;

/** Returns the written parts that an object was made of; none: it is written itself. */
export type WrittenParts = (object: string) => readonly Part[];

/** Kinds that decide about requests to workloads that exist without them. */
const DECIDING: ReadonlySet<string> = new Set([
  "AuthorizationPolicy",
  "DestinationRule",
  "BackendTLSPolicy",
  "DataproxyFilter",
  "KubernetesGateway",
  "ListenerSet",
  "PeerAuthentication",
  "ProxyConfig",
  "RequestAuthentication",
  "Sidecar",
  "Telemetry",
  "VirtualService",
  "WasmPlugin",
]);

/** Kinds whose items decide each for themselves, with the list that has the items. */
const ITEMS: Readonly<Record<string, RegExp>> = {
  HTTPRoute: /^spec\.rules\[\d+\]/,
  GRPCRoute: /^spec\.rules\[\d+\]/,
  TLSRoute: /^spec\.rules\[\d+\]/,
  TCPRoute: /^spec\.rules\[\d+\]/,
};

/** Parts that are left out; each costs a translation of what depends on it. */
const TRIED = 40;

/**
 * Names the deciding objects as the causes of the refusals: those without which fewer calls are refused,
 * otherwise routes without which they are refused in another way. An explanation without a refusal is
 * returned as it is.
 */
export async function nameDeciding(
  explanation: Explanation,
  askWithout: AskWithout,
  written: WrittenParts = () => [],
): Promise<Explanation> {
  const before = verdictOf(explanation);
  if (before.outcome !== "denied") return explanation;
  const candidates = partsOf(explanation, written).slice(0, TRIED);
  const altering: Part[] = [];
  const turns = async (parts: readonly Part[]): Promise<boolean> => {
    const after = await askWithout(parts);
    const [one] = parts;
    if (parts.length === 1 && isRouting(one!) && after.text !== before.text) altering.push(one!);
    return after.outcome !== "denied" || after.deniedShare < before.deniedShare - 1e-6;
  };
  const named: Part[] = [];
  for (const one of candidates) {
    if (named.some(({ object }) => object === one.object)) continue;
    if (await turns([one])) named.push(one);
  }
  const others = named.length > 0 ? named : await together(candidates, turns);
  const found = others.length > 0 ? others : oncePerObject(altering);
  return {
    ...explanation,
    outcomes: explanation.outcomes.map((one) => withCauses(one, found, explanation)),
  };
}

/**
 * The parts to try: of an object the items that had a part in the way, then the whole object; of an object
 * that was made of others those.
 */
function partsOf(explanation: Explanation, written: WrittenParts): Part[] {
  const causes = causesIn(explanation);
  const parts = explanation.objects.flatMap((object) => {
    const origins = written(object);
    return origins.length > 0 ? origins : itemsOf(object, causes);
  });
  const keys = new Set<string>();
  return parts.filter(({ object, item }) =>
    isDeciding(object) && keys.size < keys.add(JSON.stringify([object, item])).size
  );
}

function itemsOf(object: string, causes: readonly Cause[]): Part[] {
  const list = ITEMS[kindOf(object)];
  const items = causes.flatMap((cause) =>
    cause.object === object ? list?.exec(cause.field ?? "")?.[0] ?? [] : []
  );
  return [...[...new Set(items)].map((item) => ({ object, item })), { object }];
}

/** A smallest set of parts that turns the outcome together; empty: none does. */
async function together(
  candidates: readonly Part[],
  turns: (parts: readonly Part[]) => Promise<boolean>,
): Promise<readonly Part[]> {
  const whole = candidates.filter(({ item }) => item === undefined);
  if (whole.length < 2 || !await turns(whole)) return [];
  let set = whole;
  for (const one of whole) {
    const rest = set.filter((other) => other !== one);
    if (rest.length > 0 && await turns(rest)) set = rest;
  }
  return set;
}

function oncePerObject(parts: readonly Part[]): Part[] {
  const objects = new Set<string>();
  return parts.filter(({ object }) => objects.size < objects.add(object).size);
}

function kindOf(object: string): string {
  return object.slice(0, object.indexOf("/"));
}

/** True for objects that say which requests go where. */
function isRouting({ object }: Part): boolean {
  return object.startsWith("VirtualService/") || kindOf(object) in ITEMS;
}

function isDeciding(object: string): boolean {
  const kind = kindOf(object);
  return kind in ITEMS || DECIDING.has(kind);
}

/** The refusal with the deciding objects, or with what makes the workload exist. */
function withCauses(outcome: Outcome, named: readonly Part[], all: Explanation): Outcome {
  const { refusal } = outcome;
  if (refusal === undefined) return outcome;
  // The longest field is the most exact one.
  const exact = causesIn(all).toSorted((a, b) => (b.field?.length ?? 0) - (a.field?.length ?? 0));
  const known = [...refusal.causes, ...exact];
  const causes = named.length > 0
    ? named.map(({ object, item }): Cause =>
      known.find((cause) =>
        cause.object === object && (cause.field ?? "").startsWith(item ?? "")
      ) ?? {
        source: "object",
        object: object.replace(/^KubernetesGateway/, "Gateway"),
        decides: "outcome",
        ...(item === undefined ? {} : { field: item }),
      }
    )
    : refusal.causes.filter(({ object }) => object === undefined || !isDeciding(object));
  return { ...outcome, refusal: { ...refusal, causes } };
}

function causesIn({ hops }: Explanation): Cause[] {
  return hops.flatMap((hop) => hop.steps.flatMap(({ causes }) => causes));
}
