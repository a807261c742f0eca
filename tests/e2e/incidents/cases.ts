/**
 * Incidents: a change of the configuration after which requests of `web.web` to `shop.test` fail, and
 * the lines of `meshctl incident` that say why.
 *
 * @module
 */
import { manifest } from "../../support/manifest.ts";
import { authorization, policy } from "../security/world.ts";

export interface IncidentCase {
  /** Title in `docs/incidents.md`. */
  readonly title: string;
  /** Documents that are there before; the requests succeed with them. */
  readonly before?: readonly string[];
  /** Documents after the edit. */
  readonly after: readonly string[];
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Status that the client sees. */
  readonly status: number;
  /** Expected lines of the answer. */
  readonly says: readonly RegExp[];
  /** Exit status of the command. Default: 1. */
  readonly exit?: number;
}

const HOST = "shop.test";

const ALLOW_WEB = authorization("readers", {
  rules: [{ from: [{ source: { principals: ["cluster.local/ns/web/sa/web"] } }] }],
});

const part = (text: string): string =>
  new TextEncoder().encode(text).toBase64({ alphabet: "base64url", omitPadding: true });

/** A token whose validity is over. */
export const EXPIRED: string = [
  part(JSON.stringify({ alg: "RS256", kid: "k" })),
  part(JSON.stringify({ iss: "issuer.test", sub: "a", exp: 1_700_000_000 })),
  part("x"),
].join(".");

const KEYS = JSON.stringify({
  keys: [{
    ...{ kty: "RSA", kid: "k", alg: "RS256", e: "AQAB" },
    n: part("n".repeat(256)),
  }],
});

/** The incidents, in the order of the page. */
export const CASES: readonly IncidentCase[] = [
  {
    title: "A policy names another principal",
    before: [ALLOW_WEB],
    after: [authorization("readers", {
      rules: [{ from: [{ source: { principals: ["cluster.local/ns/web/sa/webb"] } }] }],
    })],
    status: 403,
    says: [
      /^now {7}DENIED by AuthorizationPolicy\/shop\/readers: 403 from/m,
      /^ {2}AuthorizationPolicy\/shop\/readers at policies\.yaml:1; without it: ALLOWED/m,
      /^ {2}revision \d+, since \S+: .*AuthorizationPolicy shop\/readers/m,
      /^ {2}before it: ALLOWED/m,
      /^ {2}\d of \d proxies that AuthorizationPolicy\/shop\/readers concerns/m,
      /^ {2}taking back the change of AuthorizationPolicy\/shop\/readers \(policies\.yaml:1\)/m,
    ],
  },
  {
    title: "A policy has `spiffe://` before its principal",
    after: [authorization("readers", {
      rules: [{ from: [{ source: { principals: ["spiffe://cluster.local/ns/web/sa/web"] } }] }],
    })],
    status: 403,
    says: [
      /^now {7}DENIED by AuthorizationPolicy\/shop\/readers/m,
      /^ {2}correcting or removing AuthorizationPolicy\/shop\/readers .*, which revision \d+ added/m,
    ],
  },
  {
    title: "A DestinationRule sends plain text to a server that wants mutual TLS",
    before: [policy("PeerAuthentication", "strict", { mtls: { mode: "STRICT" } })],
    after: [
      policy("PeerAuthentication", "strict", { mtls: { mode: "STRICT" } }),
      manifest("DestinationRule", "plain", {
        host: HOST,
        trafficPolicy: { tls: { mode: "DISABLE" } },
      }, "shop"),
    ],
    status: 503,
    says: [
      /^now {7}DENIED by .*DestinationRule\/shop\/plain/m,
      /^ {2}DestinationRule\/shop\/plain at policies\.yaml:\d+; without it: ALLOWED/m,
      /^ {2}revision \d+, since \S+: .*DestinationRule shop\/plain/m,
    ],
  },
  {
    title: "A token has expired",
    after: [
      policy("RequestAuthentication", "tokens", {
        jwtRules: [{ issuer: "issuer.test", jwks: KEYS }],
      }),
    ],
    headers: { authorization: `Bearer ${EXPIRED}` },
    status: 401,
    says: [
      /^now {7}DENIED by RequestAuthentication\/shop\/tokens: 401 .*expired/m,
      /^ {2}RequestAuthentication\/shop\/tokens at policies\.yaml:1; without it: ALLOWED/m,
    ],
  },
  {
    title: "A route names a subset that does not exist",
    after: [manifest("VirtualService", "items", {
      hosts: [HOST],
      http: [{ route: [{ destination: { host: HOST, subset: "v3" } }] }],
    }, "shop")],
    status: 503,
    says: [
      /^now {7}DENIED by .*VirtualService\/shop\/items/m,
      /^ {2}correcting or removing VirtualService\/shop\/items .*, which revision \d+ added/m,
    ],
  },
  {
    title: "A fault is injected",
    after: [manifest("VirtualService", "items", {
      hosts: [HOST],
      http: [{
        fault: { abort: { httpStatus: 555, percentage: { value: 100 } } },
        route: [{ destination: { host: HOST } }],
      }],
    }, "shop")],
    status: 555,
    says: [/^now {7}DENIED by .*VirtualService\/shop\/items: 555/m],
  },
  {
    title: "A policy denies a path",
    after: [authorization("no-admin", {
      action: "DENY",
      rules: [{ to: [{ operation: { paths: ["/admin*"] } }] }],
    })],
    path: "/admin/users",
    status: 403,
    says: [/^now {7}DENIED by AuthorizationPolicy\/shop\/no-admin: 403/m],
  },
  {
    title: "A policy in the root namespace denies everybody",
    after: [policy("AuthorizationPolicy", "admins", {
      rules: [{ from: [{ source: { namespaces: ["admin"] } }] }],
    }, { namespace: "mesh-system" })],
    status: 403,
    says: [
      /^now {7}DENIED by AuthorizationPolicy\/mesh-system\/admins: 403/m,
      /^ {2}correcting or removing AuthorizationPolicy\/mesh-system\/admins/m,
    ],
  },
];
