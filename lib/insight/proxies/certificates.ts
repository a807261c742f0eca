import type { CertificateFacts } from "../config_dump/mod.ts";
import { parseSpiffe, readCertificates } from "../../kit/pki/mod.ts";

/** Facts of the certificates of a PEM text. */
export function certificateFacts(pem: string): readonly CertificateFacts[] {
  return readCertificates(pem, "the secret").map(({ serial, notBefore, notAfter, uris }) => ({
    serial,
    notBefore,
    notAfter,
    // A root has the id of its domain, which has no path.
    trustDomain:
      uris.map((uri) => parseSpiffe(uri)?.trustDomain ?? /^spiffe:\/\/([^/]+)/.exec(uri)?.[1] ?? "")
        .find((domain) => domain !== "") ?? "",
  }));
}
