/**
 * Cases of rewrites, redirects, direct responses, headers and CORS.
 *
 * @module
 */
import { to } from "../../support/manifest.ts";
import type { RoutingCase } from "./case.ts";
import { SERVICE } from "./service.ts";

const REWRITES: readonly RoutingCase[] = [
  {
    name: "rewrite: prefix",
    http: [{
      match: [{ uri: { prefix: "/old/" } }],
      ...to(SERVICE, "v1"),
      rewrite: { uri: "/new/" },
    }],
    exchanges: [
      { path: "/old/a/b?q=1", from: "v1", sees: { path: "/new/a/b?q=1" } },
      { path: "/other", status: 404 },
    ],
  },
  {
    name: "rewrite: whole path of an exact match",
    http: [{ match: [{ uri: { exact: "/old" } }], ...to(SERVICE, "v1"), rewrite: { uri: "/new" } }],
    exchanges: [{ path: "/old?q=1", sees: { path: "/new?q=1" } }],
  },
  {
    name: "rewrite: authority",
    http: [to(SERVICE, "v1", { rewrite: { authority: "inner.test" } })],
    exchanges: [{ path: "/a", sees: { path: "/a", host: "inner.test" } }],
  },
  {
    name: "rewrite: by regular expression",
    http: [to(SERVICE, "v1", {
      rewrite: { uriRegexRewrite: { match: "^/service/([^/]+)(/.*)$", rewrite: "\\2/of/\\1" } },
    })],
    exchanges: [
      { path: "/service/foo/v1/api", sees: { path: "/v1/api/of/foo" } },
      { path: "/other", sees: { path: "/other" } },
    ],
  },
];

const REDIRECTS: readonly RoutingCase[] = [
  {
    name: "redirect: path and authority",
    http: [{ redirect: { uri: "/there", authority: "other.test" } }],
    exchanges: [{
      path: "/here",
      status: 301,
      gets: { headers: { location: "http://other.test/there" } },
    }],
  },
  {
    name: "redirect: code",
    http: [{ redirect: { uri: "/there", authority: "other.test", redirectCode: 307 } }],
    exchanges: [{ status: 307, gets: { headers: { location: "http://other.test/there" } } }],
  },
  {
    name: "redirect: scheme and port",
    http: [{ redirect: { scheme: "https", authority: "other.test", port: 8443 } }],
    exchanges: [{
      path: "/same?q=1",
      status: 301,
      gets: { headers: { location: "https://other.test:8443/same?q=1" } },
    }],
  },
  {
    name: "redirect: port of the scheme",
    http: [{
      redirect: {
        scheme: "https",
        authority: "other.test",
        derivePort: "FROM_PROTOCOL_DEFAULT",
      },
    }],
    exchanges: [{
      path: "/same",
      status: 301,
      gets: { headers: { location: "https://other.test/same" } },
    }],
  },
  {
    name: "redirect: prefix",
    http: [{
      match: [{ uri: { prefix: "/a/" } }],
      redirect: { prefixRewrite: "/b/", authority: "other.test" },
    }],
    exchanges: [{
      path: "/a/x",
      status: 301,
      gets: { headers: { location: "http://other.test/b/x" } },
    }],
  },
];

const DIRECT: readonly RoutingCase[] = [
  {
    name: "direct response: text",
    http: [{ directResponse: { status: 418, body: { string: "short and stout" } } }],
    exchanges: [{ status: 418, gets: { body: "short and stout" } }],
  },
  {
    name: "direct response: bytes",
    http: [{ directResponse: { status: 200, body: { bytes: btoa("raw") } } }],
    exchanges: [{ status: 200, gets: { body: "raw" } }],
  },
  {
    name: "direct response: no body",
    http: [{ directResponse: { status: 204 } }],
    exchanges: [{ status: 204, gets: { body: "" } }],
  },
];

const OPERATIONS = {
  request: {
    set: { "x-set": "by-rule" },
    add: { "x-added": "by-rule" },
    remove: ["x-secret"],
  },
  response: {
    set: { "x-answer": "by-rule" },
    add: { "x-more": "by-rule" },
    remove: ["x-backend"],
  },
};

