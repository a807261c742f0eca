/**
 * The names in the daemon's own certificate.
 *
 * @module
 */
import { isIp } from "../../kit/text/mod.ts";

/** Input of {@link serverNames}. */
export interface ServerNamesOptions {
  /** Namespace of the daemon. */
  readonly namespace: string;
  /** Revision of the daemon, whose Service has it in its name; empty or `default`: none. */
  readonly revision?: string;
  /** DNS suffix of the cluster. */
  readonly domain: string;
  /** Further names and addresses, separated by commas. */
  readonly custom: string;
}

/** Names and addresses, each once. */
export interface ServerNames {
  readonly dnsNames: readonly string[];
  readonly ips: readonly string[];
}

/**
 * The service's names within and outside of its namespace, those of the machine itself, and the
 * operator's.
 */
export function serverNames(
  { namespace, domain, custom, revision = "" }: ServerNamesOptions,
): ServerNames {
  const ofRevision = ["", "default"].includes(revision) ? [] : [`meshd-${revision}`];
  const services = ["meshd", ...ofRevision].flatMap((name) => [
    ...[name, `${name}.${namespace}`, `${name}.${namespace}.svc`],
    `${name}.${namespace}.svc.${domain}`,
  ]);
  const further = custom.split(",").map((name) => name.trim()).filter((name) => name !== "");
  const names = [
    ...services,
    "localhost",
    "127.0.0.1",
    "::1",
    ...further,
  ];
  return {
    dnsNames: [...new Set(names.filter((name) => !isIp(name)))],
    ips: [...new Set(names.filter(isIp))],
  };
}
