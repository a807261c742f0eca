/**
 * `pilot-agent mesh-iptables` and `pilot-agent mesh-clean-iptables`.
 *
 * @module
 */
import { MeshError } from "../../lib/kit/base/mod.ts";
import {
  applyCapture,
  CAPTURE_VARIABLES,
  type CaptureHost,
  type CaptureSettings,
  chooseVariant,
  cleanCapture,
  cleaningPlan,
  dryRunner,
  environmentDump,
  hostRunner,
  parseCapture,
  planCapture,
  programsOf,
  readHost,
  type Runner,
  savedText,
  settingsDump,
  usableVariants,
  validateCapture,
  VALIDATION_STATUS,
} from "../../lib/node/capture/mod.ts";
import type { Io } from "../../lib/kit/cli/mod.ts";
import { scope } from "../../lib/kit/log/mod.ts";
import type { CaptureOptions } from "./capture_options.ts";

const log = scope("iptables");

/** Folder that `ip netns` keeps named namespaces in. */
const NAMED_NAMESPACES = "/var/run/netns";

/**
 * Applies, removes or tries the rules.
 *
 * @returns the exit status: 0, or 126 for a failed validation
 */
export async function capture(options: CaptureOptions, io: Io): Promise<number> {
  const namespace = namespacePath(options.networkNamespace);
  const real = hostRunner(namespace);
  const host = await readHost({
    proxyUser: CAPTURE_VARIABLES.proxyUser.get(),
    ...namespace !== undefined && !options.dryRun && { namespace: real },
    withoutNameservers: options.cniMode,
  });
  const settings = parseCapture(options.input, host);
  report(options, settings, io);
  if (options.skipRuleApply) log.info("no rules are applied, as --skip-rule-apply asks");
  else if (options.dryRun) await dryRun(options, settings, io);
  else if (options.cleanupOnly) await clean(real, settings, host);
  else {
    const applied = await applyCapture(planCapture(settings), {
      runner: real,
      variant: await chooseVariant(real),
      reconcile: options.reconcile,
      force: options.forceApply,
      former: cleaningPlan(settings, host.nameservers),
    });
    log.info("the rules are in place", { applied });
  }
  if (!options.runValidation || options.dryRun) return 0;
  return await validate(options, settings, io);
}

/** `NAME` of `ip netns`, or a path. */
function namespacePath(text: string): string | undefined {
  if (text === "") return undefined;
  const path = text.includes("/") ? text : `${NAMED_NAMESPACES}/${text}`;
  if (/^\/[\x21-\x7e]+$/.test(path)) return path;
  throw new MeshError(
    "capture-setting",
    `invalid value ${JSON.stringify(text)} of --network-namespace`,
    {
      remedy: "It takes an absolute path such as /proc/1/ns/net, or a name of `ip netns`.",
    },
  );
}

function report(options: CaptureOptions, settings: CaptureSettings, io: Io): void {
  const dump = environmentDump(options.input) + settingsDump(settings, options);
  if (options.dryRun) io.out(dump);
  else log.debug("settings of traffic capture", { settings: dump });
  const { dns } = settings;
  if (dns !== undefined && !dns.all && dns.servers.length === 0) {
    log.warn("resolv.conf names no nameserver, so no DNS queries are captured");
  }
  if (options.input.allDns && !options.input.dns && !options.cniMode) {
    log.warn("this flag has no effect", {
      flag: "--capture-all-dns",
      reason: "it needs --redirect-dns",
    });
  }
}

/** As on a host without rules; cleaning, as on a host with the rules of the plan. */
async function dryRun(options: CaptureOptions, settings: CaptureSettings, io: Io): Promise<void> {
  const plan = planCapture(settings);
  const variant = "plain";
  const saved = new Map(
    plan.families.map((family) => [programsOf(variant, family.family).save, savedText(family)]),
  );
  const runner = dryRunner(([program = ""]) => options.cleanupOnly ? saved.get(program) ?? "" : "");
  if (options.cleanupOnly) await cleanCapture(plan, { runner, variant });
  else {
    const { reconcile, forceApply: force } = options;
    await applyCapture(plan, { runner, variant, reconcile, force });
  }
  const text = runner.calls.join("");
  io.out(text);
  const file = CAPTURE_VARIABLES.dryRunFile.get();
  if (file) await Deno.writeTextFile(file, text, { append: true });
}

async function clean(runner: Runner, settings: CaptureSettings, host: CaptureHost): Promise<void> {
  const plan = cleaningPlan(settings, host.nameservers);
  let removed = false;
  for (const variant of await usableVariants(runner)) {
    removed = await cleanCapture(plan, { runner, variant }) || removed;
  }
  log.info(removed ? "the rules were removed" : "there are no rules to remove");
}

async function validate(
  options: CaptureOptions,
  settings: CaptureSettings,
  io: Io,
): Promise<number> {
  try {
    await validateCapture({
      settings,
      probePort: options.probePort,
      timeout: options.probeTimeout,
      uid: String(Deno.uid()),
      gid: String(Deno.gid()),
      addresses: Deno.networkInterfaces().map(({ address }) => address)
        .filter((address) => !/^(127\.|::1$|::6$|fe80)/.test(address)),
    });
    return 0;
  } catch (error) {
    if (!(error instanceof MeshError) || error.code !== "capture-validation") throw error;
    io.err(`Error: ${error.message}\n${error.remedy ?? ""}\n`);
    return VALIDATION_STATUS;
  }
}
