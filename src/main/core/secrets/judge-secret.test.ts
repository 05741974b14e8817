import { expect, it } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { isSecret } from './judge-secret.ts'
import { secretContentBytes } from './secret-files.ts'

const judge = (path: string, content: string | Uint8Array): boolean =>
  isSecret(path as VirtualPath, typeof content === 'string' ? Buffer.from(content) : content)

const block = (label: string): string =>
  `-----BEGIN ${label}-----\n\nmQINBFVd1aB3dE6gH9aB3dE6gH9\n=x1Y2\n-----END ${label}-----\n`
/** Stands for a variable, as settings name one. */
const variable = ['$', '{TOKEN}'].join('')
const commandOfRedis = `{
    "AUTH": {
        "summary": "Authenticates the connection.", "complexity": "O(N) where N is the number of passwords",
        "group": "connection", "since": "1.0.0", "arity": -2, "function": "authCommand",
        "history": [["6.0.0", "Added ACL style (username and password)."]],
        "command_flags": ["NOSCRIPT", "NO_AUTH", "SENTINEL"], "reply_schema": { "const": "OK" },
        "arguments": [{ "name": "username", "type": "string" }, { "name": "password", "type": "string" }]
    }
}`

// Mutation: when `isSecret` returns true for every name that is usual for secrets, each of these fails.
it.each([
  ['/src/commands/auth.json', commandOfRedis],
  ['/sig/jq-release.key', block('PGP PUBLIC KEY BLOCK')],
  ['/ca.pem', `Bag Attributes\n  friendlyName: a\n${block('CERTIFICATE')}${block('CERTIFICATE')}`],
  ['/public.pem', block('PUBLIC KEY')],
  ['/id_ed25519', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHx ann@example.org\n'],
  ['/.env', ''],
  ['/.env', '# nothing yet\n\nexport TOKEN=\nOTHER=""\n'],
  ['/secrets.json', '{}'],
  ['/secrets.json', `{"password": "${variable}", "token": null}`],
  ['/credentials/readme', 'Put your keys here.\n'],
  ['/src/secrets/judge.ts', 'const token = read("password")'],
  ['/secrets/kustomization.yaml', 'resources:\n  - db.yaml\n'],
  ['/my-secrets-app/settings.yaml', 'password: not-looked-at'],
  ['/.npmrc', `legacy-peer-deps=true\n//registry.example/:_authToken=${variable}\n`],
  ['/web/.yarnrc.yml', 'nodeLinker: node-modules\nyarnPath: .yarn/releases/yarn-4.cjs\n'],
  ['/gradle.properties', 'org.gradle.jvmargs=-Xmx2g\n'],
  ['/appsettings.json', '{"Logging": {"Level": "Debug"}}'],
  ['/conversation_history', 'the person asked for tests\n'],
  ['/translations.key', 'hello = Hallo\n'],
  ['/keys.ts', 'const password = "not looked at by its name"'],
])('%s shows no secret: %j', (path, content) => {
  expect(judge(path, content)).toBe(false)
})

// Mutation: when names alone never count, or `isHarmless` returns true, these fail.
it.each([
  ['/auth.json', '{"http-basic": {"repo.example": {"username": "me", "password": "hunter2"}}}'],
  ['/auth.json', '{"github-oauth": {"github.com": "aB3dE6gH9aB3dE6gH9aB3d"}}'],
  ['/secrets.json', '{"db": "hunter2"}'],
  ['/secrets.json', '{"db": "swordfish"}'],
  ['/secrets.yml', 'db:\n  password: correct\n'],
  ['/credentials.csv', 'User,Access key ID,Secret access key\nme,AKIAABCDEFGHIJKLMNOP,aB3dE6gH9aB3dE6gH9aB3d\n'],
  ['/.env', 'PORT=3000\n'],
  ['/.env', '# a\nexport TOKEN=x\n'],
  ['/.env.local', 'canary\n'],
  ['/.npmrc', '//registry.example/:_authToken=abc'],
  ['/.npmrc', 'registry=https://me:pw@registry.example/'],
  ['/.npmrc', 'registry=https://canary@registry.example/'],
  ['/.yarnrc.yml', 'npmAuthIdent: x'],
  ['/appsettings.json', '{"Default": "Server=db;Password=x"}'],
  ['/.mcp.json', '{"mcpServers": {"a": {"env": {"API_TOKEN": "x"}}}}'],
  ['/credentials/aws', 'aws_secret_access_key = x'],
  ['/deploy/secrets/prod/db.yaml', 'password: hunter2'],
  ['/secrets/db_password.txt', 'hunter2\n'],
  ['/.secrets/token', 'swordfish'],
  ['/.netrc', 'machine a login b password c'],
  ['/.git-credentials', 'https://a:b@c'],
  ['/.ssh/work', 'anything'],
  ['/id_rsa', 'anything'],
  ['/config/master.key', '0123456789abcdef0123456789abcdef'],
  ['/both.pem', `${block('CERTIFICATE')}${block('RSA PRIVATE KEY')}`],
  ['/cut.pem', block('CERTIFICATE').slice(0, -30)],
  ['/backup.gpg', '\u0085\u0002\0\u0004'],
  ['/message.gpg', block('PGP MESSAGE')],
  ['/settings.xml.key', '<password>hunter2</password>'],
])('%s shows a secret: %j', (path, content) => {
  expect(judge(path, content)).toBe(true)
})

it('a file with a name for secrets that is too long to be judged counts as one', () => {
  expect(judge('/auth.json', ' '.repeat(secretContentBytes))).toBe(true)
  expect(judge('/plain.json', ' '.repeat(secretContentBytes))).toBe(false)
})

it('text in two bytes for a letter is read, or counts as a secret', () => {
  const wide = Buffer.from('\ufeff//registry.example/:_authToken=abc', 'utf16le')
  for (const content of [wide, wide.subarray(2)]) expect(judge('/.npmrc', content)).toBe(true)
})

/** Notices a search for the ends of blocks that begins anew for each of them. */
it('is quick for hostile text', () => {
  const begin = process.threadCpuUsage()
  for (const piece of ['-----BEGIN CERTIFICATE-----\n', '-----BEGIN ', 'password', 'password ', 'a.', '://', '"'])
    judge('/secrets.pem', piece.repeat((secretContentBytes - 1) / piece.length))
  // Microseconds. It takes about a hundredth of that.
  expect(process.threadCpuUsage(begin).user).toBeLessThan(3_000_000)
})
