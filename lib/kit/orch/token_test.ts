import assert from "node:assert/strict";
import { execCredentials } from "./exec.ts";
import type { ClusterConfig, ExecConfig } from "./kubeconfig.ts";
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

const CLUSTER: ClusterConfig = {
  server: "https://a:6443",
  caData: "AUTHORITY",
  insecureSkipVerify: false,
  tlsServerName: "b",
  proxyUrl: "",
  execConfig: { team: "shop" },
};

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
    interactiveMode: "Never",
  };
}

Deno.test("exec: the program runs once, and again after a refusal", () =>
  withDir(async (dir) => {
    const token = execCredentials(await program(dir, ""), CLUSTER);
    assert.deepEqual(await Promise.all([token.current(), token.current()]), ["t-1", "t-1"]);
    token.refused();
    assert.equal(await token.current(), "t-2");
  }));

Deno.test("exec: an expired token is replaced", () =>
  withDir(async (dir) => {
    const expired = ',\\"expirationTimestamp\\":\\"2020-01-01T00:00:00Z\\"';
    const token = execCredentials(await program(dir, expired), CLUSTER);
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
      ...Deno.stdin.isTerminal() ? [] : [{ ...good, interactiveMode: "Always" as const }],
    ];
    for (const config of faulty) {
      await assert.rejects(execCredentials(config, CLUSTER).current(), { code: "orch-exec" });
    }
  }));

/** A program of these lines of shell. */
async function script(dir: string, lines: string): Promise<ExecConfig> {
  const config = await program(dir, "");
  await Deno.writeTextFile(config.command, `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
  return config;
}

const printing = (status: object): string =>
  `cat <<'END'\n${JSON.stringify({ kind: "ExecCredential", status })}\nEND`;

Deno.test("exec: a program prints a client certificate with its key, with or without a token", () =>
  withDir(async (dir) => {
    const pair = { clientCertificateData: "CERT", clientKeyData: "KEY" };
    const alone = execCredentials(await script(dir, printing(pair)), CLUSTER);
    assert.deepEqual(await alone.certificate(), { cert: "CERT", key: "KEY" });
    assert.equal(await alone.current(), "");
    const both = execCredentials(await script(dir, printing({ ...pair, token: "t" })), CLUSTER);
    assert.deepEqual([await both.current(), (await both.certificate())?.key], ["t", "KEY"]);
    for (const part of Object.keys(pair)) {
      const half = execCredentials(
        await script(dir, printing({ token: "t", [part]: "X" })),
        CLUSTER,
      );
      await assert.rejects(half.current(), /a client certificate or a key without the other/);
    }
  }));

Deno.test("exec: the cluster is told to a program that asks for it, and to no other", () =>
  withDir(async (dir) => {
    const lines = `printf %s "$KUBERNETES_EXEC_INFO" > "${dir}/info"\n${printing({ token: "t" })}`;
    const config = await script(dir, lines);
    const infoOf = async (provideClusterInfo: boolean, cluster: ClusterConfig = CLUSTER) => {
      await execCredentials({ ...config, provideClusterInfo }, cluster).current();
      return JSON.parse(await Deno.readTextFile(`${dir}/info`)).spec;
    };
    assert.deepEqual(await infoOf(false), { interactive: false });
    const told = {
      "server": "https://a:6443",
      "tls-server-name": "b",
      "certificate-authority-data": btoa("AUTHORITY"),
      "config": { team: "shop" },
    };
    assert.deepEqual(await infoOf(true), { interactive: false, cluster: told });
    await Deno.writeTextFile(`${dir}/ca`, "OF A FILE");
    const { caData: _, ...rest } = CLUSTER;
    const { cluster } = await infoOf(true, { ...rest, caFile: `${dir}/ca` });
    assert.equal(cluster["certificate-authority-data"], btoa("OF A FILE"));
  }));

Deno.test("exec: the error of a program that fails has its messages, without control characters", () =>
  withDir(async (dir) => {
    const lines =
      "echo 'the session has ended' >&2; printf 'run \\033[1mlogin\\033[0m' >&2; exit 3";
    const failing = execCredentials(await script(dir, lines), CLUSTER);
    await assert.rejects(failing.current(), (error) => {
      const { message } = error as Error;
      assert.match(message, /status 3: the session has ended.*login/s);
      assert.ok(!message.includes("\u001b"));
      return true;
    });
  }));
