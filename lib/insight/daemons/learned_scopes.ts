/**
 * `meshctl experimental learned-scopes`: the learned scopes of all daemons.
 *
 * @module
 */
import { type Invocation, tableText } from "../../kit/cli/mod.ts";
import { toYaml } from "../../kit/text/mod.ts";
import { askJson, fromEach, openDaemons } from "../daemon_client/mod.ts";
import { mergedScopes, type Scope, sidecarOf } from "../learned_scopes/mod.ts";

/** Prints the scopes: as a table, as JSON, or as Sidecar resources. */
export async function learnedScopes(call: Invocation): Promise<number> {
  const { flags, io } = call;
  await using daemons = await openDaemons(call);
  const found = await fromEach(
    call,
    daemons,
    (daemon) => askJson<readonly Scope[]>(call, daemon, "on_demand"),
  );
  const namespace = flags.string("namespace");
  const scopes = mergedScopes(found.map(({ answer }) => answer))
    .filter((one) => namespace === "" || one.namespace === namespace);
  const output = flags.string("output");
  if (output === "json") {
    io.out(`${JSON.stringify(scopes, null, 2)}\n`);
  } else if (scopes.length === 0) {
    io.err(`${nothing(namespace)}\n`);
  } else if (output === "sidecar") {
    io.out(scopes.map((one, i) => toYaml(sidecarOf(one, i))).join("---\n"));
  } else {
    io.out(tableText(COLUMNS, scopes.flatMap(rowsOf)));
  }
  return 0;
}

const COLUMNS = ["NAMESPACE", "ACCOUNT", "LABELS", "KIND", "NAME", "HOST", "PROXIES", "ASKED"];

function rowsOf({ namespace, serviceAccount, labels, names }: Scope): string[][] {
  const selector = Object.entries(labels).map(([key, value]) => `${key}=${value}`).join(",");
  return names.map(({ kind, name, host, askers, holders, askedAt }) => [
    ...[namespace, serviceAccount || "-", selector || "-", kind, name, host || "-"],
    ...[`${askers}/${holders}`, askedAt],
  ]);
}

function nothing(namespace: string): string {
  const where = namespace === "" ? "" : ` in the namespace ${namespace}`;
  return `No proxy${where} asked for hosts on demand. PILOT_ENABLE_ON_DEMAND=true of the daemon, or ` +
    "the label or annotation mesh.io/on-demand, switches it on for sidecars of Envoy.";
}
