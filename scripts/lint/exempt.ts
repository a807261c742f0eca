/**
 * Files that do not comply with the rules of `shape.ts` yet. The list only becomes
 * shorter: a test fails for a listed file that complies.
 *
 * @module
 */

/** Rules with exemptions. */
export type ShapeRule = "keys" | "parameters" | "state";

/** Rule → files, relative to the project's root. */
export const EXEMPT: Readonly<Record<ShapeRule, readonly string[]>> = {
  keys: [],
  parameters: [
    "lib/agent/pod.ts",
    "lib/agent/static_resources.ts",
    "lib/cli/listening.ts",
    "lib/env/known/rows.ts",
    "lib/history/history_test.ts",
    "lib/log/scope.ts",
    "lib/serve/quarantine/quarantine_test.ts",
    "lib/serve/subscription/reconnect_test.ts",
    "lib/serve/wire/codec_test.ts",
    "lib/simulate/action.ts",
    "lib/text/yaml_fault.ts",
    "lib/whatif/rehearse.ts",
    "scripts/demo.ts",
    "tests/e2e/gateway_test.ts",
    "tests/e2e/patches_test.ts",
    "tests/e2e/tls/gateway_cases.ts",
    "tests/support/discovery.ts",
    "tests/support/manifest.ts",
    "tests/support/patch_cases.ts",
  ],
  state: [],
};

/** Groups of files that import each other, each sorted and joined by spaces. */
export const EXEMPT_CYCLES: readonly string[] = [];
