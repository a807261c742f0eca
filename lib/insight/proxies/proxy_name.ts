import { MeshError, printable } from "../../kit/base/mod.ts";
import { type Invocation, suggest } from "../../kit/cli/mod.ts";
import type { SyncRow } from "../config_dump/mod.ts";

/** The full name of a proxy; a name without namespace is completed. */
export function proxyNamed(
  { flags }: Invocation,
  rows: readonly SyncRow[],
  given: string | undefined,
): string {
  const names = rows.map(({ proxy }) => proxy);
  if (given === undefined) {
    if (names.length === 1) return names[0] ?? "";
    throw new MeshError("proxy-unknown", "--file needs the name of the proxy", {
      remedy: `The daemon has: ${names.map(printable).join(", ") || "none"}.`,
    });
  }
  const name = given.replace(/^(pods?|po)\//, "");
  const full = name.includes(".") ? name : `${name}.${flags.string("namespace") || "default"}`;
  const found = names.find((each) => each === name || each === full) ??
    onlyOne(names.filter((each) => !name.includes(".") && each.startsWith(`${name}.`)));
  if (found !== undefined) return found;
  const near = [...new Set([...suggest(full, names), ...suggest(name, names)])].slice(0, 5);
  throw new MeshError("proxy-unknown", `the daemon has no proxy ${printable(full)}`, {
    remedy: near.length > 0
      ? `Did you mean ${near.map(printable).join(" or ")}?`
      : `It has ${names.length}; \`meshctl proxy-status\` lists them.`,
  });
}

function onlyOne(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined;
}
