import { MeshError, messageOf, printable } from "../../kit/base/mod.ts";
import { type Invocation, suggest, tableText, usageError } from "../../kit/cli/mod.ts";
import type { LevelChange } from "../config_dump/mod.ts";
import { toYaml } from "../../kit/text/mod.ts";
import {
  namesCluster,
  openCluster,
  podId,
  podNamed,
  warnOrchestratorFlags,
  withPodPort,
} from "../cluster_access/mod.ts";
import { daemonPods } from "../daemon_client/mod.ts";

/** A logging scope of the daemon. */
interface Scope {
  readonly name: string;
  readonly description: string;
  readonly output_level: string;
  readonly stack_trace_level: string;
  readonly log_callers: boolean;
}

/** Longest wait for an answer. */
const TIMEOUT_MS = 30_000;

/** Prints or changes the log levels of daemons, over their introspection pages. */
export async function adminLog(call: Invocation): Promise<number> {
  const { flags, io } = call;
  const [level, stacks] = [flags.string("level"), flags.string("stack-trace-level")];
  if (flags.bool("reset") && (level !== "" || stacks !== "")) {
    throw usageError("--reset and --level or --stack-trace-level exclude each other");
  }
  await withDaemons(call, async (base, name) => {
    const scopes = await changedScopes(call, base);
    if (name !== undefined) io.out(`${printable(name)}:\n`);
    print(call, scopes);
  });
  return 0;
}

/** The scopes of a daemon, or with changes those that were changed. */
async function changedScopes(call: Invocation, base: string): Promise<readonly Scope[]> {
  const { flags } = call;
  const scopes = await scopesOf(call, base);
  const changes = new Map<string, Partial<Scope>>();
  const change = (scope: string, change: Partial<Scope>): void =>
    void changes.set(scope, { ...changes.get(scope), ...change });
  if (flags.bool("reset")) {
    for (const { name } of scopes) {
      change(name, { output_level: "info" });
    }
  }
  for (const each of await parsed(scopes, flags.string("level"))) {
    change(each.logger, { output_level: each.level });
  }
  for (const each of await parsed(scopes, flags.string("stack-trace-level"))) {
    change(each.logger, { stack_trace_level: each.level });
  }
  for (const [name, values] of changes) {
    const before = scopes.find((scope) => scope.name === name);
    await put(call, `${base}/scopej/${encodeURIComponent(name)}`, { ...before, ...values });
  }
  if (changes.size === 0) return scopes;
  return (await scopesOf(call, base)).filter(({ name }) => changes.has(name));
}

function print({ flags, io }: Invocation, shown: readonly Scope[]): void {
  const form = flags.string("output");
  if (form === "json") io.out(`${JSON.stringify(shown, null, 2)}\n`);
  else if (form === "yaml") io.out(toYaml(shown));
  else {
    const rows = shown.map((scope) => [
      scope.name,
      scope.description,
      scope.output_level,
      scope.stack_trace_level,
    ]);
    io.out(tableText(["SCOPE", "DESCRIPTION", "LEVEL", "STACK TRACE LEVEL"], rows));
  }
}

/**
 * Calls `use` with the introspection pages of each daemon: a URL, a pod, the pods of the daemon in the
 * cluster, or without a cluster the port on this machine. Several daemons have their name.
 */
async function withDaemons(
  call: Invocation,
  use: (base: string, name?: string) => Promise<void>,
): Promise<void> {
  const { flags, io, args: [given] } = call;
  const port = flags.number("ctrlz_port");
  const isAddress = given !== undefined && /^https?:\/\//.test(given);
  if (isAddress || !await namesCluster(flags)) {
    warnOrchestratorFlags(flags, io);
    if (isAddress) return await use(given.replace(/\/+$/, ""));
    if (given === undefined) return await use(`http://localhost:${port}`);
    throw usageError(
      `no daemon ${printable(given)} can be reached without an orchestrator`,
      "Name the URL of its introspection pages, such as http://localhost:9876, or nothing for " +
        "--ctrlz_port of this machine; or use --orchconfig FILE.",
    );
  }
  using cluster = await openCluster(call);
  const ofMesh = { ...cluster, namespace: flags.string("namespace") || cluster.meshNamespace };
  const pods = given === undefined
    ? await daemonPods(cluster, {
      label: flags.string("selector"),
      revision: flags.string("revision"),
    })
    : [await podNamed(ofMesh, given)];
  const faults: unknown[] = [];
  for (const pod of pods) {
    const name = pods.length > 1 ? podId(pod) : undefined;
    try {
      await withPodPort(cluster, pod, port, (base) => use(base, name));
    } catch (error) {
      if (pods.length === 1 || call.signal.aborted) throw error;
      faults.push(error);
      io.err(printable(`Warning: ${podId(pod)}: ${messageOf(error)}`) + "\n");
    }
  }
  if (faults.length === pods.length) throw faults[0];
}

/** The changes of a flag. A level without scope, or of `all`, is for every scope. */
async function parsed(
  scopes: readonly Scope[],
  text: string,
): Promise<readonly LevelChange[]> {
  if (text === "") return [];
  const { DAEMON_LEVELS, levelChanges } = await import("../config_dump/mod.ts");
  const { changes, fault } = levelChanges(text, DAEMON_LEVELS);
  if (fault !== undefined) {
    throw usageError(fault, "For example: --level ads:debug,default:warn.");
  }
  const names = scopes.map(({ name }) => name);
  return changes.flatMap(({ logger, level }) => {
    if (logger === "" || logger === "all") return names.map((name) => ({ logger: name, level }));
    if (names.includes(logger)) return [{ logger, level }];
    const [near] = suggest(logger, names);
    throw new MeshError("scope-unknown", `the daemon has no scope ${printable(logger)}`, {
      remedy: near === undefined ? `It has: ${names.join(", ")}.` : `Did you mean ${near}?`,
    });
  });
}

async function scopesOf(call: Invocation, base: string): Promise<readonly Scope[]> {
  const text = await request(call, `${base}/scopej/`);
  try {
    return JSON.parse(text) as Scope[];
  } catch (cause) {
    throw new MeshError("daemon-answer", `${printable(base)} has no list of scopes`, {
      remedy: "Give the address of the daemon's introspection pages, port 9876 by default.",
      cause,
    });
  }
}

async function put(call: Invocation, url: string, body: unknown): Promise<void> {
  await request(call, url, { method: "PUT", body: JSON.stringify(body) });
}

async function request(
  { signal }: Invocation,
  url: string,
  init: RequestInit = {},
): Promise<string> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const answer = await fetch(url, { ...init, signal: AbortSignal.any([signal, timeout]) });
    const text = await answer.text();
    if (answer.ok) return text;
    throw new MeshError(
      "daemon-answer",
      `${printable(url)} answered ${answer.status}: ${printable(text.trim().slice(0, 300))}`,
    );
  } catch (cause) {
    if (cause instanceof MeshError) throw cause;
    const reason = timeout.aborted
      ? `no answer within ${TIMEOUT_MS / 1000} seconds`
      : messageOf(cause);
    throw new MeshError(
      "daemon-unreachable",
      `cannot ask ${printable(url)}: ${printable(reason)}`,
      {
        remedy: "Check that the daemon runs, and --ctrlz_port.",
      },
    );
  }
}
