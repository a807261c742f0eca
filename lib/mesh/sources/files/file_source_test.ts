import assert from "node:assert/strict";
import { startFileSource } from "../mod.ts";
import { diskIo, type Io } from "./io.ts";
import {
  documents,
  entry,
  eventually,
  intakeOf,
  QUICK,
  servesEventually,
  withSource,
} from "../../../../tests/support/file_source_fixture.ts";

const nothing = () => {};

Deno.test("file source: reads all files below the directory, and only those", async () => {
  await withSource((dir) => {
    Deno.mkdirSync(`${dir}/sub/deep`, { recursive: true });
    Deno.mkdirSync(`${dir}/.hidden`);
    const files: Record<string, string> = {
      "a.yaml": documents(entry("a"), entry("b")),
      "sub/deep/c.yml": `\n# comment\n${entry("c")}`,
      "d.json": JSON.stringify(
        {
          apiVersion: "networking.mesh.io/v1",
          kind: "ServiceEntry",
          metadata: { name: "d" },
          spec: { hosts: ["d.e"], ports: [{ number: 1, name: "x" }], resolution: "DNS" },
        },
        null,
        "\t",
      ),
    };
    const ignored = [
      ".a.yaml",
      ".a.yaml.swp",
      "a.yaml~",
      ".#a.yaml",
      "#a.yaml#",
      "4913",
      "README.md",
      ".hidden/x.yaml",
    ];
    for (const name of ignored) files[name] = entry("ignored");
    for (const [name, text] of Object.entries(files)) {
      Deno.writeTextFileSync(`${dir}/${name}`, text);
    }
    Deno.symlinkSync("..", `${dir}/sub/loop`);
  }, (sandbox) => {
    assert.deepEqual(sandbox.serving(), [
      "a@1 a.yaml:1 80",
      "b@1 a.yaml:10 80",
      "c@1 sub/deep/c.yml:3 80",
      "d@1 d.json:1 1",
    ]);
    assert.deepEqual(sandbox.changes, ["+a@1 +b@1 +c@1 +d@1"]);
    assert.deepEqual(sandbox.problems(), []);
    return Promise.resolve();
  });
});

Deno.test("file source: an empty directory is fine, a missing one is an error at the start", async () => {
  await withSource(nothing, async (sandbox) => {
    assert.deepEqual(sandbox.changes, []);
    sandbox.write("a.yaml", entry("a"));
    await servesEventually(sandbox, "a@1 a.yaml:1 80");
    await assert.rejects(
      startFileSource({ dir: `${sandbox.dir}/none`, intake: intakeOf(nothing) }),
      {
        code: "config-dir",
      },
    );
  });
});

Deno.test("file source: changes, moves and deletions are followed; equal content is no change", async () => {
  await withSource(
    (dir) => Deno.writeTextFileSync(`${dir}/a.yaml`, entry("a")),
    async (sandbox) => {
      sandbox.write("a.yaml", entry("a", 81));
      await servesEventually(sandbox, "a@2 a.yaml:1 81");
      sandbox.write("a.yaml", `# moved down\n${entry("a", 81)}`);
      await servesEventually(sandbox, "a@2 a.yaml:2 81");
      Deno.renameSync(`${sandbox.dir}/a.yaml`, `${sandbox.dir}/b.yaml`);
      await servesEventually(sandbox, "a@2 b.yaml:2 81");
      sandbox.write("b.yaml", documents(entry("x"), entry("a", 81)));
      await servesEventually(sandbox, "a@2 b.yaml:10 81", "x@1 b.yaml:1 80");
      Deno.removeSync(`${sandbox.dir}/b.yaml`);
      await servesEventually(sandbox);
      assert.deepEqual(sandbox.changes, ["+a@1", "+a@2", "+x@1", "-a -x"]);
    },
  );
});

