import assert from "node:assert/strict";
import { makeAuthority, withCertificates } from "../../../../tests/support/certificates.ts";
import type { Credential } from "../../model/mod.ts";
import { configureLogging } from "../../../kit/log/mod.ts";
import { startCredentialSource } from "../mod.ts";
import { diskIo } from "./io.ts";
import { eventually, intakeOf, QUICK } from "../../../../tests/support/file_source_fixture.ts";

Deno.test(
  withCertificates("credentials are read, followed, and kept while they are broken", async () => {
    const work = await Deno.makeTempDir();
    const dir = `${work}/credentials`;
    const authority = await makeAuthority(work);
    const [one, two] = [await authority.issue("one", ["a"]), await authority.issue("two", ["a"])];
    const folder = `${dir}/ns/shop`;
    await Deno.mkdir(folder, { recursive: true });
    await Deno.mkdir(`${dir}/ns/..data`);
    await Deno.copyFile(one.cert, `${folder}/tls.crt`);
    await Deno.copyFile(one.key, `${folder}/tls.key`);
    const heard: [string, Credential | undefined][] = [];
    await using source = await startCredentialSource({
      dir,
      timing: QUICK,
      intake: {
        ...intakeOf(() => {}),
        settings: ({ credentials }) => heard.push(...credentials ?? []),
      },
    });
    const text = (path: string) => Deno.readTextFileSync(path);
    assert.deepEqual(heard, [
      ["ns/shop", { certificate: text(one.cert), privateKey: text(one.key) }],
    ]);

    // A certificate without its key is an unfinished renewal: the former pair stays in use.
    await Deno.copyFile(two.cert, `${folder}/tls.crt`);
    await source.rescan();
    assert.equal(heard.length, 1);
    await Deno.copyFile(two.key, `${folder}/tls.key`);
    await eventually(() => assert.equal(heard.at(-1)?.[1]?.privateKey, text(two.key)));
    assert.equal(heard.length, 2);

    await Deno.mkdir(`${dir}/ns/clients`);
    await Deno.copyFile(authority.cert, `${dir}/ns/clients/cacert`);
    await eventually(() => assert.equal(heard.length, 3));
    assert.deepEqual(heard[2], ["ns/clients", { authorities: text(authority.cert) }]);

    await Deno.remove(`${dir}/ns/clients`, { recursive: true });
    await eventually(() => assert.deepEqual(heard[3], ["ns/clients", undefined]));
    await Deno.rename(dir, `${work}/away`);
    await source.rescan();
    assert.equal(heard.length, 4);
    await Deno.remove(work, { recursive: true });
  }),
);

Deno.test("credentials: a file that a new folder gets without an event is read", async () => {
  const dir = await Deno.makeTempDir();
  const heard: string[] = [];
  let isHidden = true;
  await using _ = await startCredentialSource({
    dir,
    timing: QUICK,
    intake: {
      ...intakeOf(() => {}),
      settings: ({ credentials }) => heard.push(...credentials?.keys() ?? []),
    },
    io: {
      ...diskIo,
      read(path, limit) {
        // The first scan sees the folder before its file.
        if (!path.endsWith("/.dockerconfigjson") || !isHidden) return diskIo.read(path, limit);
        isHidden = false;
        return Promise.reject(new Deno.errors.NotFound(path));
      },
    },
  });
  await Deno.mkdir(`${dir}/.late/pull`, { recursive: true });
  await Deno.writeTextFile(`${dir}/.late/pull/.dockerconfigjson`, '{"auths":{}}');
  await Deno.rename(`${dir}/.late`, `${dir}/ns`);
  await eventually(() => assert.deepEqual(heard, ["ns/pull"]));
  await Deno.remove(dir, { recursive: true });
});

Deno.test("credentials: a directory that is not there ends the start", async () => {
  await assert.rejects(
    startCredentialSource({ dir: "/nowhere/at/all", intake: intakeOf(() => {}) }),
    { code: "credential-dir" },
  );
});

Deno.test("pull secrets are read; faulty ones are named, and never quoted", async () => {
  const dir = await Deno.makeTempDir();
  const heard: [string, Credential | undefined][] = [];
  const files = {
    good: '{"auths":{"a.test":{"auth":"aGlkZGVu"}}}',
    text: "hidden",
    list: '{"auths":["hidden"]}',
    none: '{"password":"hidden"}',
  };
  for (const [name, text] of Object.entries(files)) {
    await Deno.mkdir(`${dir}/ns/${name}`, { recursive: true });
    await Deno.writeTextFile(`${dir}/ns/${name}/.dockerconfigjson`, text);
  }
  const logFile = `${await Deno.makeTempDir()}/log`;
  const endLogging = configureLogging({ targets: [logFile] });
  try {
    await using source = await startCredentialSource({
      dir,
      timing: QUICK,
      intake: {
        ...intakeOf(() => {}),
        settings: ({ credentials }) => heard.push(...credentials ?? []),
      },
    });
    const faults = source.faults().map(({ credential, place, lastGoodServes }) =>
      [credential, place, lastGoodServes] as const
    );
    assert.deepEqual(
      faults.sort(),
      ["list", "none", "text"].map((name) => [`ns/${name}`, `${dir}/ns/${name}`, false]),
    );
  } finally {
    endLogging();
  }
  assert.deepEqual(heard, [["ns/good", { pullConfig: files.good }]]);
  const log = await Deno.readTextFile(logFile);
  assert.equal(log.match(/a credential cannot be used/g)?.length, 3);
  assert.doesNotMatch(log, /hidden/);
  await Deno.remove(dir, { recursive: true });
});
