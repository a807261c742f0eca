import { sleep } from "../../kit/async/mod.ts";
import { MeshError, printable } from "../../kit/base/mod.ts";
import { dataError, type Invocation, progressOn, suggest, usageError } from "../../kit/cli/mod.ts";
import { getObject, isNotFound, type OrchObject, type ResourceType } from "../../kit/orch/mod.ts";
import { askJson, type Daemons, openDaemons } from "../daemon_client/mod.ts";

/** A receipt as `/debug/receipts` gives it. */
interface Receipt {
  readonly generation?: number;
  readonly complete: boolean;
  readonly sessions: Readonly<Record<"concerned" | "acknowledged" | "superseded", number>>;
  readonly streams: readonly {
    readonly id: string;
    readonly outcome: string;
    readonly message?: string;
  }[];
}

/** Time between two questions, in milliseconds. */
const PAUSE_MS = 250;

/** Waits until the edit of an object has been acknowledged by the proxies that it concerns. */
export async function wait(call: Invocation): Promise<number> {
  const { flags, args: [givenKind = "", given = ""], io, signal } = call;
  const dot = given.indexOf(".");
  const threshold = flags.number("threshold");
  if (threshold <= 0 || threshold > 1) {
    throw usageError("--threshold must be above 0 and at most 1");
  }
  const row = await kindNamed(givenKind);
  await using daemons = await openDaemons(call);
  const name = {
    name: dot < 0 ? given : given.slice(0, dot),
    namespace: dot < 0
      ? flags.string("namespace") || daemons.cluster?.namespace || "default"
      : given.slice(dot + 1),
  };
  const object = [row.kind, name.namespace, name.name].join("/");
  const generation = await wantedGeneration(call, daemons, { row, ...name });
  const end = performance.now() + flags.number("timeout");
  using progress = progressOn(io);
  let last: readonly (Receipt | undefined)[] = [];
  while (performance.now() < end) {
    last = await Promise.all(daemons.all.map(async (daemon) => {
      const query = `receipts?resource=${encodeURIComponent(object)}`;
      const receipts = await askJson<readonly Receipt[]>(call, daemon, query);
      if (!Array.isArray(receipts)) throw dataError(`${daemon.name} answered without receipts`);
      return receipts.find((receipt) => (receipt.generation ?? Infinity) >= generation);
    }));
    const rejected = last.flatMap((one) => one?.streams ?? [])
      .find(({ outcome }) => outcome === "rejected");
    if (rejected !== undefined) throw refusedBy(object, rejected);
    if (last.every((one) => one !== undefined && shareOf(one) >= threshold)) {
      io.out(`${printable(object)}: ${describeAll(last)}\n`);
      return 0;
    }
    progress.step(`${object}: ${describeAll(last)}`);
    await sleep(PAUSE_MS, signal);
    signal.throwIfAborted();
  }
  const isSeen = last.some((one) => one !== undefined);
  throw new MeshError("wait-timeout", `${printable(object)} has not landed: ${describeAll(last)}`, {
    remedy: isSeen
      ? "`meshctl proxy-status` shows which proxies are behind."
      : "Check the kind, the name and --generation; an edit without effect has no receipt.",
  });
}

/** The kind of a name; plurals, short names and other cases are accepted. */
async function kindNamed(given: string) {
  const { KINDS, SHORT_NAMES } = await import("../../mesh/schema/mod.ts");
  const lower = given.toLowerCase();
  const found = KINDS.find(({ kind, plural }) =>
    [kind.toLowerCase(), plural, ...SHORT_NAMES[kind] ?? []].includes(lower)
  );
  if (found !== undefined) return found;
  const [near] = suggest(given, KINDS.map(({ kind }) => kind));
  throw usageError(
    `${JSON.stringify(printable(given))} is no kind of the mesh`,
    near === undefined
      ? `Kinds: ${KINDS.map(({ kind }) => kind).join(", ")}.`
      : `Did you mean ${near}?`,
  );
}

interface NamedObject {
  readonly row: Awaited<ReturnType<typeof kindNamed>>;
  readonly namespace: string;
  readonly name: string;
}

/** `--generation`, or the generation of the object in the cluster; 0 without a cluster. */
async function wantedGeneration(
  { flags }: Invocation,
  { cluster }: Daemons,
  { row, namespace, name }: NamedObject,
): Promise<number> {
  const given = flags.number("generation");
  if (cluster === undefined || flags.given.has("generation")) return given;
  const { kind, group, versions, plural, scope } = row;
  const type: ResourceType = {
    ...{ group, kind, plural },
    version: versions[0] ?? "v1",
    namespaced: scope === "namespaced",
  };
  try {
    const { metadata } = await getObject<OrchObject>(cluster.client, type, { namespace, name });
    return metadata.generation ?? given;
  } catch (error) {
    // The newest edit may be the removal of the object, which has a receipt, too.
    if (isNotFound(error)) return given;
    throw error;
  }
}

function describeAll(receipts: readonly (Receipt | undefined)[]): string {
  const seen = receipts.filter((one) => one !== undefined);
  const missing = receipts.length - seen.length;
  if (seen.length === 0) return "no such edit was seen";
  const texts = [...new Set(seen.map(describe))].join("; ");
  return missing === 0 ? texts : `${texts}; ${missing} daemons have not seen it`;
}

/** Share of the concerned proxies that have this version or a later one; 1 if none is concerned. */
function shareOf({ complete, sessions }: Receipt): number {
  if (sessions.concerned === 0) return complete ? 1 : 0;
  return (sessions.acknowledged + sessions.superseded) / sessions.concerned;
}

function describe({ generation, sessions }: Receipt): string {
  const have = sessions.acknowledged + sessions.superseded;
  const which = generation === undefined ? "its removal" : `generation ${generation}`;
  return `${which} is acknowledged by ${have} of ${sessions.concerned} proxies`;
}

function refusedBy(object: string, { id, message = "" }: Receipt["streams"][number]): MeshError {
  return new MeshError("wait-rejected", printable(`${object} is rejected by ${id}: ${message}`), {
    remedy: "`/debug/quarantine` of the daemon has the resource and the objects behind it.",
  });
}
