/**
 * Helpers of tests of sources: a directory that is removed, objects as text, and an intake that
 * records changes.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { Intake, ObjectChanges } from "../../lib/mesh/ingest/mod.ts";
import {
  type FileSource,
  type FileSourceOptions,
  startFileSource,
} from "../../lib/mesh/sources/mod.ts";

/** Short waits; no regular scan unless a test asks for it. */
export const QUICK = { quiet: 20, complete: 20, maxQuiet: 200, rescan: 600_000 };

/** A ServiceEntry as text, without a document marker. */
export function entry(name: string, port = 80): string {
  return `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: ${name}}
spec:
  hosts: [${name}.example.com]
  resolution: DNS
  ports:
  - {number: ${port}, name: http, protocol: HTTP}
`;
}

/** Several documents in one text. */
export function documents(...texts: string[]): string {
  return texts.join("---\n");
}

/** An intake that calls back for changes of objects. */
export function intakeOf(objects: Intake["objects"]): Intake {
  const ignore = () => {};
  return { objects, settings: ignore, synced: ignore, expecting: ignore, health: ignore };
}

/** A file source under test. */
export interface Sandbox {
  readonly dir: string;
  readonly source: FileSource;
  /** Changes as `+name@generation` and `-name`, in order, one string each. */
  readonly changes: string[];
  /** Objects in use, as `name@generation file:line port`. */
  serving(): string[];
  /** Problems, as `file:line code lastGoodServes`. */
  problems(): string[];
  write(file: string, text: string | Uint8Array): void;
}

/** Runs a test with a source over a new directory. `prepare` fills it before the start. */
export async function withSource(
  prepare: (dir: string) => void,
  run: (sandbox: Sandbox) => Promise<void>,
  options: Partial<FileSourceOptions> = {},
): Promise<void> {
  const base = Deno.realPathSync(Deno.makeTempDirSync());
  const dir = options.dir === undefined ? `${base}/config` : `${base}/${options.dir}`;
  Deno.mkdirSync(`${base}/config`);
  const changes: string[] = [];
  let source: FileSource | undefined;
  try {
    prepare(`${base}/config`);
    const intake = intakeOf((set) => void changes.push(describe(set)));
    source = await startFileSource({ timing: QUICK, intake, ...options, dir });
    await run(makeSandbox(dir, source, changes));
  } finally {
    await source?.close();
    Deno.removeSync(base, { recursive: true });
  }
}

function makeSandbox(dir: string, source: FileSource, changes: string[]): Sandbox {
  return {
    dir,
    source,
    changes,
    serving: () =>
      source.objects().map(({ meta, spec }) => {
        const [port] = (spec as { ports: { number: number }[] }).ports;
        const { name, generation, origin } = meta;
        return `${name}@${generation} ${origin.file}:${origin.line} ${port?.number}`;
      }),
    problems: () =>
      source.problems().map(({ file, line, code, lastGoodServes }) =>
        `${file}:${line} ${code} ${lastGoodServes}`
      ),
    write(file, text) {
      if (typeof text === "string") Deno.writeTextFileSync(`${dir}/${file}`, text);
      else Deno.writeFileSync(`${dir}/${file}`, text);
    },
  };
}

function describe({ upserts, deletes }: ObjectChanges): string {
  return [
    ...upserts.map(({ meta }) => `+${meta.name}@${meta.generation}`),
    ...deletes.map(({ name }) => `-${name}`),
  ].join(" ");
}

/** Waits until a check passes; gives its error when it never does. */
export async function eventually(check: () => void, ms = 60_000): Promise<void> {
  const end = performance.now() + ms;
  for (;;) {
    try {
      return check();
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

/** Waits until the objects in use are as expected. */
export function servesEventually(sandbox: Sandbox, ...expected: string[]): Promise<void> {
  return eventually(() => assert.deepEqual(sandbox.serving(), expected));
}