Deno.test("file source: a broken document is rejected, its last good version and the others stay in use", async () => {
  const good = documents(entry("a"), entry("b"), entry("c"));
  await withSource((dir) => Deno.writeTextFileSync(`${dir}/f.yaml`, good), async (sandbox) => {
    sandbox.write("f.yaml", documents(entry("a", 1), entry("b", 70000), entry("c", 2)));
    await servesEventually(sandbox, "a@2 f.yaml:1 1", "b@1 f.yaml:10 80", "c@2 f.yaml:19 2");
    assert.deepEqual(sandbox.problems(), ["f.yaml:17 invalid-port true"]);
    sandbox.write("f.yaml", documents(entry("a", 1), "b: [\n", entry("c", 3)));
    await servesEventually(sandbox, "a@2 f.yaml:1 1", "b@1 f.yaml:10 80", "c@3 f.yaml:12 3");
    assert.deepEqual(sandbox.problems(), ["f.yaml:11 yaml-syntax true"]);
    sandbox.write(
      "f.yaml",
      documents(entry("a", 1), entry("b").replace("ServiceEntry", "ServiceEntri")),
    );
    await servesEventually(sandbox, "a@2 f.yaml:1 1", "b@1 f.yaml:10 80");
    assert.deepEqual(sandbox.problems(), ["f.yaml:11 unknown-kind true"]);
    sandbox.write("f.yaml", documents(entry("a", 1), "foreign: {}\n"));
    await servesEventually(sandbox, "a@2 f.yaml:1 1");
    sandbox.write("f.yaml", documents(entry("a", 1), entry("new", 0)));
    await eventually(() => assert.deepEqual(sandbox.problems(), ["f.yaml:17 invalid-port false"]));
    sandbox.write("f.yaml", entry("a", 1));
    await eventually(() => assert.deepEqual(sandbox.problems(), []));
    assert.deepEqual(sandbox.serving(), ["a@2 f.yaml:1 1"]);
  });
});

Deno.test("file source: files that are no text or too large keep what they held", async () => {
  await withSource(
    (dir) => Deno.writeTextFileSync(`${dir}/f.yaml`, entry("a")),
    async (sandbox) => {
      const bytes = new TextEncoder().encode(entry("a"));
      sandbox.write("f.yaml", new Uint8Array([...bytes, 0x23, 0xff]));
      await eventually(() => assert.deepEqual(sandbox.problems(), ["f.yaml:1 text-not-utf8 true"]));
      assert.match(
        sandbox.source.problems()[0]?.message ?? "",
        new RegExp(`byte ${bytes.length + 1} `),
      );
      sandbox.write("f.yaml", entry("a"));
      await eventually(() => assert.deepEqual(sandbox.problems(), []));
      using file = Deno.openSync(`${sandbox.dir}/huge.yaml`, { create: true, write: true });
      file.truncateSync(50 * 1024 * 1024);
      await eventually(() =>
        assert.deepEqual(sandbox.problems(), ["huge.yaml:1 file-too-large false"])
      );
      assert.deepEqual(sandbox.serving(), ["a@1 f.yaml:1 80"]);
      assert.deepEqual(sandbox.changes, ["+a@1"]);
    },
  );
});

Deno.test("file source: two documents with one name: the first by file and line serves", async () => {
  await withSource((dir) => {
    Deno.writeTextFileSync(`${dir}/b.yaml`, documents(entry("x", 1), entry("x", 2)));
  }, async (sandbox) => {
    assert.deepEqual(sandbox.serving(), ["x@1 b.yaml:1 1"]);
    assert.deepEqual(sandbox.problems(), ["b.yaml:10 duplicate-object false"]);
    const [problem] = sandbox.source.problems();
    assert.match(problem?.message ?? "", /b\.yaml:1$/);
    assert.match(problem?.remedy ?? "", /b\.yaml:10/);
    sandbox.write("a.yaml", entry("x", 3));
    await servesEventually(sandbox, "x@2 a.yaml:1 3");
    assert.deepEqual(sandbox.problems(), [
      "b.yaml:1 duplicate-object false",
      "b.yaml:10 duplicate-object false",
    ]);
    Deno.removeSync(`${sandbox.dir}/a.yaml`);
    sandbox.write("b.yaml", documents("#\n", entry("x", 2)));
    await servesEventually(sandbox, "x@3 b.yaml:3 2");
    assert.deepEqual(sandbox.problems(), []);
  });
});

