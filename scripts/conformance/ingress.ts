/**
 * The corpus `ingress`: Ingress objects to Gateways and VirtualServices.
 *
 * @module
 */
import assert from "node:assert/strict";
import { type Ingress, ingressDocuments } from "../../lib/mesh/sources/mod.ts";
import type { Case, Corpus } from "./corpus.ts";
import { documentsOf } from "./yaml_documents.ts";

interface IngressCase extends Case {
  readonly golden: string;
  readonly options: { readonly domain: string };
}

interface Named {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** Compares the objects by kind and name; routes are in order. */
export const INGRESS: Corpus<IngressCase> = {
  name: "ingress",
  judge: ({ inputs, golden, options: { domain } }, read) => {
    const made = ingressDocuments({
      ingresses: inputs.flatMap((file) => documentsOf<Ingress>(read(file))),
      classes: [],
      settings: {
        mode: "default",
        ingressClass: "mesh",
        ingressService: "",
        ingressSelector: "",
        namespace: "mesh-system",
        domain,
      },
      portOf: () => undefined,
    });
    const wanted = documentsOf<Named>(read(golden));
    if (wanted.length === 0) return "the golden file has no objects";
    assert.deepEqual(plain(made), plain(wanted));
    return undefined;
  },
};

function plain(documents: readonly Named[]): unknown {
  const key = ({ kind, metadata: { name } }: Named) => `${kind}/${name}`;
  const sorted = documents.toSorted((a, b) => key(a) < key(b) ? -1 : 1);
  return JSON.parse(
    JSON.stringify(sorted, (name, value) => name === "creationTimestamp" ? undefined : value),
  );
}
