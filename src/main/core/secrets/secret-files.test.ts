import { expect, it } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import {
  holdsSecret,
  isGitConfig,
  isHarmless,
  isSecretFile,
  secretContentPattern,
  withoutCredentials,
} from './secret-files.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text)

const secret = `
/.env /.env.local /app/.ENV.production /.envrc /prod.env /.dev.vars /.dev.vars.staging /secrets.yml /.secrets
/.npmrc /npmrc /.yarnrc.yml /.pypirc /.condarc /auth.json /.dockercfg /.docker/config.json
/credentials /credentials.json /client_secret_12.apps.json /service-account.json /my-serviceAccountKey.json
/x-firebase-adminsdk-abc.json /application_default_credentials.json /terraform.tfstate /terraform.tfstate.backup
/prod.tfvars /prod.auto.tfvars.json /.terraformrc /kubeconfig /dev.kubeconfig /kube-config.yaml /.kube/config
/.s3cfg /.boto /.vault-token /vault_pass.txt /.databrickscfg /.pgpass /pgpass.conf /.my.cnf /.git-credentials
/.netrc /_netrc /.htpasswd /sftp-config.json /.vscode/sftp.json /server.pem /tls.key /AuthKey_A1.p8 /cert.p12
/cert.pfx /putty.ppk /store.jks /release.keystore /backup.gpg /vault.kdbx /host.keytab /office.ovpn /home.agekey
/id_rsa /deploy_id_ed25519 /id_ecdsa_sk /id_rsa.old /.ssh/work /.ssh/id_anything /.gnupg/private-keys-v1.d/a.key
/.aws/credentials /.aws/sso/cache/a.json /.azure/accessTokens.json /.config/gcloud/credentials.db /.config/gh/hosts.yml
/.cargo/credentials.toml /.gem/credentials /.m2/settings.xml /.bash_history /.bundle/config`
  .split(/\s+/)
  .filter(Boolean)

it.each(secret)('%s may hold secrets', (path) => {
  expect(isSecretFile(path as VirtualPath)).toBe(true)
})

const ordinary = `
/.env.example /.env.sample /example.env /terraform.tfvars.example /.npmrc.template /env.ts /src/env/index.ts
/environment.yml /keys.ts /src/key/a.ts /package.json /config.json /docker/config.json /kube/config.ts /id_rsa.pub
/.ssh/config /.ssh/known_hosts /.ssh/id_ed25519.pub /credentials.ts /secrets.ts /src/secrets/index.ts /README.md
/public.asc /history.ts /monkey /.gitignore /.git/config /token.ts /auth.ts /.yarn/releases/yarn.cjs /.vscode/settings.json`
  .split(/\s+/)
  .filter(Boolean)

it.each(ordinary)('%s is an ordinary file', (path) => {
  expect(isSecretFile(path as VirtualPath)).toBe(false)
})

const key = (kind: string): string => `-----BEGIN ${kind}-----\nMIIabc\n-----END ${kind}-----\n`
const letters = (count: number): string => 'aB3dE6gH9'.repeat(10).slice(0, count)

const contents: readonly (readonly [string, string])[] = [
  ...['PRIVATE KEY', 'RSA PRIVATE KEY', 'EC PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'ENCRYPTED PRIVATE KEY'].map(
    (kind) => ['/deploy', key(kind)] as const,
  ),
  ['/key.txt', key('PGP PRIVATE KEY BLOCK')],
  ['/both.txt', `Bag Attributes\n  x: y\n${key('PRIVATE KEY')}`],
  ['/a', 'PuTTY-User-Key-File-3: ssh-ed25519\n'],
  ['/a.json', '{"type": "service_account", "private_key": "-----BEGIN PRIVATE KEY-----\\nMII"}'],
  ['/age.txt', `AGE-SECRET-KEY-1${letters(20).toUpperCase()}`],
  ['/settings.yml', `token: ghp_${letters(36)}`],
  ['/a.toml', `t = "github_pat_${letters(70)}"`],
  ['/a.ini', `t=glpat-${letters(20)}`],
  ['/.config', `//registry/:_authToken=npm_${letters(36)}`],
  ['/a.conf', `sk-ant-api03-${letters(60)}`],
  ['/a.properties', 'aws=AKIAABCDEFGHIJKLMNOP'],
  ['/a.json', `{"maps":"AIza${letters(35)}"}`],
  ['/a.txt', `hvs.${letters(30)}`],
  ['/a.yaml', `slack: xoxb-${letters(30)}`],
]

it.each(contents)('%s is secret by its content', (path, text) => {
  expect(holdsSecret(path as VirtualPath, bytes(text))).toBe(true)
  expect(new RegExp(secretContentPattern, 'm').test(text)).toBe(true)
})

it.each([
  ['/guide.md', 'A key begins with -----BEGIN PRIVATE KEY-----, then lines of letters.'],
  ['/public.txt', key('PUBLIC KEY')],
  ['/cert.txt', key('CERTIFICATE')],
  ['/test.ts', `const token = 'ghp_${letters(36)}'`],
  ['/a.json', '{"token": "ghp_short"}'],
])('%s is not secret by its content', (path, text) => {
  expect(holdsSecret(path as VirtualPath, bytes(text))).toBe(false)
})

it('knows settings that hold no credential', () => {
  const harmless = (path: string, text: string): boolean => isHarmless(path as VirtualPath, bytes(text))
  expect(harmless('/.npmrc', 'legacy-peer-deps=true\n')).toBe(true)
  expect(harmless('/web/.yarnrc.yml', 'nodeLinker: node-modules\nyarnPath: .yarn/releases/yarn-4.cjs\n')).toBe(true)
  expect(harmless('/.npmrc', '//registry.example/:_authToken=abc')).toBe(false)
  expect(harmless('/.npmrc', 'registry=https://me:pw@registry.example/')).toBe(false)
  expect(harmless('/.yarnrc.yml', 'npmAuthIdent: x')).toBe(false)
  expect(harmless('/.env', 'A=1')).toBe(false)
})

it('removes credentials from the settings of a repository, and nothing else', () => {
  const config = `[remote "origin"]
\turl = https://me:canary@example.com/a.git
\tpushurl = https://canary@example.com/a.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
[remote "ssh"]
\turl = git@example.com:a.git
[url "https://x:canary@example.com/"]
\tinsteadOf = gh:
[http "https://example.com/"]
\textraheader = AUTHORIZATION: basic canary
\tcookieFile = /home/me/cookies
[sendemail]
\tsmtpPass = x
\tsmtpPassword = canary
[user]
\tname = Me
`
  const shown = withoutCredentials(config)
  expect(shown).not.toContain('canary')
  for (const kept of ['git@example.com:a.git', '+refs/heads/*', 'insteadOf = gh:', 'name = Me', '@example.com/a.git'])
    expect(shown).toContain(kept)
  expect(withoutCredentials(shown)).toBe(shown)
  const paths = ['/.git/config', '/sub/.git/config', '/.git/modules/a/b/config', '/.git/config.worktree']
  for (const path of paths) expect(isGitConfig(path as VirtualPath)).toBe(true)
  expect(isGitConfig('/git/config' as VirtualPath)).toBe(false)
})
