import { expect, it } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { holdsSecret, isSecretFile, secretContentPattern } from './secret-files.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text)

const secret = `
/.hg/hgrc /a/.svn/auth/svn.simple/0123 /.bzr/branch/branch.conf /.jj/repo/config.toml /rclone.conf /pip.conf
/.kaggle/kaggle.json /.sentryclirc /.clasprc.json /firebase-adminsdk.json /gradle.properties /wp-config.php
/appsettings.Development.json /appsettings.json /.snowsql/config /.mcp.json /.circleci/cli.yml
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
/.cargo/credentials.toml /.gem/credentials /.m2/settings.xml /.bash_history /.bundle/config
/.env-production /.env_local /.env~ /prod.env.bak /.envrc.local /env.production /.env.dist.local /.env.bak.1 /#.env#
/terraform.tfvars.bak /.netrc.bak /.pgpass.bak /.npmrc.bak /.npmrc-prod /.htpasswd.bak /server.key.bak /server.key~
/credentials.bak /credentials-prod.json /.aws/credentials.bak /.aws/credentials-work.old /secrets.prod.yaml
/prod-secrets.yml /.vault_pass /.vault_password /kubeconfig-prod /kubeconfig.prod.yaml /local.settings.json
/.server.key.swp /server.key.save /id_rsa.2 /.docker/config.json.orig /tls.key.copy /.dev.vars-prod`
  .split(/\s+/)
  .filter(Boolean)

it.each(secret)('%s may hold secrets', (path) => {
  expect(isSecretFile(path as VirtualPath)).toBe(true)
})

const ordinary = `
/.env.example /.env.sample /example.env /terraform.tfvars.example /.npmrc.template /env.ts /src/env/index.ts
/environment.yml /keys.ts /src/key/a.ts /package.json /config.json /docker/config.json /kube/config.ts /id_rsa.pub
/.ssh/config /.ssh/known_hosts /.ssh/id_ed25519.pub /credentials.ts /secrets.ts /src/secrets/index.ts /README.md
/public.asc /history.ts /monkey /.gitignore /.git/config /token.ts /auth.ts /.yarn/releases/yarn.cjs /.vscode/settings.json
/.env.dist /.env-example /.env_example /.env.example.bak /.env.production.example /.env.example.json /id_rsa.pub.bak
/kubeconfig.go /kubeconfig_test.go /env.test.ts /env.d.ts /settings.json /credentials.prod.ts /secrets.md /README.md.bak
/.ssh/config.bak /.ssh/known_hosts.old /environment.prod.ts /secrets.schema.json /page.1`
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
  ['/b.json', '{"private_key":\n  "-----BEGIN PRIVATE KEY-----\\nMII"}'],
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

/** Like ripgrep, which looks at one line at a time and knows only one end of a line. */
const foundBySearch = (text: string): boolean =>
  text.split('\n').some((line) => new RegExp(secretContentPattern).test(line))

it.each(contents)('%s is secret by its content', (path, text) => {
  expect(holdsSecret(path as VirtualPath, bytes(text))).toBe(true)
  expect(foundBySearch(text)).toBe(true)
})

const shapes: readonly (readonly [string, (text: string) => string])[] = [
  ['lines that end with a carriage return', (text) => `first\r${text.replaceAll('\n', '\r')}`],
  ['lines that end with both', (text) => `first\r\n${text.replaceAll('\n', '\r\n')}`],
  ['a byte that is zero', (text) => `${text}\n\0\n`],
]

it.each(shapes)('finds every secret in a file with %s', (_, shape) => {
  for (const [path, text] of contents) {
    expect(holdsSecret(path as VirtualPath, bytes(shape(text))), shape(text)).toBe(true)
    expect(foundBySearch(shape(text)), shape(text)).toBe(true)
  }
})

it('finds every secret in UTF-16 and behind a BOM', () => {
  for (const [path, text] of contents) {
    const little = Buffer.from(`\ufeff${text}`, 'utf16le')
    for (const content of [little, Buffer.from(little).swap16(), bytes(`\ufeff${text}`)])
      expect(holdsSecret(path as VirtualPath, content), text).toBe(true)
  }
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
