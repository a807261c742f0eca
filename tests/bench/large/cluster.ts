/**
 * The longest stalls of a daemon by large objects of an API server.
 *
 * @module
 */
import { parseYaml } from "../../../lib/kit/text/mod.ts";
import {
  createObject,
  deleteObject,
  mergePatch,
  type OrchClient,
  type OrchObject,
  type ResourceType,
  types,
} from "../../../lib/kit/orch/mod.ts";
import { findKind, isSupported } from "../../../lib/mesh/schema/mod.ts";
import { resourceTypeOf } from "../../../lib/mesh/sources/mod.ts";
import { applyDefinitions } from "../../../scripts/crds.ts";
import { startCluster, startDaemon } from "../../../scripts/harness/mod.ts";
import { makeAuthority } from "../../support/certificates.ts";
import { adminClient } from "../../support/cluster.ts";
import { makeService, objectOf } from "../../support/cluster_objects.ts";
import { ensureNamespace } from "../../support/service_accounts.ts";
import { BASE, OBJECTS } from "./objects.ts";
import { connect, stallOf } from "./stall.ts";

/** Something large: its objects, in two versions. */
interface Case {
  readonly what: string;
  readonly type: ResourceType;
  /** The objects of a version, 0 or 1. */
  readonly objects: (version: number) => readonly OrchObject[];
}

/** Runs the benchmark, and prints its table. */
export async function measureCluster(runs: number, only: string): Promise<void> {
  await using cluster = await startCluster();
  using client = await adminClient(cluster);
  await applyDefinitions(client);
  for (const namespace of ["mesh-system", "ns-0"]) await ensureNamespace(client, namespace);
  for (const text of BASE) {
    const object = parseYaml(text) as OrchObject;
    await createObject(client, typeOf(object), object);
  }
  const dir = await Deno.makeTempDir({ prefix: "mesh-bench-large-" });
  const all = await cases(client, dir);
  await using daemon = await startDaemon({
    configDir: "",
    args: [`--orchconfig=${cluster.files.kubeconfig}`],
  });
  const groups = await connect(daemon);
  console.log("| Stall, ms | first | written | changed |\n|---|---|---|---|");
  for (const { what, type, objects } of all.filter(({ what }) => what.includes(only))) {
    const written: number[] = [];
    const changed: number[] = [];
    const nameOf = ({ metadata: { namespace, name } }: OrchObject) => ({ namespace, name });
    for (let i = 0; i < runs; i++) {
      written.push(
        await stallOf(daemon, async () => {
          for (const one of objects(0)) await createObject(client, type, one);
        }),
      );
      changed.push(
        await stallOf(daemon, async () => {
          for (const one of objects(1)) await mergePatch(client, type, nameOf(one), one);
        }),
      );
      await stallOf(daemon, async () => {
        for (const one of objects(1)) await deleteObject(client, type, nameOf(one));
      });
    }
    const figures = [written[0]!, Math.min(...written), Math.min(...changed)];
    console.log(`| ${what} | ${figures.map((ms) => ms.toFixed(0)).join(" | ")} |`);
  }
  for (const group of groups) await group.ask("quit");
  await Deno.remove(dir, { recursive: true });
}

async function cases(client: OrchClient, dir: string): Promise<Case[]> {
  await makeService(client, "large");
  return [
    {
      what: "ten EndpointSlices with 1,000 endpoints each",
      type: types.ENDPOINT_SLICE,
      objects: slices,
    },
    await secretCase(dir),
    {
      what: "a mesh configuration with 2,000 providers and 1,000 discovery selectors",
      type: types.CONFIG_MAP,
      objects: meshConfiguration,
    },
    ...[
      "a VirtualService with 5,000 rules",
      "a ServiceEntry with 2,000 hosts",
      "an AuthorizationPolicy with a rule of 40,000 addresses",
    ].map(customResource),
  ];
}

const many = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

function slices(version: number): OrchObject[] {
  return many(10, (slice) =>
    objectOf(types.ENDPOINT_SLICE, {
      name: `large-${slice}`,
      labels: { "kubernetes.io/service-name": "large" },
    }, {
      addressType: "IPv4",
      ports: [{ name: "http", port: 8080 }],
      endpoints: many(1_000, (i) => ({
        addresses: [`10.${slice}.${i >> 8}.${i & 255}`],
        conditions: { ready: i > 0 || version === 0 },
      })),
    }));
}

/** No proxy names the secret: only reading it is measured. */
async function secretCase(dir: string): Promise<Case> {
  const authority = await makeAuthority(dir);
  const { cert, key } = await authority.issue("large", ["large.test"]);
  const [own, parent, secret] = await Promise.all(
    [cert, authority.cert, key].map((file) => Deno.readTextFile(file)),
  );
  const base64 = (text: string) => new TextEncoder().encode(text).toBase64();
  return {
    what: "a Secret with a chain of 500 and a bundle of 500 certificates",
    type: types.SECRET,
    objects: (version) => [
      objectOf(types.SECRET, { name: "large", namespace: "ns-0" }, {
        data: {
          "tls.crt": base64(own! + parent!.repeat(500)),
          "tls.key": base64(secret!),
          "ca.crt": base64(parent!.repeat(500 - version)),
        },
      }),
    ],
  };
}

function meshConfiguration(version: number): OrchObject[] {
  const mesh = {
    extensionProviders: many(2_000, (i) => ({
      name: `p${i}`,
      dataproxyExtAuthzGrpc: { service: "a.test", port: 9_000 + version },
    })),
    discoverySelectors: many(1_000, (i) => ({ matchLabels: { [`l${i}`]: "v" } }))
      .concat([{}] as never),
  };
  return [
    objectOf(types.CONFIG_MAP, { name: "mesh", namespace: "mesh-system" }, {
      data: { mesh: JSON.stringify(mesh) },
    }),
  ];
}

/** An object of the benchmark with files, in the API server. */
function customResource(what: string): Case {
  const read = (version: number) => parseYaml(OBJECTS[what]!(version)) as OrchObject;
  return {
    what: `${what}, of an API server`,
    type: typeOf(read(0)),
    objects: (version) => [read(version)],
  };
}

function typeOf({ apiVersion, kind }: OrchObject): ResourceType {
  const found = findKind(apiVersion!.split("/")[0]!, kind!);
  if (found === undefined || !isSupported(found)) throw new Error(`${kind} is no kind`);
  return resourceTypeOf(found);
}
