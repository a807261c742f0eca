/**
 * The blast radius of a change: proxies that are sent something, and requests with another outcome.
 *
 * @module
 */
import type { QuestionFields } from "../explain/mod.ts";
import { type Verdict, verdictOf } from "../verdict/mod.ts";
import { type SeenQuestions, seenQuestions, type SeenRequest } from "./seen_requests.ts";
import { type EditedMesh, factsOf, requestsOfWorkloads, requestsThroughGateways } from "./sides.ts";

/** A request with another outcome than before. */
export interface ChangedRequest extends ComparedRequest {
  /** `unknown`: the outcome is known before the change alone. */
  readonly change: "allowed" | "denied" | "moved" | "unknown";
}

/** A request with its outcomes before and after a change. */
export interface ComparedRequest {
  /** `NAME.NAMESPACE` of the first proxy. */
  readonly from: string;
  readonly url: string;
  /** Method, headers and claims, if they are not the usual ones. */
  readonly details: string;
  /** Number of lines of access logs; unset: it is derived from the configuration. */
  readonly times?: number;
  readonly before: Verdict;
  readonly after: Verdict;
}

/** Requests of access logs, counted by lines. */
export interface SeenCounts {
  readonly lines: number;
  readonly denied: number;
  readonly allowed: number;
  readonly moved: number;
  /** Those whose outcome is not known, before or after the change. */
  readonly unknown: number;
  /** Those whose first proxy is not among the proxies. */
  readonly strange: number;
}

/** Result of the comparison. */
export interface RequestChanges {
  /** Number of requests that were compared. */
  readonly compared: number;
  /** Number of further requests, which were not compared; see {@link MAX_REQUESTS}. */
  readonly left: number;
  /** Requests of access logs; unset: none were given. */
  readonly seen?: SeenCounts;
  readonly changes: readonly ChangedRequest[];
  /** Requests that are denied with and without the change. */
  readonly stayDenied: readonly ComparedRequest[];
  /** Requests whose outcome is not known, neither with nor without the change. */
  readonly stayUnknown: readonly ComparedRequest[];
}

/** Maximum of requests that are compared. */
export const MAX_REQUESTS = 2000;

/** Surroundings of a comparison. */
export interface ComparisonOptions {
  /** Lets other tasks run where work was done for long. */
  readonly pause: () => Promise<void> | undefined;
  /** Requests of access logs, which are compared, too. */
  readonly seen?: readonly SeenRequest[];
}

/** Compares requests that the changed objects may concern, from workloads of different kinds. */
export async function compareRequests(
  edited: EditedMesh,
  { pause, seen = [] }: ComparisonOptions,
): Promise<RequestChanges> {
  const { changes } = edited;
  const first = await edited.show("before");
  const before = factsOf(first, changes);
  const logged = seenQuestions(first, seen);
  const after = factsOf(await edited.show("after"), changes);
  const both = { before, after, changes };
  const derived = [...requestsOfWorkloads(both), ...requestsThroughGateways(both)];
  const some = evenly(derived, MAX_REQUESTS);
  const asked = [...logged.questions.keys(), ...some];
  const now = await verdicts(edited, { side: "after", asked, pause });
  const old = await verdicts(edited, { side: "before", asked, pause });
  const compared = asked.map((question, at): Compared => {
    const [was, is] = [old[at]!, now[at]!];
    const times = logged.questions.get(question);
    return {
      ...{ question, before: was, after: is, same: signature(was) === signature(is) },
      ...times === undefined ? {} : { times },
    };
  });
  const shown = await withCauses(edited, compared, pause);
  return {
    ...{ compared: asked.length, left: derived.length - some.length, ...sorted(shown) },
    ...seen.length === 0 ? {} : { seen: countsOf(shown, logged) },
  };
}

function countsOf(all: readonly Compared[], { strange }: SeenQuestions): SeenCounts {
  const sum = (is: (one: Compared) => boolean): number =>
    all.reduce((total, one) => total + (is(one) ? one.times ?? 0 : 0), 0);
  const of = (change: ChangedRequest["change"]): number =>
    sum(({ same, before, after }) => !same && changeOf(before, after) === change);
  return {
    lines: sum(() => true),
    ...{ denied: of("denied"), allowed: of("allowed"), moved: of("moved") },
    unknown: sum(({ before, after }) => [before, after].some((one) => one.outcome === "unknown")),
    strange,
  };
}

