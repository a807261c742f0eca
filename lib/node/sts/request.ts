/**
 * Requests of the token service: their parameters, and what is wrong with them.
 *
 * @module
 */
import type { ExchangeRequest } from "./exchange.ts";

const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:token-exchange";
const SUBJECT_TYPE = "urn:ietf:params:oauth:token-type:jwt";
const OPTIONAL = [
  "resource",
  "audience",
  "scope",
  "requested_token_type",
  "actor_token",
  "actor_token_type",
] as const;
/** Largest token, characters. */
const MAX_TOKEN = 64 * 1024;

/** A request that is refused: the answer has the message, which quotes no parameter. */
export class InvalidRequest extends Error {
  override readonly name = "InvalidRequest";
}

/** Reads the form of a request. Throws {@link InvalidRequest}. */
export function readRequest(contentType: string | null, body: string): ExchangeRequest {
  const type = (contentType ?? "").split(";")[0]!.trim().toLowerCase();
  if (type !== "application/x-www-form-urlencoded") {
    throw new InvalidRequest("the content type must be application/x-www-form-urlencoded");
  }
  const form = new URLSearchParams(body);
  for (const name of ["grant_type", "subject_token", "subject_token_type", ...OPTIONAL]) {
    if (form.getAll(name).length > 1) throw new InvalidRequest(`${name} is given twice`);
  }
  expect(form, "grant_type", GRANT_TYPE);
  expect(form, "subject_token_type", SUBJECT_TYPE);
  const subjectToken = form.get("subject_token") ?? "";
  if (subjectToken === "") throw new InvalidRequest("subject_token is missing");
  if (subjectToken.length > MAX_TOKEN) throw new InvalidRequest("subject_token is too long");
  const given = OPTIONAL.flatMap((name) => {
    const value = form.get(name) ?? "";
    return value === "" ? [] : [[name, value] as const];
  });
  const optional = Object.fromEntries(given);
  if (("actor_token" in optional) !== ("actor_token_type" in optional)) {
    throw new InvalidRequest("actor_token and actor_token_type must be given together");
  }
  return { subjectToken, subjectTokenType: SUBJECT_TYPE, optional };
}

function expect(form: URLSearchParams, name: string, value: string): void {
  if (form.get(name) !== value) throw new InvalidRequest(`${name} must be ${value}`);
}
