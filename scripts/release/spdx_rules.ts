/**
 * The rules of SPDX 2.3 that a bill of materials must keep: required fields, forms of values,
 * references to elements that exist.
 *
 * @module
 */
import { isLicense } from "./npm.ts";
import type { SpdxDocument, SpdxPackage } from "./sbom.ts";

const ID = /^SPDXRef-[A-Za-z0-9.-]+$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const CREATOR = /^(?:Person|Organization|Tool): \S/;
/** Lengths of checksums in hexadecimal. */
const CHECKSUMS: Readonly<Record<string, number>> = { SHA1: 40, SHA256: 64, SHA512: 128 };

/** Faults of a document, as sentences; none for a valid one. */
export function spdxFaults(document: SpdxDocument): string[] {
  const faults: string[] = [];
  const must = (isKept: boolean, rule: string): void => {
    if (!isKept) faults.push(rule);
  };
  must(document.spdxVersion === "SPDX-2.3", "spdxVersion is SPDX-2.3");
  must(document.dataLicense === "CC0-1.0", "dataLicense is CC0-1.0");
  must(document.SPDXID === "SPDXRef-DOCUMENT", "the document is SPDXRef-DOCUMENT");
  must(document.name !== "", "the document has a name");
  const isSpace = URL.canParse(document.documentNamespace) &&
    !document.documentNamespace.includes("#");
  must(isSpace, "documentNamespace is a URI without a fragment");
  must(TIME.test(document.creationInfo.created), "created is a time in UTC");
  must(
    document.creationInfo.creators.length > 0 &&
      document.creationInfo.creators.every((one) => CREATOR.test(one)),
    "creators are persons, organizations or tools",
  );
  const ids = ["SPDXRef-DOCUMENT", ...document.packages.map(({ SPDXID }) => SPDXID)];
  must(new Set(ids).size === ids.length, "identifiers are unique");
  for (const one of document.packages) faults.push(...packageFaults(one));
  for (const { spdxElementId, relationshipType, relatedSpdxElement } of document.relationships) {
    for (const id of [spdxElementId, relatedSpdxElement]) {
      must(ids.includes(id), `${relationshipType} refers to ${id}, which exists`);
    }
  }
  const isDescribed = document.relationships.some((one) =>
    one.relationshipType === "DESCRIBES" && one.spdxElementId === "SPDXRef-DOCUMENT"
  );
  must(isDescribed, "the document describes an element");
  return faults;
}

function packageFaults(one: SpdxPackage): string[] {
  const faults: string[] = [];
  const must = (isKept: boolean, rule: string): void => {
    if (!isKept) faults.push(`${one.SPDXID}: ${rule}`);
  };
  must(ID.test(one.SPDXID), "the identifier has letters, digits, dots and dashes");
  must(one.name !== "" && one.versionInfo !== "", "name and version are there");
  must(
    one.downloadLocation === "NOASSERTION" || URL.canParse(one.downloadLocation),
    "downloadLocation is a URI or NOASSERTION",
  );
  for (const license of [one.licenseConcluded, one.licenseDeclared]) {
    must(
      license === "NOASSERTION" || license === "NONE" || isLicense(license),
      `licence ${license}`,
    );
  }
  must(one.copyrightText !== "", "copyrightText is there");
  for (const { algorithm, checksumValue } of one.checksums ?? []) {
    const length = CHECKSUMS[algorithm];
    must(
      length !== undefined && new RegExp(`^[0-9a-f]{${length}}$`).test(checksumValue),
      `checksum ${algorithm}`,
    );
  }
  for (const { referenceLocator } of one.externalRefs ?? []) {
    must(/^pkg:[a-z]+\/[^\s@]+@[^\s@]+$/.test(referenceLocator), `purl ${referenceLocator}`);
  }
  return faults;
}