const HEADERS: readonly RoutingCase[] = [
  {
    name: "headers: set, add and remove, both ways",
    http: [to(SERVICE, "v1", { headers: OPERATIONS })],
    exchanges: [{
      headers: { "x-set": "by-caller", "x-added": "by-caller", "x-secret": "1", "x-kept": "1" },
      sees: {
        headers: {
          "x-set": "by-rule",
          "x-added": "by-caller, by-rule",
          "x-secret": null,
          "x-kept": "1",
        },
      },
      gets: { headers: { "x-answer": "by-rule", "x-more": "by-rule", "x-backend": null } },
    }],
  },
  {
    name: "headers: host by request headers",
    http: [to(SERVICE, "v1", { headers: { request: { set: { host: "inner.test" } } } })],
    exchanges: [{ sees: { host: "inner.test" } }],
  },
  {
    name: "headers: changes for one destination of several",
    http: [{
      route: ["v1", "v2"].map((subset) => ({
        destination: { host: SERVICE, subset },
        weight: 50,
        headers: {
          request: { set: { "x-for": subset } },
          response: { set: { "x-by": subset } },
        },
      })),
    }],
    exchanges: [{}],
    probe: async ({ call }) => {
      const met = new Set<string>();
      for (let i = 0; i < 40; i++) {
        const { echo, headers } = await call();
        if (headers["x-by"] !== echo?.backend || echo?.headers["x-for"] !== echo?.backend) {
          throw new Error(`${echo?.backend} got x-for ${echo?.headers["x-for"]}`);
        }
        met.add(echo?.backend ?? "");
      }
      if (met.size !== 2) throw new Error(`only ${[...met]} answered`);
    },
  },
];

const CORS = {
  allowOrigins: [{ exact: "https://good.test" }, { regex: "https://.*\\.trusted\\.test" }],
  allowMethods: ["GET", "PUT"],
  allowHeaders: ["x-token"],
  exposeHeaders: ["x-backend"],
  maxAge: "600s",
  allowCredentials: true,
};

const preflight = (origin: string) => ({
  method: "OPTIONS",
  headers: { origin, "access-control-request-method": "PUT" },
});

const CORS_CASES: readonly RoutingCase[] = [
  {
    name: "cross-origin: preflight is answered by the proxy",
    http: [to(SERVICE, "v1", { corsPolicy: CORS })],
    exchanges: [
      {
        ...preflight("https://good.test"),
        gets: {
          body: "",
          headers: {
            "access-control-allow-origin": "https://good.test",
            "access-control-allow-methods": "GET,PUT",
            "access-control-allow-headers": "x-token",
            "access-control-max-age": "600",
            "access-control-allow-credentials": "true",
          },
        },
      },
      {
        ...preflight("https://a.trusted.test"),
        gets: { headers: { "access-control-allow-origin": "https://a.trusted.test" } },
      },
      {
        headers: { origin: "https://good.test" },
        from: "v1",
        gets: {
          headers: {
            "access-control-allow-origin": "https://good.test",
            "access-control-expose-headers": "x-backend",
          },
        },
      },
      {
        ...preflight("https://bad.test"),
        from: "v1",
        gets: { headers: { "access-control-allow-origin": null } },
      },
    ],
  },
  {
    name: "cross-origin: preflights of other origins go no further",
    http: [to(SERVICE, "v1", { corsPolicy: { ...CORS, unmatchedPreflights: "IGNORE" } })],
    exchanges: [
      { ...preflight("https://good.test"), gets: { body: "" } },
      {
        ...preflight("https://bad.test"),
        gets: { body: "", headers: { "access-control-allow-origin": null, "x-backend": null } },
      },
    ],
  },
];

/** All of them. */
export const CHANGE_CASES: readonly RoutingCase[] = [
  ...REWRITES,
  ...REDIRECTS,
  ...DIRECT,
  ...HEADERS,
  ...CORS_CASES,
];