Deno.test("file source: a directory that is removed keeps serving, and comes back", async () => {
  await withSource(
    (dir) => Deno.writeTextFileSync(`${dir}/a.yaml`, entry("a")),
    async (sandbox) => {
      Deno.removeSync(sandbox.dir, { recursive: true });
      await eventually(() => assert.match(sandbox.problems().join(), /config-dir true/));
      assert.deepEqual(sandbox.serving(), ["a@1 a.yaml:1 80"]);
      Deno.mkdirSync(sandbox.dir);
      sandbox.write("a.yaml", entry("a", 82));
      sandbox.write("b.yaml", entry("b"));
      await servesEventually(sandbox, "a@2 a.yaml:1 82", "b@1 b.yaml:1 80");
      assert.deepEqual(sandbox.problems(), []);
      sandbox.write("b.yaml", entry("b", 83));
      await servesEventually(sandbox, "a@2 a.yaml:1 82", "b@2 b.yaml:1 83");
      const [first, ...rest] = sandbox.changes.flatMap((set) => set.split(" "));
      // A scan may find one of the two files before the other is written.
      assert.deepEqual([first, ...rest.slice(0, 2).sort(), ...rest.slice(2)], [
        "+a@1",
        "+a@2",
        "+b@1",
        "+b@2",
      ]);
    },
  );
});

Deno.test("file source: a directory that comes back empty is believed after a moment", async () => {
  await withSource(
    (dir) => Deno.writeTextFileSync(`${dir}/a.yaml`, entry("a")),
    async (sandbox) => {
      Deno.removeSync(sandbox.dir, { recursive: true });
      await eventually(() => assert.match(sandbox.problems().join(), /config-dir true/));
      Deno.mkdirSync(sandbox.dir);
      await sandbox.source.rescan();
      assert.deepEqual(sandbox.serving(), ["a@1 a.yaml:1 80"]);
      await servesEventually(sandbox);
    },
  );
});

Deno.test("file source: mounts that are swapped by a link", async () => {
  const fill = (dir: string, version: string, files: Record<string, string>) => {
    Deno.mkdirSync(`${dir}/..${version}`);
    for (const [name, text] of Object.entries(files)) {
      Deno.writeTextFileSync(`${dir}/..${version}/${name}`, text);
    }
    Deno.symlinkSync(`..${version}`, `${dir}/..data_tmp`);
    Deno.renameSync(`${dir}/..data_tmp`, `${dir}/..data`);
  };
  await withSource((dir) => {
    fill(dir, "v1", { "a.yaml": entry("a"), "b.yaml": entry("b") });
    for (const name of ["a.yaml", "b.yaml"]) Deno.symlinkSync(`..data/${name}`, `${dir}/${name}`);
  }, async (sandbox) => {
    assert.deepEqual(sandbox.serving(), ["a@1 a.yaml:1 80", "b@1 b.yaml:1 80"]);
    fill(sandbox.dir, "v2", { "a.yaml": entry("a", 81), "b.yaml": entry("b") });
    Deno.removeSync(`${sandbox.dir}/..v1`, { recursive: true });
    await servesEventually(sandbox, "a@2 a.yaml:1 81", "b@1 b.yaml:1 80");
    assert.deepEqual(sandbox.changes, ["+a@1 +b@1", "+a@2"]);
  });
});

