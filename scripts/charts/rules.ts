/**
 * The rules of roles as named templates of the charts: what the programs say that they need.
 *
 * @module
 */
import {
  daemonRoles,
  defaultPluginRoleOptions,
  defaultRoleOptions,
  type PluginRoleOptions,
  pluginRoles,
  readerRoles,
  type RoleObject,
  type RoleOptions,
  type RoleRule,
} from "../../lib/cluster/roles/mod.ts";
import { toYaml } from "../../lib/kit/text/mod.ts";

const GROUP = "SHARING-GROUP";
const SIGNER = "SIGNER";
const HEAD = "{{- /* Written by `deno task charts`; do not edit. */}}\n";

/** The least rights: nothing that an option adds. */
const LEAST: RoleOptions = {
  ...defaultRoleOptions(),
  signers: [],
  sharingGroup: GROUP,
  untaint: false,
  autoExport: false,
  deployGateways: false,
};

/** The least options of roles, and conditions of the templates with the options that they stand for. */
interface Conditions<T> {
  readonly least: T;
  readonly conditions: Readonly<Record<string, Partial<T>>>;
}

const DAEMON: Conditions<RoleOptions> = {
  least: LEAST,
  conditions: {
    ".untaint": { untaint: true },
    ".autoExport": { autoExport: true },
    ".deployGateways": { deployGateways: true },
    ".signers": { signers: [SIGNER] },
  },
};

const PLUGIN: Conditions<PluginRoleOptions> = {
  least: {
    ...defaultPluginRoleOptions(),
    repairs: false,
    labels: false,
    deletes: false,
    ambient: false,
    isOpenShift: false,
  },
  conditions: {
    ".repairs": { repairs: true },
    ".labels": { labels: true },
    ".deletes": { deletes: true },
    ".ambient": { ambient: true },
    ".isOpenShift": { isOpenShift: true },
  },
};

/** Named templates `meshd.clusterRules` and `meshd.systemRules`. */
export function daemonRulesText(): string {
  const cluster = (options: RoleOptions) => rulesOf(daemonRoles(options), "ClusterRole");
  const system = (options: RoleOptions) => rulesOf(daemonRoles(options), "Role");
  return HEAD + groupText("meshd") + defined("meshd.clusterRules", DAEMON, cluster) +
    defined("meshd.systemRules", DAEMON, system);
}

/** Named templates `cni.clusterRules` and `cni.systemRules`. */
export function pluginRulesText(): string {
  const rulesFor = (kind: string) => (options: PluginRoleOptions) =>
    rulesOf(pluginRoles(options), kind);
  return HEAD + defined("cni.clusterRules", PLUGIN, rulesFor("ClusterRole")) +
    defined("cni.systemRules", PLUGIN, rulesFor("Role"));
}

/** The named template `base.readerRules`. */
export function readerRulesText(): string {
  return HEAD + groupText("base") +
    defined("base.readerRules", DAEMON, (options) => rulesOf(readerRoles(options), "ClusterRole"));
}

/** The API group of shared services without the variable that names another. */
function groupText(chart: string): string {
  return `{{- define "${chart}.sharingGroup" -}}\n${defaultRoleOptions().sharingGroup}\n{{- end }}\n`;
}

function rulesOf(objects: readonly RoleObject[], kind: string): readonly RoleRule[] {
  return objects.find((one) => one.kind === kind)?.rules ?? [];
}

function defined<T extends object>(
  name: string,
  { least, conditions }: Conditions<T>,
  rules: (options: T) => readonly RoleRule[],
): string {
  const everything = Object.assign({}, least, ...Object.values(conditions)) as T;
  const texts = (options: T) => rules(options).map((rule) => JSON.stringify(rule));
  const always = new Set(texts(least));
  const conditional = new Map(
    Object.entries(conditions).flatMap(([condition, options]) =>
      texts({ ...least, ...options }).filter((text) => !always.has(text))
        .map((text) => [text, condition] as const)
    ),
  );
  const parts = rules(everything).map((rule) => {
    const text = templated(toYaml([rule]));
    const condition = conditional.get(JSON.stringify(rule));
    return condition === undefined ? text : `{{- if ${condition} }}\n${text}{{- end }}\n`;
  });
  return `{{- define "${name}" -}}\n${parts.join("")}{{- end }}\n`;
}

/** The options in place of what stands for them. */
function templated(text: string): string {
  return text.replaceAll(GROUP, "{{ .sharingGroup }}")
    .replace(
      new RegExp(`resourceNames:\n\\s*- ${SIGNER}\n`),
      "resourceNames: {{ toJson .signers }}\n",
    );
}
