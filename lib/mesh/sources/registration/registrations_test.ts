import assert from "node:assert/strict";
import type { ConfigObject, ProxyNode } from "../../model/mod.ts";
import { checkObject } from "../../schema/mod.ts";
import type { WorkloadEntry } from "#mesh/networking/v1alpha3/workload_entry_pb.ts";
import type { ObjectChanges } from "../../ingest/mod.ts";
import { createRegistrations } from "./registrations.ts";
import type { StoredWorkload } from "./types.ts";

const GROUP = {
  metadata: { labels: { app: "vm", tier: "old" }, annotations: { note: "x" } },
  template: { ports: { http: 8080 }, labels: { app: "x" }, serviceAccount: "vm", weight: 3 },
};

function object(kind: string, name: string, spec: object): ConfigObject {
  const checked = checkObject({
    apiVersion: "networking.mesh.io/v1",
    kind,
    metadata: { name, namespace: "shop" },
    spec,
  });
  assert.deepEqual(checked.problems, []);
  const origin = { source: "file", file: "a.yaml", line: 1 };
  return {
    meta: { ...checked.object!.meta, kind, generation: 1, origin },
    spec: checked.object!.spec,
    digest: checked.object!.digest,
  };
}

const group = (spec: object = GROUP): ObjectChanges => ({
  upserts: [object("WorkloadGroup", "vms", spec)],
  deletes: [],
});
const gone = (kind: string, name: string): ObjectChanges => ({
  upserts: [],
  deletes: [{ kind, namespace: "shop", name }],
});

/** An identity of the namespace. */
function identityOf(account: string): string {
  return `spiffe://cluster.local/ns/shop/sa/${account}`;
}

function proxy(metadata: Record<string, unknown> = {}, ip = "10.0.0.9"): ProxyNode {
  return {
    id: "",
    identity: identityOf("vm"),
    role: "sidecar",
    ip,
    ips: [ip],
    name: "vm-1",
    namespace: "shop",
    dnsDomain: "shop.svc.cluster.local",
    cluster: "",
    locality: { region: "r", zone: "z", subzone: "" },
    metadata: { AUTO_REGISTER_GROUP: "vms", LABELS: { tier: "new" }, ...metadata },
    buildVersion: "",
    userAgent: "",
    transport: "delta",
  };
}

/** Registrations that record their changes; `pass` runs the timers. */
function bench(
  isTaken: (key: string) => boolean = () => false,
  stored: readonly StoredWorkload[] = [],
  validateIdentity = true,
) {
  let store: readonly StoredWorkload[] = stored;
  const waiting = new Set<() => void>();
  const changes: string[] = [];
  const registrations = createRegistrations({
    graceMs: 10,
    health: true,
    validateIdentity,
    stored,
    onStore: (workloads) => store = workloads(),
    timer: (run) => {
      waiting.add(run);
      return () => void waiting.delete(run);
    },
    clock: () => 7,
    isTaken,
    onChange: ({ upserts, deletes }) => {
      changes.push(...upserts.map(({ meta }) => `+${meta.name} ${meta.health}`));
      changes.push(...deletes.map(({ name }) => `-${name}`));
    },
  });
  return {
    opened: registrations.opened.bind(registrations),
    closed: registrations.closed.bind(registrations),
    reported: registrations.reported.bind(registrations),
    follow: registrations.follow.bind(registrations),
    objects: registrations.objects.bind(registrations),
    close: registrations.close.bind(registrations),
    changes: () => changes.splice(0),
    pass: () => waiting.forEach((run) => run()),
    waits: () => waiting.size,
    stored: () => store,
  };
}

Deno.test("a proxy that names a group gets an entry of the group's template", () => {
  const { opened, follow, objects } = bench();
  follow(group());
  opened("a", proxy({ NETWORK: "far" }));
  const [entry] = objects() as ConfigObject<WorkloadEntry>[];
  assert.deepEqual(
    { ...entry!.meta },
    {
      kind: "WorkloadEntry",
      namespace: "shop",
      name: "vms-10.0.0.9-far",
      labels: { app: "vm", tier: "new" },
      annotations: { "mesh.io/autoRegistrationGroup": "vms", note: "x" },
      generation: 1,
      creationTime: 7,
      origin: { source: "registration" },
      health: "healthy",
    },
  );
  const { address, ports, labels, network, locality, weight, serviceAccount } = entry!.spec;
  assert.deepEqual({ address, ports, labels, network, locality, weight, serviceAccount }, {
    address: "10.0.0.9",
    ports: { http: 8080 },
    labels: { app: "vm", tier: "new" },
    network: "far",
    locality: "r/z",
    weight: 3,
    serviceAccount: "vm",
  });
});

