/** The key file of frontends without a key store. Re-exported so that frontends import only the host. */
export { createFileSecrets } from '#adapters/secrets/file-secrets.ts'
