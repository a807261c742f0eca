/**
 * `/debug/incident`: from a request that failed to the object, the edit and the time behind it, as a
 * page, text or JSON.
 *
 * @module
 */
import { afterReplicas, type Verdict, verdictLine, verdictOf } from "../verdict/mod.ts";
import {
  type DecidingObject,
  type Edit,
  type Evidence,
  type Incident,
  readEvidence,
  renderIncident,
} from "../incident/mod.ts";
import { json, type Route, text } from "../../kit/web/mod.ts";
import { objectKeys, objectOfRow } from "../../mesh/model/mod.ts";
import { rowRef } from "../../mesh/graph/mod.ts";
import type { SessionInfo } from "../../mesh/xds/mod.ts";
import { startPace } from "../whatif/mod.ts";
import { debugRoute } from "./access.ts";
import { acknowledgedAt, editBehind, relevantTurn, type Turns } from "./incident_edit.ts";
import type { DebugInputs } from "./inputs.ts";
import { incidentPage, shellOf, wantsPage } from "./pages/mod.ts";
import { proxyId } from "./proxies.ts";
import { ask, type Failed, parsed, worldOf } from "./request.ts";
import { outcomesSince } from "./request_history.ts";
import { objectFinder } from "./why.ts";

/**
 * `/debug/incident?text=EVIDENCE[&from=PROXY][&keys=JWKS][&proxies=JSON][&replicas=NUMBER][&silent=WHY…]
 * [&format=text]`; `POST` has the parameters in its body. `proxies` are sidecars of other replicas,
 * `replicas` is how many were asked for them, and `silent` says why one did not answer.
 */
export function incidentRoutes(inputs: DebugInputs): Route[] {
  return [
    debugRoute("POST", "/debug/incident", async ({ body, signal }) => {
      const answer = await answerIncident(inputs, new URLSearchParams(await body()), signal);
      return "error" in answer
        ? text(`${answer.error}\n`, { status: answer.status })
        : json(answer);
    }),
    debugRoute("GET", "/debug/incident", async ({ url, request, signal }) => {
      const { searchParams } = url;
      const asText = searchParams.get("format") === "text";
      const isPage = wantsPage(request) && !asText;
      const evidence = searchParams.get("text") ?? "";
      const answer = isPage && evidence === ""
        ? undefined
        : await answerIncident(inputs, searchParams, signal);
      if (isPage || answer === undefined) {
        const proxies = [...new Set(inputs.sessions().map(proxyId))].sort();
        const from = searchParams.get("from") ?? "";
        return incidentPage(shellOf(inputs, url), { evidence, from, proxies, answer });
      }
      if ("error" in answer) return text(`${answer.error}\n`, { status: answer.status });
      return asText ? text(renderIncident(answer)) : json(answer);
    }),
  ];
}

async function answerIncident(
  inputs: DebugInputs,
  parameters: URLSearchParams,
  signal: AbortSignal,
): Promise<Incident | Failed> {
  const evidence = readEvidence(parameters.get("text") ?? "");
  if (typeof evidence === "string") return { error: evidence, status: 400 };
  const first = firstProxy(inputs, evidence, parameters.get("from")?.trim() ?? "");
  if ("error" in first) return first;
  const fields = new URLSearchParams({
    ...{ from: first.from, url: evidence.url, method: evidence.method },
    ...(first.client === undefined ? {} : { client: first.client }),
  });
  for (const header of evidence.headers) fields.append("header", header);
  for (const name of ["keys", "proxies"]) fields.set(name, parameters.get(name) ?? "");
  const without = new Map<string, Verdict>();
  const asked = await ask(inputs, fields, signal, without);
  if ("error" in asked) return asked;
  const replicas = Number(parameters.get("replicas") ?? 1);
  const explanation = afterReplicas(asked, {
    asked: replicas,
    silent: parameters.getAll("silent"),
  });
  const question = parsed(inputs, {
    ...{ from: first.from, url: evidence.url, method: evidence.method },
    headers: evidence.headers,
  });
  if ("error" in question) return question;
  const verdict = verdictOf(explanation);
  const world = worldOf(inputs);
  const past = await outcomesSince(
    { ...question, world, history: inputs.history },
    startPace(signal),
  );
  const turns = relevantTurn(past, {
    at: evidence.seen?.at,
    agrees: (one) => agreesWith(evidence, one.verdict),
    acknowledgedAt: (revision) => acknowledgedAt(inputs, revision),
    now: verdict.outcome,
  });
  const objects = verdict.by.map((object): DecidingObject => ({
    object,
    ...positionOf(inputs, object),
    ...without.has(object) ? { without: verdictLine(without.get(object)!) } : {},
  }));
  const { elsewhere } = explanation;
  const facts = { evidence, from: first.from, verdict, turns, objects, elsewhere };
  return incidentOf({ inputs, ...facts, replicas });
}

interface Parts {
  readonly inputs: DebugInputs;
  readonly evidence: Evidence;
  readonly from: string;
  readonly verdict: Verdict;
  readonly turns: Turns;
  readonly objects: readonly DecidingObject[];
  readonly elsewhere: readonly string[];
  /** Number of daemons that were asked for the proxies of later hops. */
  readonly replicas: number;
}

