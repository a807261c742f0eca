/**
 * Creates authorities, certificates and keys as files with `openssl`.
 *
 * @module
 */
import { isInstalled } from "./installed.ts";

/** A certificate with its key, PEM files. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** An authority that issues certificates into its folder. */
export interface Authority extends Certificate {
  /** Issues a certificate for DNS names and SPIFFE ids, valid for a day. */
  issue(name: string, subjectAltNames: readonly string[]): Promise<Certificate>;
  /** Its list of withdrawn certificates, of which there are none. */
  revocationList(): Promise<string>;
}

/** Makes an authority whose files lie in a folder. */
export async function makeAuthority(dir: string, name = "ca"): Promise<Authority> {
  const own = filesOf(dir, name);
  await openssl([
    ...["req", "-x509", "-nodes", "-days", "1", "-subj", `/CN=${name}`],
    ...["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"],
    ...["-keyout", own.key, "-out", own.cert],
    ...["-addext", "keyUsage=critical,keyCertSign,cRLSign"],
  ]);
  return {
    ...own,
    issue: async (leaf, subjectAltNames) => {
      const files = filesOf(dir, leaf);
      const names = subjectAltNames.map((n) => n.includes("://") ? `URI:${n}` : `DNS:${n}`);
      await openssl([
        ...["req", "-x509", "-nodes", "-days", "1", "-subj", `/CN=${leaf}`],
        ...["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"],
        ...["-keyout", files.key, "-out", files.cert, "-CA", own.cert, "-CAkey", own.key],
        ...["-addext", "basicConstraints=critical,CA:FALSE"],
        ...["-addext", `subjectAltName=${names.join(",")}`],
      ]);
      return files;
    },
    revocationList: async () => {
      const [database, config, list] = ["index", "cnf", "crl"].map((e) => `${dir}/${name}.${e}`);
      await Deno.writeTextFile(database!, "");
      const settings = `database=${database}\ndefault_md=sha256\ndefault_crl_days=1\n`;
      await Deno.writeTextFile(config!, `[ca]\ndefault_ca=own\n[own]\n${settings}`);
      const by = ["-config", config!, "-cert", own.cert, "-keyfile", own.key];
      await openssl(["ca", "-gencrl", ...by, "-out", list!]);
      return list!;
    },
  };
}

function filesOf(dir: string, name: string): Certificate {
  return { cert: `${dir}/${name}.pem`, key: `${dir}/${name}-key.pem` };
}

async function openssl(args: readonly string[]): Promise<void> {
  const command = new Deno.Command("openssl", { args: [...args], stderr: "piped" });
  const { success, stderr } = await command.output();
  if (!success) throw new Error(`openssl ${args[0]}: ${new TextDecoder().decode(stderr)}`);
}

/** True if the machine has the `openssl` command, without which there are no certificates. */
export const HAS_OPENSSL: boolean = isInstalled("openssl", ["version"]);

/** Makes a test that needs certificates one that is skipped, with its reason, where they cannot be made. */
export function withCertificates(
  name: string,
  fn: (t: Deno.TestContext) => Promise<void>,
): Deno.TestDefinition {
  return { name: HAS_OPENSSL ? name : `${name} [needs openssl]`, ignore: !HAS_OPENSSL, fn };
}
