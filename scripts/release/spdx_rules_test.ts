import assert from "node:assert/strict";
import type { SpdxDocument, SpdxPackage } from "./sbom.ts";
import { spdxFaults } from "./spdx_rules.ts";

const PACKAGE: SpdxPackage = {
  SPDXID: "SPDXRef-a",
  name: "a",
  versionInfo: "1",
  downloadLocation: "NOASSERTION",
  filesAnalyzed: false,
  licenseConcluded: "NOASSERTION",
  licenseDeclared: "(MIT OR Apache-2.0)",
  copyrightText: "NOASSERTION",
};

const DOCUMENT: SpdxDocument = {
  spdxVersion: "SPDX-2.3",
  dataLicense: "CC0-1.0",
  SPDXID: "SPDXRef-DOCUMENT",
  name: "a-1",
  documentNamespace: "https://example.com/a-1",
  creationInfo: { created: "2026-01-01T00:00:00Z", creators: ["Tool: t-1"] },
  packages: [PACKAGE],
  relationships: [{
    spdxElementId: "SPDXRef-DOCUMENT",
    relationshipType: "DESCRIBES",
    relatedSpdxElement: "SPDXRef-a",
  }],
};

const withPackage = (more: Partial<SpdxPackage>): SpdxDocument => ({
  ...DOCUMENT,
  packages: [{ ...PACKAGE, ...more }],
});

/** Documents that break one rule. */
const BROKEN: readonly (readonly [SpdxDocument, RegExp])[] = [
  [{ ...DOCUMENT, documentNamespace: "https://example.com/a#b" }, /fragment/],
  [{ ...DOCUMENT, creationInfo: { created: "2026-01-01", creators: ["Tool: t"] } }, /in UTC/],
  [{ ...DOCUMENT, creationInfo: { ...DOCUMENT.creationInfo, creators: ["t"] } }, /creators/],
  [{ ...DOCUMENT, packages: [PACKAGE, PACKAGE] }, /unique/],
  [{ ...DOCUMENT, packages: [] }, /refers to SPDXRef-a, which exists/],
  [{ ...DOCUMENT, relationships: [] }, /describes an element/],
  [withPackage({ licenseDeclared: "SEE LICENSE IN file" }), /licence SEE LICENSE/],
  [withPackage({ checksums: [{ algorithm: "SHA256", checksumValue: "0a" }] }), /checksum SHA256/],
  [
    withPackage({
      externalRefs: [{
        referenceCategory: "PACKAGE-MANAGER",
        referenceType: "purl",
        referenceLocator: "pkg:npm/a",
      }],
    }),
    /purl pkg:npm\/a/,
  ],
];

Deno.test("SPDX: a document that keeps the rules has no faults; each broken rule is named", () => {
  assert.deepEqual(spdxFaults(DOCUMENT), []);
  for (const [document, fault] of BROKEN) {
    const faults = spdxFaults(document);
    assert.ok(faults.length > 0, String(fault));
    assert.match(faults.join("\n"), fault);
  }
});
