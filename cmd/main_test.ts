import assert from "node:assert/strict";

const MAIN = new URL("../main.ts", import.meta.url).pathname;
const CONFIG = new URL("../deno.json", import.meta.url).pathname;

/** Runs `main.ts` as users do. */
async function ran(...args: string[]): Promise<[out: string, err: string, status: number]> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "-q", "--config", CONFIG, MAIN, ...args],
    env: { NO_COLOR: "1" },
  });
  const { code, stdout, stderr } = await command.output();
  const decoder = new TextDecoder();
  return [decoder.decode(stdout), decoder.decode(stderr), code];
}

const RUNS: [args: string[], out: RegExp, err: RegExp, status: number][] = [
  [["pilot-discovery", "version"], /^client version: \d+\.\d+\.\d+\n$/, /^$/, 0],
  [["pilot-agent", "version", "-o", "json"], /"clientVersion"/, /^$/, 0],
  [["pilot-agent", "nosuch"], /^$/, /^Error: unknown command "nosuch" for "pilot-agent"/, 64],
  [
    ["meshctl", "version"],
    /^client version: \d+\.\d+\.\d+\n$/,
    /^control plane: not asked: no daemon is named/,
    0,
  ],
  [["meshctl", "analyze", "-A"], /^$/, /^Error: no files are named, and no orchestrator/, 64],
  [["install-cni", "version"], /^client version: \d+\.\d+\.\d+\n$/, /^$/, 0],
  [
    ["nosuch"],
    /^$/,
    /^Error: unknown program "nosuch"\n[^]*pilot-discovery\n {2}pilot-agent\n {2}meshctl\n {2}install-cni/,
    64,
  ],
  [["constructor"], /^$/, /^Error: unknown program/, 64],
  [[], /^$/, /^Error: no program named/, 64],
  [["--help"], /pilot-discovery/, /^$/, 0],
];

for (const [args, out, err, status] of RUNS) {
  Deno.test(`main.ts ${args.join(" ")}`, async () => {
    const [actualOut, actualErr, actualStatus] = await ran(...args);
    assert.match(actualOut, out);
    assert.match(actualErr, err);
    assert.equal(actualStatus, status);
  });
}
