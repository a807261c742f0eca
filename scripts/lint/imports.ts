/**
 * Judges one import: may this file import that specifier? Pure, so that the
 * lint plugin and the tests ask the same function.
 *
 * @module
 */
import { posix } from "node:path";
import { type Room, roomNamed, roomOfPackage, whyNot } from "./rooms.ts";

/** Room and folder of a file; paths are relative to the project's root, with slashes. */
export type Location =
  | { readonly kind: "room"; readonly wing: string; readonly name: string; readonly inside: string }
  | { readonly kind: "cmd"; readonly program: string }
  /** Tests, benches, scripts, `main.ts`: free, but they enter rooms by `mod.ts` too. */
  | { readonly kind: "outside" };

/** Target of a specifier. */
export type Target =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "generated" }
  | { readonly kind: "builtin" }
  | { readonly kind: "package"; readonly name: string }
  /** A URL or a package with its version written in the code. */
  | { readonly kind: "unpinned" };

/** A broken rule of an import, and the reason. */
export interface Offence {
  readonly rule: "rooms" | "packages" | "pure";
  readonly message: string;
}

/** The import map's names for generated code. */
const GENERATED = /^#(envoy|mesh|google|xds)\//;

/** Returns the location of a file. */
export function locationOf(path: string): Location {
  const [top, first, second, ...rest] = path.split("/");
  if (top === "lib" && first !== undefined && second !== undefined && rest.length > 0) {
    return { kind: "room", wing: first, name: second, inside: rest.join("/") };
  }
  if (top === "cmd" && first !== undefined && second !== undefined) {
    return { kind: "cmd", program: first };
  }
  return { kind: "outside" };
}

/** Reports if a file is a test or a bench: free in packages and not held to purity. */
export function isTest(path: string): boolean {
  return /_(test|bench)\.ts$/.test(path);
}

/** Returns the target of a specifier in a file. */
export function targetOf(file: string, specifier: string): Target {
  if (GENERATED.test(specifier)) return { kind: "generated" };
  if (/^\.{1,2}\//.test(specifier)) {
    return { kind: "file", path: posix.join(posix.dirname(file), specifier) };
  }
  if (specifier.startsWith("node:")) return { kind: "builtin" };
  if (/^[a-z]+:/.test(specifier) || specifier.startsWith("/")) return { kind: "unpinned" };
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
  return { kind: "package", name };
}

/** The rule that an import breaks; `undefined` when it is in order. */
export function judge(file: string, specifier: string): Offence | undefined {
  const from = locationOf(file);
  const to = targetOf(file, specifier);
  switch (to.kind) {
    case "unpinned":
      return {
        rule: "packages",
        message: `"${specifier}": versions are pinned in deno.json alone`,
      };
    case "package":
      return judgePackage(file, from, to.name);
    case "builtin":
      return isHeld(file, from)
        ? { rule: "pure", message: `a pure room imports nothing from "${specifier}"` }
        : undefined;
    case "generated":
      return judgeRoom(file, from, "proto");
    case "file":
      return judgeFile(file, from, to.path);
  }
}

/** Reports if the rule of purity applies to a file. */
export function isHeld(file: string, location: Location = locationOf(file)): boolean {
  return location.kind === "room" && !isTest(file) && roomNamed(location.name)?.pure === "held";
}

function judgePackage(file: string, from: Location, name: string): Offence | undefined {
  if (from.kind === "outside" || isTest(file)) return undefined;
  const owner = roomOfPackage(name);
  const message = owner === undefined
    ? `package ${name} belongs to no room; scripts/lint/rooms.ts says which room imports what`
    : `package ${name} is imported by room ${owner.name} alone`;
  return from.kind === "room" && from.name === owner?.name
    ? undefined
    : { rule: "packages", message };
}

function judgeFile(file: string, from: Location, path: string): Offence | undefined {
  const to = locationOf(path);
  if (to.kind === "outside") {
    if (from.kind === "outside" || isTest(file)) return undefined;
    // The charts are texts for users too, so that they are no part of the room.
    if (from.kind === "room" && from.name === "charts" && path.startsWith("charts/")) {
      return undefined;
    }
    return { rule: "rooms", message: `${path} is not part of the programs` };
  }
  if (to.kind === "cmd") {
    const own = from.kind === "cmd" && from.program === to.program;
    if (own || from.kind === "outside") return undefined;
    return { rule: "rooms", message: "nothing imports cmd; what two programs share is a room" };
  }
  if (from.kind === "room" && from.name === to.name) return undefined;
  if (to.inside !== "mod.ts") {
    const entry = `lib/${to.wing}/${to.name}/mod.ts`;
    return { rule: "rooms", message: `room ${to.name} is entered through ${entry}` };
  }
  return judgeRoom(file, from, to.name);
}

/** Judges the import of a room. A test may look at its own room with any room below it. */
function judgeRoom(file: string, from: Location, name: string): Offence | undefined {
  const to = roomNamed(name);
  if (to === undefined) return unknownRoom(name);
  if (from.kind !== "room" || isTest(file)) return undefined;
  const own: Room | undefined = roomNamed(from.name);
  if (own === undefined) return unknownRoom(from.name);
  const why = whyNot(own, to);
  return why === undefined ? undefined : { rule: "rooms", message: why };
}

function unknownRoom(name: string): Offence {
  return { rule: "rooms", message: `room ${name} is not in the table, scripts/lint/rooms.ts` };
}
