import assert from "node:assert/strict";
import { eventually } from "../../../scripts/harness/mod.ts";
import type { CniPod } from "../cni/mod.ts";
import { MODE } from "./enrolment.ts";
import { HostAddresses } from "./host_addresses.ts";
import { type PodProxies, REDIRECTION, type Redirection } from "./member.ts";
import { Members } from "./members.ts";

const AMBIENT = { [MODE]: "ambient" };

/** A node that writes down what is done, in order; a part of it can fail. */
class Node {
  readonly done: string[] = [];
  readonly members: Members;
  readonly annotations = new Map<string, Redirection>();
  /** Words that fail when they would be done. */
  fails: string | undefined;
  namespace: string | undefined = "/var/run/netns/a";
  /** Rules that others have changed. */
  changed: readonly string[] = [];
  readonly #stop = new AbortController();

  constructor() {
    const act = (word: string): Promise<void> => {
      if (this.fails !== undefined && word.startsWith(this.fails)) {
        return Promise.reject(new Error(`${word} fails`));
      }
      this.done.push(word);
      return Promise.resolve();
    };
    const proxies: PodProxies = {
      put: ({ netns = "unknown" }: { readonly netns?: string }) => void act(`put ${netns}`),
      drop: () => void act("drop"),
      complete: () => void act("complete"),
      served: () => act("served"),
      forgotten: () => act("forgotten"),
    };
    const host = new HostAddresses({
      replace: (pods) => act(`host ${pods.flatMap(({ addresses }) => addresses).join()}`),
      remove: () => act("host removed"),
    });
    this.members = new Members({
      proxies,
      host,
      times: { servedMs: 1, leavingMs: 1, forgottenMs: 1 },
      dnsCapture: true,
      find: () => Promise.resolve(this.namespace),
      check: () => act("check"),
      rulesOf: () => ({
        enter: () => act("enter").then(() => "applied" as const),
        leave: () => act("leave"),
        remove: () => act("remove"),
        inspect: () => Promise.resolve(this.changed),
      }),
      announce: async (pod, value) => {
        await act(`announce ${value ?? "nothing"}`);
        this.annotations.set(pod.metadata.name, value);
      },
      excludeNamespaces: new Set(),
      pauses: { first: 1, longest: 2 },
      signal: this.#stop.signal,
    });
  }

  /** Waits until something was done, and gives all since the last time. */
  async until(word: string): Promise<readonly string[]> {
    await eventually(`${word} after ${this.done.join(", ")}`, () => this.done.includes(word));
    return this.done.splice(0);
  }

  end(): void {
    this.#stop.abort();
  }
}

function pod(changes: Partial<CniPod["metadata"]> = {}, ip = "10.0.0.5"): CniPod {
  return {
    metadata: { name: "a", namespace: "shop", uid: "u1", ...changes },
    status: { phase: "Running", podIPs: ip === "" ? [] : [{ ip }] },
  };
}

async function nodeTest(run: (node: Node) => Promise<void>): Promise<void> {
  const node = new Node();
  try {
    await run(node);
  } finally {
    node.end();
    await node.members.settled();
  }
}

const ENTERED = [
  ...["put /var/run/netns/a", "check", "served", "host 10.0.0.5", "enter", "announce enabled"],
];

Deno.test("a running pod enters: listeners first, then rules, then the announcement; it leaves in the opposite order", () =>
  nodeTest(async (node) => {
    await node.members.begin();
    node.done.splice(0);
    node.members.update(pod(), AMBIENT);
    assert.deepEqual(await node.until("announce enabled"), ENTERED);
    const announced = pod({ annotations: { [REDIRECTION]: "enabled" } });
    node.members.update(announced, AMBIENT);
    node.members.update(announced, {});
    assert.deepEqual(await node.until("announce nothing"), [
      ...[
        "announce pending",
        "check",
        "leave",
        "drop",
        "forgotten",
        "remove",
        "host ",
        "announce nothing",
      ],
    ]);
  }));

Deno.test("pods of before are told to node proxies before the end of the first pods; announced ones without label leave", () =>
  nodeTest(async (node) => {
    node.members.update(pod({ annotations: { [REDIRECTION]: "enabled" } }), AMBIENT);
    node.members.update(
      pod({ name: "b", uid: "u2", annotations: { [REDIRECTION]: "enabled" } }, "10.0.0.6"),
      {},
    );
    node.members.update(pod({ name: "c", uid: "u3" }), {});
    await node.members.begin();
    const done = await node.until("announce nothing");
    assert.deepEqual(done.slice(0, 2), ["put /var/run/netns/a", "complete"]);
    assert.equal(node.annotations.get("b"), undefined);
    assert.ok(!node.annotations.has("c"));
  }));