Deno.test("file source: the directory itself may be a link that is swapped", async () => {
  await withSource((dir) => {
    Deno.writeTextFileSync(`${dir}/a.yaml`, entry("a"));
    Deno.symlinkSync("config", `${dir}/../current`);
  }, async (sandbox) => {
    const base = sandbox.dir.slice(0, sandbox.dir.lastIndexOf("/"));
    Deno.mkdirSync(`${base}/next`);
    Deno.writeTextFileSync(`${base}/next/a.yaml`, entry("a", 81));
    Deno.symlinkSync("next", `${base}/swap`);
    Deno.renameSync(`${base}/swap`, sandbox.dir);
    await servesEventually(sandbox, "a@2 a.yaml:1 81");
    Deno.writeTextFileSync(`${base}/next/a.yaml`, entry("a", 82));
    await servesEventually(sandbox, "a@3 a.yaml:1 82");
  }, { dir: "current" });
});

/** A file system that denies what is named. */
function denying(denied: Set<string>): Io {
  const check = (path: string) => {
    for (const name of denied) {
      if (path.endsWith(name)) throw new Deno.errors.PermissionDenied(path);
    }
  };
  return {
    stat: (path) => diskIo.stat(path),
    list: (path) => (check(path), diskIo.list(path)),
    read: (path, limit, size) => (check(path), diskIo.read(path, limit, size)),
  };
}

Deno.test("file source: a file that became unreadable keeps its objects", async () => {
  const denied = new Set<string>();
  await withSource((dir) => {
    Deno.mkdirSync(`${dir}/sub`);
    Deno.writeTextFileSync(`${dir}/a.yaml`, entry("a"));
    Deno.writeTextFileSync(`${dir}/sub/b.yaml`, entry("b"));
  }, async (sandbox) => {
    denied.add("/a.yaml").add("/sub");
    sandbox.write("a.yaml", entry("a", 81));
    await eventually(() =>
      assert.deepEqual(sandbox.problems(), [
        "a.yaml:1 file-unreadable true",
        "sub:1 file-unreadable true",
      ])
    );
    assert.deepEqual(sandbox.serving(), ["a@1 a.yaml:1 80", "b@1 sub/b.yaml:1 80"]);
    denied.clear();
    await sandbox.source.rescan();
    assert.deepEqual(sandbox.serving(), ["a@2 a.yaml:1 81", "b@1 sub/b.yaml:1 80"]);
    assert.deepEqual(sandbox.problems(), []);
  }, { io: denying(denied) });
});

Deno.test("file source: a file on a hanging disk delays no other, and is read in the end", async () => {
  let hang = Promise.withResolvers<void>();
  hang.resolve();
  const io: Io = {
    ...diskIo,
    async read(path, limit, size) {
      if (path.endsWith("/a.yaml")) await hang.promise;
      return await diskIo.read(path, limit, size);
    },
  };
  await withSource((dir) => {
    for (const name of ["a", "b"]) Deno.writeTextFileSync(`${dir}/${name}.yaml`, entry(name));
  }, async (sandbox) => {
    hang = Promise.withResolvers();
    sandbox.write("a.yaml", entry("a", 81));
    sandbox.write("b.yaml", entry("b", 81));
    await servesEventually(sandbox, "a@1 a.yaml:1 80", "b@2 b.yaml:1 81");
    await eventually(() => assert.deepEqual(sandbox.problems(), ["a.yaml:1 file-unreadable true"]));
    hang.resolve();
    await servesEventually(sandbox, "a@2 a.yaml:1 81", "b@2 b.yaml:1 81");
    await eventually(() => assert.deepEqual(sandbox.problems(), []));
  }, { io, deadlineMs: 20 });
});

Deno.test("file source: only files that changed are read again", async () => {
  const reads: string[] = [];
  const io: Io = {
    ...diskIo,
    read: (
      path,
      limit,
    ) => (reads.push(path.slice(path.lastIndexOf("/") + 1)), diskIo.read(path, limit)),
  };
  await withSource((dir) => {
    for (const name of ["a", "b"]) {
      Deno.writeTextFileSync(`${dir}/${name}.yaml`, entry(name));
      Deno.utimeSync(`${dir}/${name}.yaml`, 1, 1);
    }
  }, async (sandbox) => {
    assert.deepEqual(reads.sort(), ["a.yaml", "b.yaml"]);
    sandbox.write("a.yaml", entry("a", 81));
    await servesEventually(sandbox, "a@2 a.yaml:1 81", "b@1 b.yaml:1 80");
    assert.equal(reads.filter((name) => name === "b.yaml").length, 1);
  }, { io });
});

