/**
 * The HTTP interface of the token service: `POST /token` and `GET /stsStatus`, for clients on this
 * machine.
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { json, type Route, route, type WebCall } from "../../kit/web/mod.ts";
import type { ExchangedToken, TokenExchange } from "./exchange.ts";
import { InvalidRequest, readRequest } from "./request.ts";

/** Times of an issued token, as `/stsStatus` shows it. */
interface IssuedToken {
  readonly token_type: string;
  readonly issue_time: string;
  readonly expire_time: string;
  /** The text `[redacted]`: tokens are not shown. */
  readonly token: string;
}

/** Issued tokens that are remembered by type. */
const MAX_TYPES = 16;
const REDACTED = "[redacted]";

const log = scope("security");

export function stsRoutes(exchange: TokenExchange): Route[] {
  const issued = new Map<string, IssuedToken>();
  return [
    route("POST", "/token", async (call) => {
      if (!call.local) return refused();
      return await exchanged(call, exchange, (token) => {
        issued.delete(token.tokenType);
        if (issued.size >= MAX_TYPES) issued.delete(issued.keys().next().value!);
        issued.set(token.tokenType, issuedNow(token));
      });
    }),
    route("GET", "/stsStatus", ({ local }) => {
      return local ? reply(200, { tokens: [...issued.values()] }) : refused();
    }),
  ];
}

async function exchanged(
  call: WebCall,
  exchange: TokenExchange,
  record: (token: ExchangedToken) => void,
): Promise<Response> {
  const { request, signal } = call;
  try {
    const asked = readRequest(request.headers.get("content-type"), await call.body());
    const token = await exchange(asked, signal);
    record(token);
    return reply(200, {
      access_token: token.accessToken,
      issued_token_type: token.issuedTokenType,
      token_type: token.tokenType,
      expires_in: token.expiresIn,
      ...token.scope !== undefined && { scope: token.scope },
      ...token.refreshToken !== undefined && { refresh_token: token.refreshToken },
    });
  } catch (error) {
    if (error instanceof InvalidRequest) return failure(400, "invalid_request", error.message);
    log.warn("a token was not exchanged", { reason: messageOf(error) });
    return failure(500, "invalid_target", "the token could not be exchanged");
  }
}

function issuedNow({ tokenType, expiresIn }: ExchangedToken): IssuedToken {
  const now = Date.now();
  return {
    token_type: tokenType,
    issue_time: new Date(now).toISOString(),
    expire_time: new Date(now + expiresIn * 1000).toISOString(),
    token: REDACTED,
  };
}

function refused(): Response {
  return failure(403, "invalid_request", "only clients on this machine are served");
}

/** An error of RFC 6749, section 5.2. */
function failure(status: number, error: string, description: string): Response {
  return reply(status, { error, error_description: description, error_uri: "" });
}

function reply(status: number, value: unknown): Response {
  return json(value, { status, headers: { "cache-control": "no-store", pragma: "no-cache" } });
}
