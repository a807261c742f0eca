/** Documents of Ingress objects under changes: work in proportion, and the same as from scratch. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Ingress, IngressClass } from "./api.ts";
import { createIngressDocuments, type IngressSurroundings } from "./documents.ts";
import {
  INGRESS_CONTROLLER,
  type IngressDocument,
  ingressDocuments,
  type IngressMode,
} from "./translate.ts";

function surroundings(
  mode: IngressMode = "default",
  classes: readonly IngressClass[] = [],
  port: number | undefined = 80,
): IngressSurroundings {
  return {
    classes,
    settings: {
      mode,
      ingressClass: "mesh",
      ingressService: "",
      ingressSelector: "",
      namespace: "mesh-system",
      domain: "cluster.local",
    },
    portOf: () => port,
  };
}

/** An Ingress with a host of its own, at a named port of a Service of its own. */
function ingressOf(i: number, path = "/"): Ingress {
  const backend = { service: { name: `web-${i}`, port: { name: "http" } } };
  return {
    metadata: { name: `i-${i}`, namespace: "shop" },
    spec: { rules: [{ host: `h${i}.test`, http: { paths: [{ path, backend }] } }] },
  };
}

Deno.test("an event translates what it concerns, of 1,000 Ingress objects", () => {
  const documents = createIngressDocuments();
  for (let i = 0; i < 1000; i++) documents.set(ingressOf(i));
  const translated = () => [...documents.translate(surroundings()).keys()].sort();
  assert.equal(translated().length, 2000);
  const events: [about: string, event: () => void, expected: readonly string[]][] = [
    ["nothing", () => {}, []],
    ["one Ingress", () => documents.set(ingressOf(7, "/x")), ["Ingress/shop/i-7", "host/h7.test"]],
    ["a Service whose port is named", () => documents.changedService("shop/web-8"), [
      "host/h8.test",
    ]],
    ["another Service", () => documents.changedService("shop/other"), []],
    ["another class", () => documents.changedClass("other"), []],
    ["a removed Ingress", () => documents.remove("shop/i-9"), ["Ingress/shop/i-9", "host/h9.test"]],
    ["its Service", () => documents.changedService("shop/web-9"), []],
  ];
  for (const [about, event, expected] of events) {
    event();
    assert.deepEqual(translated(), expected, about);
  }
});

Deno.test("an Ingress of 5,000 hosts is translated in time", () => {
  const documents = createIngressDocuments();
  const backend = { service: { name: "web", port: { number: 80 } } };
  const rules = Array.from({ length: 5_000 }, (_, i) => ({
    host: `h${i}.test`,
    http: { paths: [{ path: "/", backend }] },
  }));
  documents.set({ metadata: { name: "wide", namespace: "shop" }, spec: { rules } });
  const started = performance.now();
  assert.equal(documents.translate(surroundings()).size, 5_001);
  // Comparing all with all would take minutes.
  assert.ok(performance.now() - started < 5_000);
});

const backends = fc.record({
  service: fc.record({
    name: fc.constantFrom("a", "b"),
    port: fc.constantFrom({ number: 80 }, { name: "http" }),
  }),
});

const ingresses: fc.Arbitrary<Ingress> = fc.record({
  metadata: fc.record({
    name: fc.constantFrom("one", "two", "three"),
    namespace: fc.constantFrom("shop", "other"),
    creationTimestamp: fc.constantFrom("2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z"),
  }),
  spec: fc.record({
    ingressClassName: fc.constantFrom("ours", "theirs"),
    defaultBackend: fc.option(backends, { nil: undefined }),
    rules: fc.array(fc.record({
      host: fc.constantFrom("a.test", "a-test", "*.test", ""),
      http: fc.record({
        paths: fc.array(
          fc.record({
            path: fc.constantFrom("/", "/a", "/a/*"),
            pathType: fc.constantFrom("Exact", "Prefix", "ImplementationSpecific"),
            backend: backends,
          }),
          { maxLength: 2 },
        ),
      }),
    })),
  }, { requiredKeys: ["rules"] }),
});

type Event =
  | { readonly set: Ingress }
  | { readonly remove: string }
  | { readonly controller: string }
  | { readonly port: number | undefined }
  | { readonly mode: IngressMode };

const events: fc.Arbitrary<Event> = fc.oneof(
  { weight: 4, arbitrary: ingresses.map((set) => ({ set })) },
  fc.constantFrom("shop/one", "other/two").map((remove) => ({ remove })),
  fc.constantFrom(INGRESS_CONTROLLER, "none").map((controller) => ({ controller })),
  fc.constantFrom(80, 81, undefined).map((port) => ({ port })),
  fc.constantFrom<IngressMode>("off", "strict", "default").map((mode) => ({ mode })),
);

function sorted(documents: Iterable<IngressDocument | undefined>): IngressDocument[] {
  const key = ({ kind, metadata: { namespace, name } }: IngressDocument) =>
    `${kind}/${namespace}/${name}`;
  return [...documents].filter((one) => one !== undefined).sort((a, b) => key(a) < key(b) ? -1 : 1);
}

Deno.test("documents after any events are those from scratch", () => {
  fc.assert(fc.property(fc.array(events, { maxLength: 20 }), (sequence) => {
    const documents = createIngressDocuments();
    const all = new Map<string, Ingress>();
    const held = new Map<string, IngressDocument | undefined>();
    let [mode, controller, port]: [IngressMode, string, number | undefined] = [
      "default",
      INGRESS_CONTROLLER,
      80,
    ];
    for (const event of sequence) {
      if ("set" in event) {
        const { namespace, name } = event.set.metadata;
        all.set(`${namespace}/${name}`, event.set);
        documents.set(event.set);
      } else if ("remove" in event) {
        all.delete(event.remove);
        documents.remove(event.remove);
      } else if ("controller" in event) {
        controller = event.controller;
        documents.changedClass("ours");
      } else if ("port" in event) {
        port = event.port;
        for (const key of ["shop/a", "shop/b", "other/a", "other/b"]) documents.changedService(key);
      } else {
        mode = event.mode;
        documents.changedSettings();
      }
      const around = surroundings(mode, [
        { metadata: { name: "ours" }, spec: { controller } },
        { metadata: { name: "theirs" }, spec: { controller: "none" } },
      ], port);
      for (const [key, document] of documents.translate(around)) held.set(key, document);
      const whole = ingressDocuments({ ingresses: [...all.values()], ...around });
      assert.deepEqual(sorted(held.values()), sorted(whole));
      const names = whole.map(({ kind, metadata }) =>
        `${kind}/${metadata.namespace}/${metadata.name}`
      );
      assert.equal(new Set(names).size, names.length);
    }
  }));
});
