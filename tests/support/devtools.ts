/**
 * A headless browser that is controlled by the DevTools protocol: one process, one tab, many pages.
 * It measures pages and collects the errors that the browser reports about them.
 *
 * @module
 */
import { eventually } from "../../scripts/harness/mod.ts";

/** Size and colors of the window. */
export interface WindowLook {
  readonly width: number;
  readonly height?: number;
  readonly dark?: boolean;
}

/** A browser with one tab. */
export interface Tab extends AsyncDisposable {
  /** Loads a page and returns what the browser reported about it: errors, refused resources. */
  open(url: string): Promise<readonly string[]>;
  look(look: WindowLook): Promise<void>;
  /** Value of an expression of the page, as JSON. */
  evaluate<T>(expression: string): Promise<T>;
  /** Runs an expression that makes the browser load another page, and waits for that page. */
  submit(expression: string): Promise<void>;
  /** Presses a key, for example `Tab`. */
  press(key: string): Promise<void>;
  /** Writes a picture of the whole page, at most `maxHeight` pixels of it. */
  picture(file: string, maxHeight?: number): Promise<void>;
}

/** Flags of the browser: no window, no own sandbox (tests run as root), no other connections. */
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--hide-scrollbars",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--remote-debugging-port=0",
] as const;

/** Longest wait for a response of the browser, in milliseconds. */
const PATIENCE = 120_000;

/** Default of the greatest height of a picture, in pixels. */
const HEIGHT = 4_000;

type Params = Readonly<Record<string, unknown>>;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: Params;
  readonly error?: { readonly message: string };
}

/** Starts a browser, for example `chromium`. */
export async function openTab(program: string): Promise<Tab> {
  const profile = await Deno.makeTempDir({ prefix: "mesh-devtools-" });
  const child = new Deno.Command(program, {
    args: [...FLAGS, `--user-data-dir=${profile}`, "about:blank"],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const end = async (): Promise<void> => {
    child.kill("SIGKILL");
    await child.status;
    await eventually("the profile to be removed", async () => {
      await Deno.remove(profile, { recursive: true });
      return true;
    });
  };
  try {
    const wire = await connect(await addressOf(profile));
    return await createTab(wire, end);
  } catch (e) {
    await end();
    throw e;
  }
}

/** Address of the only tab. The browser writes its port into the profile. */
async function addressOf(profile: string): Promise<string> {
  let address = "";
  await eventually("the browser's tab", async () => {
    const [port] = (await Deno.readTextFile(`${profile}/DevToolsActivePort`)).split("\n");
    const answer = await fetch(`http://127.0.0.1:${port}/json/list`);
    const tabs = await answer.json() as { type: string; webSocketDebuggerUrl: string }[];
    address = tabs.find(({ type }) => type === "page")?.webSocketDebuggerUrl ?? "";
    return address !== "";
  }, PATIENCE);
  return address;
}

interface Wire {
  call(method: string, params?: Params): Promise<Params>;
  on(method: string, handler: (params: Params) => void): void;
  close(): Promise<void>;
}

async function connect(address: string): Promise<Wire> {
  const socket = new WebSocket(address);
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onerror = () => reject(new Error(`cannot connect to ${address}`));
  });
  const waiting = new Map<number, (message: Message) => void>();
  const handlers = new Map<string, (params: Params) => void>();
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data as string) as Message;
    if (message.id !== undefined) waiting.get(message.id)?.(message);
    else handlers.get(message.method ?? "")?.(message.params ?? {});
  };
  let last = 0;
  return {
    call: async (method, params = {}) => {
      const id = ++last;
      const answer = within(new Promise<Message>((resolve) => waiting.set(id, resolve)), method);
      socket.send(JSON.stringify({ id, method, params }));
      const { result = {}, error } = await answer;
      waiting.delete(id);
      if (error !== undefined) throw new Error(`${method}: ${error.message}`);
      return result;
    },
    on: (method, handler) => void handlers.set(method, handler),
    close: async () => {
      const closed = new Promise<void>((resolve) => socket.onclose = () => resolve());
      socket.close();
      await closed;
    },
  };
}

