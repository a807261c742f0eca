/**
 * The paths of the webhook listener.
 *
 * @module
 */
import { type AdmissionAnswer, type AdmissionRequest, answerReview } from "./admission.ts";
import { pathVariables } from "../inject/mod.ts";
import { answerInjection, type InjectionSettings } from "./injection.ts";
import { validationHttpErrors } from "./metrics.ts";
import { isOfRevision, type RevisionTags } from "../../mesh/sources/mod.ts";
import type { HttpsAnswer, HttpsRequest } from "./server.ts";
import { answerValidation } from "./validation.ts";

/** The functions of the paths. */
export interface WebhookPaths {
  /** `undefined`: injection is off, and its path is not found. */
  readonly injection: InjectionSettings | undefined;
  readonly revision: string;
  readonly tags: () => RevisionTags;
  readonly isReady: () => boolean;
}

/** Answers a request to `/inject[/KEY/VALUE…]`, `/validate[/REVISION]` or `/ready`. */
export async function answerPath(request: HttpsRequest, paths: WebhookPaths): Promise<HttpsAnswer> {
  const [first, ...rest] = request.segments;
  const { injection } = paths;
  if (first === "ready" && rest.length === 0) return { status: paths.isReady() ? 200 : 503 };
  const isInject = first === "inject" && injection !== undefined;
  const isValidate = first === "validate" && rest.length <= 1;
  if (!isInject && !isValidate) return { status: 404, body: "not found" };
  if (request.method !== "POST") return { status: 405, body: "use POST" };
  if (isInject) {
    const variables = pathVariables(rest);
    return await review(request, (one) => answerInjection(one, variables, injection));
  }
  const answer = await review(
    request,
    (one) => answerValidation(one, (label) => isOfRevision(label, paths.revision, paths.tags())),
  );
  if (answer.status !== 200) validationHttpErrors.inc({ status: answer.status });
  return answer;
}

async function review(
  request: HttpsRequest,
  answer: (one: AdmissionRequest) => AdmissionAnswer | Promise<AdmissionAnswer>,
): Promise<HttpsAnswer> {
  const given = await answerReview(request, answer);
  if ("json" in given) return { status: 200, contentType: "application/json", body: given.json };
  return { status: given.status, body: given.text };
}
