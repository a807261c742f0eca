import { MeshError, messageOf, printable } from "../../kit/base/mod.ts";
import { EXIT_FAILURE, type Io, readInput, usageError } from "../../kit/cli/mod.ts";
import { migrateText, type Remark } from "../migrate/mod.ts";

/** Options of a migration. */
export interface MigrateOptions {
  /** Files, directories with all below them, `-` for standard input. */
  readonly files: readonly string[];
  /** Directory for the results; empty: standard output. */
  readonly into: string;
  /** True: the files themselves are changed. */
  readonly inPlace: boolean;
}

/** A file of the input, and its name below the directory of results. */
interface Source {
  readonly file: string;
  readonly name: string;
}

/** A finished text. */
interface Result extends Source {
  readonly before: string;
  readonly text: string;
  readonly remarks: readonly Remark[];
}

/**
 * Gives the manifests of an Istio mesh the names of Mesh. Everything is read before anything is
 * written. Returns the exit status: 1 if something has no counterpart here.
 *
 * @throws {MeshError} if no file is named, or one cannot be read or written
 */
export async function migrate(options: MigrateOptions, io: Io): Promise<number> {
  const sources = await sourcesOf(options);
  const results: Result[] = [];
  for (const source of sources) {
    const before = await readInput(source.file, io);
    const shown = source.file === "-" ? "standard input" : source.file;
    results.push({ ...source, before, ...migrateText(before, shown) });
  }
  if (options.inPlace) {
    await writeAll(results.filter((one) => one.text !== one.before), (r) => r.file);
  } else if (options.into !== "") await writeInto(results, options.into);
  else io.out(joined(results.map(({ text }) => text)));
  return report(results, io);
}

async function sourcesOf({ files, into, inPlace }: MigrateOptions): Promise<Source[]> {
  if (files.length === 0) {
    throw new MeshError("filename-missing", "you must specify manifests by --filename", {
      remedy:
        "For example: meshctl x migrate -f manifests/ -o converted/, or -f - for standard input.",
    });
  }
  if (inPlace && into !== "") {
    throw usageError("--in-place and --output cannot be given together", "Choose one of them.");
  }
  if (inPlace && files.includes("-")) {
    throw usageError("standard input cannot be changed in place", "Name files.");
  }
  const found: Source[] = [];
  for (const name of files) found.push(...await sourcesAt(name));
  return found;
}

async function sourcesAt(name: string): Promise<Source[]> {
  if (name === "-") return [{ file: name, name: "stdin.yaml" }];
  const root = name.replace(/(?<=.)\/+$/, "");
  if (!await isDirectory(root)) {
    return [{ file: root, name: root.slice(root.lastIndexOf("/") + 1) }];
  }
  const below = await manifestsBelow(root, "");
  if (below.length > 0) return below;
  throw new MeshError("input-unreadable", printable(`${root} has no manifests`), {
    remedy: "Manifests are files whose names end in .yaml, .yml or .json.",
  });
}

async function isDirectory(name: string): Promise<boolean> {
  try {
    return (await Deno.stat(name)).isDirectory;
  } catch (cause) {
    // Reading the file says what is wrong.
    if (cause instanceof Deno.errors.NotFound) return false;
    throw unusable("read", name, cause);
  }
}

async function manifestsBelow(root: string, folder: string): Promise<Source[]> {
  const found: Source[] = [];
  const entries = await Array.fromAsync(Deno.readDir(`${root}/${folder}`));
  for (const { name, isDirectory, isFile } of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
    if (name.startsWith(".")) continue;
    if (isDirectory) found.push(...await manifestsBelow(root, `${folder}${name}/`));
    else if (isFile && /\.(?:ya?ml|json)$/.test(name)) {
      found.push({ file: `${root}/${folder}${name}`, name: `${folder}${name}` });
    }
  }
  return found;
}

async function writeInto(results: readonly Result[], into: string): Promise<void> {
  const names = new Map<string, Result>();
  for (const result of results) {
    const other = names.get(result.name);
    if (other !== undefined) {
      throw usageError(
        printable(`${other.file} and ${result.file} would both be written to ${result.name}`),
        "Name the directory that has both, or convert one after the other.",
      );
    }
    names.set(result.name, result);
    if (result.file !== "-" && await isSame(result.file, `${into}/${result.name}`)) {
      throw usageError(
        printable(`${result.file} would be replaced by its result`),
        "Name another directory, or change the files themselves with --in-place.",
      );
    }
  }
  await writeAll(results, ({ name }) => `${into}/${name}`);
}

async function isSame(a: string, b: string): Promise<boolean> {
  try {
    return await Deno.realPath(a) === await Deno.realPath(b);
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return false;
    throw unusable("read", b, cause);
  }
}

/** Writes texts, each as a whole. */
async function writeAll(
  results: readonly Result[],
  placeOf: (result: Result) => string,
): Promise<void> {
  for (const result of results) {
    const file = placeOf(result);
    try {
      const slash = file.lastIndexOf("/");
      if (slash > 0) await Deno.mkdir(file.slice(0, slash), { recursive: true });
      await Deno.writeTextFile(`${file}.new`, result.text);
      await Deno.rename(`${file}.new`, file);
    } catch (cause) {
      throw unusable("write", file, cause);
    }
  }
}

function unusable(what: "read" | "write", file: string, cause: unknown): MeshError {
  return new MeshError(`file-${what}`, printable(`cannot ${what} ${file}: ${messageOf(cause)}`), {
    remedy: "Name a place that can be used.",
  });
}

/** Texts as one stream of documents. */
function joined(texts: readonly string[]): string {
  return texts.map((text) => text === "" || text.endsWith("\n") ? text : `${text}\n`)
    .reduce(
      (all, text) => all === "" || text.startsWith("---") ? all + text : `${all}---\n${text}`,
      "",
    );
}

function report(results: readonly Result[], io: Io): number {
  const said = results.flatMap(({ file, remarks }) => remarks.map((one) => ({ file, ...one })));
  for (const { file, line, field, level, message, remedy } of said) {
    const place = `${file === "-" ? "standard input" : file}:${line}`;
    const path = field === "" ? "" : ` ${field}:`;
    io.err(
      printable(`${level === "lost" ? "Error" : "Warning"} ${place}:${path} ${message}`) + "\n",
    );
    io.err(printable(`  ${remedy}`) + "\n");
  }
  const changed = results.filter(({ before, text }) => before !== text).length;
  const lost = said.filter(({ level }) => level === "lost").length;
  io.err(
    `${count(changed, "file")} of ${results.length} changed; ` +
      `${count(lost, "error")}, ${count(said.length - lost, "warning")}\n`,
  );
  return lost > 0 ? EXIT_FAILURE : 0;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
