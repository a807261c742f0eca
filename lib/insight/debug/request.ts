/**
 * `/debug/request`: the path of a request, as a page, text or JSON. `/debug/request/proxies`: the
 * sidecars of addresses that are connected here, for questions to other replicas; with `at=*` one proxy
 * of each kind. `/debug/request/compare`: the effect of an edit on proxies and requests.
 * `/debug/request/history`: the publications that gave a request another outcome. Both as JSON.
 *
 * @module
 */
import {
  explain,
  idOf,
  knowledgeOf,
  type Origin,
  originNamed,
  parseQuestion,
  type Party,
  type Question,
  type QuestionFields,
  type World,
} from "../explain/mod.ts";
import { type Explanation, renderExplanation, type Verdict } from "../verdict/mod.ts";
import { json, type Route, text } from "../../kit/web/mod.ts";
import { hasSigned } from "../../kit/pki/mod.ts";
import { startPace } from "../whatif/mod.ts";
import { debugRoute } from "./access.ts";
import { allServices } from "./config.ts";
import { unknownProxy } from "./find.ts";
import type { DebugInputs } from "./inputs.ts";
import { readSeenRequests } from "../offline/mod.ts";
import { requestPage, shellOf, wantsPage } from "./pages/mod.ts";
import { nodeProxyOf } from "./node_proxy.ts";
import { findProxy } from "./proxies.ts";
import { decided } from "./request_deciding.ts";
import { outcomesSince } from "./request_history.ts";
import { compareEdit } from "./request_compare.ts";
import {
  bindSidecars,
  bindWhole,
  proxyKinds,
  readSidecars,
  sidecarsAt,
} from "./request_sidecars.ts";
import { objectFinder } from "./why.ts";

/**
 * `/debug/request?from=PROXY&url=URL[&method=][&header=NAME: VALUE…][&client=IP][&claims=JSON]
 * [&keys=JWKS][&proxies=JSON][&format=text]`. A `POST` has these parameters as a form in its body,
 * for long ones.
 */
export function requestRoutes(inputs: DebugInputs): Route[] {
  return [
    debugRoute("POST", "/debug/request", async ({ body, signal }) => {
      const answer = await ask(inputs, new URLSearchParams(await body()), signal);
      return "error" in answer
        ? text(`${answer.error}\n`, { status: answer.status })
        : json(answer);
    }),
    debugRoute("GET", "/debug/request/proxies", ({ url }) => {
      if (url.searchParams.get("at") === "*") return json(proxyKinds(inputs.sessions()));
      const addresses = (url.searchParams.get("at") ?? "").split(",").filter((one) => one !== "");
      return json(sidecarsAt(inputs.sessions(), addresses));
    }),
    debugRoute("GET", "/debug/request", async ({ url, request, signal }) => {
      const fields = fieldsOf(url.searchParams);
      const asText = wantsText(url, request);
      if (wantsPage(request) && !asText) {
        const empty = fields.from === "" && fields.url === "";
        const proxies = [...new Set(inputs.sessions().map((node) => idOf(node)))].sort();
        const answer = empty ? undefined : await ask(inputs, url.searchParams, signal);
        return requestPage(shellOf(inputs, url), { fields, proxies, answer });
      }
      const answer = await ask(inputs, url.searchParams, signal);
      if ("error" in answer) return text(`${answer.error}\n`, { status: answer.status });
      return asText ? text(renderExplanation(answer)) : json(answer);
    }),
    debugRoute(
      "GET",
      "/debug/request/compare",
      ({ url, signal }) => compareAnswer(inputs, url.searchParams, signal),
    ),
    debugRoute(
      "POST",
      "/debug/request/compare",
      async ({ body, signal }) =>
        await compareAnswer(inputs, new URLSearchParams(await body()), signal),
    ),
    debugRoute("GET", "/debug/request/history", async ({ url, signal }) => {
      const found = parsed(inputs, fieldsOf(url.searchParams));
      if ("error" in found) return text(`${found.error}\n`, { status: found.status });
      const world = worldOf(inputs);
      return json(
        await outcomesSince({ ...found, world, history: inputs.history }, startPace(signal)),
      );
    }),
  ];
}

/**
 * `documents`: YAML; `remove`: an object, may be repeated; `namespace`: the default one of the
 * documents; `proxies`: those of other replicas; `seen`: requests of access logs.
 */
