/**
 * Servers of the security suite: two for external authorization, one with keys.
 *
 * @module
 */
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { encode, fromBinary } from "../../../lib/kit/proto/mod.ts";
import { startRpc } from "../../../lib/kit/rpc/mod.ts";
import {
  CheckRequestSchema,
  CheckResponseSchema,
} from "#envoy/service/auth/v3/external_auth_pb.ts";

/** A header by which callers say what they hope for. */
export const PLEA = "x-plea";

/** A request that a server was asked about, as far as it was told. */
export interface Question {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A server that authorises. */
export interface Authorizer extends AsyncDisposable {
  readonly port: number;
  /** Paths of the requests it was asked about. */
  readonly asked: string[];
  readonly questions: readonly Question[];
}

/** Starts a gRPC authorizer: it allows requests with the header `please`. */
export async function startGrpcAuthorizer(): Promise<Authorizer> {
  const asked: string[] = [];
  const questions: Question[] = [];
  const server = await startRpc({
    address: "127.0.0.1:0",
    services: [{
      path: "/envoy.service.auth.v3.Authorization/Check",
      handle: async (call) => {
        for await (const message of call.messages) {
          const http = fromBinary(CheckRequestSchema, message).attributes?.request?.http;
          const { path = "", headers = {}, body = "" } = http ?? {};
          asked.push(path);
          questions.push({ path, headers, body });
          const code = http?.headers[PLEA] === "please" ? 0 : 7;
          call.send([encode(CheckResponseSchema, {
            status: { code },
            httpResponse: code === 0
              ? { case: "okResponse", value: {} }
              : { case: "deniedResponse", value: { status: { code: 403 } } },
          })]);
          call.finish();
        }
      },
    }],
    limits: { maxReceive: 1 << 20, maxStreams: 100 },
    keepalive: { interval: 30_000, timeout: 10_000 },
  });
  return { port: server.port, asked, questions, [Symbol.asyncDispose]: () => server.stop(100) };
}

/** Starts one that speaks HTTP, to the same end. Its answers have headers. */
export function startHttpAuthorizer(): Authorizer {
  const asked: string[] = [];
  const questions: Question[] = [];
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const server = Deno.serve(options, async (request) => {
    const path = new URL(request.url).pathname;
    asked.push(path);
    const headers = Object.fromEntries(request.headers);
    questions.push({ path, headers, body: await request.text() });
    const status = request.headers.get(PLEA) === "please" ? 200 : 403;
    return new Response(null, { status, headers: { "x-user": "somebody", "x-group": "some" } });
  });
  return {
    port: server.addr.port,
    asked,
    questions,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Path of an issuer's discovery document. */
const DISCOVERY = "/.well-known/openid-configuration";

/** An issuer of tokens with its keys on a server. */
export interface Issuer extends AsyncDisposable {
  readonly name: string;
  /** Address of its keys. */
  readonly uri: string;
  /** Its keys as text. */
  readonly jwks: string;
  /** Number of fetches of the keys. */
  readonly fetches: number;
  /** True if it answers. */
  up: boolean;
  /** A token with claims, of five minutes unless it is to be expired. */
  token(claims: Readonly<Record<string, unknown>>, expired?: boolean): Promise<string>;
}

/**
 * Starts an issuer. Its discovery document names an address that redirects to the keys.
 *
 * @param ownName name of the issuer; default: the address of its server, with a slash
 */
export async function startIssuer(ownName?: string): Promise<Issuer> {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const key = { ...await exportJWK(publicKey), kid: "main", alg: "ES256", use: "sig" };
  const jwks = JSON.stringify({ keys: [key] });
  let fetches = 0;
  const answer = ({ url }: Request): Response => {
    fetches++;
    const { origin, pathname } = new URL(url);
    if (!issuer.up) return new Response(null, { status: 503 });
    if (pathname === DISCOVERY) return Response.json({ jwks_uri: `${origin}/moved` });
    return pathname === "/moved" ? Response.redirect(issuer.uri) : new Response(jwks);
  };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, answer);
  const address = `http://127.0.0.1:${server.addr.port}/`;
  const name = ownName ?? address;
  const issuer: Issuer = {
    name,
    uri: `${address}keys`,
    jwks,
    up: true,
    get fetches() {
      return fetches;
    },
    token: (claims, expired = false) => {
      const now = Math.floor(Date.now() / 1000);
      return new SignJWT({ ...claims })
        .setProtectedHeader({ alg: "ES256", kid: "main" })
        .setIssuer(name)
        .setIssuedAt(now - 600)
        .setExpirationTime(expired ? now - 300 : now + 300)
        .sign(privateKey);
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return issuer;
}
