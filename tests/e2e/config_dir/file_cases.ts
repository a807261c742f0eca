/**
 * Cases of files and folders as editors, mounts and operators change them.
 *
 * @module
 */
import assert from "node:assert/strict";
import { eventually } from "../../../scripts/harness/mod.ts";
import { problemsOf } from "../../support/views.ts";
import { type DirectoryCase, ROUTES, routesTo } from "./bench.ts";

export const FILE_CASES: readonly DirectoryCase[] = [
  {
    name: "a file that is removed serves no longer",
    run: async ({ world, answered }) => {
      await world.config.remove(ROUTES);
      // Without a rule both versions answer.
      await answered("v1", "v2");
    },
  },
  {
    name: "a file in a folder, renamed and moved",
    run: async ({ world: { config }, answered }) => {
      await config.remove(ROUTES);
      await Deno.mkdir(`${config.path}/deep/er`, { recursive: true });
      await Deno.writeTextFile(`${config.path}/deep/er/one.yaml`, routesTo("v2"));
      await answered("v2");
      await Deno.rename(`${config.path}/deep/er/one.yaml`, `${config.path}/deep/two.yaml`);
      await Deno.writeTextFile(`${config.path}/deep/two.yaml`, routesTo("v1"));
      await answered("v1");
      await Deno.remove(`${config.path}/deep`, { recursive: true });
    },
  },
  {
    name: "a hundred changes at once: the last one serves",
    run: async ({ world: { config }, answered }) => {
      for (let i = 0; i < 100; i++) {
        await config.write(ROUTES, routesTo(i % 2 === 0 ? "v1" : "v2"));
      }
      await answered("v2");
    },
  },
  {
    name: "temporary files of editors are not configuration",
    run: async ({ world: { config, daemon }, answered }) => {
      for (const name of [`${ROUTES}~`, `.${ROUTES}.swp`, `#${ROUTES}#`, ".hidden.yaml"]) {
        await Deno.writeTextFile(`${config.path}/${name}`, "kind: [nonsense");
      }
      await config.write(ROUTES, routesTo("v2"));
      await answered("v2");
      assert.deepEqual((await problemsOf(daemon)).problems, []);
      for (const name of [`${ROUTES}~`, `.${ROUTES}.swp`, `#${ROUTES}#`, ".hidden.yaml"]) {
        await config.remove(name);
      }
    },
  },
  {
    name: "a mount whose content is swapped by a link",
    run: async ({ world: { config }, answered }) => {
      const mount = `${config.path}/mount`;
      const fill = async (version: string): Promise<void> => {
        await Deno.mkdir(`${mount}/..${version}`);
        await Deno.writeTextFile(`${mount}/..${version}/mounted.yaml`, routesTo(version));
        await Deno.symlink(`..${version}`, `${mount}/..data_tmp`);
        await Deno.rename(`${mount}/..data_tmp`, `${mount}/..data`);
      };
      await config.remove(ROUTES);
      await Deno.mkdir(mount);
      await fill("v2");
      await Deno.symlink("..data/mounted.yaml", `${mount}/mounted.yaml`);
      await answered("v2");
      await fill("v1");
      await Deno.remove(`${mount}/..v2`, { recursive: true });
      await answered("v1");
      await Deno.remove(mount, { recursive: true });
    },
  },
  {
    name: "the directory goes and comes back, and traffic does not notice",
    run: async ({ world: { config, daemon }, answered, still }) => {
      // The routes of the case before are gone, so that only these serve.
      await eventually(
        "one VirtualService",
        async () => (await daemon.debug<object[]>("configz?resource=VirtualService")).length === 1,
      );
      await answered("v1");
      const away = `${config.path}-away`;
      await Deno.rename(config.path, away);
      await eventually(
        "the missing directory to be reported",
        async () => (await problemsOf(daemon)).problems.some(({ code }) => code === "config-dir"),
      );
      await still("v1");
      await Deno.mkdir(config.path);
      for await (const { name } of Deno.readDir(away)) {
        await Deno.copyFile(`${away}/${name}`, `${config.path}/${name}`);
      }
      await config.write(ROUTES, routesTo("v2"));
      await answered("v2");
      await eventually("no problem", async () => (await problemsOf(daemon)).problems.length === 0);
      await Deno.remove(away, { recursive: true });
    },
  },
];
