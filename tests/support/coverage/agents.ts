/**
 * The effect of a field of the mesh configuration on an agent: its files and command lines.
 *
 * @module
 */
import { messageOf } from "../../../lib/kit/base/mod.ts";
import { loadSettings, planAgent } from "../../../lib/node/agent/mod.ts";
import { toYaml } from "../../../lib/kit/text/mod.ts";

/** An agent without certificates needs this setting, otherwise it does not start. */
const PLAIN = { controlPlaneAuthPolicy: "NONE", discoveryAddress: "127.0.0.1:15010" };

const FLAGS = {
  role: "sidecar",
  concurrency: undefined,
  domain: "",
  outlierLogPath: "",
  proxyLogLevel: "warning",
  proxyComponentLogLevel: "",
  logAsJson: false,
  meshConfigGiven: true,
  serviceCluster: undefined,
  templateFile: "",
} as const;

/** A workload whose names in traces differ. */
const VARIABLES = {
  MESH_METAJSON_LABELS: JSON.stringify({
    "app": "shop",
    "service.mesh.io/canonical-name": "till",
  }),
};

/**
 * Reports if an agent writes, runs or says something else under one mesh configuration than under
 * another.
 */
export async function agentDistinguishes(one: unknown, other: unknown): Promise<boolean> {
  return await planText(one) !== await planText(other);
}

/** The node repeats the whole configuration to the daemon, which is no use made of it. */
function withoutEcho(key: string, value: unknown): unknown {
  return key === "PROXY_CONFIG" ? undefined : value;
}

/** All that an agent would do, or why it would not start, as a text. */
async function planText(mesh: unknown): Promise<string> {
  const file = await Deno.makeTempFile({ prefix: "mesh-coverage-" });
  const { defaultConfig } = mesh as { defaultConfig?: object };
  try {
    await Deno.writeTextFile(file, toYaml({ defaultConfig: { ...PLAIN, ...defaultConfig } }));
    const { settings } = await loadSettings({ ...FLAGS, meshConfig: file }, VARIABLES);
    const { ineffective, ...plan } = planAgent(settings);
    const bootstrap = JSON.parse(plan.bootstrap) as { readonly node: unknown };
    return JSON.stringify([{ ...plan, bootstrap }, [...ineffective]], withoutEcho);
  } catch (error) {
    return messageOf(error).replaceAll(file, "");
  } finally {
    await Deno.remove(file);
  }
}