async function compareAnswer(
  inputs: DebugInputs,
  parameters: URLSearchParams,
  signal: AbortSignal,
): Promise<Response> {
  const documents = parameters.get("documents") ?? "";
  const removals = parameters.getAll("remove");
  const proxies = readSidecars(parameters.get("proxies") ?? "");
  const seen = readSeenRequests(parameters.get("seen") ?? "");
  if (seen === undefined) return text("seen is no list of requests\n", { status: 400 });
  if (proxies === undefined || documents === "" && removals.length === 0) {
    return text("give documents=YAML or remove=Kind/namespace/name\n", { status: 400 });
  }
  const namespace = parameters.get("namespace") ?? "";
  const question = { documents, removals, ...namespace === "" ? {} : { namespace } };
  const found = await compareEdit(inputs, { ...question, proxies, seen }, signal);
  return "error" in found ? text(`${found.error}\n`, { status: found.status }) : json(found);
}

/** An error with its HTTP status. */
export interface Failed {
  readonly error: string;
  readonly status: 400 | 404;
}

function fieldsOf(searchParams: URLSearchParams): QuestionFields {
  const client = searchParams.get("client")?.trim() ?? "";
  const claims = searchParams.get("claims")?.trim() ?? "";
  return {
    from: searchParams.get("from")?.trim() ?? "",
    url: searchParams.get("url")?.trim() ?? "",
    method: searchParams.get("method")?.trim() || "GET",
    // The form of the page sends all headers in one parameter, one per line.
    headers: searchParams.getAll("header").flatMap((one) => one.split("\n"))
      .map((one) => one.trim()).filter((one) => one !== ""),
    ...(client === "" ? {} : { client }),
    ...(claims === "" ? {} : { claims }),
  };
}

function wantsText(url: URL, request: Request): boolean {
  return url.searchParams.get("format") === "text" ||
    (request.headers.get("accept") ?? "").split(",")[0]!.trim().startsWith("text/plain");
}

/** Explains the request of the parameters; `tried` receives verdicts without single objects. */
export async function ask(
  inputs: DebugInputs,
  parameters: URLSearchParams,
  signal: AbortSignal,
  tried?: Map<string, Verdict>,
): Promise<Explanation | Failed> {
  const found = parsed(inputs, fieldsOf(parameters));
  if ("error" in found) return found;
  const elsewhere = readSidecars(parameters.get("proxies") ?? "");
  if (elsewhere === undefined) return { error: "proxies is no list of proxies", status: 400 };
  using bindings = new DisposableStack();
  const bound = bindings.adopt(bindSidecars(inputs, elsewhere), (one) => one.close());
  const whole = bindings.adopt(bindWhole(inputs, found.from), (one) => one.close());
  const world = worldOf(inputs);
  const parties = [...world.parties, ...bound.parties];
  const text = parameters.get("keys") ?? "";
  const keys = { ...world.keys, ...(text === "" ? {} : { text }) };
  const asked = { ...found, from: whole.from, world: { ...world, parties, keys } };
  const explanation = explain(asked.world, asked.from, asked.question);
  return await decided(explanation, asked, { whatIf: inputs.whatIf, signal, tried });
}

/** The first proxy, or the workload without one, and the question of a request. */
interface Parsed {
  readonly from: Party | Origin;
  readonly question: Question;
}

/** The proxy and the question of fields. */
export function parsed(inputs: DebugInputs, fields: QuestionFields): Parsed | Failed {
  if (fields.from === "") {
    return { error: "give the first proxy as ?from=NAME.NAMESPACE", status: 400 };
  }
  if (fields.url === "") {
    return { error: "give the URL as &url=http://HOST:PORT/PATH", status: 400 };
  }
  const question = parseQuestion(fields);
  if (typeof question === "string") return { error: question, status: 400 };
  const connected = findProxy(inputs, fields.from);
  // The way of a request begins at its workload, not at a node proxy.
  const from = connected?.node.role !== "ztunnel" && connected ||
    originNamed(knowledgeOf({ mesh: inputs.mesh, ...nodeProxyOf(inputs) }), fields.from);
  if (from === undefined) return { error: unknownProxy(inputs, fields.from), status: 404 };
  return { from, question };
}

/** The mesh of this daemon. */
export function worldOf(inputs: DebugInputs): World {
  return {
    mesh: inputs.mesh,
    parties: inputs.sessions(),
    services: allServices(inputs),
    ...nodeProxyOf(inputs),
    objectOf: objectFinder(inputs),
    now: inputs.now(),
    keys: { hasSigned, setAt: (uri) => inputs.mesh.tables.keySets.peek(uri)?.jwks },
  };
}