Deno.test("a step that fails is tried again, and the pod is announced as pending meanwhile", () =>
  nodeTest(async (node) => {
    await node.members.begin();
    node.fails = "served";
    node.members.update(pod(), AMBIENT);
    await node.until("announce pending");
    node.fails = undefined;
    await node.until("announce enabled");
    assert.equal(node.annotations.get("a"), "enabled");
  }));

Deno.test("a pod without addresses waits for the network plugin, which takes it in", () =>
  nodeTest(async (node) => {
    node.namespace = undefined;
    await node.members.begin();
    node.done.splice(0);
    const starting = pod({}, "");
    node.members.update(starting, AMBIENT);
    const place = { seen: "/var/run/netns/new", addresses: ["10.0.0.7"] };
    assert.equal(await node.members.addStarting(starting, AMBIENT, place), true);
    assert.deepEqual(node.done.splice(0), [
      ...[
        "put /var/run/netns/new",
        "check",
        "served",
        "host 10.0.0.7",
        "enter",
        "announce enabled",
      ],
    ]);
    assert.equal(await node.members.addStarting(pod({ uid: "u2" }), {}, place), false);
    node.fails = "served";
    await assert.rejects(node.members.addStarting(starting, AMBIENT, place), /served fails/);
  }));

Deno.test("a pod that is gone is taken from node proxies and the node; its namespace is not looked for", () =>
  nodeTest(async (node) => {
    await node.members.begin();
    node.members.update(pod(), AMBIENT);
    await node.until("announce enabled");
    node.namespace = undefined;
    node.members.forget("u1");
    assert.deepEqual(await node.until("host "), ["drop", "host "]);
  }));

Deno.test("labels that change a hundred times end with the last state", () =>
  nodeTest(async (node) => {
    await node.members.begin();
    for (let n = 0; n < 100; n++) node.members.update(pod(), n % 2 === 0 ? AMBIENT : {});
    node.members.update(pod(), AMBIENT);
    await node.until("announce enabled");
    await node.members.settled();
    assert.equal(node.annotations.get("a"), "enabled");
    for (let n = 0; n < 100; n++) node.members.update(pod(), n % 2 === 0 ? AMBIENT : {});
    node.members.update(pod({ annotations: { [REDIRECTION]: "enabled" } }), {});
    await node.until("announce nothing");
    await node.members.settled();
    assert.equal(node.annotations.get("a"), undefined);
  }));

Deno.test("the end of the mesh on the node takes the rules of all pods away", () =>
  nodeTest(async (node) => {
    await node.members.begin();
    node.members.update(pod(), AMBIENT);
    await node.until("announce enabled");
    await node.members.abandon();
    assert.deepEqual(node.done, ["announce nothing", "remove", "drop", "host removed"]);
  }));

Deno.test("rules that others have changed are written again; others are left alone", () =>
  nodeTest(async (node) => {
    await node.members.begin();
    node.members.update(pod(), AMBIENT);
    await node.until("announce enabled");
    await node.members.repair();
    assert.deepEqual(node.done.splice(0), ["check"]);
    node.changed = ["nat MESH_OUTPUT"];
    await node.members.repair();
    assert.deepEqual(node.done.splice(0), ["check", "enter"]);
    node.changed = [];
    await node.members.repair();
    assert.deepEqual(node.done.splice(0), ["check"]);
  }));

Deno.test("a pod whose network namespace was replaced enters again by the next look at its rules", () =>
  nodeTest(async (node) => {
    await node.members.begin();
    node.members.update(pod(), AMBIENT);
    await node.until("announce enabled");
    node.namespace = "/var/run/netns/b";
    node.fails = "check";
    await node.members.repair();
    node.fails = undefined;
    const done = await node.until("enter");
    assert.ok(done.includes("put /var/run/netns/b"), done.join(", "));
  }));

Deno.test("pods that enter, leave or have ended are not looked at", () =>
  nodeTest(async (node) => {
    await node.members.begin();
    node.namespace = undefined;
    node.members.update(pod(), AMBIENT);
    node.members.update({ ...pod({ uid: "u2" }), status: { phase: "Failed" } }, AMBIENT);
    node.changed = ["nat MESH_OUTPUT"];
    await node.members.repair();
    assert.ok(!node.done.includes("enter"), node.done.join(", "));
  }));
