/** The key file of shells without a key store; re-exported so that shells need only the host. */
export { createFileSecrets } from '#adapters/secrets/file-secrets.ts'
