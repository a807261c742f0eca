import { MeshError, printable } from "../base/mod.ts";

/** The daemon could not be reached. */
export function unreachable(address: string, reason: string, cause?: unknown): MeshError {
  return new MeshError(
    "daemon-unreachable",
    `cannot ask the daemon at ${printable(address)}: ${printable(reason)}`,
    {
      remedy: "Check --xds-address, and that the daemon runs. " +
        "A port without TLS needs --plaintext; another one needs --cert-dir or a token.",
      cause,
    },
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
