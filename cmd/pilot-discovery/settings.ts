/**
 * What the daemon is asked for and does not have yet: flags that are refused,
 * listeners and registries that are left out.
 *
 * @module
 */
import { MeshError } from "../../lib/base/mod.ts";
import type { DiscoveryOptions } from "./options.ts";

/** Flags that are accepted and do nothing yet, each with the reason. */
export const INERT_FLAGS: Readonly<Record<string, string>> = {
  caCertFile: "there is no TLS listener yet",
  clusterAliases: "remote clusters are not read yet",
  clusterRegistriesNamespace: "remote clusters are not read yet",
  cniNamespace: "there is no node controller yet",
  orchApiBurst: "no orchestrator is connected yet",
  orchApiQPS: "no orchestrator is connected yet",
  "tls-cipher-suites": "there is no TLS listener yet",
  tlsCertFile: "there is no TLS listener yet",
  tlsKeyFile: "there is no TLS listener yet",
};

/** Listeners that need what is not there yet, with what that is. */
const ABSENT_LISTENERS = [
  { flag: "secureGRPCAddr", option: "secureGrpcAddr", needs: "certificates" },
  { flag: "httpsAddr", option: "httpsAddr", needs: "the webhooks" },
] as const;

/**
 * Refuses what was asked for by name and cannot be had. What is only a default is
 * left out; returns a sentence for each such thing.
 *
 * @throws MeshError `not-supported`
 */
export function checkSupported(options: DiscoveryOptions): string[] {
  const notes: string[] = [];
  for (const { flag, option, needs } of ABSENT_LISTENERS) {
    const address = options[option];
    if (address === "") continue;
    if (options.given.has(flag)) {
      throw new MeshError(
        "not-supported",
        `--${flag}=${address}: this listener needs ${needs}, which this version does not have`,
        { remedy: `Leave --${flag} out, or give it an empty value.` },
      );
    }
    notes.push(`no listener on ${address}: it needs ${needs}, which this version does not have`);
  }
  return [...notes, ...checkRegistries(options)];
}

function checkRegistries(options: DiscoveryOptions): string[] {
  if (options.orchConfig !== "") {
    throw new MeshError(
      "not-supported",
      `--orchconfig=${options.orchConfig}: this version does not connect to an orchestrator`,
      { remedy: "Give the configuration as files, with --configDir." },
    );
  }
  if (options.given.has("registries") && options.registries.length > 0) {
    throw new MeshError(
      "not-supported",
      `--registries=${options.registries.join(",")}: this version has no such registry`,
      { remedy: "Leave --registries out and describe services by ServiceEntries in --configDir." },
    );
  }
  return [
    "no service registry is started: there is no orchestrator, services come from --configDir",
  ];
}
