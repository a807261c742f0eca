import assert from "node:assert/strict";
import type { Ingress } from "./api.ts";
import { ingressDocuments, type IngressSettings, isOurs } from "./translate.ts";

const SETTINGS: IngressSettings = {
  mode: "default",
  ingressClass: "mesh",
  ingressService: "mesh-ingressgateway",
  ingressSelector: "",
  namespace: "mesh-system",
  domain: "mydomain",
};

function ingress(spec: Ingress["spec"], metadata: Record<string, unknown> = {}): Ingress {
  return { metadata: { name: "a", namespace: "ns", ...metadata }, spec: spec! };
}

function routes(...paths: readonly [path: string | undefined, pathType?: string][]): unknown[] {
  const service = { name: "web", port: { name: "http" } };
  const rule = {
    host: "a.test",
    http: {
      paths: paths.map(([path, pathType]) => ({
        ...(path === undefined ? {} : { path }),
        ...(pathType === undefined ? {} : { pathType }),
        backend: { service },
      })),
    },
  };
  const documents = ingressDocuments({
    ingresses: [ingress({ rules: [rule] })],
    classes: [],
    settings: SETTINGS,
    portOf: (_, __, name) => name === "http" ? 8080 : undefined,
  });
  const { spec } = documents.find(({ kind }) => kind === "VirtualService")!;
  return (spec as { http: { match?: unknown }[] }).http.map(({ match }) => match ?? "all");
}

Deno.test("paths: exact, prefixes by element, and patterns; the longest come first", () => {
  assert.deepEqual(routes(["/", "Prefix"], ["/a", "Prefix"], ["/a", "Exact"], ["/a/b", "Exact"]), [
    [{ uri: { exact: "/a/b" } }],
    [{ uri: { exact: "/a" } }],
    [{ uri: { exact: "/a" } }, { uri: { prefix: "/a/" } }],
    [{ uri: { prefix: "/" } }],
  ]);
  assert.deepEqual(routes([undefined], ["/x/*"], ["/z.*"], ["/y"]), [
    [{ uri: { exact: "/y" } }],
    [{ uri: { exact: "/x" } }, { uri: { prefix: "/x/" } }],
    [{ uri: { exact: "/z" } }, { uri: { prefix: "/z/" } }],
    "all",
  ]);
});

Deno.test("classes: the annotation, then the IngressClass, then the mode", () => {
  const classes = [
    { metadata: { name: "ours" }, spec: { controller: "mesh.io/ingress-controller" } },
    { metadata: { name: "other" }, spec: { controller: "other" } },
  ];
  const ours = (mode: IngressSettings["mode"], spec: Ingress["spec"], annotation?: string) => {
    const annotations = annotation ? { "kubernetes.io/ingress.class": annotation } : {};
    return isOurs(ingress(spec, { annotations }), classes, { ...SETTINGS, mode });
  };
  assert.equal(ours("strict", {}), false);
  assert.equal(ours("default", {}), true);
  assert.equal(ours("strict", {}, "mesh"), true);
  assert.equal(ours("default", {}, "nginx"), false);
  assert.equal(ours("strict", { ingressClassName: "ours" }), true);
  assert.equal(ours("default", { ingressClassName: "other" }), false);
  assert.equal(ours("off", { ingressClassName: "ours" }, "mesh"), false);
});

Deno.test("the default backend serves all hosts; the selector follows the mesh configuration", () => {
  const backend = { service: { name: "web", port: { number: 80 } } };
  const documents = (settings: Partial<IngressSettings>) =>
    ingressDocuments({
      ingresses: [ingress({ defaultBackend: backend })],
      classes: [],
      settings: { ...SETTINGS, ...settings },
      portOf: () => undefined,
    });
  const [gateway, service] = documents({ ingressService: "edge" });
  assert.deepEqual((gateway!.spec as { selector: unknown }).selector, { mesh: "edge" });
  assert.deepEqual((service!.spec as { hosts: unknown }).hosts, ["*"]);
  const [chosen] = documents({ ingressSelector: "chosen" });
  assert.deepEqual((chosen!.spec as { selector: unknown }).selector, { mesh: "chosen" });
});

Deno.test("tls: the hosts of each certificate have a server of it; without hosts it is for all", () => {
  const serversOf = (tls: NonNullable<Ingress["spec"]>["tls"]) => {
    const documents = ingressDocuments({
      ingresses: [ingress({ tls, rules: [] })],
      classes: [],
      settings: SETTINGS,
      portOf: () => undefined,
    });
    const { spec } = documents.find(({ kind }) => kind === "Gateway")!;
    const { servers } = spec as {
      servers: { hosts: string[]; tls?: { credentialName?: string } }[];
    };
    return servers.filter(({ tls }) => tls !== undefined)
      .map(({ hosts, tls }) => [hosts, tls!.credentialName]);
  };
  const tls = [{ hosts: ["a.test", "b.test"], secretName: "one" }, { secretName: "two" }];
  assert.deepEqual(serversOf(tls), [[["a.test", "b.test"], "one"], [["*"], "two"]]);
  assert.deepEqual(serversOf([]), []);
});

Deno.test("a host of several Ingress objects is served with the certificate of each of them", () => {
  const backend = { service: { name: "web", port: { number: 80 } } };
  const rules = [{ host: "a.test", http: { paths: [{ path: "/", backend }] } }];
  const named = (name: string, tls?: NonNullable<Ingress["spec"]>["tls"]) =>
    ingress({ rules, ...(tls === undefined ? {} : { tls }) }, {
      name,
      creationTimestamp: `2026-01-01T00:00:0${name.length}Z`,
    });
  const documents = ingressDocuments({
    ingresses: [
      named("a"),
      named("bb", [{ hosts: ["a.test"], secretName: "s" }]),
      named("ccc", [{ hosts: ["b.test"], secretName: "s" }, { hosts: ["a.test"] }]),
      named("dddd", [{ secretName: "s" }]),
      named("eeeee", [{ hosts: ["*.test"], secretName: "s" }]),
      named("ffffff"),
    ],
    classes: [],
    settings: SETTINGS,
    portOf: () => undefined,
  });
  const { spec } = documents.find(({ kind }) => kind === "VirtualService")!;
  assert.deepEqual(
    (spec as { gateways: string[] }).gateways.map((name) => name.split(/[/-]/)[2]),
    ["a", "bb", "dddd", "eeeee"],
  );
});