Deno.test("an entry is removed when its workload stays away, and kept when it returns in time", () => {
  const { opened, closed, follow, changes, pass, waits } = bench();
  follow(group());
  opened("a", proxy());
  opened("b", proxy());
  closed("a");
  assert.equal(waits(), 0, "another stream of it is open");
  closed("b");
  opened("c", proxy());
  assert.deepEqual([waits(), changes()], [0, ["+vms-10.0.0.9 healthy"]]);
  closed("c");
  pass();
  assert.deepEqual(changes(), ["-vms-10.0.0.9"]);
});

Deno.test("an entry follows its group, which may be added later and removed earlier", () => {
  const { opened, follow, changes } = bench();
  opened("a", proxy());
  assert.deepEqual(changes(), []);
  follow(group());
  follow(group());
  assert.deepEqual(changes(), ["+vms-10.0.0.9 healthy"]);
  follow(group({ template: { serviceAccount: "vm" } }));
  assert.deepEqual(changes(), ["+vms-10.0.0.9 healthy"]);
  follow(gone("WorkloadGroup", "vms"));
  assert.deepEqual(changes(), ["-vms-10.0.0.9"]);
});

Deno.test("the reported health of a workload is written to its entry", () => {
  const { opened, follow, reported, changes } = bench();
  follow(group());
  opened("a", proxy());
  reported("a", undefined);
  reported("a", "refused");
  reported("a", "refused again");
  reported("other", "refused");
  reported("a", undefined);
  assert.deepEqual(changes(), [
    "+vms-10.0.0.9 healthy",
    "+vms-10.0.0.9 unhealthy",
    "+vms-10.0.0.9 healthy",
  ]);
});

Deno.test("a workload whose group has a probe is not healthy before its first report", () => {
  const { opened, follow, reported, changes, stored } = bench();
  follow(group({ ...GROUP, probe: { tcpSocket: { port: 8080 } } }));
  opened("a", proxy());
  assert.deepEqual(stored().map(({ healthy }) => healthy), [false]);
  reported("a", undefined);
  assert.deepEqual(changes(), ["+vms-10.0.0.9 unhealthy", "+vms-10.0.0.9 healthy"]);
});

Deno.test("an entry of another source stays, and is not deleted for a workload of its name", () => {
  const key = "vms-10.0.0.9";
  const file = { upserts: [object("WorkloadEntry", key, { address: "10.0.0.9" })], deletes: [] };
  const { opened, closed, follow, changes, pass } = bench((one) => one === `shop/${key}`);
  follow(group());
  opened("a", proxy());
  assert.deepEqual(changes(), []);
  follow(gone("WorkloadEntry", key));
  assert.deepEqual(changes(), [`+${key} healthy`]);
  follow(file);
  assert.deepEqual(changes(), [`-${key}`], "the daemon's entry is withdrawn");
  closed("a");
  pass();
  assert.deepEqual(changes(), []);
});

Deno.test("a proxy without a group, or with invalid values, has no entry", () => {
  const { opened, follow, changes } = bench();
  follow(group());
  opened("a", proxy({ AUTO_REGISTER_GROUP: "" }));
  opened("b", proxy({ AUTO_REGISTER_GROUP: 3 }));
  opened("c", proxy({ AUTO_REGISTER_GROUP: "others" }));
  opened("d", proxy({ LABELS: { "bad key": "x" } }));
  assert.deepEqual(changes(), []);
  opened("e", proxy({}, "2001:db8::1"));
  assert.deepEqual(changes(), ["+vms-2001-db8--1 healthy"]);
});

Deno.test("an authenticated workload registers only as the account of its group", () => {
  const { opened, reported, follow, changes } = bench();
  const as = (identity: string, ip: string) => ({ ...proxy({}, ip), identity });
  const id = (namespace: string, account: string) =>
    `spiffe://cluster.local/ns/${namespace}/sa/${account}`;
  follow(group());
  opened("a", as(id("shop", "vm"), "10.0.0.1"));
  assert.deepEqual(changes(), ["+vms-10.0.0.1 healthy"]);
  opened("b", as(id("shop", "other"), "10.0.0.2"));
  opened("c", as(id("other", "vm"), "10.0.0.3"));
  opened("d", as(id("shop", "x/sa/vm"), "10.0.0.4"));
  // It reports no health either, also not of a workload at the same address.
  opened("e", as(id("shop", "other"), "10.0.0.1"));
  for (const stream of ["b", "c", "d", "e"]) reported(stream, "fault");
  assert.deepEqual(changes(), []);
  // A group that comes later, or changes, is compared then.
  follow(group({ ...GROUP, template: { ...GROUP.template, serviceAccount: "next" } }));
  assert.deepEqual(changes(), ["-vms-10.0.0.1"]);
});

