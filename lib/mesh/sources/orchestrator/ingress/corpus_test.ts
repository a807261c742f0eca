/**
 * The Ingress cases of the corpora: documents in, Gateways and VirtualServices out.
 */
import assert from "node:assert/strict";
import { readYaml } from "../../../../kit/text/mod.ts";
import type { Ingress } from "./api.ts";
import { ingressDocuments } from "./translate.ts";

const DIR = Deno.env.get("MESH_CORPORA");

async function documentsOf<T>(file: string): Promise<T[]> {
  const text = await Deno.readTextFile(`${DIR}/ingress/${file}`);
  // An empty document stands at the end of some files.
  return [...readYaml(text)].map(({ document }) => document?.value as T)
    .filter((value) => value !== null && value !== undefined);
}

interface Named {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

function byName<T extends Named>(documents: readonly T[]): T[] {
  const key = ({ kind, metadata: { name } }: T) => `${kind}/${name}`;
  return [...documents].sort((a, b) => key(a) < key(b) ? -1 : 1);
}

for (const name of ["tls", "overlay"]) {
  Deno.test({
    name: `the Ingress corpus: ${name}${DIR === undefined ? " [no MESH_CORPORA]" : ""}`,
    ignore: DIR === undefined,
    fn: async () => {
      const made = ingressDocuments({
        ingresses: await documentsOf<Ingress>(`${name}.yaml`),
        classes: [],
        settings: {
          mode: "default",
          ingressClass: "mesh",
          ingressService: "",
          ingressSelector: "",
          namespace: "mesh-system",
          domain: "mydomain",
        },
        portOf: () => undefined,
      });
      const golden = await documentsOf<Named>(`${name}.yaml.golden`);
      assert.ok(golden.length > 0);
      const plain = (documents: readonly Named[]) =>
        JSON.parse(
          JSON.stringify(byName(documents), (key, value) =>
            key === "creationTimestamp" ? undefined : value),
        );
      assert.deepEqual(plain(made), plain(golden));
    },
  });
}
