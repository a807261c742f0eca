/**
 * Profiles: documents under the user's own, chosen by name, and those of platforms.
 *
 * @module
 */
import { nearest } from "../../kit/text/mod.ts";
import type { ChartSet } from "../charts/mod.ts";
import { type Layer, readLayer } from "./documents.ts";
import type { Finding, Report } from "./problems.ts";

/** The profile of documents that name none; the others are written over it. */
export const DEFAULT_PROFILE = "default";

const PLATFORM = "platform-";

/** Names of profiles, and of the platforms that have a profile of their own. */
export function profileNames({ profiles }: ChartSet): {
  readonly profiles: readonly string[];
  readonly platforms: readonly string[];
} {
  const names = [...profiles.keys()].sort();
  return {
    profiles: names.filter((name) => !name.startsWith(PLATFORM)),
    platforms: names.filter((name) => name.startsWith(PLATFORM)).map((name) =>
      name.slice(PLATFORM.length)
    ),
  };
}

/** The documents of a profile; nothing after a fatal problem. */
export function profileLayers(charts: ChartSet, name: string, fatal: Report["fatal"]): Layer[] {
  const { profiles } = profileNames(charts);
  if (!profiles.includes(name)) {
    fatal(unknownProfile(name, profiles));
    return [];
  }
  const names = name === DEFAULT_PROFILE ? [name] : [DEFAULT_PROFILE, name];
  return names.flatMap((one) => namedLayer(charts, one, fatal));
}

/** The document of a platform; nothing for the platform without a name. */
export function platformLayers(charts: ChartSet, platform: string, report: Report): Layer[] {
  const { platforms } = profileNames(charts);
  if (platform === "") return [];
  if (platforms.includes(platform)) return namedLayer(charts, PLATFORM + platform, report.fatal);
  const suggestion = nearest(platform, platforms);
  report.problem({
    path: ["spec", "values", "global", "platform"],
    code: "wrong-value",
    message: `unknown platform "${platform}"`,
    remedy: suggestion === undefined
      ? `The platforms are ${platforms.join(", ")}; leave it empty for others.`
      : `Did you mean "${suggestion}"?`,
    suggestion,
  });
  return [];
}

function unknownProfile(name: string, profiles: readonly string[]): Finding {
  const suggestion = nearest(name, profiles);
  const isFile = /[./]/.test(name);
  return {
    path: ["spec", "profile"],
    code: "unknown-profile",
    message: `there is no profile "${name}"`,
    remedy: suggestion !== undefined
      ? `Did you mean "${suggestion}"?`
      : isFile
      ? "Give a file with -f; profile takes a name."
      : `The profiles are ${profiles.join(", ")}.`,
    suggestion,
  };
}

function namedLayer({ profiles }: ChartSet, name: string, fatal: Report["fatal"]): Layer[] {
  const text = profiles.get(name);
  if (text === undefined) {
    fatal({
      path: ["spec", "profile"],
      code: "unknown-profile",
      message: `the charts have no profile "${name}", on which the others are built`,
      remedy: "Give a complete directory of charts with --manifests.",
    });
    return [];
  }
  return [readLayer({ name: `profile ${name}`, text }, fatal) ?? []].flat();
}
