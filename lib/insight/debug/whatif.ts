/**
 * What-if queries over HTTP.
 *
 * @module
 */
import { answer, json, type Route, text, type WebCall } from "../../kit/web/mod.ts";
import {
  type Answer,
  predictionJson,
  renderPrediction,
  renderProblems,
  startPace,
  type WhatIf,
} from "../whatif/mod.ts";
import { changing, debugRoute } from "./access.ts";
import type { DebugInputs } from "./inputs.ts";
import { shellOf, whatIfPage } from "./pages/mod.ts";

/** `POST /debug/whatif[?remove=Kind/namespace/name…][&format=text]`, with YAML documents as the body. */
export function whatIfRoutes(inputs: DebugInputs): Route[] {
  const { whatIf } = inputs;
  // It has no side effects, but is too expensive for requests from other sites' pages.
  return [
    debugRoute(
      "GET",
      "/debug/whatif",
      ({ url }) => whatIfPage(shellOf(inputs, url), { documents: "", removals: "" }, undefined),
    ),
    debugRoute(
      "POST",
      "/debug/whatif",
      changing((call) => isForm(call) ? askByForm(inputs, call) : ask(whatIf, call)),
    ),
  ];
}

function isForm({ request }: WebCall): boolean {
  return (request.headers.get("content-type") ?? "").startsWith(
    "application/x-www-form-urlencoded",
  ) &&
    (request.headers.get("accept") ?? "").includes("text/html");
}

/** Handles the page's own form. */
async function askByForm(inputs: DebugInputs, call: WebCall): Promise<Response> {
  const form = new URLSearchParams(await call.body());
  const documents = form.get("documents") ?? "";
  const removals = form.get("remove") ?? "";
  const names = removals.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const empty = documents.trim() === "" && names.length === 0;
  const found = empty
    ? undefined
    : await inputs.whatIf.ask({ documents, removals: names }, call.signal);
  return whatIfPage(shellOf(inputs, call.url), { documents, removals }, found);
}

async function ask(whatIf: WhatIf, call: WebCall): Promise<Response> {
  const question = {
    documents: await call.body(),
    removals: call.url.searchParams.getAll("remove"),
  };
  const asText = wantsText(call);
  if (question.documents.trim() === "" && question.removals.length === 0) {
    return text(
      "send YAML documents, and name objects to take away as ?remove=Kind/namespace/name\n",
      { status: 400 },
    );
  }
  return respond(await whatIf.ask(question, call.signal), asText, call.signal);
}

async function respond(found: Answer, asText: boolean, signal: AbortSignal): Promise<Response> {
  switch (found.kind) {
    case "predicted": {
      const { prediction } = found;
      if (asText) return text(renderPrediction(prediction));
      const body = await predictionJson(prediction, startPace(signal).pause);
      return answer(body, "application/json");
    }
    case "invalid": {
      const { problems, warnings } = found;
      return asText
        ? text(renderProblems(problems), { status: 400 })
        : json({ problems, warnings }, { status: 400 });
    }
    case "busy":
      return text("another question is being answered; ask again in a moment\n", {
        status: 429,
        headers: { "retry-after": "2" },
      });
  }
}

function wantsText({ request, url }: WebCall): boolean {
  return url.searchParams.get("format") === "text" ||
    (request.headers.get("accept") ?? "").split(",")[0]!.trim().startsWith("text/plain");
}
