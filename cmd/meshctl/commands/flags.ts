/**
 * Flags that several commands share.
 *
 * @module
 */
import type { FlagSpec, FlagType } from "../../../lib/kit/cli/mod.ts";
import {
  MESHCTL_AUTHORITY,
  MESHCTL_CERT_DIR,
  MESHCTL_INSECURE,
  MESHCTL_PLAINTEXT,
  MESHCTL_XDS_ADDRESS,
  MESHCTL_XDS_PORT,
} from "../variables.ts";

/** A flag with its type and its sentence for the help text. */
export function flag(
  name: string,
  type: FlagType,
  description: string,
  more: Partial<FlagSpec> = {},
): FlagSpec {
  return { name, type, description, ...more };
}

/** The connection to a daemon over xDS. */
export const XDS_FLAGS: readonly FlagSpec[] = [
  flag("xds-address", "string", "Address of the daemon, host:port", {
    env: MESHCTL_XDS_ADDRESS.name,
  }),
  flag("xds-label", "string", "Labels that select the pods of the daemon"),
  flag("xds-port", "int", "Port of the daemon's pods", {
    default: "15012",
    env: MESHCTL_XDS_PORT.name,
  }),
  flag("authority", "string", "Name that the certificate of the daemon must have", {
    env: MESHCTL_AUTHORITY.name,
  }),
  flag("cert-dir", "string", "Directory of cert-chain.pem, key.pem and root-cert.pem", {
    env: MESHCTL_CERT_DIR.name,
    complete: "directory",
  }),
  flag("insecure", "bool", "Do not verify the certificate of the daemon", {
    env: MESHCTL_INSECURE.name,
  }),
  flag("plaintext", "bool", "Connect without TLS", { env: MESHCTL_PLAINTEXT.name }),
  flag("timeout", "duration", "Longest wait for the answer of a daemon", { default: "30s" }),
];

/** The revision of the control plane. */
export const REVISION: FlagSpec = flag("revision", "string", "Control plane revision", {
  short: "r",
});

/** The form of the output. */
export function outputFlag(choices: readonly string[], preset?: string): FlagSpec {
  return flag("output", "string", "Output format", { short: "o", choices, default: preset });
}

/** A file as input, such as a config dump. */
export function fileFlag(description: string): FlagSpec {
  return flag("file", "string", description, { short: "f", complete: "file" });
}

/** The directory of charts and profiles. */
export const MANIFESTS: FlagSpec = flag(
  "manifests",
  "string",
  "Directory of charts and profiles",
  { short: "d", complete: "directory" },
);

/** Goes on without asking. */
export const SKIP_CONFIRMATION: FlagSpec = flag(
  "skip-confirmation",
  "bool",
  "Do not ask for confirmation",
  { short: "y" },
);

/** The admin interface of a proxy. */
export const ADMIN_PORT: FlagSpec = flag(
  "proxy-admin-port",
  "int",
  "Port of the proxy's admin interface",
  {
    default: "15000",
  },
);