Deno.test("file source: an edit costs a look at the file that it names", async () => {
  const looks: string[] = [];
  const note = (path: string) => void looks.push(path.slice(path.lastIndexOf("/") + 1));
  const io: Io = {
    ...diskIo,
    stat: (path) => (note(path), diskIo.stat(path)),
    list: (path) => (note(`${path}/`), diskIo.list(path)),
  };
  await withSource((dir) => {
    for (const name of ["a", "b", "c"]) {
      Deno.writeTextFileSync(`${dir}/${name}.yaml`, entry(name));
      Deno.utimeSync(`${dir}/${name}.yaml`, 1, 1);
    }
  }, async (sandbox) => {
    await sandbox.source.rescan();
    looks.length = 0;
    sandbox.write("a.yaml", entry("a", 81));
    await servesEventually(sandbox, "a@2 a.yaml:1 81", "b@1 b.yaml:1 80", "c@1 c.yaml:1 80");
    assert.deepEqual(looks.filter((name) => ["b.yaml", "c.yaml", ""].includes(name)), []);
    sandbox.write("d.yaml", entry("d"));
    Deno.removeSync(`${sandbox.dir}/b.yaml`);
    await servesEventually(sandbox, "a@2 a.yaml:1 81", "c@1 c.yaml:1 80", "d@1 d.yaml:1 80");
    assert.deepEqual(looks.filter((name) => ["c.yaml", ""].includes(name)), []);
    Deno.mkdirSync(`${sandbox.dir}/sub`);
    sandbox.write("sub/e.yaml", entry("e"));
    await servesEventually(
      sandbox,
      "a@2 a.yaml:1 81",
      "c@1 c.yaml:1 80",
      "d@1 d.yaml:1 80",
      "e@1 sub/e.yaml:1 80",
    );
    Deno.removeSync(`${sandbox.dir}/sub`, { recursive: true });
    await servesEventually(sandbox, "a@2 a.yaml:1 81", "c@1 c.yaml:1 80", "d@1 d.yaml:1 80");
  }, { io });
});

Deno.test("file source: a change under another name of a file is seen", async () => {
  await withSource((dir) => {
    Deno.writeTextFileSync(`${dir}/a.yaml`, entry("a"));
    Deno.writeTextFileSync(`${dir}/b.txt`, entry("b"));
    Deno.symlinkSync("b.txt", `${dir}/b.yaml`);
  }, async (sandbox) => {
    sandbox.write("b.txt", entry("b", 81));
    await servesEventually(sandbox, "a@1 a.yaml:1 80", "b@2 b.yaml:1 81");
  });
});

Deno.test("file source: a pipe with a configuration file's name does not hang it", async () => {
  await withSource((dir) => {
    Deno.writeTextFileSync(`${dir}/a.yaml`, entry("a"));
    new Deno.Command("mkfifo", { args: [`${dir}/p.yaml`] }).outputSync();
  }, (sandbox) => {
    assert.deepEqual(sandbox.serving(), ["a@1 a.yaml:1 80"]);
    return eventually(() =>
      assert.deepEqual(sandbox.problems(), ["p.yaml:1 file-irregular false"])
    );
  });
});

Deno.test("file source: a lost event is made up for by the slow rescan", async () => {
  await withSource((dir) => {
    Deno.mkdirSync(`${dir}/../elsewhere`);
    Deno.writeTextFileSync(`${dir}/../elsewhere/a.yaml`, entry("a"));
    Deno.symlinkSync("../elsewhere/a.yaml", `${dir}/a.yaml`);
  }, async (sandbox) => {
    Deno.writeTextFileSync(`${sandbox.dir}/../elsewhere/a.yaml`, entry("a", 81));
    await servesEventually(sandbox, "a@2 a.yaml:1 81");
  }, { timing: { ...QUICK, rescan: 50 } });
});

