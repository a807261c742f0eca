/**
 * A plugin of the token service: exchanges tokens at an endpoint of another issuer that takes
 * requests of RFC 8693.
 *
 * @module
 */
import { sleep } from "../../kit/async/mod.ts";
import { compliantFetch } from "../../kit/pki/mod.ts";
import { messageOf } from "../../kit/base/mod.ts";
import { counter } from "../../kit/metrics/mod.ts";
import type { ExchangedToken, ExchangeRequest, TokenExchange } from "./exchange.ts";

/** Settings of the plugin. */
export interface EndpointOptions {
  readonly url: URL;
  /** Project of the cloud platform whose quota is charged; default: that of the token. */
  readonly quotaProject?: string | undefined;
  /** First pause between attempts, ms; the second one is twice as long. */
  readonly pauseMs?: number;
}

/** The header that names the project, by the conventions of Google Cloud's interfaces. */
const QUOTA_PROJECT = "x-goog-user-project";
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ATTEMPTS = 3;
const PAUSE_MS = 200;
/** Time for one answer, ms. */
const TIMEOUT_MS = 5000;
/** Largest answer, bytes. */
const MAX_ANSWER = 256 * 1024;
/** Longest lifetime that is taken, seconds: a year. */
const MAX_LIFETIME = 366 * 24 * 3600;

const TYPE = { request_type: "token_exchange" };
const labels = ["request_type"];
const requests = counter({
  name: "num_outgoing_requests",
  help: "Requests to other servers, such as the certificate authority.",
  labels,
});
const retries = counter({
  name: "num_outgoing_retries",
  help: "Requests to other servers that repeated a failed one.",
  labels,
});
const failures = counter({
  name: "num_failed_outgoing_requests",
  help: "Requests to other servers that failed.",
  labels,
});

/** A failure that another attempt may not have. */
class Temporary extends Error {}

/** The exchange at an endpoint. Requests are repeated if it is not reachable or answers 5xx. */
export function endpointExchange(options: EndpointOptions): TokenExchange {
  const { pauseMs = PAUSE_MS } = options;
  return async (request, signal) => {
    for (let attempt = 1;; attempt++) {
      requests.inc(TYPE);
      try {
        return await ask(options, request, signal);
      } catch (error) {
        failures.inc(TYPE);
        if (!(error instanceof Temporary) || attempt === ATTEMPTS || signal.aborted) throw error;
      }
      await sleep(pauseMs * attempt, signal);
      retries.inc(TYPE);
    }
  };
}

async function ask(
  { url, quotaProject }: EndpointOptions,
  { subjectToken, subjectTokenType, optional }: ExchangeRequest,
  signal: AbortSignal,
): Promise<ExchangedToken> {
  const body = new URLSearchParams({
    grant_type: GRANT_TYPE,
    subject_token: subjectToken,
    subject_token_type: subjectTokenType,
    ...optional,
  });
  const response = await compliantFetch(url, {
    method: "POST",
    body,
    headers: { accept: "application/json", ...quotaProject && { [QUOTA_PROJECT]: quotaProject } },
    redirect: "error",
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  }).catch((error) => {
    throw new Temporary(`${url.origin}: ${messageOf(error)}`);
  });
  const text = await limitedText(response, url);
  if (response.status >= 500) throw new Temporary(`${url.origin}: status ${response.status}`);
  const answer = parsed(text);
  if (!response.ok) {
    throw new Error(`${url.origin}: status ${response.status}${codeOf(answer?.error)}`);
  }
  const token = answer && tokenOf(answer);
  if (!token) throw new Error(`${url.origin}: the answer is no token of RFC 8693`);
  return token;
}

/** Error codes are words; other texts may quote the request. */
function codeOf(error: unknown): string {
  return typeof error === "string" && /^[a-z_]{1,40}$/.test(error) ? `, ${error}` : "";
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? value as Record<string, unknown>
      : undefined;
  } catch {
    return undefined;
  }
}

function tokenOf(answer: Record<string, unknown>): ExchangedToken | undefined {
  const { access_token, issued_token_type, token_type, expires_in, scope, refresh_token } = answer;
  const lifetime = Number(expires_in ?? NaN);
  if (
    !isText(access_token) || !isText(issued_token_type) || !isText(token_type) ||
    !(lifetime >= 0 && lifetime <= MAX_LIFETIME)
  ) return undefined;
  return {
    accessToken: access_token,
    issuedTokenType: issued_token_type,
    tokenType: token_type,
    expiresIn: Math.floor(lifetime),
    ...isText(scope) && { scope },
    ...isText(refresh_token) && { refreshToken: refresh_token },
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

async function limitedText({ body }: Response, { origin }: URL): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MAX_ANSWER) break;
    }
  } catch (error) {
    throw new Temporary(`${origin}: ${messageOf(error)}`);
  }
  if (text.length > MAX_ANSWER) throw new Error(`${origin}: the answer is larger than 256 KiB`);
  return text;
}