function incidentOf(parts: Parts): Incident {
  const { inputs, evidence, from, verdict, turns, objects, elsewhere } = parts;
  const { headers: _, ...shown } = evidence;
  const then = turns.then === undefined ? undefined : verdictLine(turns.then.verdict);
  const decisive = turns.then?.verdict ?? verdict;
  const isRefused = decisive.outcome === "denied";
  // Only a refusal is something that an edit made and that can be undone.
  const edit = isRefused
    ? editBehind(inputs, turns, objects.map(({ object }) => object))
    : undefined;
  const agrees = agreesWith(evidence, decisive);
  return {
    ...{ evidence: shown, from, now: verdictLine(verdict), outcome: verdict.outcome },
    ...then === undefined ? {} : { then },
    ...{ agrees, objects },
    ...edit === undefined ? {} : { edit },
    undo: verdict.outcome === "denied"
      ? [...tokenUndo(verdict), ...undoOf(inputs, objects, edit)]
      : [],
    unknown: [
      ...isRefused || turns.asked === undefined ? turns.unknown : [],
      ...agrees ? [] : [disagreement(evidence, decisive)],
      ...evidence.unknown,
      ...notAsked(parts),
    ],
    elsewhere,
  };
}

/** Proxies of other replicas: a page asks none, and their history is in their daemon alone. */
function notAsked({ elsewhere, replicas }: Parts): string[] {
  if (elsewhere.length === 0) return [];
  const [first = "", ...rest] = elsewhere;
  const at = `${first}${rest.length === 0 ? "" : ` and ${rest.length} more`}`;
  return [
    replicas > 1
      ? `whether a proxy is at ${at}: it is connected to none of the ${replicas} daemons`
      : `whether a proxy at ${at} is connected to another daemon: meshctl incident asks all daemons`,
  ];
}

/** The first proxy: the one that is named, else that of the client or the gateway of the log line. */
function firstProxy(
  inputs: DebugInputs,
  { seen }: Evidence,
  given: string,
): { readonly from: string; readonly client?: string } | Failed {
  const sessions = inputs.sessions();
  const at = (ip: string | undefined, role: SessionInfo["node"]["role"]) =>
    ip === undefined
      ? undefined
      : sessions.find(({ node }) => node.role === role && node.ips.includes(ip));
  const gateway = at(seen?.local, "router");
  const client = gateway === undefined || seen?.remote === undefined ? {} : { client: seen.remote };
  if (given !== "") return { from: given, ...client };
  const found = at(seen?.remote, "sidecar") ?? gateway;
  if (found !== undefined) return { from: proxyId(found), ...found === gateway ? client : {} };
  const where = seen === undefined
    ? "a curl command does not say where it ran"
    : `no proxy with the address of the client (${
      seen.remote ?? "none in the line"
    }) is connected here`;
  return {
    error: `the first proxy of the request is not known: ${where}; give it as from=NAME.NAMESPACE`,
    // Another daemon may have the proxy.
    status: seen === undefined ? 400 : 404,
  };
}

function positionOf(inputs: DebugInputs, object: string): { readonly position?: string } {
  const slash = object.indexOf("/");
  const found = objectFinder(inputs)?.(object.slice(0, slash), object.slice(slash + 1));
  if (found === undefined) return {};
  const { file, line, source } = found.meta.origin;
  return { position: file === undefined ? source : `${file}:${line ?? 1}` };
}

/** Reports if the status of a line is one that the verdict explains; without a status it does. */
function agreesWith({ seen }: Evidence, { outcome, statuses }: Verdict): boolean {
  const status = seen?.status;
  if (status === undefined || outcome === "unknown") return true;
  if (outcome === "allowed") return status > 0 && status < 400;
  return statuses.length === 0 ? status === 0 || status >= 500 : statuses.includes(status);
}

function disagreement({ seen }: Evidence, { outcome }: Verdict): string {
  const isUpstream = seen?.details.some((one) => one.includes("via_upstream"));
  const answered = isUpstream && seen?.direction === "inbound"
    ? "the application answered so itself (via_upstream), and the mesh did not refuse the request"
    : isUpstream
    ? "the upstream answered so (via_upstream), which is its workload or the proxy beside it: the " +
      "line of that proxy tells which"
    : outcome === "allowed"
    ? "nothing in the configuration refuses the request: look at the state of the proxies and " +
      "workloads on its way (meshctl proxy-status), and at what the log line says"
    : "the configuration refuses the request for another reason";
  return `the reason of the status ${seen?.status}: ${answered}`;
}

/** A refused token is undone by another one. */
function tokenUndo({ text }: Verdict): string[] {
  const why = /401 from jwt_authn: (.*)/.exec(text)?.[1];
  return why === undefined ? [] : [`sending another token: ${why}`];
}

function undoOf(
  { objects: inUse }: DebugInputs,
  deciding: readonly DecidingObject[],
  edit: Edit | undefined,
): string[] {
  const present = new Set(inUse().map(({ meta }) => refOf(meta)));
  const edited = edit?.accepted ?? [];
  const gone = edited.filter(({ object }) => !present.has(object));
  return [
    ...deciding.map(({ object, position }) => {
      const at = position === undefined ? "" : ` (${position})`;
      const own = edited.find((one) => one.object === object);
      if (own === undefined || edit === undefined) return `correcting or removing ${object}${at}`;
      return own.generation === 1
        ? `correcting or removing ${object}${at}, which revision ${edit.revision} added`
        : `taking back the change of ${object}${at} in revision ${edit.revision}`;
    }),
    ...gone.map(({ object }) =>
      `applying ${object} again, which revision ${edit!.revision} removed`
    ),
  ];
}

function refOf(
  { kind, namespace, name }: {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
  },
): string {
  const { table, key } = objectOfRow({ table: kind, key: objectKeys.encode({ namespace, name }) });
  return rowRef({ table, key });
}
