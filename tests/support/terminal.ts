/**
 * A pseudo-terminal: types keys and reads the screen. A Python script provides it.
 *
 * @module
 */

/** A program in a terminal. */
export interface Terminal extends AsyncDisposable {
  /** Process that has the command as its child. */
  readonly pid: number;
  /** Presses keys: `"\t"` is the tabulator, `"\r"` enter, `"\x03"` control and C. */
  type(keys: string): Promise<void>;
  /** All that was shown since the last call of `shows` returned, without the sequences that move the cursor. */
  screen(): string;
  /**
   * Waits until what was shown since the last such call matches, and returns it. The next call
   * starts behind it.
   */
  shows(what: RegExp, deadlineMs?: number): Promise<string>;
}

const SCRIPT = new URL("terminal.py", import.meta.url).pathname;
const ROWS = 50;
const COLUMNS = 160;

/** Starts a command in a terminal. */
export function openTerminal(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): Terminal {
  const child = new Deno.Command("python3", {
    args: [SCRIPT, String(ROWS), String(COLUMNS), ...command],
    env: { TERM: "xterm", ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const keyboard = child.stdin.getWriter();
  let shown = "";
  let more = Promise.withResolvers<void>();
  const reading = (async () => {
    const text = new TextDecoder();
    for await (const bytes of child.stdout) {
      shown += text.decode(bytes, { stream: true });
      more.resolve();
      more = Promise.withResolvers();
    }
    more.resolve();
  })();
  return {
    pid: child.pid,
    type: (keys) => keyboard.write(new TextEncoder().encode(keys)),
    screen: () => plain(shown),
    shows: async (what, deadlineMs = 40_000) => {
      const end = performance.now() + deadlineMs;
      while (!what.test(plain(shown))) {
        const left = end - performance.now();
        if (left <= 0) throw new Error(`the screen does not show ${what}:\n${plain(shown)}`);
        await within(more.promise, left);
      }
      const taken = plain(shown);
      shown = "";
      return taken;
    },
    [Symbol.asyncDispose]: async () => {
      await keyboard.close().catch(() => {});
      await reading;
      await child.status;
    },
  };
}

async function within(event: Promise<void>, ms: number): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  await Promise.race([event, over.promise]);
  clearTimeout(timer);
}

/**
 * Escape sequences that move the cursor, set colors, ring the bell or set a title; and the codes of
 * these keys.
 */
const SEQUENCES = new RegExp(
  [
    "\\x1b\\][^\\x07\\x1b]*(\\x07|\\x1b\\\\)",
    "\\x1b\\[[0-9;?>=]*[ -/]*[@-~]",
    "\\x1b[()][A-Z0-9]",
    "\\x1b[=>78]",
    "[\\x07\\x08\\r\\x0e\\x0f]",
  ].join("|"),
  "g",
);

/** The text of a terminal's bytes. */
function plain(shown: string): string {
  return shown.replaceAll(SEQUENCES, "");
}
