/**
 * Effects of an upgrade to this version: changed defaults, removed fields in use, objects that this
 * version rejects, proxies that would be served something else.
 *
 * @module
 */
import { buildInfo, printable } from "../../kit/base/mod.ts";
import type { Invocation } from "../../kit/cli/mod.ts";
import type { ClusterAccess } from "../cluster_access/mod.ts";
import { readLiveObjects } from "../mesh_input/mod.ts";
import { servedChanges } from "../questions/mod.ts";
import { changesBetween, isOlder, type ReleaseChanges, usesOf } from "./changes.ts";
import type { Finding } from "./finding.ts";

/** Compares the version of `--from-version` with this one; nothing without the flag. */
export async function checkUpgrade(
  call: Invocation,
  cluster: ClusterAccess,
): Promise<readonly Finding[]> {
  const { flags, io } = call;
  const from = flags.string("from-version");
  if (from === "") return [];
  const { version } = buildInfo;
  if (isOlder(version, from)) {
    const message =
      `Version ${from} is newer than this meshctl, ${version}: its defaults are not known`;
    return [{ code: "", level: "Warning", message }];
  }
  const changes = changesBetween(from, version);
  if (changes.length === 0) {
    io.err(
      `Note: no default differs between ${from} and ${version}, and no field was removed: ` +
        "no release has done either.\n",
    );
  }
  const { seen, problems } = await readLiveObjects(cluster, {
    revision: flags.string("revision"),
    remotes: [],
    warn: (message) => io.err(`${printable(`Warning: ${message}`)}\n`),
  });
  const rejected = problems.map(({ object, path, message }): Finding => ({
    code: "MSH0106",
    level: "Warning",
    message: `(${object?.kind} ${object?.namespace}/${object?.name}) ${version} rejects the ` +
      `object: ${path}: ${message}`,
  }));
  return [...changeFindings(changes, seen.map(({ value }) => value)), ...rejected];
}

/** Findings about changed defaults and removed fields. */
export function changeFindings(
  changes: readonly ReleaseChanges[],
  objects: readonly unknown[],
): Finding[] {
  return changes.flatMap(({ version, defaults, removed }) => [
    ...defaults.map(({ name, before, after }): Finding => ({
      code: "MSH0169",
      level: "Warning",
      message: `The default of ${name} changed in ${version} from ${before} to ${after}; ` +
        "set it to keep the former one",
    })),
    ...removed.flatMap((field) =>
      usesOf(field, objects).map((use): Finding => ({
        code: "MSH0169",
        level: "Warning",
        message: `(${use}) ${field.path} was removed in ${version}: ${field.remedy}`,
      }))
    ),
  ]);
}

/** Proxies that this version would serve something else, by the comparison of `served`. */
export async function checkProxies(call: Invocation): Promise<Finding[]> {
  const { compared, groups } = await servedChanges(call);
  const findings = groups.map(({ proxies, differences }): Finding => {
    const { typeUrl, name, change } = differences[0]!;
    const type = typeUrl.slice(typeUrl.lastIndexOf(".") + 1);
    const more = differences.length > 1 ? ` and ${differences.length - 1} more` : "";
    return {
      code: "",
      level: "Warning",
      message: `This version would serve something else to ${proxies.join(", ")}: ` +
        `${type} ${name} ${change}${more}`,
    };
  });
  const different = groups.reduce((sum, { proxies }) => sum + proxies.length, 0);
  const message = `${different} of ${compared} proxies would be served something else`;
  return [{ code: "", level: "Info", message }, ...findings];
}
