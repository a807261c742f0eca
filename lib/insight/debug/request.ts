/**
 * `/debug/request`: the path of a request, as a page, text or JSON. `/debug/request/history`: the
 * publications that gave it another outcome, as JSON.
 *
 * @module
 */
import {
  explain,
  type Explanation,
  idOf,
  parseQuestion,
  type Question,
  type QuestionFields,
  renderExplanation,
  type World,
} from "../explain/mod.ts";
import type { SessionInfo } from "../../mesh/xds/mod.ts";
import { json, type Route, text } from "../../kit/web/mod.ts";
import { startPace } from "../whatif/mod.ts";
import { debugRoute } from "./access.ts";
import { allServices } from "./config.ts";
import { unknownProxy } from "./find.ts";
import type { DebugInputs } from "./inputs.ts";
import { requestPage, shellOf, wantsPage } from "./pages/mod.ts";
import { findProxy } from "./proxies.ts";
import { outcomesSince } from "./request_history.ts";
import { objectFinder } from "./why.ts";

/** `GET /debug/request?from=PROXY&url=URL[&method=][&header=NAME: VALUE…][&client=IP][&format=text]`. */
export function requestRoutes(inputs: DebugInputs): Route[] {
  return [
    debugRoute("GET", "/debug/request", ({ url, request }) => {
      const fields = fieldsOf(url);
      const asText = wantsText(url, request);
      if (wantsPage(request) && !asText) {
        const empty = fields.from === "" && fields.url === "";
        const proxies = [...new Set(inputs.sessions().map((node) => idOf(node)))].sort();
        const answer = empty ? undefined : ask(inputs, fields);
        return requestPage(shellOf(inputs, url), { fields, proxies, answer });
      }
      const answer = ask(inputs, fields);
      if ("error" in answer) return text(`${answer.error}\n`, { status: answer.status });
      return asText ? text(renderExplanation(answer)) : json(answer);
    }),
    debugRoute("GET", "/debug/request/history", async ({ url, signal }) => {
      const found = parsed(inputs, fieldsOf(url));
      if ("error" in found) return text(`${found.error}\n`, { status: found.status });
      const world = worldOf(inputs);
      return json(
        await outcomesSince({ ...found, world, history: inputs.history }, startPace(signal)),
      );
    }),
  ];
}

/** An error with its HTTP status. */
export interface Failed {
  readonly error: string;
  readonly status: 400 | 404;
}

function fieldsOf({ searchParams }: URL): QuestionFields {
  const client = searchParams.get("client")?.trim() ?? "";
  return {
    from: searchParams.get("from")?.trim() ?? "",
    url: searchParams.get("url")?.trim() ?? "",
    method: searchParams.get("method")?.trim() || "GET",
    // The form of the page sends all headers in one parameter, one per line.
    headers: searchParams.getAll("header").flatMap((one) => one.split("\n"))
      .map((one) => one.trim()).filter((one) => one !== ""),
    ...(client === "" ? {} : { client }),
  };
}

function wantsText(url: URL, request: Request): boolean {
  return url.searchParams.get("format") === "text" ||
    (request.headers.get("accept") ?? "").split(",")[0]!.trim().startsWith("text/plain");
}

function ask(inputs: DebugInputs, fields: QuestionFields): Explanation | Failed {
  const found = parsed(inputs, fields);
  return "error" in found ? found : explain(worldOf(inputs), found.from, found.question);
}

/** The first proxy and the question of a request. */
interface Parsed {
  readonly from: SessionInfo;
  readonly question: Question;
}

function parsed(inputs: DebugInputs, fields: QuestionFields): Parsed | Failed {
  if (fields.from === "") {
    return { error: "give the first proxy as ?from=NAME.NAMESPACE", status: 400 };
  }
  if (fields.url === "") {
    return { error: "give the URL as &url=http://HOST:PORT/PATH", status: 400 };
  }
  const question = parseQuestion(fields);
  if (typeof question === "string") return { error: question, status: 400 };
  const from = findProxy(inputs, fields.from);
  if (from === undefined) return { error: unknownProxy(inputs, fields.from), status: 404 };
  return { from, question };
}

function worldOf(inputs: DebugInputs): World {
  return {
    mesh: inputs.mesh,
    parties: inputs.sessions(),
    services: allServices(inputs),
    objectOf: objectFinder(inputs),
  };
}
