/**
 * A headless browser: the content of a loaded page, and screenshots. Each page is loaded by a new
 * process with a fresh profile, in about half a second.
 *
 * @module
 */
import { eventually } from "../../scripts/harness/mod.ts";
import { isInstalled } from "./installed.ts";

/** A browser of this machine. */
export interface Browser {
  /** Writes what a page looks like into a PNG file, whose folder is made when it is not there. */
  screenshot(url: string, file: string, look?: Look): Promise<void>;
  /** A page's elements as HTML, after its scripts have run. */
  dom(url: string, look?: Look): Promise<string>;
}

/** Options of showing a page. */
export interface Look {
  /** True if the page is shown in dark mode. */
  readonly dark?: boolean;
  /** Size of the window, in pixels; what of the page lies beyond is not in the picture. */
  readonly width?: number;
  readonly height?: number;
  /**
   * Time (ms, of the page's own clock, which runs ahead) for the page's scripts; unset: until it is
   * loaded.
   */
  readonly settle?: number;
}

/** Names under which the browser is installed, the first that runs is taken. */
const NAMES = ["chromium", "chromium-browser", "google-chrome"] as const;

/** No window, no sandbox of its own (tests run as root), and no talk with anyone but the page. */
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-dev-shm-usage",
  "--hide-scrollbars",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
] as const;

/** A look that takes longer (ms) hangs, and is ended. */
const PATIENCE = 60_000;

/** Folder of the tests' pictures for review; not under version control. */
export const PICTURES: string = new URL("../../.cache/pictures", import.meta.url).pathname;

const FOUND = NAMES.find((name) => isInstalled(name));

/** The browser of this machine; `undefined` where there is none. */
export function openBrowser(): Browser | undefined {
  if (FOUND === undefined) return undefined;
  return {
    dom: async (url, look = {}) =>
      new TextDecoder().decode(await run(FOUND, ["--dump-dom"], url, look)),
    screenshot: async (url, file, look = {}) => {
      await Deno.mkdir(file.slice(0, file.lastIndexOf("/")) || "/", { recursive: true });
      await Deno.remove(file).catch(() => {});
      await run(FOUND, [`--screenshot=${file}`], url, look);
      await expectPng(file);
    },
  };
}

/**
 * Makes a test that looks at pages one that is skipped, with its reason, where there is no
 * browser.
 */
export function withBrowser(
  name: string,
  fn: (browser: Browser, t: Deno.TestContext) => Promise<void>,
): Deno.TestDefinition {
  const browser = openBrowser();
  return {
    name: browser === undefined ? `${name} [needs chromium]` : name,
    ignore: browser === undefined,
    fn: (t) => fn(browser!, t),
  };
}

async function run(
  program: string,
  args: readonly string[],
  url: string,
  { dark = false, width = 1200, height = 900, settle }: Look,
): Promise<Uint8Array> {
  const profile = await Deno.makeTempDir({ prefix: "mesh-browser-" });
  // The engine's color schemes: 0 is dark, 1 is light.
  const scheme = `--blink-settings=preferredColorScheme=${dark ? 0 : 1}`;
  const child = new Deno.Command(program, {
    args: [
      ...FLAGS,
      scheme,
      `--user-data-dir=${profile}`,
      `--window-size=${width},${height}`,
      ...settle === undefined ? [] : [`--virtual-time-budget=${settle}`],
      ...args,
      url,
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
  try {
    const { success, stdout, stderr } = await child.output();
    if (!success) throw new Error(`${program} ${url}: ${new TextDecoder().decode(stderr)}`);
    return stdout;
  } finally {
    clearTimeout(timer);
    await removeProfile(profile);
  }
}

/** The browser's helpers may write for a moment after it has ended. */
async function removeProfile(profile: string): Promise<void> {
  await eventually("the browser's profile to go", async () => {
    await Deno.remove(profile, { recursive: true });
    return true;
  });
}

async function expectPng(file: string): Promise<void> {
  const head = (await Deno.readFile(file)).subarray(1, 4);
  if (new TextDecoder().decode(head) !== "PNG") throw new Error(`${file} is no picture`);
}
