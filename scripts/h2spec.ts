/**
 * `deno task h2spec [SECTION...]`: runs the conformance suite h2spec against Mesh's HTTP/2 and
 * compares the failures with the expected ones. It is built with Go from its module, patched to send
 * requests of gRPC, and kept in the cache of `deno task tools`. Without Go it is skipped.
 *
 * @module
 */
import { startRpc } from "../lib/kit/rpc/mod.ts";
import { join } from "./paths.ts";
import { plainText } from "./test_report.ts";
import { cacheDir, HOST } from "./tools.ts";

/** The newest version that the Go module proxy serves. */
const MODULE = "github.com/summerwind/h2spec";
const VERSION = "v2.2.1+incompatible";
/** It has no `go.mod` of its own; these versions work with it. */
const GO_MOD = `module ${MODULE}

go 1.21

require (
	github.com/fatih/color v1.18.0
	github.com/spf13/cobra v1.8.1
	golang.org/x/net v0.17.0
)
`;
/** Install path of Go's own archive, if Go is not on the PATH. */
const GO_PATHS = ["go", "/usr/local/go/bin/go"];
/** Path of the method under test. */
const METHOD = "/test.Conformance/Stream";
/** Size of its answer: cases of flow control need some bytes. */
const ANSWER_BYTES = 64;
/** Wait of a case for a reaction, seconds. */
const CASE_TIMEOUT_S = 2;

/** Cases that fail, by their titles, with the reason. All pass at present. */
const EXPECTED: Readonly<Record<string, string>> = {};

interface Output {
  readonly success: boolean;
  readonly text: string;
}

async function run(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
): Promise<Output> {
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    ...options,
  }).output();
  const decoder = new TextDecoder();
  return { success, text: decoder.decode(stdout) + (success ? "" : decoder.decode(stderr)) };
}

async function findGo(): Promise<string | undefined> {
  for (const path of GO_PATHS) {
    const works = await run(path, ["version"]).then(({ success }) => success, () => false);
    if (works) return path;
  }
  return undefined;
}

/** Like `run`, for steps that must succeed. */
async function must(command: string, args: string[], options: Parameters<typeof run>[2]) {
  const { success, text } = await run(command, args, options);
  if (!success) throw new Error(`${command} ${args.join(" ")} failed:\n${text}`);
  return text;
}

/** Builds the program, unless the cache has it; returns its path. */
async function build(go: string): Promise<string> {
  const cache = join(cacheDir(HOST), "h2spec-2.2.1-grpc");
  const program = join(cache, "h2spec");
  if (await Deno.stat(program).then(() => true, () => false)) return program;
  console.error(`h2spec: building ${MODULE} ${VERSION} into ${cache}`);
  await Deno.mkdir(cache, { recursive: true });
  const work = await Deno.makeTempDir({ dir: cache });
  try {
    const env = { GOPATH: join(cache, "go"), GOFLAGS: "-modcacherw -mod=mod" };
    const json = await must(go, ["mod", "download", "-json", `${MODULE}@${VERSION}`], {
      cwd: work,
      env,
    });
    const source = join(work, "source");
    await must("cp", ["-r", JSON.parse(json).Dir, source], {});
    await Deno.writeTextFile(join(source, "go.mod"), GO_MOD);
    await patch(join(source, "spec/util.go"));
    await must(go, ["build", "-o", join(work, "h2spec"), "./cmd/h2spec"], { cwd: source, env });
    await Deno.rename(join(work, "h2spec"), program);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
  return program;
}

/** Makes the requests of all cases calls of gRPC. */
async function patch(path: string): Promise<void> {
  const text = await Deno.readTextFile(path);
  const authority = `HeaderField(":authority", authority),`;
  const patched = text.replace(`HeaderField(":method", "GET")`, `HeaderField(":method", "POST")`)
    .replace(authority, `${authority}\n\t\tHeaderField("content-type", "application/grpc"),`);
  if (!patched.includes("POST") || !patched.includes("application/grpc")) {
    throw new Error(`${path} is not as expected, and could not be patched`);
  }
  await Deno.writeTextFile(path, patched);
}

/** Runs the suite against a server of this process. */
async function test(program: string, sections: readonly string[]): Promise<string> {
  const server = await startRpc({
    address: "127.0.0.1:0",
    services: [{
      path: METHOD,
      async handle(call) {
        call.send(new Uint8Array(ANSWER_BYTES));
        for await (const _ of call.messages);
      },
    }],
    limits: { maxReceive: 1 << 20, maxStreams: 100 },
    keepalive: { interval: 30_000, timeout: 10_000 },
  });
  const flags = ["--strict", "-p", `${server.port}`, "-P", METHOD, "-o", `${CASE_TIMEOUT_S}`];
  const { text } = await run(program, [...flags, ...sections]);
  await server.stop(0);
  return plainText(text);
}

/** Titles of the cases that failed, from the list before the details. */
function failuresOf(text: string): string[] {
  const [list = ""] = text.split(/^Failures:/m);
  return [...list.matchAll(/× (.+)$/gm)].map((match) => match[1]!.trim());
}

if (import.meta.main) {
  const go = await findGo();
  if (!go) {
    console.log("h2spec: skipped, because Go is not installed");
    Deno.exit(0);
  }
  const text = await test(await build(go), Deno.args);
  const summary = /^\d+ tests, .*$/m.exec(text)?.[0];
  if (!summary) throw new Error(`h2spec ended without a summary:\n${text}`);
  const unexpected = failuresOf(text).filter((title) => !Object.hasOwn(EXPECTED, title));
  const failed = Number(/(\d+) failed/.exec(summary)?.[1]);
  for (const title of unexpected) console.log(`failed: ${title}`);
  for (const [title, reason] of Object.entries(EXPECTED)) {
    console.log(`expected: ${title}: ${reason}`);
  }
  console.log(`h2spec: ${summary}`);
  if (unexpected.length > 0 || failed > Object.keys(EXPECTED).length) Deno.exit(1);
}
