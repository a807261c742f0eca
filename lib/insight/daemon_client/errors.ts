import { MeshError, printable } from "../../kit/base/mod.ts";

/** Remedies for a daemon that could not be reached, by protocol. */
const REMEDIES: Readonly<Record<"http" | "xds", string>> = {
  http: "Check the address, and that the daemon runs. Its pages are at port 8080 by default.",
  xds: "Check --xds-address, and that the daemon runs. " +
    "A port without TLS needs --plaintext; another one needs --cert-dir or a token.",
};

/** The daemon could not be reached. */
export function unreachable(
  protocol: keyof typeof REMEDIES,
  address: string,
  reason: string,
  cause?: unknown,
): MeshError {
  return new MeshError(
    "daemon-unreachable",
    `cannot ask the daemon at ${printable(address)}: ${printable(reason)}`,
    { remedy: REMEDIES[protocol], cause },
  );
}

/** The daemon does not answer this client. */
export function refused(address: string, reason: string): MeshError {
  return new MeshError(
    "daemon-refused",
    `the daemon at ${printable(address)} refuses the query: ${printable(reason.trim())}`,
    {
      remedy: "Debug queries are for clients on the daemon's machine and for identities of the " +
        "system namespace: use --cert-dir with such a certificate.",
    },
  );
}

/** The daemon does not know the view or the proxy; its reason has near names. */
export function notFound(reason: string): MeshError {
  return new MeshError("daemon-not-found", printable(reason.trim()));
}

/** The daemon answers otherwise than expected. */
export function unexpected(address: string, reason: string): MeshError {
  return new MeshError(
    "daemon-answer",
    `the daemon at ${printable(address)} answered: ${printable(reason.trim().slice(0, 500))}`,
  );
}
