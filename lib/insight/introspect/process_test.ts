import assert from "node:assert/strict";
import { environment } from "./process.ts";
import { redactUrls, redactVariable } from "./redact.ts";
import { TOPICS } from "./topic.ts";
import { ask, type Facility, withFacility } from "../../../tests/support/introspection_fixture.ts";

const read = async (facility: Facility, path: string) =>
  JSON.parse((await ask(facility, `GET ${path}`)).body);

for (const [name, title] of TOPICS) {
  Deno.test(`/${name}z is a page that links to all others, /${name}j is JSON`, () =>
    withFacility(async (facility) => {
      for (const slash of ["", "/"]) {
        const page = await ask(facility, `GET /${name}z${slash}`);
        assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
        assert.match(page.body, new RegExp(`<h1>${title}</h1>`));
        assert.match(page.body, new RegExp(`<a href="/${name}z/" aria-current="page">`));
        for (const [other] of TOPICS) assert(page.body.includes(`href="/${other}z/"`));
        assert.doesNotMatch(page.body, /https?:\/\/|<script|<link|<img/);
        const json = await ask(facility, `GET /${name}j${slash}`);
        assert.equal(json.headers.get("content-type"), "application/json");
        assert.equal(typeof JSON.parse(json.body), "object");
      }
    }));
}

Deno.test("/homej has name and state of the process; / is its page", () =>
  withFacility(async (facility) => {
    const home = await read(facility, "/homej");
    assert.deepEqual(Object.keys(home), [
      "ProcessName",
      "HeapSize",
      "NumGC",
      "CurrentTime",
      "Hostname",
      "IP",
    ]);
    assert.equal(home.ProcessName, "a <program>");
    assert.equal(home.CurrentTime, 1_700_000_000_123_000_000);
    assert.equal(home.Hostname, Deno.hostname());
    assert(home.HeapSize > 0);
    assert(Deno.networkInterfaces().some(({ address }) => address === home.IP));
    const { body } = await ask(facility, "GET /");
    assert.match(body, /2023-11-14T22:13:20\.123Z/);
    assert.match(body, /<input type="checkbox" required\/?> I am sure/);
  }));

Deno.test("PUT /homej/exit asks the process to end, once for each request", () =>
  withFacility(async (facility) => {
    assert.equal((await ask(facility, "GET /homej/exit")).status, 405);
    assert.equal(facility.stops(), 0);
    assert.equal((await ask(facility, "PUT /homej/exit")).status, 202);
    assert.equal(facility.stops(), 1);
  }));

Deno.test("PUT /memj/forcecollection collects garbage, which is counted", () =>
  withFacility(async (facility) => {
    const before = await read(facility, "/memj/");
    assert(before.heapUsed > 0 && before.heapUsed <= before.heapLimit);
    assert(before.spaces.some(({ name }: { name: string }) => name === "old_space"));
    const held = new WeakRef({});
    await ask(facility, "GET /memj/");
    assert.equal((await ask(facility, "PUT /memj/forcecollection")).status, 202);
    assert.equal(held.deref(), undefined);
    const sent = await ask(facility, "POST /memz/forcecollection");
    assert.deepEqual([sent.status, sent.headers.get("location")], [303, "/memz/"]);
    let { collections } = await read(facility, "/memj/");
    while (collections === before.collections) {
      collections = (await read(facility, "/memj/")).collections;
    }
    assert(collections > before.collections);
    assert((await read(facility, "/homej")).NumGC >= collections);
  }));

Deno.test("SIGUSR1 can be sent to the process, and no other signal", () =>
  withFacility(async (facility) => {
    for (const request of ["PUT /signalj/SIGUSR1", "POST /signalj/SIGUSR1"]) {
      const arrived = Promise.withResolvers<void>();
      Deno.addSignalListener("SIGUSR1", arrived.resolve);
      try {
        assert.equal((await ask(facility, request)).status, 202);
        await arrived.promise;
      } finally {
        Deno.removeSignalListener("SIGUSR1", arrived.resolve);
      }
    }
    const other = await ask(facility, "PUT /signalj/SIGKILL");
    assert.deepEqual([other.status, /SIGUSR1/.test(other.body)], [400, true]);
    assert.deepEqual(await read(facility, "/signalj/"), [
      { name: "SIGUSR1", does: "Does something." },
    ]);
  }));