/** A request with its outcomes, whose reasons are short until they are shown. */
interface Compared {
  readonly question: QuestionFields;
  readonly before: Verdict;
  readonly after: Verdict;
  readonly same: boolean;
  readonly times?: number;
}

/** Asks requests of one side, without the objects behind the outcomes, which cost the most. */
async function verdicts(
  edited: EditedMesh,
  { side, asked, pause, causes = false }: ComparisonOptions & {
    readonly side: "before" | "after";
    readonly asked: readonly QuestionFields[];
    readonly causes?: boolean;
  },
): Promise<Verdict[]> {
  const found: Verdict[] = [];
  if (asked.length === 0) return found;
  const mesh = await edited.show(side);
  for (const question of asked) {
    found.push(verdictOf(mesh.ask(question, { causes })));
    await pause();
  }
  return found;
}

/** Adds the objects behind the outcomes that differ, and behind the first of each client that stays. */
async function withCauses(
  edited: EditedMesh,
  all: readonly Compared[],
  pause: ComparisonOptions["pause"],
): Promise<Compared[]> {
  const clients = new Set<string>();
  const whole = all.filter((one) => {
    if (!one.same) return true;
    if (one.after.outcome === "allowed" || clients.has(one.question.from)) return false;
    if (staysDenied(one)) clients.add(one.question.from);
    return true;
  });
  const asked = whole.map(({ question }) => question);
  const old = await verdicts(edited, { side: "before", asked, pause, causes: true });
  const now = await verdicts(edited, { side: "after", asked, pause, causes: true });
  const found = new Map(
    whole.map((one, at) => [one, { ...one, before: old[at]!, after: now[at]! }] as const),
  );
  return all.map((one) => found.get(one) ?? one);
}

function sorted(
  all: readonly Compared[],
): Pick<RequestChanges, "changes" | "stayDenied" | "stayUnknown"> {
  const named = (one: Compared): ComparedRequest => ({
    ...namedRequest(one.question),
    ...one.times === undefined ? {} : { times: one.times },
    before: one.before,
    after: one.after,
  });
  return {
    changes: all.filter(({ same }) => !same)
      .map((one) => ({ ...named(one), change: changeOf(one.before, one.after) })),
    stayDenied: all.filter(staysDenied).map(named),
    stayUnknown: all.filter(({ before, after }) =>
      before.outcome === "unknown" && after.outcome === "unknown"
    ).map(named),
  };
}

function staysDenied({ before, after }: Compared): boolean {
  return before.outcome === "denied" && after.outcome === "denied" && !isWorse(before, after);
}

function namedRequest(question: QuestionFields): Pick<ComparedRequest, "from" | "url" | "details"> {
  const { from, url, method, headers = [], claims } = question;
  const details = [
    ...(method === undefined || method === "GET" ? [] : [method]),
    ...headers,
    ...(claims === undefined ? [] : [`token ${claims}`]),
  ];
  return { from, url, details: details.join(", ") };
}

function isWorse(old: Verdict, now: Verdict): boolean {
  return now.deniedShare > old.deniedShare + 1e-6;
}

function changeOf(old: Verdict, now: Verdict): ChangedRequest["change"] {
  if (now.outcome === "unknown") return old.outcome === "unknown" ? "moved" : "unknown";
  if (now.outcome === "denied" && (old.outcome !== "denied" || isWorse(old, now))) return "denied";
  return old.outcome !== "allowed" && (now.outcome === "allowed" || isWorse(now, old))
    ? "allowed"
    : "moved";
}

/** Some of many, from all parts of the list. */
function evenly<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all;
  return Array.from({ length: most }, (_, at) => all[Math.floor(at * all.length / most)]!);
}

function signature({ outcome, statuses, clusters, text }: Verdict): string {
  return JSON.stringify([outcome, statuses, clusters, text]);
}
