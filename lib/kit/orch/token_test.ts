import assert from "node:assert/strict";
import { execToken } from "./exec.ts";
import type { ExecConfig } from "./kubeconfig.ts";
import { fileToken } from "./token.ts";

async function withDir(body: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await body(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("a token file is read again after a minute, and at once after a refusal", () =>
  withDir(async (dir) => {
    let now = 0;
    const token = fileToken(`${dir}/token`, () => now);
    await Deno.writeTextFile(`${dir}/token`, "one\n");
    assert.equal(await token.current(), "one");
    await Deno.writeTextFile(`${dir}/token`, "two\n");
    assert.equal(await token.current(), "one");
    now = 61_000;
    assert.equal(await token.current(), "two");
    await Deno.writeTextFile(`${dir}/token`, "three\n");
    token.refused();
    assert.equal(await token.current(), "three");
    await Deno.remove(`${dir}/token`);
    token.refused();
    assert.equal(await token.current(), "three", "the last token stays");
  }));

/** A program that counts its runs and prints a token with the count. */
async function program(dir: string, status: string): Promise<ExecConfig> {
  const command = `${dir}/credential`;
  await Deno.writeTextFile(
    command,
    `#!/bin/sh
echo run >> "${dir}/runs"
n=$(wc -l < "${dir}/runs" | tr -d ' ')
echo "{\\"kind\\":\\"ExecCredential\\",\\"status\\":{\\"token\\":\\"$PREFIX-$n\\"${status}}}"
`,
    { mode: 0o755 },
  );
  return {
    apiVersion: "client.authentication.k8s.io/v1",
    command,
    args: [],
    env: [{ name: "PREFIX", value: "t" }],
    installHint: "",
    provideClusterInfo: false,
  };
}

Deno.test("exec: the program runs once, and again after a refusal", () =>
  withDir(async (dir) => {
    const token = execToken(await program(dir, ""));
    assert.deepEqual(await Promise.all([token.current(), token.current()]), ["t-1", "t-1"]);
    token.refused();
    assert.equal(await token.current(), "t-2");
  }));

Deno.test("exec: an expired token is replaced", () =>
  withDir(async (dir) => {
    const expired = ',\\"expirationTimestamp\\":\\"2020-01-01T00:00:00Z\\"';
    const token = execToken(await program(dir, expired));
    assert.equal(await token.current(), "t-2");
  }));

Deno.test("exec: a program that is missing, fails or prints no token is an error with a remedy", () =>
  withDir(async (dir) => {
    const good = await program(dir, "");
    const faulty: ExecConfig[] = [
      { ...good, command: `${dir}/missing` },
      { ...good, command: "false" },
      { ...good, command: "true" },
      { ...good, apiVersion: "client.authentication.k8s.io/v1alpha1" },
    ];
    for (const config of faulty) {
      await assert.rejects(execToken(config).current(), { code: "orch-exec" });
    }
  }));
