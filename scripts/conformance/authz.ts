/**
 * The corpus `authz`: policies to the filters of a listener.
 *
 * @module
 */
import { type AuthzCase, runAuthzCase } from "../../tests/support/authz_corpus.ts";
import { canonicalJson } from "../../lib/kit/base/mod.ts";
import type { Case, Corpus } from "./corpus.ts";

/** Compares the filters as messages, in order. */
export const AUTHZ: Corpus<Case & AuthzCase> = {
  name: "authz",
  judge: (one, read) => {
    const { found, wanted } = runAuthzCase(one, read);
    if (canonicalJson(found) === canonicalJson(wanted)) return undefined;
    return `the filters differ: ${canonicalJson(found)}, expected ${canonicalJson(wanted)}`;
  },
};