Deno.test("a workload without a proved identity registers only when identities are not validated", () => {
  const { identity: _, ...anonymous } = proxy();
  const { opened, closed, reported, follow, changes, pass } = bench();
  opened("a", anonymous);
  follow(group({ template: {} }));
  opened("b", anonymous);
  reported("b", undefined);
  closed("b");
  pass();
  assert.deepEqual(changes(), []);
  const lax = bench(undefined, [], false);
  lax.follow(group());
  lax.opened("a", anonymous);
  assert.deepEqual(lax.changes(), ["+vms-10.0.0.9 healthy"]);
});

Deno.test("a connected workload is not evicted by a proxy of another identity", () => {
  for (
    const [spec, validates] of [[GROUP, true], [{ template: {} }, true], [GROUP, false]] as const
  ) {
    const { opened, closed, reported, follow, changes, objects, pass } = bench(
      undefined,
      [],
      validates,
    );
    follow(group(spec));
    opened("a", proxy({ LABELS: { own: "yes" } }));
    const { identity: _, ...anonymous } = proxy({ LABELS: { forged: "yes" } });
    const other = { ...anonymous, identity: identityOf("other") };
    opened("b", other);
    opened("c", anonymous);
    for (const stream of ["b", "c"]) reported(stream, "fault");
    assert.deepEqual(changes(), ["+vms-10.0.0.9 healthy"]);
    assert.equal(objects()[0]!.meta.labels.own, "yes");
    for (const stream of ["b", "c"]) closed(stream);
    assert.deepEqual(changes(), []);
    // Its own newer connection takes over, and the older one ends.
    opened("d", proxy({ LABELS: { own: "new" } }));
    closed("a");
    assert.equal(objects()[0]!.meta.labels.own, "new");
    assert.deepEqual(changes(), ["+vms-10.0.0.9 healthy"]);
    closed("d");
    pass();
    assert.deepEqual(changes(), ["-vms-10.0.0.9"]);
  }
});

Deno.test("a proxy with the identity of a later group gets the entry, whoever came first", () => {
  for (const order of [["vm", "other"], ["other", "vm"]]) {
    const { opened, follow, changes, objects } = bench();
    for (const account of order) {
      opened(account, { ...proxy({ LABELS: { account } }), identity: identityOf(account) });
    }
    follow(group());
    assert.deepEqual(changes(), ["+vms-10.0.0.9 healthy"]);
    assert.equal(objects()[0]!.meta.labels.account, "vm");
  }
});

Deno.test("a workload whose entry would have the name of a connected one of another group is refused", () => {
  const { opened, closed, follow, changes } = bench();
  const other = object("WorkloadGroup", "vms-10.0.0.9", GROUP);
  follow({ upserts: [...group().upserts, other], deletes: [] });
  opened("a", proxy({ NETWORK: "10.0.0.1" }));
  opened("b", proxy({ AUTO_REGISTER_GROUP: "vms-10.0.0.9" }, "10.0.0.1"));
  assert.deepEqual(changes(), ["+vms-10.0.0.9-10.0.0.1 healthy"]);
  closed("a");
  opened("c", proxy({ AUTO_REGISTER_GROUP: "vms-10.0.0.9" }, "10.0.0.1"));
  assert.deepEqual(changes(), [
    "-vms-10.0.0.9-10.0.0.1",
    "+vms-10.0.0.9-10.0.0.1 healthy",
  ]);
});

Deno.test("stored workloads are registered until the grace time has passed", () => {
  const before = bench();
  before.follow(group());
  before.opened("a", proxy());
  before.reported("a", "fault");
  const stored = JSON.parse(JSON.stringify(before.stored())) as StoredWorkload[];
  assert.deepEqual(stored.map(({ group, since, healthy }) => ({ group, since, healthy })), [
    { group: "vms", since: 7, healthy: false },
  ]);
  const after = bench(undefined, stored);
  after.follow(group());
  assert.deepEqual(after.changes(), ["+vms-10.0.0.9 unhealthy"]);
  assert.equal(after.waits(), 1);
  after.opened("b", proxy());
  assert.equal(after.waits(), 0);
  assert.deepEqual(after.changes(), []);
  const gone = bench(undefined, stored);
  gone.follow(group());
  gone.pass();
  assert.deepEqual(gone.changes(), ["+vms-10.0.0.9 unhealthy", "-vms-10.0.0.9"]);
  assert.deepEqual(gone.stored(), []);
});
