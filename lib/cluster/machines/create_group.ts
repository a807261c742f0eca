import { MeshError, printable } from "../../kit/base/mod.ts";
import { type Invocation, usageError } from "../../kit/cli/mod.ts";
import { toYaml } from "../../kit/text/mod.ts";
import { checkedGroup, GROUP } from "./group.ts";

/** Prints the WorkloadGroup that the flags describe. */
export function createGroup({ command, flags, io }: Invocation): number {
  const [name, namespace] = [flags.string("name"), flags.string("namespace")];
  const example = `For example: ${command} --name tills --namespace shop --labels app=till.`;
  if (name === "") throw new MeshError("no-name", "expecting a workload name", { remedy: example });
  if (namespace === "") {
    throw new MeshError("no-namespace", "expecting a workload namespace", { remedy: example });
  }
  const ports = Object.fromEntries(
    Object.entries(pairs(flags.list("ports"), "ports")).map((
      [port, text],
    ) => [port, portNumber(port, text)]),
  );
  const group = {
    apiVersion: `${GROUP.group}/${GROUP.version}`,
    kind: GROUP.kind,
    metadata: { name, namespace },
    spec: {
      metadata: {
        ...filled("annotations", pairs(flags.list("annotations"), "annotations")),
        ...filled("labels", pairs(flags.list("labels"), "labels")),
      },
      template: { ...filled("ports", ports), serviceAccount: flags.string("serviceAccount") },
    },
  };
  const { warnings } = checkedGroup(group, "the flags");
  for (const text of warnings) io.err(printable(`Warning: ${text}`) + "\n");
  io.out(toYaml(group));
  return 0;
}

/** A field, unless its map is empty. */
function filled(name: string, map: Readonly<Record<string, unknown>>) {
  return Object.keys(map).length === 0 ? {} : { [name]: map };
}

function pairs(list: readonly string[], flag: string): Record<string, string> {
  return Object.fromEntries(list.map((one) => {
    const at = one.indexOf("=");
    if (at > 0) return [one.slice(0, at).trim(), one.slice(at + 1).trim()];
    const form = flag === "ports" ? "http=8080" : "app=till";
    throw usageError(
      `--${flag}: ${JSON.stringify(one)} has no name and value`,
      `Write NAME=VALUE,…, such as --${flag} ${form}.`,
    );
  }));
}

function portNumber(name: string, text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65535) return port;
  throw usageError(
    `--ports: the port ${JSON.stringify(text)} of ${JSON.stringify(name)} is no number`,
    "Write a number from 1 to 65535, such as --ports http=8080.",
  );
}
