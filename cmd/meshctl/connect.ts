/**
 * The daemons that a command asks, by its flags.
 *
 * @module
 */
import { MeshError } from "../../lib/base/mod.ts";
import type { FlagValues, Invocation } from "../../lib/cli/mod.ts";
import {
  askDaemon,
  type DaemonAnswer,
  type DaemonEndpoint,
  readClientCertificates,
} from "../../lib/daemon_client/mod.ts";

import { warnOrchestratorFlags } from "./orchestrator_flags.ts";

/** Authorities of the system, for daemons with public certificates. */
const SYSTEM_ROOTS = "/etc/ssl/certs/ca-certificates.crt";

/** A daemon, and its name in tables. */
export interface Daemon {
  readonly name: string;
  readonly endpoint: DaemonEndpoint;
}

/** Reports if the command line or the settings name a daemon. */
export function namesDaemon(flags: FlagValues): boolean {
  return flags.string("xds-address") !== "";
}

/**
 * The daemon that `--xds-address` names.
 *
 * @throws {MeshError} `daemon-unknown` without an address
 */
export async function daemonOf({ flags, io }: Pick<Invocation, "flags" | "io">): Promise<Daemon> {
  const given = flags.string("xds-address");
  if (given === "") {
    throw new MeshError("daemon-unknown", "no daemon is named", {
      remedy: "Use --xds-address HOST:PORT (with --plaintext for a port without TLS) " +
        "or --xds-address http://HOST:PORT for its debug pages.",
    });
  }
  warnOrchestratorFlags(flags, io);
  if (/^https?:/.test(given)) return { name: given, endpoint: { address: given } };
  const address = /^unix:|:\d+$/.test(given) ? given : `${given}:${flags.number("xds-port")}`;
  return { name: address, endpoint: await endpointOf(flags, address) };
}

/** The endpoint at an address, with the credentials that the flags name. */
async function endpointOf(flags: FlagValues, address: string): Promise<DaemonEndpoint> {
  const dir = flags.string("cert-dir");
  const [authority, insecure] = [flags.string("authority"), flags.bool("insecure")];
  if (flags.bool("plaintext")) {
    const useless = [
      dir === "" ? "" : "--cert-dir",
      authority === "" ? "" : "--authority",
      insecure ? "--insecure" : "",
    ].filter((name) => name !== "");
    if (useless.length === 0) return { address };
    throw new MeshError("flags-contradict", `--plaintext excludes ${useless.join(" and ")}`, {
      remedy: "Leave out one of them.",
    });
  }
  const checks = { insecure, ...authority !== "" && { serverName: authority } };
  if (dir === "") return { address, tls: { ca: await systemRoots(), ...checks } };
  const { tls, namespace } = await readClientCertificates(dir);
  return { address, tls: { ...tls, ...checks }, namespace };
}

async function systemRoots(): Promise<string> {
  try {
    return await Deno.readTextFile(SYSTEM_ROOTS);
  } catch {
    return "";
  }
}

/** Asks a daemon a debug query and parses the answer. */
export async function askJson<T>(call: Invocation, daemon: Daemon, query: string): Promise<T> {
  const { text } = await ask(call, daemon, query);
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new MeshError("daemon-answer", `${daemon.name} answered ${query} without JSON`, {
      remedy: "Check that the address is that of a daemon of the same version.",
      cause,
    });
  }
}

/** Asks a daemon a debug query. */
export async function ask(call: Invocation, daemon: Daemon, query: string): Promise<DaemonAnswer> {
  return await askDaemon(daemon.endpoint, {
    query,
    timeoutMs: call.flags.number("timeout"),
    signal: call.signal,
  });
}
