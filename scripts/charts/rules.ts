/**
 * The rules of roles as named templates of the charts: what the daemon says that it needs.
 *
 * @module
 */
import {
  daemonRoles,
  defaultRoleOptions,
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
};

/** Conditions of the templates, with the options that they stand for. */
const CONDITIONS: Readonly<Record<string, Partial<RoleOptions>>> = {
  ".untaint": { untaint: true },
  ".autoExport": { autoExport: true },
  ".signers": { signers: [SIGNER] },
};

/** Named templates `meshd.clusterRules` and `meshd.systemRules`. */
export function daemonRulesText(): string {
  const cluster = (options: RoleOptions) => rulesOf(daemonRoles(options), "ClusterRole");
  const system = (options: RoleOptions) => rulesOf(daemonRoles(options), "Role");
  return HEAD + groupText("meshd") + defined("meshd.clusterRules", cluster) +
    defined("meshd.systemRules", system);
}

/** The named template `base.readerRules`. */
export function readerRulesText(): string {
  return HEAD + groupText("base") +
    defined("base.readerRules", (options) => rulesOf(readerRoles(options), "ClusterRole"));
}

/** The API group of shared services without the variable that names another. */
function groupText(chart: string): string {
  return `{{- define "${chart}.sharingGroup" -}}\n${defaultRoleOptions().sharingGroup}\n{{- end }}\n`;
}

function rulesOf(objects: readonly RoleObject[], kind: string): readonly RoleRule[] {
  return objects.find((one) => one.kind === kind)?.rules ?? [];
}

function defined(name: string, rules: (options: RoleOptions) => readonly RoleRule[]): string {
  const everything = Object.assign({}, LEAST, ...Object.values(CONDITIONS)) as RoleOptions;
  const texts = (options: RoleOptions) => rules(options).map((rule) => JSON.stringify(rule));
  const always = new Set(texts(LEAST));
  const conditional = new Map(
    Object.entries(CONDITIONS).flatMap(([condition, options]) =>
      texts({ ...LEAST, ...options }).filter((text) => !always.has(text))
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
