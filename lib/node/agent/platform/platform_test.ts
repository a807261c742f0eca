import assert from "node:assert/strict";
import { readPlatform } from "./platform.ts";

type Answers = Readonly<Record<string, string>>;

/** Starts a metadata server that answers only requests in the form of its platform. */
function startServer(answer: (request: Request, path: string) => Response | undefined) {
  const asked: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    const { pathname, search } = new URL(request.url);
    asked.push(`${request.method} ${pathname}`);
    return answer(request, pathname + search) ?? new Response("no such value", { status: 404 });
  });
  return {
    base: `http://127.0.0.1:${server.addr.port}`,
    asked,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const AWS_DOCUMENT = {
  region: "eu-west-1",
  availabilityZone: "eu-west-1b",
  accountId: "123456789012",
  instanceId: "i-0abc",
  version: "2017-09-30",
};

const awsServer = () =>
  startServer((request, path) => {
    if (path === "/latest/api/token") {
      const asked = request.headers.get("x-aws-ec2-metadata-token-ttl-seconds");
      return request.method === "PUT" && asked ? new Response("session") : undefined;
    }
    if (path !== "/latest/dynamic/instance-identity/document") return undefined;
    return request.headers.get("x-aws-ec2-metadata-token") === "session"
      ? Response.json(AWS_DOCUMENT)
      : new Response(null, { status: 401 });
  });

const azureServer = () =>
  startServer((request, path) => {
    if (!path.startsWith("/metadata/instance?api-version=")) return undefined;
    if (request.headers.get("metadata") !== "true") return new Response(null, { status: 400 });
    return Response.json({
      compute: {
        location: "westeurope",
        zone: "2",
        platformFaultDomain: "1",
        name: "vm-1",
        vmId: "5c08",
        resourceGroupName: "shops",
        subscriptionId: "8d10",
        tagsList: [{ name: "team", value: "tills" }, { name: "", value: "x" }, 7],
      },
    });
  });

const GCP_VALUES: Answers = {
  "project/project-id": "shops",
  "project/numeric-project-id": "4711",
  "instance/zone": "projects/4711/zones/europe-west1-b",
  "instance/name": "vm-1",
  "instance/id": "815",
};

const gcpServer = () =>
  startServer((request, path) => {
    if (request.headers.get("metadata-flavor") !== "Google") {
      return new Response(null, { status: 403 });
    }
    const value = GCP_VALUES[path.replace("/computeMetadata/v1/", "")];
    return value === undefined ? undefined : new Response(value);
  });

const CASES = [
  {
    name: "aws",
    start: awsServer,
    metadata: {
      aws_region: "eu-west-1",
      aws_availability_zone: "eu-west-1b",
      aws_account_id: "123456789012",
      aws_instance_id: "i-0abc",
    },
    locality: { region: "eu-west-1", zone: "eu-west-1b", subzone: "" },
  },
  {
    name: "azure",
    start: azureServer,
    metadata: {
      azure_name: "vm-1",
      azure_location: "westeurope",
      azure_zone: "2",
      azure_resource_group: "shops",
      azure_subscription_id: "8d10",
      azure_vm_id: "5c08",
      azure_tag_team: "tills",
    },
    locality: { region: "westeurope", zone: "2", subzone: "1" },
  },
  {
    name: "gcp",
    start: gcpServer,
    metadata: {
      gcp_project: "shops",
      gcp_project_number: "4711",
      gcp_location: "europe-west1-b",
      gcp_gce_instance: "vm-1",
      gcp_gce_instance_id: "815",
    },
    locality: { region: "europe-west1", zone: "europe-west1-b", subzone: "" },
  },
] as const;

/** Enough for a loaded machine. */
const patienceMs = 60_000;

for (const { name, start, metadata, locality } of CASES) {
  for (const chosen of [name, undefined]) {
    const how = chosen ? `CLOUD_PLATFORM=${name}` : "detected";
    Deno.test(`metadata and locality of ${name}, ${how}`, async () => {
      await using server = start();
      const options = { name: chosen, declared: undefined, base: server.base, patienceMs };
      assert.deepEqual(await readPlatform(options), { metadata, locality });
    });
  }
}

Deno.test("CLOUD_PLATFORM=none asks no server, and a complete CLOUDPLAT_METADATA neither", async () => {
  await using server = gcpServer();
  const { base, asked } = server;
  assert.equal(await readPlatform({ name: "none", declared: undefined, base }), undefined);
  const declared = "shops|4711|cluster-1|europe-west1-c";
  assert.deepEqual(await readPlatform({ name: undefined, declared, base }), {
    metadata: {
      gcp_project: "shops",
      gcp_project_number: "4711",
      gcp_gke_cluster_name: "cluster-1",
      gcp_location: "europe-west1-c",
    },
    locality: { region: "europe-west1", zone: "europe-west1-c", subzone: "" },
  });
  assert.deepEqual(asked, []);
  const part = await readPlatform({ name: "gcp", declared: "other||cluster-2", base, patienceMs });
  assert.equal(part?.metadata.gcp_project, "other");
  assert.equal(part?.metadata.gcp_gke_cluster_name, "cluster-2");
  assert.equal(part?.metadata.gcp_project_number, "4711");
});

Deno.test("a machine outside the platforms has no metadata, whatever answers at the address", async () => {
  const answers: readonly (() => Response)[] = [
    () => new Response("<html>", { status: 200 }),
    () => new Response("null"),
    () => Response.redirect("http://127.0.0.1:1/"),
    () => new Response("x".repeat(1_000_000)),
    () => new Response(null, { status: 500 }),
    () => Response.json({ compute: "none" }),
  ];
  for (const answer of answers) {
    await using server = startServer(answer);
    for (const name of ["aws", "azure"]) {
      const options = { name, declared: undefined, base: server.base, patienceMs };
      const facts = await readPlatform(options);
      assert.equal(facts, undefined, name);
    }
  }
  const gone = { name: undefined, declared: undefined, base: "http://127.0.0.1:1", patienceMs };
  assert.equal(await readPlatform(gone), undefined);
});

Deno.test("a server that does not answer delays the start only for the given time", async () => {
  await using silent = Deno.listen({ port: 0, hostname: "127.0.0.1" }) as Deno.TcpListener & {
    [Symbol.asyncDispose](): Promise<void>;
  };
  const base = `http://127.0.0.1:${silent.addr.port}`;
  for (const name of [undefined, "gcp"]) {
    assert.equal(
      await readPlatform({ name, declared: undefined, base, patienceMs: 50 }),
      undefined,
    );
  }
});

Deno.test("without a connection the detection does not wait for an answer", async () => {
  await using silent = Deno.listen({ port: 0, hostname: "127.0.0.1" }) as Deno.TcpListener & {
    [Symbol.asyncDispose](): Promise<void>;
  };
  const base = `http://127.0.0.1:${silent.addr.port}`;
  const asked: string[] = [];
  /** A network that drops what is sent: the connection is neither made nor refused. */
  const connect = ({ hostname, port, signal }: Deno.ConnectOptions): Promise<Disposable> => {
    asked.push(`${hostname}:${port}`);
    return new Promise((_, reject) => signal!.addEventListener("abort", reject, { once: true }));
  };
  // The longest time of a timer: without the connection's own time the test would not end.
  const patienceMs = 2 ** 31 - 1;
  const options = { name: undefined, declared: undefined, base, patienceMs, connect };
  assert.equal(await readPlatform(options), undefined);
  assert.deepEqual(asked, [base.slice("http://".length)]);
});
