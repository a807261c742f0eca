/**
 * Config dumps of files, admin interfaces and daemons.
 *
 * @module
 */
import { MeshError, messageOf, printable } from "../../lib/base/mod.ts";
import { dataError, type Invocation, readInput, usageError } from "../../lib/cli/mod.ts";
import { type Dump, parseDump, type SyncRow } from "../../lib/config_dump/mod.ts";
import { askJson, daemonOf, namesDaemon } from "./connect.ts";
import { warnOrchestratorFlags } from "./orchestrator_flags.ts";
import { proxyNamed } from "./proxy_name.ts";

/** Paths of the admin interface. */
export const CONFIG_DUMP = "config_dump?include_eds";
/** The path of endpoints with their state. */
export const CLUSTERS = "clusters?format=json";

/** Longest wait for an admin interface, where the command has no flag for it. */
const ADMIN_TIMEOUT_MS = 30_000;
/** Largest answer of an admin interface, bytes. */
const MAX_ANSWER = 512 * 1024 * 1024;

/** Reports if an argument is the URL of an admin interface. */
export function isUrl(text: string): boolean {
  return /^https?:\/\//.test(text);
}

/**
 * The dump that a command names: with `--file` a file, `-` or the URL of an admin interface; otherwise
 * a proxy, whose dump the daemon gives.
 *
 * @param path the path of the admin interface that has the dump
 */
export async function dumpOf(call: Invocation, path: string = CONFIG_DUMP): Promise<Dump> {
  const { flags, args: [name] } = call;
  const file = flags.string("file");
  if (file !== "") {
    warnOrchestratorFlags(flags, call.io);
    if (name !== undefined) throw usageError("a proxy and --file exclude each other");
    return await readDump(call, file, path);
  }
  return await servedDump(call, name, path);
}

/** The dump that the daemon gives of a proxy. */
export async function servedDump(
  call: Invocation,
  name: string | undefined,
  path: string = CONFIG_DUMP,
): Promise<Dump> {
  if (!namesDaemon(call.flags)) throw noSource(call);
  if (path !== CONFIG_DUMP) {
    throw new MeshError("daemon-view", "the daemon does not know the state of endpoints", {
      remedy: "Use `meshctl proxy-config eds`, or --file with the URL of the proxy's admin page.",
    });
  }
  const daemon = await daemonOf(call);
  const rows = await askJson<SyncRow[]>(call, daemon, "syncz");
  const proxy = proxyNamed(call, rows, name);
  const dump = await askJson(call, daemon, `config_dump?proxyID=${encodeURIComponent(proxy)}`);
  return parseDump(JSON.stringify(dump), daemon.name);
}

function noSource({ command }: Invocation): MeshError {
  return usageError(
    `${command} needs a proxy and its daemon, or --file`,
    "Use --file with a config dump, - or the URL of an admin page such as http://localhost:15000; " +
      "or name a proxy with --xds-address of its daemon.",
  );
}

/** The dump of a file, of standard input (`-`), or of an admin interface (a URL). */
export async function readDump(
  call: Invocation,
  file: string,
  path: string = CONFIG_DUMP,
): Promise<Dump> {
  if (isUrl(file)) return parseDump(await admin(call, { base: file, path }), file);
  return parseDump(await readInput(file, call.io), file === "-" ? "standard input" : file);
}

/** A request to an admin interface. */
export interface AdminRequest {
  /** URL of the interface; a path of `config_dump` at its end is left out. */
  readonly base: string;
  readonly path: string;
  readonly method?: "GET" | "POST";
}

/** Asks an admin interface; the text of the answer. */
export async function admin(call: Invocation, request: AdminRequest): Promise<string> {
  const { base, path, method = "GET" } = request;
  const url = `${base.replace(/\/(config_dump.*|clusters.*)?$/, "")}/${path}`;
  const timeout = AbortSignal.timeout(ADMIN_TIMEOUT_MS);
  try {
    const signal = AbortSignal.any([call.signal, timeout]);
    const answer = await fetch(url, { method, signal, redirect: "error" });
    const text = await readBounded(answer);
    if (answer.ok) return text;
    throw new MeshError("admin-answer", `${printable(url)} answered ${answer.status}`, {
      remedy: "Give the URL of a proxy's admin interface, such as http://localhost:15000.",
    });
  } catch (cause) {
    if (cause instanceof MeshError) throw cause;
    const reason = timeout.aborted
      ? `no answer within ${ADMIN_TIMEOUT_MS / 1000} seconds`
      : messageOf(cause);
    throw new MeshError("admin-unreachable", `cannot ask ${printable(url)}: ${printable(reason)}`, {
      remedy: "Check the address, and that the proxy runs.",
    });
  }
}

async function readBounded({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  for await (const part of body ?? []) {
    size += part.length;
    if (size > MAX_ANSWER) throw dataError("the admin interface sent more than 512 MiB");
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}