Deno.test("/procj, /argj and /versionj describe this process", () =>
  withFacility(async (facility) => {
    const { pid, workingDirectory } = await read(facility, "/procj/");
    assert.deepEqual([pid, workingDirectory], [Deno.pid, Deno.cwd()]);
    const args: string[] = await read(facility, "/argj/");
    assert.equal(args[0], Deno.execPath());
    const version = await read(facility, "/versionj/");
    assert.deepEqual(
      Object.keys(version),
      ["version", "revision", "golang_version", "status", "tag"],
    );
    assert.equal(version.golang_version, `deno${Deno.version.deno}`);
  }));

Deno.test("/envj lists the variables by name, without secrets", () =>
  withFacility(async (facility) => {
    Deno.env.set("MESH_TEST_A", "<b>");
    Deno.env.set("MESH_TEST_API_TOKEN", "hush");
    try {
      const list: { name: string; value: string }[] = await read(facility, "/envj/");
      const names = list.map(({ name }) => name);
      assert.deepEqual(names, names.toSorted((a, b) => a < b ? -1 : 1));
      const value = (wanted: string) => list.find(({ name }) => name === wanted)?.value;
      assert.equal(value("MESH_TEST_A"), "<b>");
      assert.equal(value("MESH_TEST_API_TOKEN"), "[redacted]");
      const page = await ask(facility, "GET /envz/");
      assert(page.body.includes("&lt;b>"));
      assert(!page.body.includes("hush"));
    } finally {
      Deno.env.delete("MESH_TEST_A");
      Deno.env.delete("MESH_TEST_API_TOKEN");
    }
  }));

Deno.test({
  name: "a process without permission for all variables shows those that it declares",
  permissions: { env: ["MESH_TEST_A"] },
  fn: () => assert.deepEqual(environment(), []),
});

const VARIABLES: readonly [name: string, value: string, shown: string][] = [
  ["HOME", "/root", "/root"],
  ["API_TOKEN", "x", "[redacted]"],
  ["TLS_KEY_FILE", "x", "[redacted]"],
  ["DbPassword", "x", "[redacted]"],
  ["DB_PASSWD", "x", "[redacted]"],
  ["REGISTRY_CREDENTIALS", "x", "[redacted]"],
  ["PROXY_AUTH", "x", "[redacted]"],
  ["client_secret", "x", "[redacted]"],
  ["API_TOKEN", "", ""],
  ["http_proxy", "http://user:pa@ss@proxy:3128/x", "http://[redacted]@proxy:3128/x"],
  ["LIST", "http://a/@b, x@y, https://u@h", "http://a/@b, x@y, https://[redacted]@h"],
];

for (const [name, value, shown] of VARIABLES) {
  Deno.test(`the variable ${name}=${value} is shown as ${JSON.stringify(shown)}`, () => {
    assert.equal(redactVariable(name, value), shown);
    if (!shown.startsWith("[")) assert.equal(redactUrls(shown), shown);
  });
}

Deno.test({
  name: "a process with few permissions shows what it may know, and leaves out the rest",
  permissions: { net: true, sys: ["hostname"], read: false, env: false, run: false },
  fn: () =>
    withFacility(async (facility) => {
      for (const [name] of TOPICS) {
        assert.equal((await ask(facility, `GET /${name}j/`)).status, 200, name);
        assert.equal((await ask(facility, `GET /${name}z/`)).status, 200, name);
      }
      assert.equal((await read(facility, "/homej/")).IP, "127.0.0.1");
      assert(!("user" in await read(facility, "/procj/")));
      assert.equal((await ask(facility, "PUT /memj/forcecollection")).status, 202);
      const profile = await ask(facility, "GET /debug/pprof/profile?seconds=1");
      assert.equal(profile.status, 501);
      assert.match(profile.body, /leaves out the inspector; run it with --allow-sys/);
    }),
});
