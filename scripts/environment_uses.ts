/**
 * Files in which environment variables take effect, found by the names of their declarations and of
 * the settings that they are read into. `docs/environment.md` shows them.
 *
 * @module
 */

/** Files by path relative to the root, with their text; without tests. */
export type Sources = ReadonlyMap<string, string>;

/** A declaration of a variable. */
interface Declared {
  /** Name of the variable in the environment. */
  readonly variable: string;
  /** Name of the constant or property that holds it. */
  readonly binding: string;
  readonly file: string;
}

/** A property that a variable is read into. */
interface Setting {
  readonly property: string;
  /** Folders that use it. */
  readonly scope: readonly string[];
}

/** A call of `declareEnv` or `declareSwitch` with what it is assigned to, as `deno fmt` writes it. */
const DECLARATION = /(\w+)(?:: EnvVar<[^=]*>)? ?[=:] declare(?:Env|Switch)\(\{\s*name: "(\w+)"/g;

/** Files that only declare, read or pass on variables. */
const PASSING = /\/(mod|variables|options)\.ts$|\/variables\/|^lib\/mesh\/environment\//;

/** The folders that use the settings which a file reads, by the beginning of the file's path. */
const SCOPES: readonly (readonly [string, readonly string[]])[] = [
  ["lib/mesh/environment/translate/", [
    "lib/mesh/translate/",
    "lib/mesh/envoy/",
    "lib/mesh/derive/",
  ]],
  ["lib/mesh/environment/graph.ts", ["lib/mesh/translate/retention.ts"]],
  ["lib/mesh/environment/ingest.ts", ["lib/mesh/ingest/"]],
  ["lib/node/agent/", ["lib/node/agent/"]],
  ["lib/node/dns/", ["lib/node/dns/"]],
  ["cmd/pilot-agent/capture_options.ts", ["lib/node/capture/"]],
];

/** Files that hand a setting on to the files that use it, or tell of it; shown if there are no others. */
const HANDING_ON = new RegExp([
  ...["^lib/mesh/translate/(settings|translation)", "^lib/insight/monitor/disabled"],
  ...["^lib/insight/(analyze|precheck)/", "^cmd/pilot-discovery/ip_versions"],
].join("|"));

/** The most files of a variable that are named. */
const MOST = 4;

/**
 * Variable → files in which it takes effect, at most {@link MOST}, sorted; without variables for
 * which none is found.
 */
export function usesOf(files: Sources): Map<string, string[]> {
  const sources = new Map([...files].map(([path, text]) => [path, withoutComments(text)]));
  const uses = new Map<string, string[]>();
  for (const declared of declarations(sources)) {
    const settings = settingsOf(declared, sources);
    const found = [...sources].filter(([path, text]) => isUse(declared, settings, path, text))
      .map(([path]) => path);
    const before = uses.get(declared.variable) ?? [];
    const all = [...new Set([...before, ...found])].sort();
    const using = all.filter((path) => !HANDING_ON.test(path));
    const named = using.length > 0 ? using : all;
    if (named.length > 0) uses.set(declared.variable, named.slice(0, MOST));
  }
  return uses;
}

/** A text without the lines that are comments. */
function withoutComments(text: string): string {
  return text.split("\n").filter((line) => !/^\s*(\/\*\*|\*|\/\/|# )/.test(line)).join("\n");
}

function declarations(sources: Sources): Declared[] {
  return [...sources].flatMap(([file, text]) =>
    [...text.matchAll(DECLARATION)].map(([, binding, variable]) => ({
      variable: variable!,
      binding: binding!,
      file,
    }))
  );
}

/** Reports if a file uses a variable itself, or the setting that another file reads it into. */
function isUse(
  { binding, file }: Declared,
  settings: readonly Setting[],
  path: string,
  text: string,
): boolean {
  if (path === file || PASSING.test(path)) return false;
  if (isConstant(binding) && has(text, binding)) return true;
  return settings.some(({ property, scope }) =>
    scope.some((prefix) => path.startsWith(prefix)) && readsProperty(text, property)
  );
}

/** The properties that a variable is read into, with the folders that use them. */
function settingsOf({ binding, file }: Declared, sources: Sources): Setting[] {
  return [...sources].flatMap(([path, text]) => {
    if (!isConstant(binding) && !readsOf(path, file)) return [];
    const scope = SCOPES.find(([prefix]) => path.startsWith(prefix))?.[1];
    if (scope === undefined || !has(text, binding)) return [];
    const read = new RegExp(`\\b${binding}\\.(?:get|isSet)\\(`);
    const lines = text.split("\n");
    return lines.flatMap((line, at) => {
      if (!read.test(line)) return [];
      const property = /^\s*(\w+):/.exec(line)?.[1] ?? /^\s*(\w+):/.exec(lines[at - 1] ?? "")?.[1];
      return property === undefined ? [] : [{ property, scope }];
    });
  });
}

/** Reports if a file may read the variables that another one declares as properties. */
function readsOf(path: string, file: string): boolean {
  if (file === "lib/node/capture/variables.ts") {
    return path === "cmd/pilot-agent/capture_options.ts";
  }
  return roomOf(path) === roomOf(file);
}

function roomOf(path: string): string {
  return path.split("/").slice(0, 2).join("/");
}

function isConstant(name: string): boolean {
  return name === name.toUpperCase();
}

function has(text: string, name: string): boolean {
  return new RegExp(`\\b${name}\\b`).test(text);
}

/** Reports if a text reads a property: `x.name`, or `name` of an object that is taken apart. */
function readsProperty(text: string, property: string): boolean {
  if (new RegExp(`\\.${property}\\b`).test(text)) return true;
  return new RegExp(`[{,] ${property}(?:,[^{}\\n]*)? \\}(?:: \\w+)?(?: =|,|\\))`).test(text);
}