async function within<T>(promise: Promise<T>, name: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${name}: no answer in ${PATIENCE} ms`)), PATIENCE);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Functions over a connected tab. */
interface Loads {
  /** Errors and refused loads that the browser reported since the last load. */
  readonly reports: () => readonly string[];
  /** Starts a load and waits until it is done. */
  readonly load: (name: string, start: () => Promise<void>) => Promise<void>;
}

async function createTab(wire: Wire, end: () => Promise<void>): Promise<Tab> {
  const { reports, load } = await followLoads(wire);
  const evaluate = async <T>(expression: string): Promise<T> => {
    const answer = await wire.call("Runtime.evaluate", { expression, returnByValue: true });
    if (answer.exceptionDetails !== undefined) throw new Error(JSON.stringify(answer));
    return (answer.result as { value: T }).value;
  };
  return {
    open: async (url) => {
      await load(url, async () => {
        const { errorText } = await wire.call("Page.navigate", { url });
        if (errorText !== undefined) throw new Error(`${url}: ${errorText}`);
      });
      return reports();
    },
    look: (look) => setLook(wire, look),
    evaluate,
    submit: (expression) => load(expression, () => evaluate(`void (() => { ${expression} })()`)),
    press: (key) => press(wire, key),
    picture: async (file, maxHeight = HEIGHT) => {
      const size = "[document.documentElement.clientWidth, document.documentElement.scrollHeight]";
      const [width, height] = await evaluate<[number, number]>(size);
      await writePicture(wire, file, { width, height: Math.min(height, maxHeight) });
    },
    [Symbol.asyncDispose]: async () => {
      await wire.close();
      await end();
    },
  };
}

async function followLoads(wire: Wire): Promise<Loads> {
  let reports: string[] = [];
  let loaded = (): void => {};
  wire.on("Page.loadEventFired", () => loaded());
  wire.on("Log.entryAdded", ({ entry }) => {
    const { level, text, url } = entry as { level: string; text: string; url?: string };
    reports.push(`${level}: ${text} ${url ?? ""}`);
  });
  wire.on("Runtime.exceptionThrown", ({ exceptionDetails }) => {
    reports.push(`exception: ${JSON.stringify(exceptionDetails)}`);
  });
  wire.on("Runtime.consoleAPICalled", ({ type, args }) => {
    reports.push(`${type}: ${JSON.stringify(args)}`);
  });
  for (const domain of ["Page", "Log", "Runtime"]) await wire.call(`${domain}.enable`);
  return {
    reports: () => reports,
    load: async (name, start) => {
      reports = [];
      const done = new Promise<void>((resolve) => loaded = resolve);
      await start();
      await within(done, name);
    },
  };
}

async function setLook(
  wire: Wire,
  { width, height = 800, dark = false }: WindowLook,
): Promise<void> {
  const size = { width, height, deviceScaleFactor: 1, mobile: false };
  await wire.call("Emulation.setDeviceMetricsOverride", size);
  const features = [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }];
  await wire.call("Emulation.setEmulatedMedia", { features });
}

/** Codes of keys as the protocol takes them. */
const KEYS: Readonly<Record<string, number>> = { Tab: 9, Enter: 13 };

async function press(wire: Wire, key: string): Promise<void> {
  const event = { key, code: key, windowsVirtualKeyCode: KEYS[key] ?? 0 };
  const text = key === "Enter" ? { text: "\r" } : {};
  await wire.call("Input.dispatchKeyEvent", { type: "keyDown", ...event, ...text });
  await wire.call("Input.dispatchKeyEvent", { type: "keyUp", ...event });
}

async function writePicture(
  wire: Wire,
  file: string,
  size: { readonly width: number; readonly height: number },
): Promise<void> {
  const { data } = await wire.call("Page.captureScreenshot", {
    captureBeyondViewport: true,
    clip: { x: 0, y: 0, ...size, scale: 1 },
  });
  await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
  await Deno.writeFile(file, Uint8Array.from(atob(data as string), (c) => c.charCodeAt(0)));
}