Deno.test("file source: a file that is being written is waited for", async () => {
  await withSource(
    (dir) => Deno.writeTextFileSync(`${dir}/a.yaml`, documents(entry("a"), entry("b"))),
    async (sandbox) => {
      const next = documents(entry("a", 81), entry("b", 82));
      using file = Deno.openSync(`${sandbox.dir}/a.yaml`, { write: true, truncate: true });
      for (let at = 0; at < next.length; at += 16) {
        file.writeSync(new TextEncoder().encode(next.slice(at, at + 16)));
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      await servesEventually(sandbox, "a@2 a.yaml:1 81", "b@2 a.yaml:10 82");
      assert.deepEqual(sandbox.changes, ["+a@1 +b@1", "+a@2 +b@2"]);
    },
    { timing: { ...QUICK, quiet: 60, maxQuiet: 70 } },
  );
});

Deno.test("file source: a file is read when its writer closes it, or moves it there", async () => {
  // No quiet time ends within the test, so that only complete files are read.
  const timing = { ...QUICK, quiet: 600_000, maxQuiet: 600_000 };
  const reported: string[] = [];
  const expected: boolean[] = [];
  const intake = {
    ...intakeOf(({ upserts }) => void reported.push(...upserts.map(({ meta }) => meta.name))),
    expecting: (more: boolean) => void expected.push(more),
  };
  await withSource(nothing, async (sandbox) => {
    await sandbox.source.rescan();
    const encoder = new TextEncoder();
    const file = Deno.openSync(`${sandbox.dir}/a.yaml`, { write: true, create: true });
    file.writeSync(encoder.encode(entry("a")));
    const moved = `${sandbox.dir}/../moved`;
    Deno.writeTextFileSync(moved, entry("b"));
    Deno.renameSync(moved, `${sandbox.dir}/b.yaml`);
    // The last event of each file counts.
    file.writeSync(encoder.encode(`---\n${entry("c")}`));
    file.close();
    await eventually(() => assert.deepEqual(reported, ["a", "b", "c"]));
    // A second look at a file that was read soon after its change delays no publication.
    await eventually(() => assert.equal(expected.at(-1), false));
  }, { intake, timing });
});

Deno.test("file source: changes are reported with the time of their event", async () => {
  const reported: { at: number; now: number }[] = [];
  const expected: boolean[] = [];
  const intake = {
    ...intakeOf((_, at = 0) => void reported.push({ at, now: performance.now() })),
    expecting: (more: boolean) => void expected.push(more),
  };
  await withSource(nothing, async (sandbox) => {
    await eventually(() => assert.equal(expected.at(-1) ?? false, false));
    const before = performance.now();
    sandbox.write("a.yaml", entry("a"));
    await eventually(() => assert.equal(expected.at(-1), true, "an event is noticed"));
    await eventually(() => assert.equal(reported.length, 1));
    await eventually(() => assert.equal(expected.at(-1), false, "its change was reported"));
    const { at, now } = reported[0]!;
    assert.ok(at >= before && now - at >= QUICK.quiet / 2, `${at - before} ${now - at}`);
  }, { intake });
});

Deno.test("file source: health is reported while the directory cannot be read", async () => {
  const health: (string | undefined)[] = [];
  const intake = {
    ...intakeOf(() => {}),
    health: (fault: string | undefined) => void health.push(fault),
  };
  await withSource(nothing, async ({ dir, source }) => {
    assert.equal(health.at(-1), undefined);
    Deno.renameSync(dir, `${dir}-away`);
    await source.rescan();
    assert.equal(health.at(-1), "the directory is gone");
    Deno.renameSync(`${dir}-away`, dir);
    await source.rescan();
    assert.equal(health.at(-1), undefined);
  }, { intake });
});
