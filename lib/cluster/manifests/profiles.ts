/**
 * `profile list`, `profile dump` and `profile diff`.
 *
 * @module
 */
import { EXIT_FAILURE, type Invocation, tableText, usageError } from "../../kit/cli/mod.ts";
import { toYaml } from "../../kit/text/mod.ts";
import type { ChartSet } from "../charts/mod.ts";
import { planInstallation, profileNames } from "../operator/mod.ts";
import { differenceLines, fieldDifferences } from "./compare.ts";
import { flatValues, type Tree, valueAtText } from "./flat.ts";
import { chartsOf, operatorInput, reportPlan } from "./input.ts";

/** Prints the profiles and the platforms. */
export async function listProfiles(call: Invocation): Promise<number> {
  const charts = await chartsOf(call);
  const { profiles, platforms } = profileNames(charts);
  const rows = profiles.map((name) => [name, descriptionOf(charts, name)]);
  call.io.out(tableText(["PROFILE", "DESCRIPTION"], rows));
  if (platforms.length > 0) {
    call.io.out(`\nPlatforms, for --set values.global.platform=NAME: ${platforms.join(", ")}\n`);
  }
  return 0;
}

/** The comment at the beginning of a profile as one line. */
function descriptionOf({ profiles }: ChartSet, name: string): string {
  const lines = (profiles.get(name) ?? "").split("\n");
  const end = lines.findIndex((line) => !line.startsWith("#"));
  return lines.slice(0, end).map((line) => line.slice(1).trim()).join(" ");
}

/** Prints a profile with the documents of `--filename` and the settings over it. */
export async function dumpProfile(call: Invocation): Promise<number> {
  const { flags, args: [name], io } = call;
  if (name !== undefined && flags.list("filename").length > 0) {
    throw usageError(
      "a profile and --filename exclude each other",
      "Name the profile in the file, or by --set profile=NAME.",
    );
  }
  const operator = await effective(call, name);
  if (operator === undefined) return EXIT_FAILURE;
  const path = flags.string("config-path");
  const value = path === "" ? operator : valueAtText(operator, path);
  io.out(textOf(value, flags.string("output")));
  return 0;
}

function textOf(value: unknown, output: string): string {
  if (output === "json") return `${JSON.stringify(value, null, 2)}\n`;
  if (output === "yaml") return toYaml(value);
  return flatValues(value).filter(([path]) => path !== "apiVersion" && path !== "kind")
    .map(([path, one]) => `${path.replace(/^spec\./, "")}=${flagValue(one)}\n`).join("");
}

/** A value as `--set` reads it back: a text that looks like another type is quoted. */
function flagValue(value: unknown): string {
  if (typeof value !== "string") {
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  }
  return /^(true|false|null|-?\d+(\.\d+)?|\{.*|)$/.test(value) ? `"${value}"` : value;
}

/** The effective document of a call; `undefined` after problems, which are written. */
async function effective(
  call: Invocation,
  profile: string | undefined,
  names?: readonly string[],
): Promise<Tree | undefined> {
  const input = await operatorInput(call, { names });
  const set = profile === undefined ? input.set : [...input.set, `profile=${profile}`];
  const plan = planInstallation({ ...input, set });
  return reportPlan(plan, call) ? undefined : plan.operator;
}

/** Compares two profiles, or documents in files; the status is 1 when they differ. */
export async function diffProfiles(call: Invocation): Promise<number> {
  const { args, io } = call;
  const [first, second] = await Promise.all(args.map((one) => named(call, one)));
  if (first === undefined || second === undefined) return EXIT_FAILURE;
  const lines = differenceLines(fieldDifferences(first, second));
  if (lines.length === 0) {
    io.out("The profiles are equal.\n");
    return 0;
  }
  io.out(lines.map((line) => `${line}\n`).join(""));
  return EXIT_FAILURE;
}

/** The effective document of a profile or of a file, without the profile's own name. */
async function named(call: Invocation, name: string): Promise<Tree | undefined> {
  const isFile = /[./]/.test(name);
  const operator = await effective(call, isFile ? undefined : name, isFile ? [name] : []);
  if (operator === undefined) return undefined;
  const { profile: _, ...spec } = operator.spec as Tree;
  return { ...operator, spec };
}
