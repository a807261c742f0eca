/**
 * `manifest diff`: differences of two manifests.
 *
 * @module
 */
import { printable } from "../../kit/base/mod.ts";
import { EXIT_FAILURE, type Invocation, painter, usageError } from "../../kit/cli/mod.ts";
import { toYaml } from "../../kit/text/mod.ts";
import type { OpenCluster } from "./cluster.ts";
import {
  differenceLines,
  type FieldDifference,
  fieldDifferences,
  identityOf,
  type NamedObject,
  withoutSecrets,
} from "./compare.ts";
import { readLive } from "./live.ts";
import { objectPattern, readObjects, renamedObjects } from "./objects.ts";

interface ObjectDifference {
  readonly identity: string;
  /** Absent for an object that only one side has. */
  readonly fields?: readonly FieldDifference[];
  readonly only?: "first" | "second";
  readonly object: NamedObject;
}

/**
 * Compares two files or directories, or one with the cluster; the status is 1 when they differ.
 *
 * @param open opens the cluster, if one argument is given
 */
export async function diffManifests(call: Invocation, open: OpenCluster): Promise<number> {
  const { args, flags, io } = call;
  if (flags.bool("directory")) await requireDirectories(args);
  const patterns = (flag: string) => flags.list(flag).map(objectPattern);
  const [selects, ignores] = [patterns("select"), patterns("ignore")];
  const isWanted = (one: NamedObject) =>
    (selects.length === 0 || selects.some((matches) => matches(one))) &&
    !ignores.some((matches) => matches(one));
  const before = renamedObjects(await readObjects(args[0]!, io), flags.map("rename")).filter(
    isWanted,
  );
  const after = args[1] === undefined
    ? await readLive(before, open)
    : { before, after: (await readObjects(args[1], io)).filter(isWanted) };
  const differences = compareObjects(after.before, after.after);
  if (differences.length === 0) {
    io.out(`${after.before.length} objects are equal.\n`);
    return 0;
  }
  const isVerbose = flags.bool("verbose");
  const names = args[1] === undefined ? [args[0]!, "the cluster"] : [args[0]!, args[1]];
  const paint = painter(io);
  for (const difference of differences) {
    for (const line of linesOf(difference, { names, isVerbose })) {
      const style = line.startsWith("  -") ? "red" : line.startsWith("  +") ? "green" : undefined;
      io.out((style === undefined ? printable(line) : paint(style, printable(line))) + "\n");
    }
  }
  const [changed, first, second] = [undefined, "first", "second"]
    .map((only) => differences.filter((one) => one.only === only).length);
  io.out(
    `${changed} objects differ, ${first} only in ${names[0]}, ${second} only in ${names[1]}\n`,
  );
  return EXIT_FAILURE;
}

async function requireDirectories(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const info = await Deno.stat(path).catch(() => undefined);
    if (info?.isDirectory === true) continue;
    throw usageError(`${path} is no directory`, "Leave --directory out to compare files.");
  }
}

/** Differences of two sets of objects, by kind, namespace and name. */
export function compareObjects(
  before: readonly NamedObject[],
  after: readonly NamedObject[],
): ObjectDifference[] {
  const now = new Map(after.map((one) => [identityOf(one), one]));
  const old = new Set(before.map(identityOf));
  return [
    ...before.flatMap((one): ObjectDifference[] => {
      const identity = identityOf(one);
      const other = now.get(identity);
      if (other === undefined) return [{ identity, only: "first", object: one }];
      const fields = fieldDifferences(one.object, other.object);
      return fields.length === 0 ? [] : [{ identity, fields, object: one }];
    }),
    ...after.filter((one) => !old.has(identityOf(one)))
      .map((one): ObjectDifference => ({ identity: identityOf(one), only: "second", object: one })),
  ];
}

function linesOf(
  { identity, fields, only, object }: ObjectDifference,
  { names, isVerbose }: { readonly names: readonly string[]; readonly isVerbose: boolean },
): string[] {
  if (only === undefined) {
    return [
      identity,
      ...differenceLines(fields ?? [], { isSecret: object.kind === "Secret" }).map((line) =>
        `  ${line}`
      ),
    ];
  }
  const sign = only === "first" ? "-" : "+";
  const head = `${identity} is only in ${only === "first" ? names[0] : names[1]}`;
  if (!isVerbose) return [head];
  return [
    head,
    ...toYaml(withoutSecrets(object)).trimEnd().split("\n").map((line) => `  ${sign} ${line}`),
  ];
}
