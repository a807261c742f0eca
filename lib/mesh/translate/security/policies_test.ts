/**
 * A policy's change reaches the workloads it selects, and computes nothing else;
 * and what its listeners then hold.
 */
import assert from "node:assert/strict";
import { objectsOf } from "../../../../tests/support/mesh_fixture.ts";
import {
  changeOf,
  proxyNode,
  startTranslation,
} from "../../../../tests/support/translation_fixture.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const NAMESPACES = 20;

const PER_NAMESPACE = 25;

const policy = (path: string, selector = ""): string =>
  `apiVersion: security.mesh.io/v1

kind: AuthorizationPolicy

metadata: {name: p, namespace: ns-3}

spec: {${selector}action: DENY, rules: [{to: [{operation: {paths: [${path}]}}]}]}

`;

/** Proxies of 20 namespaces, 25 in each, every one with a port of its own. */
function world() {
  const bench = startTranslation();
  const documents: string[] = [];
  for (let n = 0; n < NAMESPACES; n++) {
    for (let i = 0; i < PER_NAMESPACE; i++) {
      documents.push(`apiVersion: networking.mesh.io/v1

kind: ServiceEntry

metadata: {name: s-${i}, namespace: ns-${n}}

spec:
  hosts: [s-${i}.ns-${n}.test]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 10.${n}.0.${i + 1}, labels: {app: app-${i}}}]

`);
    }
  }
  bench.apply({ objects: objectsOf(documents.join("---\n")).map(changeOf) });
  const bindings = Array.from({ length: NAMESPACES * PER_NAMESPACE }, (_, at) => {
    const [n, i] = [Math.floor(at / PER_NAMESPACE), at % PER_NAMESPACE];
    const labels = { app: `app-${i}`, tier: i < 5 ? "front" : "back" };
    const node = proxyNode(`ns-${n}`, { ip: `10.${n}.0.${i + 1}`, labels });
    return { namespace: `ns-${n}`, binding: bench.translation.source.bind(node, () => {}) };
  });
  for (const { binding } of bindings) {
    for (const url of Object.values(TYPE_URLS)) binding.view(url)?.size;
  }
  bench.graph.publish();
  const edit = (yaml: string) => {
    bench.graph.resetStats();
    const before = bench.set(yaml);
    const touched = bindings.filter(({ binding }) =>
      Object.values(TYPE_URLS).some((url) => {
        const delta = binding.view(url)?.since(before);
        return delta === undefined ? false : delta.changed.length + delta.removed.length > 0;
      })
    );
    const { computedByTable } = bench.graph.stats();
    return { touched, computed: computedByTable };
  };
  return { bench, edit };
}

Deno.test("a policy of one namespace reaches its 25 proxies of 500, and is translated once", () => {
  const { edit } = world();
  edit(policy("/a"));
  const { touched, computed } = edit(policy("/b"));
  assert.equal(touched.length, PER_NAMESPACE);
  assert.ok(touched.every(({ namespace }) => namespace === "ns-3"));
  const ran = Object.fromEntries(Object.entries(computed).filter(([, n]) => n > 0));
  assert.deepEqual(ran, {
    "security.authorization": PER_NAMESPACE,
    "accessFilters.authorization": 1,
    "lds.class": PER_NAMESPACE,
  });
});

Deno.test("a policy with a selector reaches those it selects", () => {
  const { edit } = world();
  const selector = "selector: {matchLabels: {tier: front}}, ";
  edit(policy("/a", selector));
  const { touched, computed } = edit(policy("/b", selector));
  assert.equal(touched.length, 5);
  assert.equal(computed["accessFilters.authorization"], 1);
  assert.equal(computed["lds.class"], 5);
});

Deno.test("a policy edit without effect is sent to no proxy", () => {
  const { edit } = world();
  edit(policy("/a"));
  const again = policy("/a").replace("name: p,", "name: p, labels: {team: red},");
  const { touched, computed } = edit(again);
  assert.equal(touched.length, 0);
  assert.equal(computed["lds.class"] ?? 0, 0);
});
