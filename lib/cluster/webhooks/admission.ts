/**
 * The protocol of admission webhooks: requests and answers of the kind AdmissionReview.
 *
 * @module
 */
import { valuesIn } from "../inject/mod.ts";
import { isPlainObject } from "./json.ts";

/** A request of the API server. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly operation: string;
  readonly namespace: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly resource: {
    readonly group: string;
    readonly version: string;
    readonly resource: string;
  };
  /** The object; `undefined` for a deletion. */
  readonly object: unknown;
}

export interface AdmissionAnswer {
  readonly allowed: boolean;
  /** The reason of a refusal. */
  readonly message?: string;
  readonly warnings?: readonly string[];
  /** Operations of a JSON Patch. */
  readonly patch?: readonly unknown[];
}

/** A request that is not answered as an admission. */
export interface HttpFault {
  readonly status: number;
  readonly text: string;
}

/** An HTTP request with its body. */
export interface WebhookRequest {
  readonly contentType: string;
  readonly body: string;
}

/** Groups and versions of the reviews that are answered, each in its own version. */
const VERSIONS = ["admission.k8s.io/v1", "admission.k8s.io/v1beta1"];

/** Values in a review, roughly: reading more takes longer than the daemon may stand still. */
const MAX_VALUES = 500_000;

/** Longest text of a warning, in characters: the API server cuts longer ones. */
const WARNING_LENGTH = 256;

/**
 * Answers a review. A function that throws refuses the object with the error's message.
 *
 * @returns the JSON of the answer, or a status
 */
export async function answerReview(
  { contentType, body }: WebhookRequest,
  answer: (request: AdmissionRequest) => AdmissionAnswer | Promise<AdmissionAnswer>,
): Promise<HttpFault | { readonly json: string }> {
  if (body === "") return { status: 400, text: "no body found" };
  const [type] = contentType.split(";");
  if (type?.trim().toLowerCase() !== "application/json") {
    return { status: 415, text: "invalid Content-Type, want `application/json`" };
  }
  if (valuesIn(body) > MAX_VALUES) {
    return { status: 413, text: `the body has more than ${MAX_VALUES} values` };
  }
  let review: unknown;
  try {
    review = JSON.parse(body);
  } catch {
    return { status: 400, text: "the body is not JSON" };
  }
  if (!isPlainObject(review) || !VERSIONS.includes(String(review.apiVersion))) {
    return { status: 400, text: `the body is not a review of ${VERSIONS.join(" or ")}` };
  }
  const request = requestOf(review.request);
  if (request === undefined) return { status: 400, text: "the review has no request with a uid" };
  const given = await answer(request);
  const { apiVersion } = review;
  return {
    json: JSON.stringify({
      apiVersion,
      kind: "AdmissionReview",
      response: responseOf(request, given),
    }),
  };
}

function requestOf(value: unknown): AdmissionRequest | undefined {
  if (!isPlainObject(value) || typeof value.uid !== "string") return undefined;
  const text = (fields: unknown, name: string) =>
    isPlainObject(fields) && typeof fields[name] === "string" ? fields[name] : "";
  const { kind, resource } = value;
  return {
    uid: value.uid,
    operation: text(value, "operation"),
    namespace: text(value, "namespace"),
    kind: { group: text(kind, "group"), version: text(kind, "version"), kind: text(kind, "kind") },
    resource: {
      group: text(resource, "group"),
      version: text(resource, "version"),
      resource: text(resource, "resource"),
    },
    object: value.object ?? undefined,
  };
}

function responseOf({ uid }: AdmissionRequest, answer: AdmissionAnswer) {
  const { allowed, message, warnings = [], patch } = answer;
  return {
    uid,
    allowed,
    ...message !== undefined && { status: { message } },
    ...warnings.length > 0 && { warnings: warnings.map((text) => shortened(text)) },
    ...patch !== undefined && {
      patchType: "JSONPatch",
      patch: base64(JSON.stringify(patch)),
    },
  };
}

function shortened(text: string): string {
  return text.length <= WARNING_LENGTH ? text : `${text.slice(0, WARNING_LENGTH - 1)}…`;
}

function base64(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}
