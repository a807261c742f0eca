/**
 * Configuration files of a remote cluster with other credentials.
 *
 * @module
 */

/** The configuration file with a token that ends in a minute and was issued an hour ago. */
export function endingConfig(kubeconfig: string): string {
  const now = Math.floor(Date.now() / 1000);
  const part = (value: unknown) =>
    new TextEncoder().encode(JSON.stringify(value)).toBase64({ alphabet: "base64url" });
  const config = JSON.parse(kubeconfig);
  const token = `${part({ alg: "none" })}.${part({ iat: now - 3600, exp: now + 60 })}.x`;
  config.users[0].user = { token };
  return JSON.stringify(config);
}

/** The configuration file with a program that prints a token as its credentials. */
export function execConfig(kubeconfig: string, token: string): string {
  const apiVersion = "client.authentication.k8s.io/v1";
  const answer = JSON.stringify({ apiVersion, kind: "ExecCredential", status: { token } });
  const exec = { apiVersion, command: "echo", args: [answer], interactiveMode: "Never" };
  const config = JSON.parse(kubeconfig);
  config.users[0].user = { exec };
  return JSON.stringify(config);
}
