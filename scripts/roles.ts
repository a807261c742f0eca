/**
 * `deno task roles`: prints the service account of a daemon with its roles, for `kubectl apply -f
 * -`. With `--reader` it prints those of an account that reads a remote cluster.
 *
 * @module
 */
import { parseArgs } from "node:util";
import {
  daemonRoles,
  defaultRoleOptions,
  READER_ACCOUNT,
  readerRoles,
  type RoleObject,
} from "../lib/cluster/roles/mod.ts";
import { SYSTEM_NAMESPACE } from "../cmd/pilot-discovery/variables.ts";
import { toYaml } from "../lib/kit/text/mod.ts";

/** Objects as documents of one file. */
export function rolesText(objects: readonly RoleObject[]): string {
  return objects.map((one) => `---\n${toYaml(one)}`).join("");
}

function main(): void {
  const defaults = defaultRoleOptions(SYSTEM_NAMESPACE.get());
  const { values } = parseArgs({
    options: {
      namespace: { type: "string", default: defaults.namespace },
      account: { type: "string" },
      signer: { type: "string", multiple: true, default: [] },
      "sharing-group": { type: "string", default: defaults.sharingGroup },
      untaint: { type: "boolean", default: defaults.untaint },
      "auto-export": { type: "boolean", default: defaults.autoExport },
      "deploy-gateways": { type: "boolean", default: defaults.deployGateways },
      reader: { type: "boolean", default: false },
    },
  });
  const { namespace, signer: signers, "sharing-group": sharingGroup, untaint, reader } = values;
  const account = values.account ?? (reader ? READER_ACCOUNT : defaults.account);
  const autoExport = values["auto-export"];
  const deployGateways = values["deploy-gateways"];
  const options = {
    ...{ namespace, account, signers, sharingGroup },
    ...{ untaint, autoExport, deployGateways },
  };
  console.log(rolesText((reader ? readerRoles : daemonRoles)(options)).trimEnd());
}

if (import.meta.main) {
  try {
    main();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(`roles: ${error.message}`);
    Deno.exit(1);
  }
}
