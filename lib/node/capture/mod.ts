/**
 * Capturing the traffic of a workload with iptables: settings, the packet filter rules as data
 * (`plan.ts`), rules as text, programs that apply, compare and remove them.
 *
 * @module
 */
export {
  type Applied,
  applyCapture,
  type ApplyOptions,
  cleanCapture,
  cleaningPlan,
  inspectCapture,
} from "./apply.ts";
export { type CommandSwitches, environmentDump, settingsDump } from "./dump.ts";
export { type HostSources, readHost } from "./host.ts";
export {
  type CaptureHost,
  type CaptureInput,
  CaptureSettingError,
  DEFAULT_PROXY_ID,
  parseCapture,
} from "./parse.ts";
export { capturePage } from "./page.ts";
export { planCapture } from "./plan.ts";
export { restoreText, savedText } from "./render.ts";
export type {
  CapturePlan,
  Chain,
  Family,
  FamilyPlan,
  MarkRouting,
  Match,
  Rule,
  Table,
  Target,
} from "./rule.ts";
export { type DryRunner, dryRunner, hostRunner, output, type Runner } from "./runner.ts";
export { parseSaved } from "./saved.ts";
export { type CaptureMode, type CaptureSettings, DNS_PROXY_PORT } from "./settings.ts";
export { validateCapture, VALIDATION_STATUS, type ValidationOptions } from "./validate.ts";
export { CAPTURE_FLAG_VARIABLES, CAPTURE_VARIABLES } from "./variables.ts";
export { chooseVariant, programsOf, usableVariants, type Variant } from "./variant.ts";
export { type Packet, type Verdict, type Walk, walk } from "./walk.ts";
